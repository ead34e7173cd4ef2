"""Scrubbing lines in passes: the same as scrubbing them at once, without holding them."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_secrets import Fake
from sesskit.artifacts import scrub_lines
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.scrub_families import families
from sesskit.artifacts.scrub_lines import FileChanged, LineScrubber, Rereadable, blocks_of

fake = Fake(51)
TOKEN, OTHER = fake.github(), fake.letters(24)
VALUES = Policy(values=True)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrub_lines, "BLOCK", 64)


def scrubber_of(data: bytes, policy: Policy = VALUES) -> LineScrubber:
    chunks = [data[at : at + 40] for at in range(0, len(data), 40)]
    scrubber = LineScrubber(lambda: blocks_of(iter(chunks)), Redactor(policy))
    scrubber.reserve()
    scrubber.find()
    return scrubber


def scrubbed(data: bytes, policy: Policy = VALUES) -> bytes:
    return b"".join(scrubber_of(data, policy).scrub())


def at_once(data: bytes, policy: Policy = VALUES) -> bytes:
    document = Document.of("a.jsonl", data)
    redact([document], Redactor(policy))
    return document.result()


def test_what_stands_late_goes_early() -> None:
    lines = [f'{{"n": {n}, "t": "word {n} and {OTHER if n == 3 else "x"}"}}' for n in range(40)]
    lines.append(json.dumps({"env": f"API_KEY={OTHER}"}))
    data = ("\n".join(lines) + "\n").encode()
    result = scrubbed(data).decode()
    assert OTHER not in result
    assert result.count("[api-key-1]") == 2
    changed = [(a, b) for a, b in zip(lines, result.splitlines(), strict=True) if a != b]
    assert len(changed) == 2
    assert scrubbed(result.encode()) == result.encode()


def test_numbers_of_placeholders_that_come_later_are_kept() -> None:
    data = f'{{"t": "{TOKEN}"}}\n' + '{"t": "x"}\n' * 30 + '{"t": "[github-token-1]"}\n'
    assert scrubbed(data.encode()).startswith(b'{"t": "[github-token-2]"}\n')


def test_pieces_over_the_edge_of_two_blocks() -> None:
    cut = len(TOKEN) // 2
    pad = json.dumps({"pad": "y" * 60})
    deltas = [json.dumps({"delta": part}) for part in ("so " + TOKEN[:cut], TOKEN[cut:] + " it is")]
    chunks = [f"{pad}\n{deltas[0]}\n".encode(), f"{deltas[1]}\n{pad}\n".encode()]
    assert len(list(blocks_of(iter(chunks)))) == 2
    scrubber = LineScrubber(lambda: blocks_of(iter(chunks)), Redactor(VALUES))
    scrubber.find()
    result = b"".join(scrubber.scrub()).decode()
    assert TOKEN[:cut] not in result
    assert TOKEN[cut:] not in result
    assert result.count("[github-token-1]") == 1
    assert result.count(pad) == 2


def test_places_are_those_of_the_file() -> None:
    data = b'{"a": 1}\n' * 30 + f'{{"b": ["{TOKEN}"]}}\n{{"a": 1,}}\n'.encode()
    scrubber = scrubber_of(data)
    list(scrubber.scrub())
    (found,) = scrubber.found
    assert (found.line, found.column, found.pointer) == (31, 9, "/b/0")
    assert scrubber.count == 1
    assert [(issue.line, data[issue.offset or 0 :][:1]) for issue in scrubber.issues] == [
        (32, b",")
    ]


pieces = st.sampled_from(
    [
        *(TOKEN, f"API_KEY={OTHER}", OTHER, "/home/ikeda/x", "ikeda", "[token-1]", "plain", "é"),
        *('{"secret": "x"}', f'{{"token": "{OTHER}"}}', "a\nb", '"', "\\"),
    ]
)
lines = st.lists(
    st.dictionaries(
        st.sampled_from(["a", "password", "delta", "clientSecret"]),
        st.lists(pieces, max_size=3).map(" ".join),
        max_size=2,
    ),
    max_size=12,
)
policies = st.sampled_from([Policy(), Policy(extended=True), VALUES, Policy(deny=("plain",))])


@given(lines, policies, st.booleans())
def test_the_same_as_at_once(values: list[object], policy: Policy, broken: bool) -> None:
    text = "".join(json.dumps(value) + "\n" for value in values) + '{"password": ' * broken
    data = text.encode() + b"\xff" * broken
    result = scrubbed(data, policy)
    if policy.values:
        assert TOKEN.encode() not in result
        assert OTHER.encode() not in result
        assert len(result.split(b"\n")) == len(data.split(b"\n"))
    else:
        assert result == at_once(data, policy)


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n' * 40)
    file = Rereadable(path)
    first = b"".join(file.chunks())
    path.write_bytes(first + b'{"a": 2}\n')  # what comes later is not read
    assert b"".join(file.chunks()) == first
    path.write_bytes(first.replace(b"1", b"2"))
    with pytest.raises(FileChanged):
        list(file.chunks())
    path.write_bytes(first[:50])
    with pytest.raises(FileChanged):
        list(file.chunks())


def test_memory_is_that_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrub_lines, "BLOCK", 1 << 14)
    line = json.dumps({"t": "one two three " * 20, "k": f"TOKEN={TOKEN}"}).encode() + b"\n"

    def chunks(count: int) -> Iterator[bytes]:
        yield from (line for _ in range(count))

    def peak(count: int) -> int:
        scrubber = LineScrubber(lambda: blocks_of(chunks(count)), Redactor(VALUES))
        monkeypatch.setattr(scrub_lines, "_MOST_FOUND", 10)
        tracemalloc.start()
        scrubber.reserve()
        scrubber.find()
        assert sum(map(len, scrubber.scrub()))
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(50)
    assert peak(3000) < 3000 * len(line)


@pytest.mark.parametrize(
    ("paths", "groups"),
    [
        (["a.jsonl", "b.jsonl"], [["a.jsonl"], ["b.jsonl"]]),
        (["d/s.jsonl", "d/s/x.jsonl"], [["d/s.jsonl", "d/s/x.jsonl"]]),
        (["d/s/sub/x.json", "d/s.jsonl"], [["d/s.jsonl", "d/s/sub/x.json"]]),
        (
            ["s.payloads/1.json", "s.jsonl", "t.jsonl"],
            [["s.jsonl", "s.payloads/1.json"], ["t.jsonl"]],
        ),
        (["app.json", "app/x.json"], [["app.json"], ["app/x.json"]]),
        (["s.jsonl", "s/t.jsonl", "s/t/u.json"], [["s.jsonl", "s/t.jsonl", "s/t/u.json"]]),
        (["x/s/y.json"], [["x/s/y.json"]]),
    ],
)
def test_families(paths: list[str], groups: list[list[str]]) -> None:
    assert families(paths, lambda _: None) == groups


def test_a_format_says_what_belongs_together() -> None:
    paths = ["r/log.jsonl", "r/log/subagents/1.jsonl"]
    assert families(paths, lambda _: "robota-log") == [paths]

"""Pages: what they hold, what they never hold, and how big they get."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from hostile_texts import PAYLOADS, bombs
from page_checks import problems, read, text_of
from page_sessions import ROOT, called, everywhere, record, said, source
from sesskit._version import __version__
from sesskit.artifacts import page_markup
from sesskit.artifacts.page import INDEX, PAGE_BYTES, Page, PageExtraMissing, Source, pages
from sesskit.records.view import (
    Child,
    Ref,
)

LOGS = ROOT / "tests/data/robota-log/vectors/valid"
SAMPLES = [
    *(("robota-record", path) for path in sorted(ROOT.glob("examples/healthy/*.json"))),
    *(("ochat-record", path) for path in sorted(ROOT.glob("examples/ochat/*.bin"))),
    *(("robota-log", path) for path in sorted(LOGS.glob("*/log/*.jsonl"))),
    *(
        ("dsh-log", path)
        for path in sorted(ROOT.glob("tests/data/dsh-log/vectors/valid/*/s*.jsonl*"))
    ),
]


def made(data: bytes, session: str = "robota-record") -> list[Page]:
    return pages(source(data, session))


def body(page: Page) -> str:
    """The page without what is the same in all of them."""
    text = page.data.decode()
    style, script = page_markup.asset("page.css"), page_markup.asset("page.js")
    text = text.replace(style, "…").replace(script, "…").replace(__version__, "VERSION")
    return re.sub(r"sha256-[\w/+]+=*", "sha256-…", re.sub(r"\n+", "\n", text))


@pytest.mark.parametrize(("session", "path"), SAMPLES, ids=lambda value: str(value)[-60:])
def test_every_format(session: str, path: Path) -> None:
    found = made(path.read_bytes(), session)
    assert problems(found) == []
    assert [page.name for page in found] == [INDEX]


@pytest.mark.parametrize(
    ("session", "path"),
    [
        ("robota-log", "examples/logs/healthy/tide-table.jsonl"),
        ("ochat-record", "examples/ochat/reading-list-v2.bin"),
    ],
)
def test_what_a_page_is(session: str, path: str, snapshot: SnapshotAssertion) -> None:
    (page,) = made((ROOT / path).read_bytes(), session)
    assert body(page) == snapshot


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_hostile_texts_change_nothing(payload: str) -> None:
    found = made(everywhere(payload))
    assert problems(found) == []
    assert problems(pages(source(everywhere(payload)), images=True)) == []


@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    found = made(everywhere(text))
    assert problems(found) == []


@given(
    st.lists(st.sampled_from([*PAYLOADS.values(), "\n", "\n\n", "    ", "> ", "- "]), max_size=6)
)
def test_any_mixture_of_hostile_texts(texts: list[str]) -> None:
    assert problems(made(everywhere("".join(texts)))) == []


PIECES = ["|", "-", "\n", "\n\n", "> ", "- ", "1. ", "12) ", "*", "_", "`", "```\n", "[", "](", ")"]
PIECES += [
    "![",
    "]: ",
    "<",
    ">",
    "&",
    ";",
    "\\",
    "#",
    " ",
    "    ",
    "~~",
    "|-|\n",
    "==\n",
    '"',
    "alpha",
]
PIECES += ["beta", "gamma7", "http://a.example", "amp", "|a|b|\n|-|-|\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_no_word_is_lost(words: list[str]) -> None:
    text = "".join(words)
    shown = text_of(made(record([said("user", text, 0)]))).replace("\u200b", "")
    for word in ("alpha", "beta", "gamma7", "amp"):
        assert shown.count(word) >= text.count(word), text


@pytest.mark.parametrize("bomb", bombs(1), ids=str)
def test_what_is_hard_to_read_takes_its_time_and_no_more(bomb: str) -> None:
    spent = []
    for size in (40_000, 400_000):
        text = bombs(size)[bomb]
        data = record([said("user", text, 0), *called(1, "Bash", json.dumps({"a": text}), text)])
        start = time.process_time()
        found = made(data)
        spent.append(time.process_time() - start)
        assert problems(found) == []
        if bomb not in ("links of a terminal", "terminal", "invisible", "returns"):
            assert text_of(found).count(text[0]) >= text.count(text[0]) - 2
    assert spent[1] < 8


def test_ten_megabytes_in_one_line() -> None:
    text = "0123456789" * 1_000_000
    start = time.process_time()
    found = made(record([*called(0, "Bash", "{}", text), said("user", "and on", 1)]))
    assert time.process_time() - start < 10
    assert max(len(page.data) for page in found) <= PAGE_BYTES
    shown = text_of(found)
    assert sum(shown.count(digit) for digit in "0123456789") >= len(text)
    assert problems(found) == []
    assert "and on" in text_of(found[-1:])
    assert "part 2 of 209" in shown
    assert "continued" in text_of(found[2:3])


def test_many_messages() -> None:
    words = "the index of terms was read again and sorted by letter before anything else " * 7
    messages = []
    for number in range(0, 4_000, 2):
        messages.append(said("user", f"question {number}: {words}", number))
        messages.append(said("assistant", f"answer {number}: {words}", number + 1))
    data = record(messages)
    found = made(data)
    assert problems(found) == []
    assert found[0].name == INDEX
    assert [page.name for page in found[1:]] == [f"page-{n}.html" for n in range(1, len(found))]
    text = sum(len(message["content"]) for message in messages)
    assert sum(len(page.data) for page in found) < 1.5 * text
    for number, page in enumerate(found[1:], 1):
        links = read(page).links
        assert (f"page-{number - 1}.html" in links) == (number > 1)
        assert (f"page-{number + 1}.html" in links) == (number < len(found) - 1)
        assert INDEX in links
    assert {f"page-{n}.html" for n in range(1, len(found))} <= set(read(found[0]).links)
    anchors = [name for page in found for name in read(page).ids if name.startswith("m")]
    assert len(anchors) == len(set(anchors)) == len(messages)
    longer = made(record([*messages, said("user", "one more", 4_000)]))
    assert "".join(read(found[1]).text) == "".join(read(longer[1]).text)


def test_the_index_has_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.artifacts.page._ROWS", 3)
    text = "word " * 9_000
    found = made(record([said("user", text, number) for number in range(60)]))
    assert len(found) > 6
    rows = [link for link in read(found[0]).links if link.startswith("page-")]
    assert len(rows) == 3 + 2 + 1
    assert problems(found) == []


def test_subagents() -> None:
    child = source(
        record([said("user", "look for it", 0)], name="Looker"), name="subagents/a1.json"
    )
    main = source(record([said("user", "go", 0), *called(1, "Task", "{}", "done")]))
    children = (Child("a1", Ref(0, 1), call="c1", path="logs/subagents/a1.json"),)
    session = replace(main.session, children=children)
    (page,) = pages(Source(session, main.read), [child])
    assert problems([page]) == []
    text = page.data.decode()
    assert 'went to <a href="#a1">Looker</a>' in text
    assert '<li id="a1"><a href="#s1">Looker</a></li>' in text
    assert '<section id="s1"><h2>Subagent Looker <small>robota-record · 1 turn</small>' in text
    assert 'id="s1-m1"' in text
    long = source(record([said("user", "word " * 9_000, n) for n in range(30)]))
    several = pages(Source(replace(long.session, children=children), long.read), [child])
    assert problems(several) == []
    assert f'<li id="a1"><a href="page-{len(several) - 1}.html#s1">' in several[1].data.decode()


def test_the_same_session_gives_the_same_bytes() -> None:
    data = everywhere("some *text*")
    assert made(data) == made(data)


def test_an_empty_session() -> None:
    found = made(record([], systemPrompt=""))
    assert "Nothing was said." in text_of(found)
    assert problems(found) == []


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    page_markup.environment.cache_clear()
    page_markup.parts.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PageExtraMissing, match=r"pip install 'sesskit\[page\]'"):
        made(record([]))

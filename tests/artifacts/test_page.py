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
from sesskit.artifacts.page_text import visible
from sesskit.records.view import (
    Blob,
    Block,
    Branch,
    Call,
    CallRefs,
    Child,
    Compaction,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Result,
    StoredFile,
    Text,
    ToolCall,
    Turn,
    Uri,
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
    assert spent[1] < 4


def test_ten_megabytes_in_one_line() -> None:
    text = "0123456789" * 1_000_000
    start = time.process_time()
    found = made(record([*called(0, "Bash", "{}", text), said("user", "and on", 1)]))
    assert time.process_time() - start < 5
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\0\x07\x1b\x7f", "\u2400\u2407\u241b\u2421"),
        ("\x85\x9b", "⟦U+0085⟧⟦U+009B⟧"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\u200bb\u200db", "a⟦U+200B⟧b⟦U+200D⟧b"),
        ("\ud800", "⟦U+D800⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("tab\tand\nbreak", "tab\tand\nbreak"),
    ],
)
def test_what_does_not_show_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_calls_and_results() -> None:
    (page,) = made(
        record(
            [
                said("user", "do it", 0),
                *called(1, "Bash", '{"command": "ls -la", "deep": {"a": [1, null]}}', "a\nb"),
                *called(2, "Write", json.dumps({"text": "one\ntwo"}), ""),
                *called(3, "Odd", "no json at all", "x" * 7_000),
                *called(4, "Many", json.dumps({f"k{n}": n for n in range(50)}), "x"),
                *called(5, "Deep", json.dumps({"a": [[]] * 300}), "x"),
            ]
        )
    )
    text = text_of([page])
    assert 'command: ls -la\ndeep: {"a": [1, null]}' in text
    assert "text: \none\ntwo" in text
    assert "no json at all" in text
    assert '{"k0": 0, "k1": 1,' in text
    assert text.count("result of") == 5
    assert problems([page]) == []


def _with(block: Block, data: bytes = b'"some text"') -> str:
    message = Message("assistant", "model", (block,), (Ref(0, len(data)),))
    empty = source(record([]))
    turn = Turn(1, (message,), "error", reason="it broke")
    session = replace(empty.session, turns=(turn,), branches=(Branch("x", (turn,)),))
    found = pages(Source(session, lambda ref: data[ref.offset : ref.end]), images=True)
    assert problems(found) == []
    return found[0].data.decode()


REF = Ref(0, 11)


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        pytest.param(Reasoning(REF), "thinking: some text (9 characters)", id="thinking"),
        pytest.param(Reasoning(REF, sealed=True), "thinking, sealed for its vendor", id="sealed"),
        pytest.param(Reasoning(None), '<p class="n">thinking</p>', id="thinking without text"),
        pytest.param(
            Compaction(REF, 12), "summary of 12 earlier messages: some text", id="summary"
        ),
        pytest.param(Compaction(REF), "summary of earlier messages: some text", id="how many"),
        pytest.param(Uri(REF, "image/png"), "<summary>image/png (9 characters)", id="address"),
        pytest.param(StoredFile("f1", REF), "file f1", id="file"),
        pytest.param(Notice("hint", REF), '<p class="n">notice: hint</p>', id="notice"),
        pytest.param(
            ToolCall(Call("c", "T", "answered", CallRefs(REF), result=Result((), REF, exit=3))),
            "result of T, exit 3 (9 characters)</summary><pre>some text</pre>",
            id="typed result",
        ),
        pytest.param(
            ToolCall(
                Call("c", "T", "failed", CallRefs(REF), "shell", result=Result((Reasoning(REF),)))
            ),
            '<p class="c">shell <b>T</b> <i class="bad">failed</i></p>',
            id="shell",
        ),
        pytest.param(
            ToolCall(Call(None, "", "denied", CallRefs(REF), result=Result((), duration=75.0))),
            "result of (no name), 1 min 15 s, empty",
            id="nothing",
        ),
        pytest.param(Opaque("odd", REF), "odd, 11 bytes", id="opaque"),
        pytest.param(Opaque("odd", Ref(0, 4, form="raw")), '<p class="n">odd, 4 bytes', id="raw"),
        pytest.param(Blob(REF, "image/png"), "image/png, 11 bytes", id="no base64"),
        pytest.param(Blob(REF, "image/svg+xml"), "image/svg+xml, 11 bytes", id="vector"),
        pytest.param(Blob(REF), "bytes, 11 bytes", id="bytes"),
    ],
)
def test_other_blocks(block: Block, shown: str) -> None:
    page = _with(block)
    assert shown in page
    assert '<i class="bad">error: it broke</i>' in page
    assert "Branch 1, Turn 1" in page


def test_long_texts_are_folded() -> None:
    for text, tag in (("word " * 1_500, "<p>word"), ("[word " * 1_500, "<pre>[word")):
        page = _with(Text(Ref(0, len(text), form="raw")), text.encode())
        assert f"({len(text):,} characters)</summary>{tag}" in page


def test_pictures() -> None:
    data = b'"iVBORw0KGgo="'
    picture = Blob(Ref(0, len(data)), "image/png")
    page = _with(picture, data)
    assert '<img src="data:image/png;base64,iVBORw0KGgo="' in page
    assert "img-src data:" in page
    assert "<summary>" in page
    big = Blob(Ref(0, 300_000), "image/png")
    assert "<img" not in _with(big, b'"' + b"A" * 299_998 + b'"')


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
    assert '<section id="s1"><h2>Subagent Looker' in text
    assert 'id="s1-m1"' in text
    long = source(record([said("user", "word " * 9_000, n) for n in range(30)]))
    several = pages(Source(replace(long.session, children=children), long.read), [child])
    assert problems(several) == []
    assert f'<li id="a1"><a href="page-{len(several) - 1}.html#s1">' in several[1].data.decode()


def test_the_same_session_gives_the_same_bytes() -> None:
    data = everywhere("some *text*")
    assert made(data) == made(data)


def test_an_empty_session() -> None:
    found = made(record([]))
    assert "Nothing was said." in text_of(found)
    assert problems(found) == []


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    page_markup.environment.cache_clear()
    page_markup.parts.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PageExtraMissing, match=r"pip install 'sesskit\[page\]'"):
        made(record([]))

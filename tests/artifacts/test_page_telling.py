"""How messages are told on a page: texts, calls, and blocks of every other kind."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from page_checks import problems, text_of
from page_sessions import called, record, said, source
from sesskit.artifacts.page import Source, pages
from sesskit.artifacts.page_text import visible
from sesskit.records.view import (
    Blob,
    Block,
    Branch,
    Call,
    CallRefs,
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
    (page,) = pages(
        source(
            record(
                [
                    said("user", "do it", 0),
                    *called(1, "Bash", '{"command": "ls -la", "deep": {"a": [1, null]}}', "a\nb"),
                    *called(2, "Write", json.dumps({"text": "one\ntwo"}), ""),
                    *called(3, "Odd", "no json at all", "x" * 7_000),
                    *called(4, "Many", json.dumps({f"k{n}": n for n in range(50)}), "x"),
                    *called(6, "Twice", '{"command": "hidden", "command": "shown"}', "x"),
                    *called(5, "Deep", json.dumps({"a": [[]] * 300}), "x"),
                ]
            )
        )
    )
    text = text_of([page])
    assert 'command: ls -la\ndeep: {"a": [1, null]}' in text
    assert "text: \none\ntwo" in text
    assert "no json at all" in text
    assert '{"k0": 0, "k1": 1,' in text
    assert "hidden" in text
    assert text.count("result of") == 6
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

"""The session view of a snapshot: what was said, called and answered, and where it stands."""

from __future__ import annotations

import pytest

from ochat_builders import answered, called, file_of, old_session, plainly_returned, said, thought
from ochat_vectors import DAMAGED, INDEX, Row, data_of, name_of, raw
from sesskit.records.ochat import encode
from sesskit.records.ochat_view import view
from sesskit.records.refs import input_of, reader, text_of
from sesskit.records.view import Reasoning, Session, Text, ToolCall, Uri
from sesskit.schemas.ochat_sessions import Layout

EVERYTHING = raw("v5/everything.bin")


def _said(data: bytes) -> list[tuple[str, str, list[str]]]:
    read = reader(data)
    return [
        (
            message.role,
            message.by,
            [
                text_of(block.ref, read)
                for block in message.blocks
                if isinstance(block, Text | Uri | Reasoning) and block.ref is not None
            ],
        )
        for message in view(data).messages()
    ]


def test_a_talk() -> None:
    data = file_of(said("Plan a trip."), thought(), called(), answered("Done."))
    assert _said(data) == [
        ("user", "person", ["Plan a trip."]),
        ("assistant", "model", []),
        ("assistant", "model", []),
        ("assistant", "model", ["Done."]),
    ]
    seen = view(data)
    assert (seen.format, seen.id, len(seen.turns)) == ("ochat-record", "demo", 1)
    assert seen.version is not None
    assert (seen.version.word, seen.version.sure) == ("5", "certain")
    ids = [message.ids for message in seen.messages()]
    assert ids[1] == ("4:demo:1", "rs_1")
    (call,) = seen.calls()
    assert (call.id, call.name, call.state, call.kind) == (
        "c1",
        "list_dir",
        "unanswered",
        "function",
    )
    assert call.input is not None
    assert input_of(call.input, reader(data)) == ({"path": "docs"}, True)


def test_calls_and_their_results() -> None:
    read = reader(EVERYTHING)
    calls = list(view(EVERYTHING).calls())
    states = {(call.kind, call.state) for call in calls}
    assert states >= {("function", "answered"), ("custom", "answered"), ("server", "unrecorded")}
    first = calls[0]
    assert first.result is not None
    (block,) = first.result.blocks
    assert isinstance(block, Text)
    assert text_of(block.ref, read) == "a.md\nb.md\n"
    pictures = [
        text_of(block.ref, read)
        for call in calls
        if call.result
        for block in call.result.blocks
        if isinstance(block, Uri)
    ]
    assert pictures[0] == "https://img.example.test/o.png"


def test_a_plain_result_of_the_oldest_layout() -> None:
    data = encode(old_session([said(), called(), plainly_returned()]), Layout(2, "R1"))
    (call,) = view(data).calls()
    assert (call.state, call.name) == ("answered", "list_dir")
    assert call.result is not None
    (block,) = call.result.blocks
    assert isinstance(block, Text)
    assert text_of(block.ref, reader(data)) == "a.md"


def test_a_search_without_results_keeps_none() -> None:
    searches = [call for call in view(EVERYTHING).calls() if call.kind == "server"]
    assert [(call.name, call.state) for call in searches] == [
        ("web_search", "unrecorded"),
        ("file_search", "answered"),
        ("file_search", "answered"),
        ("file_search", "unrecorded"),
    ]


def _covered(seen: Session) -> list[tuple[int, int]]:
    refs = [mark.ref for mark in seen.marks]
    for message in seen.messages():
        refs += message.refs
        for block in message.blocks:
            if isinstance(block, ToolCall):
                refs += block.call.refs.results
    return sorted((ref.offset, ref.end) for ref in refs)


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_refs_of_talk_and_marks_are_the_file(row: Row) -> None:
    """But for the id and version, which the view names itself, and the counts of lists."""
    data = raw(f"{row['name']}.bin")
    seen = view(data)
    assert seen.total.end == len(data)
    spans = _covered(seen)
    assert all(0 <= start <= end <= len(data) for start, end in spans)
    told = sum(end - start for start, end in spans)
    named = len((seen.id or "").encode()) + 4 + 10 + 6
    assert len(data) - named <= told <= len(data)


@pytest.mark.parametrize("row", DAMAGED, ids=name_of)
def test_a_damaged_snapshot_shows_what_lies_before_the_damage(row: Row) -> None:
    seen = view(data_of(row))
    assert seen.format == "ochat-record"
    if "-cut-" in row["name"]:
        assert seen.marks[0].type == "frame"


def test_a_cut_history_is_shown_as_far_as_it_goes() -> None:
    data = file_of(said("one"), answered("two"), said("three"))
    cut = data[: data.index(b"three")]
    assert [texts for _, _, texts in _said(cut)] == [["one"], ["two"]]
    last = view(cut).marks[-1]
    assert (last.type, last.class_, last.ref.end) == ("bytes", "unknown", len(cut))


def test_tasks_are_marks_with_their_state() -> None:
    marks = [mark for mark in view(EVERYTHING).marks if mark.type == "tasks"]
    assert [mark.state for mark in marks].count("In_progress") == 1
    assert len(marks) == 6
    assert marks[0].ref.pointer == "/tasks/0"
    assert len([mark for mark in view(EVERYTHING).marks if mark.type == "kv_store"]) == 6


def test_what_trails_is_a_mark() -> None:
    data = file_of(said())
    mark = view(data + b"more").marks[-1]
    assert (mark.type, mark.ref.offset, mark.ref.length) == ("bytes", len(data), 4)


@pytest.mark.parametrize("data", [b"", b"short", b"\xff" * 16])
def test_what_is_no_snapshot_is_one_mark(data: bytes) -> None:
    (mark,) = view(data).marks
    assert (mark.type, mark.ref.length) == ("bytes", len(data))


def test_pointers_lead_to_the_texts() -> None:
    data = file_of(said("hi"))
    (message,) = view(data).messages()
    (block,) = message.blocks
    assert isinstance(block, Text)
    assert block.ref.pointer == "/history/0/item/Input_message/content/0/Text/text"

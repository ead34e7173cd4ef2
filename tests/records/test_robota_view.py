"""The session view of Robota records: what is where, and that nothing is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robota_vectors import VALID, VECTORS
from sesskit.records import robota_view
from sesskit.records.refs import input_of, reader, text_of
from sesskit.records.view import (
    Blob,
    Call,
    Child,
    FamilyFile,
    Mark,
    Message,
    Opaque,
    Ref,
    Session,
    Text,
    ToolCall,
    Uri,
)

MAXIMAL = (VECTORS / "valid" / "maximal.json").read_bytes()
REENCODED = sorted((VECTORS / "reencoded").glob("*.json"))
EXAMPLES = Path(__file__).parents[2] / "examples"


def record(messages: list[Any], **more: Any) -> bytes:
    """An envelope around a record with these messages; a message is (role, members)."""
    listed = [
        {
            "id": f"m{n}",
            "timestamp": f"2026-01-01T10:00:{n:02}.000Z",
            "state": "complete",
            "role": role,
            "content": "words",
            **members,
        }
        for n, (role, members) in enumerate(messages)
    ]
    inner = {"id": "s", "cwd": "/", "createdAt": "x", "updatedAt": "x", "messages": listed, **more}
    return json.dumps({"schemaVersion": 1, "record": inner}).encode()


def asking(*ids: str) -> dict[str, Any]:
    calls = [
        {"id": i, "type": "function", "function": {"name": "tool", "arguments": "{}"}} for i in ids
    ]
    return {"toolCalls": calls, "content": None}


def telling(call_id: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "tool", {"toolCallId": call_id, **more}


def refs_of(session: Session) -> Iterator[Ref]:
    yield from session.system
    yield from (mark.ref for mark in session.marks)
    for message in session.messages():
        yield from message.refs
        for block in message.blocks:
            if isinstance(block, ToolCall):
                yield from block.call.refs.results


def at(value: Any, ref: Ref) -> Any:
    """The value that the ref's pointer names."""
    assert ref.pointer is not None
    for key in ref.pointer.split("/")[1:]:
        name = key.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def test_the_head_of_a_record() -> None:
    session = robota_view.bare(MAXIMAL)
    assert (session.format, session.id, session.title, session.cwd) == (
        "robota-record-bare",
        "sess-maximal-01",
        "Glossary clean-up",
        "/srv/demo/glossary",
    )
    assert (str(session.started), str(session.ended)) == (
        "2026-03-04T09:00:00.000Z",
        "2026-03-04T11:45:30.250Z",
    )
    assert (session.version, session.total.length, len(session.tools)) == (None, len(MAXIMAL), 2)
    (system,) = session.system
    assert text_of(system, reader(MAXIMAL)) == "Keep answers short."


def test_the_version_stands_in_the_envelope() -> None:
    data = (VECTORS / "reencoded" / "maximal.json").read_bytes()
    version = robota_view.enveloped(data).version
    assert version is not None
    assert (version.word, version.sure, version.ref) == (
        "1",
        "certain",
        Ref(21, 1, 2, "/schemaVersion"),
    )


def test_the_talk_of_a_record() -> None:
    session = robota_view.bare(MAXIMAL)
    read = reader(MAXIMAL)
    before, turn = session.turns
    assert (before.number, before.state, turn.number, turn.state) == (
        0,
        "complete",
        1,
        "interrupted",
    )
    assert [(m.role, m.by, m.id) for m in session.messages()] == [
        ("system", "machine", "msg-1"),
        ("user", "person", "msg-2"),
        ("assistant", "model", "msg-3"),
        ("assistant", "model", "msg-5"),
    ]
    asked = turn.messages[0]
    text, inline, picture, plain = asked.blocks
    assert isinstance(text, Text)
    assert text_of(text.ref, read) == "Sort these terms."
    assert isinstance(inline, Blob)
    assert (inline.media, text_of(inline.ref, read)) == ("image/png", "iVBORw0KGgo=")
    assert isinstance(picture, Uri)
    assert (picture.media, text_of(picture.ref, read)) == (
        "image/png",
        "https://pics.example/board.png",
    )
    assert isinstance(plain, Uri)
    assert plain.media is None


def test_calls_carry_their_arguments_and_results() -> None:
    data = (VECTORS / "valid" / "tool-calling.json").read_bytes()
    read = reader(data)
    calls = list(robota_view.bare(data).calls())
    assert [(call.id, call.name, call.state) for call in calls] == [
        ("tc-1", "ReadFile", "answered"),
        ("tc-2", "Calc", "answered"),
        ("tc-3", "Calc", "answered"),
    ]
    assert [input_of(call.input, read) for call in calls if call.input] == [
        ({"path": "table.csv"}, True),
        ("not json at all", False),
        ({"expr": "(4+6)/2"}, True),
    ]
    result = calls[1].result
    assert result is not None
    (told,) = result.blocks
    assert isinstance(told, Text)
    assert text_of(told.ref, read) == "error: bad arguments"


def states(data: bytes) -> list[tuple[str | None, str]]:
    return [(call.id, call.state) for call in robota_view.enveloped(data).calls()]


def test_a_call_may_stay_without_result_in_three_ways() -> None:
    data = record(
        [
            ("user", {}),
            ("assistant", asking("lost")),
            ("assistant", {**asking("cut", "kept"), "state": "interrupted"}),
            telling("kept"),
            ("user", {}),
            ("assistant", asking("open")),
        ]
    )
    assert states(data) == [
        ("lost", "unanswered"),
        ("cut", "interrupted"),
        ("kept", "answered"),
        ("open", "open"),
    ]
    assert [turn.state for turn in robota_view.enveloped(data).turns] == ["interrupted", "open"]


def test_an_interrupted_result_interrupts_its_call_and_its_turn() -> None:
    data = record(
        [("user", {}), ("assistant", asking("a")), telling("a", state="interrupted"), ("user", {})]
    )
    assert states(data) == [("a", "interrupted")]
    assert [turn.state for turn in robota_view.enveloped(data).turns] == ["interrupted", "open"]


def test_a_result_without_call_is_an_orphan_with_the_name_of_its_tool() -> None:
    data = record([("user", {}), telling("ghost", name="read"), ("assistant", {})])
    (call,) = robota_view.enveloped(data).calls()
    assert (call.id, call.name, call.state, call.refs.call) == ("ghost", "read", "orphan", None)


def test_tasks_of_agents_are_children_with_usage_and_files() -> None:
    session = robota_view.bare(MAXIMAL)
    (child,) = session.children
    assert isinstance(child, Child)
    assert (child.id, child.state, child.path, child.ref.pointer) == (
        "tk-1",
        "completed",
        "/srv/demo/logs/tk-1.jsonl",
        "/backgroundTasks/0",
    )
    (usage,) = session.usage
    assert (usage.key, usage.prompt, usage.output) == ("tk-1", 40, 9)
    assert usage.ref.pointer == "/backgroundTasks/0/result/usage"
    assert json.loads(reader(MAXIMAL)(usage.ref))["totalTokens"] == 49
    assert session.family == (
        FamilyFile("record", ""),
        FamilyFile("log", "/srv/demo/logs/tk-1.log"),
        FamilyFile("transcript", "/srv/demo/logs/tk-1.jsonl"),
    )


def marked(session: Session, name: str) -> list[tuple[str, str | None, str | None]]:
    return [
        (mark.class_, mark.state, str(mark.time) if mark.time else None)
        for mark in session.marks
        if mark.type == name
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("goal", [("setting", "stopped", "2026-03-04T09:05:00.000Z")]),
        ("goal.progress", [("setting", "continue", None), ("setting", "satisfied", None)]),
        ("plan", [("setting", "executing", "2026-03-04T09:06:00.000Z")]),
        (
            "plan.steps",
            [("setting", s, None) for s in ("done", "in-progress", "pending")],
        ),
        (
            "sessionLoops",
            [("setting", s, "2026-03-04T10:00:00.000Z") for s in ("waiting", "stopped")],
        ),
        ("name", [("title", None, None)]),
        ("activeBranch", [("snapshot", None, None)]),
        ("usedMemoryReferences", [("index", None, None)]),
        (
            "memoryEvents",
            [
                ("progress", "memory_candidate_saved", "2026-03-04T10:07:00.000Z"),
                ("progress", "memory_retrieved", "2026-03-04T10:08:00.000Z"),
            ],
        ),
    ],
)
def test_marks(name: str, expected: list[tuple[str, str | None, str | None]]) -> None:
    assert marked(robota_view.bare(MAXIMAL), name) == expected


def test_what_a_record_never_says_is_a_loss() -> None:
    losses = robota_view.bare(MAXIMAL).losses
    assert {loss.kind: loss.count for loss in losses} == {
        "response-usage": 2,
        "response-model": 2,
        "reasoning": 2,
    }
    assert losses[0].first is not None
    assert losses[0].first.pointer == "/messages/2"
    assert robota_view.bare(b'{"messages": []}').losses == ()


@pytest.mark.parametrize("path", [*VALID, *REENCODED], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_refs_hold_what_their_pointers_name(path: Path) -> None:
    data = path.read_bytes()
    value = json.loads(data)
    session = (robota_view.enveloped if "record" in value else robota_view.bare)(data)
    read = reader(data)
    blocks = (block for message in session.messages() for block in message.blocks)
    inner = [block.ref for block in blocks if isinstance(block, Text | Blob | Uri)]
    inner += [call.input.ref for call in session.calls() if call.input]
    for ref in [*refs_of(session), *session.tools, *inner]:
        assert json.loads(read(ref)) == at(value, ref)
        assert ref.line == data.count(b"\n", 0, ref.offset) + 1


@pytest.mark.parametrize("path", [*VALID, *REENCODED], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_talk_and_marks_hold_the_whole_record(path: Path) -> None:
    data = path.read_bytes()
    value = json.loads(data)
    session = (robota_view.enveloped if "record" in value else robota_view.bare)(data)
    prefix, inner = ("/record", value["record"]) if "record" in value else ("", value)
    expected = set()
    for name, member in inner.items():
        one = not isinstance(member, list)
        places = [f"/{name}"] if one else [f"/{name}/{n}" for n in range(len(member))]
        expected |= {prefix + place for place in places}
    found = {ref.pointer for ref in refs_of(session)}
    assert expected <= found
    assert all("/" in place for place in found - expected if place)


def kinds(data: bytes) -> list[tuple[str, str]]:
    return [(m.type, m.class_) for m in robota_view.enveloped(data).marks if m.class_ == "unknown"]


def test_what_has_no_place_is_marked() -> None:
    data = record([("owl", {}), ("user", {})], wing="left", goal={"status": 3}, messages2=[])
    session = robota_view.enveloped(
        data.replace(b'{"schemaVersion": 1,', b'{"schemaVersion": "1", "more": 0,')
    )
    marks = [(mark.type, mark.ref.pointer) for mark in session.marks if mark.class_ == "unknown"]
    assert marks == [
        ("more", "/more"),
        ("messages", "/record/messages/0"),
        ("wing", "/record/wing"),
        ("messages2", "/record/messages2"),
    ]
    assert session.version is not None
    assert session.version.sure == "guess"
    assert ("unplaced-message", 1) in [(loss.kind, loss.count) for loss in session.losses]


def test_doubled_members_count_once_and_are_marked_once() -> None:
    data = (
        b'{"schemaVersion": 1, "record": {"id": "a"}, '
        b'"record": {"id": "b", "id": "c", "messages": 1}}'
    )
    session = robota_view.enveloped(data)
    assert session.id == "c"
    unknown = [(mark.type, mark.ref.length) for mark in session.marks if mark.class_ == "unknown"]
    assert unknown == [("record", 11), ("id", 3), ("messages", 1)]


def test_odd_content_and_parts_are_opaque() -> None:
    parts = [{"type": "hologram"}, {"type": "text"}, 3]
    data = record([("user", {"content": 7, "parts": parts}), ("assistant", {"content": None})])
    first, second = robota_view.enveloped(data).messages()
    assert [(b.type, getattr(b, "kind", "")) for b in first.blocks] == [
        ("opaque", "content"),
        ("opaque", "hologram"),
        ("opaque", "text"),
        ("opaque", ""),
    ]
    assert second.blocks == ()
    assert isinstance(first.blocks[0], Opaque)


def test_content_that_a_part_does_not_repeat_is_shown_too() -> None:
    parts = [{"type": "text", "text": "other words"}]
    (message,) = robota_view.enveloped(record([("user", {"parts": parts})])).messages()
    assert [block.type for block in message.blocks] == ["text", "text"]


def test_calls_of_odd_shape_are_still_calls() -> None:
    calls = [3, {"id": 7, "function": "x"}, {"function": {"name": "n"}}]
    session = robota_view.enveloped(record([("assistant", {"toolCalls": calls})]))
    found: list[Call] = list(session.calls())
    assert [(call.id, call.name, call.input) for call in found] == [(None, "", None)] * 2 + [
        (None, "n", None)
    ]


@pytest.mark.parametrize(
    ("name", "messages", "unknown"),
    [
        ("cut-short", 4, []),
        ("zero-filled", 4, []),
        ("two-documents", 2, ["bytes"]),
        ("hand-edited", 4, []),
        ("wrong-shape", 6, []),
    ],
)
def test_damaged_records_show_what_can_be_seen(
    name: str, messages: int, unknown: list[str]
) -> None:
    session = robota_view.enveloped((EXAMPLES / "damaged" / f"{name}.json").read_bytes())
    assert sum(1 for _ in session.messages()) == messages
    assert [mark.type for mark in session.marks if mark.class_ == "unknown"] == unknown


@pytest.mark.parametrize("data", [b"", b"\0" * 9, b"]", b"[1]", b'"text"', b"7", b"{}"])
def test_what_is_no_record_has_no_talk(data: bytes) -> None:
    for view in (robota_view.enveloped, robota_view.bare):
        session = view(data)
        assert (session.turns, session.id, session.total) == ((), None, Ref(0, len(data), 1, ""))


def test_every_cut_of_a_record_has_a_view() -> None:
    data = (VECTORS / "reencoded" / "maximal.json").read_bytes()
    before = 0
    for size in range(0, len(data), 41):
        session = robota_view.enveloped(data[:size])
        seen = sum(1 for _ in refs_of(session))
        assert all(ref.end <= size for ref in refs_of(session))
        assert seen >= before - 1  # the value that is cut may show itself otherwise when whole
        before = max(before, seen)


def test_flipped_bytes_have_a_view() -> None:
    data = bytearray((VECTORS / "reencoded" / "tool-calling.json").read_bytes())
    for place in range(0, len(data), 11):
        data[place] ^= 0x5A
        session = robota_view.enveloped(bytes(data))
        assert all(0 <= ref.offset <= ref.end <= len(data) for ref in refs_of(session))
        data[place] ^= 0x5A


def test_a_view_holds_no_text() -> None:
    content = "x" * 3_000
    session = robota_view.enveloped(record([("user", {"content": content}), telling("a")]))
    assert content not in repr(session)
    message: Message = next(session.messages())
    assert isinstance(session.marks[0], Mark)
    assert message.refs[0].length > 3_000

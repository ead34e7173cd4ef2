"""The session view of Robota logs: turns, calls and how they ended, refs that point right."""

from __future__ import annotations

from pathlib import Path

import pytest

from robota_log_cases import VECTORS
from sesskit.logs.robota_log_view import view
from sesskit.logs.robota_view_marks import CLASSES
from sesskit.records.refs import input_of, reader, text_of
from sesskit.records.view import Session, Text
from sesskit.schemas.robota_log_names import EVENT_NAMES

AUDIT = VECTORS / "audit" / "logs"
LOGS = sorted([*VECTORS.rglob("logs/**/*.jsonl"), *VECTORS.rglob("valid/*/log/**/*.jsonl")])


def seen(name: str) -> tuple[bytes, Session]:
    data = (AUDIT / name / f"{name}.jsonl").read_bytes()
    return data, view(data)


def states(session: Session) -> list[tuple[str | None, str]]:
    return [(call.id, call.state) for call in session.calls()]


def test_every_event_has_a_class() -> None:
    assert set(CLASSES) | {"history_mutation"} == EVENT_NAMES


def test_a_plain_log() -> None:
    data, session = seen("plain-turns")
    assert (session.id, session.cwd) == ("plain-turns", "/srv/harbour")
    assert session.models == ("tide-1",)
    assert [turn.state for turn in session.turns] == ["complete", "complete"]
    read = reader(data)
    texts = [
        text_of(block.ref, read)
        for message in session.messages()
        for block in message.blocks
        if isinstance(block, Text)
    ]
    assert texts == [
        "How many ferries leave before nine?",
        "Two ferries leave before nine.",
        "Which gate?",
        "Gate 4.",
    ]
    assert [(usage.prompt, usage.output) for usage in session.usage] == [(60, 9), (90, 4)]
    assert text_of(session.system[0], read) == "You keep the harbour log."
    assert str(session.started) == "2026-10-01T09:00:00.001Z"
    assert session.losses == ()


def test_how_calls_end() -> None:
    data, session = seen("tool-outcomes")
    assert states(session) == [
        ("call_1", "answered"),
        ("call_2", "denied"),
        ("call_3", "denied"),
        ("call_4", "failed"),
        ("call_5", "failed"),
        ("call_6", "failed"),
    ]
    call = next(session.calls())
    assert call.input is not None
    assert input_of(call.input, reader(data)) == ({"path": "/srv/harbour/a.txt"}, True)
    assert call.result is not None
    assert call.result.structured is not None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aborted-stream", ["interrupted", "complete"]),
        ("aborted-approval", ["interrupted", "complete"]),
        ("forced-summaries", ["complete", "complete", "error"]),
        ("shutdown-in-turn", ["interrupted"]),
    ],
)
def test_how_turns_end(name: str, expected: list[str]) -> None:
    assert [turn.state for turn in seen(name)[1].turns] == expected


def test_a_parked_call_is_open() -> None:
    data = (AUDIT / "parked-approval" / "parked-approval.jsonl").read_bytes()
    lines = data.split(b"\n")[:12]
    session = view(b"\n".join(lines))
    assert states(session) == [("call_w1", "open")]
    assert session.turns[-1].state == "open"


def test_children() -> None:
    session = seen("background")[1]
    (child,) = session.children
    assert (child.id, child.call, child.state) == ("task_1", "call_b1", "completed")


def test_sidecars_are_files_of_the_family() -> None:
    base = VECTORS / "valid" / "spill-nested" / "log"
    session = view((base / "spill-nested.jsonl").read_bytes())
    paths = [member.path for member in session.family if member.role == "sidecar"]
    assert paths
    files = {path: (base / path).read_bytes() for path in paths}
    refs = [
        block.ref
        for message in session.messages()
        for block in message.blocks
        if isinstance(block, Text) and block.ref.file
    ]
    for ref in refs:
        assert len(text_of(ref, reader(b"", files))) > 100


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}-{log.stem}")
def test_every_line_is_in_the_talk_or_a_mark(log: Path) -> None:
    data = log.read_bytes()
    session = view(data)
    talk = {ref.line for message in session.messages() for ref in message.refs}
    talk |= {ref.line for call in session.calls() for ref in call.refs.results}
    marks = {mark.ref.line for mark in session.marks}
    assert talk | marks == {n for n, line in enumerate(data.split(b"\n"), 1) if line}
    for mark in session.marks:
        assert data[mark.ref.offset : mark.ref.end].startswith(b"{")


def test_without_committed_messages() -> None:
    data = seen("plain-turns")[0]
    rest = b"\n".join(line for line in data.split(b"\n") if b"history_mutation" not in line)
    session = view(rest)
    assert len(list(session.messages())) == 4
    assert [message.by for message in session.messages()] == ["person", "model"] * 2


def test_damage_is_a_mark() -> None:
    data = seen("plain-turns")[0]
    session = view(b"\0\0\n[1]\n" + data[:-20] + b"\n{")
    assert [mark.type for mark in session.marks].count("bytes") >= 3
    assert session.losses[0].kind == "unread"
    assert view(b"").turns == ()


def test_cut_anywhere() -> None:
    data = seen("tool-turn")[0]
    for end in range(0, len(data), 97):
        view(data[:end])

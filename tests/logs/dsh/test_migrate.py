"""The released steps: the same bytes as the recorded ones, and the same refusals."""

import hashlib
import io
import json
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.migrate import Migrated, Refused, migrate, text_of
from sesskit.logs.dsh.migration_source import Unsound
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.schemas.dsh_values import is_count

HEADER = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}


def moved(data: bytes, to: int) -> Migrated:
    """What the steps alone make of the events of a log."""
    reader = open_log(io.BytesIO(data))
    list(reader)
    judge = reader.judge
    assert judge is not None
    seeded = judge.header.get("seedLength", 0)
    return migrate(judge.header, judge.events, int(seeded) if is_count(seeded) else 0, to)


def recorded() -> list[tuple[Case, int]]:
    return [(case, int(to[-1])) for case in cases() for to in case.expected.get("migrate") or {}]


@pytest.mark.parametrize(("case", "to"), recorded(), ids=lambda v: getattr(v, "name", v))
def test_recorded_step(case: Case, to: int) -> None:
    expected = case.expected["migrate"][f"to{to}"]
    data = case.file.read_bytes()
    if not expected["ok"]:
        if case.name == "header-version-much-newer" and to == 3:
            return  # the recorded steps knew no version 3; see the test of the command
        with pytest.raises((Refused, Unsound, ValueError)):
            migrate_log(data, to, cut=True)
        return
    result = migrate_log(data, to, cut=True).log
    text = text_of(result)
    assert hashlib.sha256(text).hexdigest() == expected["sha256"]
    assert (len(result.events), result.inherited) == (
        expected["eventCount"],
        expected["inheritedEventCount"],
    )
    if "file" in expected:
        assert text == (case.folder / expected["file"]).read_bytes()


def log(*events: Any, **header: Any) -> bytes:
    lines: list[Any] = [{**HEADER, **header}]
    for seq, (kind, data, more) in enumerate(events):
        lines.append({"type": kind, "seq": seq, "time": seq + 10, "data": data, **more})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


TURN: Any = ("turn/start", {"turn": 1}, {})
STEP: Any = ("step/start", {"turn": 1, "step": 1}, {})
STEP_END: Any = ("step/end", {"turn": 1, "step": 1}, {})
TURN_END: Any = ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}, {})
APPEND = {"surfaceOp": "append"}
USER_DATA = {"id": "u", "role": "user", "content": [], "source": {"kind": "user"}}
USER: Any = ("user/message", USER_DATA, APPEND)
TODO: Any = ("todo/write", {"todos": []}, {})


def chunk(**members: Any) -> Any:
    return ("assistant/chunk", {"turn": 1, "step": 1, "chunk": members}, {})


START = chunk(type="block-start", index=0, blockType="text")
PIECES = [chunk(type="text-delta", index=0, text=t) for t in "ab"]


def answer(sources: list[int] | None) -> Any:
    source = {"kind": "model", "provider": "p", "model": "m"}
    message = {"id": "a", "role": "assistant", "content": [], "source": source}
    more = APPEND if sources is None else {**APPEND, "sourceEventSeqs": sources}
    return ("assistant/message", {"turn": 1, "step": 1, "message": message}, more)


def types_of(data: bytes, to: int) -> list[str]:
    return [event["type"] for event in moved(data, to).events]


def test_streams_move_into_their_message_and_what_came_between_stays() -> None:
    data = log(TURN, STEP, START, PIECES[0], TODO, PIECES[1], TODO, answer([2, 3, 5]), STEP_END)
    events = moved(data, 2).events
    assert [e["type"] for e in events][2:5] == ["todo/write", "todo/write", "assistant/message"]
    stream = events[4]["data"]["stream"]
    assert [r["type"] for r in stream] == ["chunk", "text-chunks"]
    assert (stream[1]["time0"], stream[1]["dt"], stream[1]["texts"]) == (13, [2], ["a", "b"])
    assert "sourceEventSeqs" not in events[4]


def test_a_stream_without_message_is_an_attempt() -> None:
    data = log(TURN, STEP, START, TODO, STEP_END, TURN_END)
    assert types_of(data, 2)[2:4] == ["assistant/attempt", "todo/write"]
    data = log(TURN, STEP, START, answer([]), STEP_END, TURN_END)
    assert types_of(data, 2)[2:4] == ["assistant/attempt", "assistant/message"]


def test_an_old_restart_closes_the_turn_before() -> None:
    inserted = {"target": "next-turn", "start": 0, "inserted": [USER_DATA]}
    inbox: Any = ("agent/inbox/spliced", inserted, {})
    data = log(TURN, inbox, ("turn/start", {"turn": 2}, {}))
    events = moved(data, 2).events
    assert [e["type"] for e in events][2:] == ["turn/end", "turn/start"]
    assert events[2]["data"]["reason"] == {"kind": "interrupted"}


@pytest.mark.parametrize(
    ("events", "header", "inherited"),
    [
        ([USER, ("session/end-seed", {}, {}), TODO], {"seedLength": 1}, 1),
        ([USER, TODO], {"seedLength": 1}, 1),
        ([USER], {"seedLength": 1}, 1),
        ([], {"seedLength": 0}, 0),
        ([USER], {}, 0),
    ],
)
def test_the_seed_is_marked(events: list[Any], header: Any, inherited: int) -> None:
    result = moved(log(*events, **header), 2)
    assert result.header["isSeeded"] is bool(header)
    assert result.inherited == inherited
    marks = [e["seq"] for e in result.events if e["data"].get("inherited")]
    assert marks == ([inherited] if header else [])


@pytest.mark.parametrize(
    ("data", "to", "code"),
    [
        (log(TODO, sandboxMode="x"), 1, "member-unknown"),
        (log(TODO, seedLength=5), 1, "seed-length"),
        (log(("acme/x", {}, {"ignorable": True})), 1, "type-unknown"),
        (log(("todo/write", {"todos": [], "x": 1}, {})), 1, "member-unknown"),
        (log(("todo/write", {"todos": []}, {"colour": 1})), 1, "member-unknown"),
        (log(TURN, STEP, START, answer([1])), 2, "stream-sources"),
        (log(TURN, STEP, START, answer(None)), 2, "stream-sources"),
        (log(TURN, STEP, START, STEP_END, TURN_END, seedLength=3), 2, None),
        (log(TURN, STEP, START, PIECES[0], seedLength=3), 2, "seed-cut"),
        (
            log(TURN, STEP, START, ("user/message", USER_DATA, {**APPEND, "sourceEventSeqs": [2]})),
            2,
            "reference-to-chunk",
        ),
        (log(TURN, ("turn/start", {"turn": 2}, {})), 2, "turn-not-next"),
        (log(TURN, USER, TURN_END), 3, "surface-before-step"),
    ],
)
def test_refusals(data: bytes, to: int, code: str | None) -> None:
    if code is None:
        assert moved(data, to).version == to
        return
    with pytest.raises(Refused) as caught:
        moved(data, to)
    assert caught.value.issue.code == code

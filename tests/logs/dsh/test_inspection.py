"""Inspection of a log in one pass: the same numbers as the session view gives."""

from __future__ import annotations

import dataclasses
import io
import json
import random
import tracemalloc
from functools import cache
from typing import Any

import msgspec
import pytest

from logs.dsh.long_logs import HEADER as LONG_HEADER
from logs.dsh.long_logs import LongLog
from logs.dsh.vectors import Case, cases, rows
from peers.damages import damaged
from sesskit.logs.dsh import inspecting
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.inspection import inspect_log
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.rows import pack
from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.view import Viewing, view
from sesskit.records.overview import overview
from sesskit.records.view import Session
from sesskit.schemas.ecmascript import dumps

HEADER = b'{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}\n'


def agree(data: bytes) -> None:
    found = inspect_log(io.BytesIO(data))
    assert found.outcome.issues == decode(data).issues
    seen = view(data)
    if seen is None:
        assert found.overview is None
        return
    assert found.overview is not None
    expected = overview(seen)
    calls = [msgspec.structs.replace(c, input=None, result=None) for c in expected.troubled]
    expected = dataclasses.replace(expected, troubled=tuple(calls))
    bare = msgspec.structs.replace(seen, turns=(), marks=(), usage=(), model=None)
    session = found.overview.session
    assert session == bare
    counted = dataclasses.replace(found.overview, session=session, largest=(), parts=())
    assert counted == dataclasses.replace(expected, session=session, largest=(), parts=())
    assert set(found.overview.parts) == set(expected.parts)
    sizes = [part.size for part in expected.largest]
    assert [part.size for part in found.overview.largest] == sizes


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_same_as_the_view(case: Case) -> None:
    if case.file.suffix != ".db":
        agree(case.file.read_bytes())


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_same_as_the_view_for_later_versions(row: dict[str, str]) -> None:
    agree(row["text"].encode())


def test_what_only_these_logs_have() -> None:
    (case,) = cases("valid", "every-known-type")
    found = inspect_log(io.BytesIO(case.file.read_bytes()))
    assert (found.steps, found.compactions, found.retries) == (1, 0, 1)
    assert found.tools == {"read": {"failed": 1}} or found.tools
    assert found.routes
    assert found.events == case.expected["storedEventCount"]


def test_seeds_and_closers() -> None:
    (fork,) = cases("valid", "fork-parent-child--child-at-turn-1")
    assert inspect_log(io.BytesIO(fork.file.read_bytes())).inherited == 6
    opened = HEADER + b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'
    assert inspect_log(io.BytesIO(opened)).closers == ("turn/end",)


def test_nothing() -> None:
    found = inspect_log(io.BytesIO(b""))
    assert (found.overview, found.events) == (None, 0)


def turn(number: int, seq: int) -> bytes:
    said = f'{{"id":"m{seq}","role":"user","content":[],"source":{{"kind":"user"}}}}'
    return (
        f'{{"type":"turn/start","seq":{seq},"time":1,"data":{{"turn":{number}}}}}\n'
        f'{{"type":"user/message","seq":{seq + 1},"time":1,"data":{said},"surfaceOp":"append"}}\n'
        f'{{"type":"turn/end","seq":{seq + 2},"time":1,'
        f'"data":{{"turn":{number},"reason":{{"kind":"completed"}}}}}}\n'
    ).encode()


def test_memory_is_flat() -> None:
    def peak(turns: int) -> int:
        data = HEADER + b"".join(turn(n + 1, 3 * n) for n in range(turns))
        tracemalloc.start()
        found = inspect_log(io.BytesIO(data))
        _, top = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert isinstance(found.overview and found.overview.session, Session)
        assert found.overview is not None
        assert found.overview.turns == {"complete": turns}
        return top

    small, large = peak(200), peak(2000)
    assert large < small + 1_000_000, "what grows is the surface alone"


BESIDE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("approval/asked", {"id": "ap", "toolName": "run", "callId": "CALL"}),
    ("approval/decided", {"id": "ap", "outcome": "allowed-once"}),
    ("todo/write", {"todos": [{"content": "a", "status": "pending"}]}),
    ("request/context", {"provider": "p", "model": "m"}),
)


@cache
def log_of_turns(version: int, outcome: str = "allowed-once") -> bytes:
    """Five turns, with events beside the talk behind the first call of each."""
    turns = LongLog(1, result_bytes=30).turns()
    found = [event for _ in range(5) for event in next(turns)]
    events: list[Any] = []
    moved: dict[int, int] = {}
    for event in found:
        moved[event["seq"]] = len(events)
        sources = [moved[seq] for seq in event.get("sourceEventSeqs", ())]
        more = {"sourceEventSeqs": sources} if sources else {}
        events.append({**event, "seq": len(events), **more})
        if event["type"] == "tool/call" and event["data"]["step"] == 1:
            now = {"callId": event["data"]["callId"], "outcome": outcome}
            for kind, payload in BESIDE:
                said = payload | {name: now[name] for name in now.keys() & payload.keys()}
                beside = {"type": kind, "seq": len(events), "time": event["time"], "data": said}
                events.append(beside)
    data = b"".join(dumps(record) + b"\n" for record in (LONG_HEADER, *pack(events)))
    return data if version == 0 else b"".join(migrate_log(data, version).blocks(compressed=False))


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_plain_turns_and_odd_ones(version: int, seed: int) -> None:
    chance = random.Random(f"turns:{version}:{seed}")
    log = [json.loads(line) for line in log_of_turns(version).splitlines()]
    alike(damaged(log, chance) if seed else log_of_turns(version))


def alike(data: bytes) -> None:
    """The same numbers whether turns are counted by their events or by the session view."""
    found = inspect_log(io.BytesIO(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspecting.Work, "_fold_plainly", lambda *_: False)
        assert inspect_log(io.BytesIO(data)) == found


def said(number: int, seq: int, blocks: str) -> bytes:
    text = turn(number, seq)
    return text.replace(b'"content":[]', b'"content":[%s]' % blocks.encode())


def test_a_call_that_a_person_makes_is_counted_as_ever() -> None:
    odd = said(3, 6, '{"type":"tool-call","id":"c","name":"read","arguments":"{}"}')
    plain = b"".join(turn(n + 1, 3 * n) for n in range(2))
    alike(HEADER + plain + odd + turn(4, 9))


@pytest.mark.parametrize("outcome", ["rejected", "cancelled"])
@pytest.mark.parametrize("version", [0, 3])
def test_what_stands_beside_the_talk(version: int, outcome: str) -> None:
    data = log_of_turns(version, outcome)
    alike(data)
    agree(data)
    found = inspect_log(io.BytesIO(data))
    assert found.overview is not None
    assert found.overview.calls.get("denied", 0) == (5 if outcome == "rejected" else 0)
    assert found.overview.marks["approval/decided"].states == {outcome: 5}


def test_a_turn_too_long_to_hold_is_counted_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspecting, "MOST_HELD", 2000)
    alike(log_of_turns(0))


@pytest.mark.parametrize("version", [0, 3])
def test_plain_turns_are_counted_by_their_events(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewed: list[int] = []
    take = Viewing.take

    def seen(self: Viewing, stored: Stored) -> None:
        viewed.append(stored.line.number)
        take(self, stored)

    monkeypatch.setattr(Viewing, "take", seen)
    data = log_of_turns(version)
    inspect_log(io.BytesIO(data))
    starts = [n for n, line in enumerate(data.splitlines(), 1) if b"turn/start" in line]
    assert not [number for number in viewed if starts[1] <= number < starts[-1]]

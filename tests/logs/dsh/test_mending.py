"""Gaps in logs of v2 and v3: what is left stands in turns and steps that fit together."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from logs.dsh.long_logs import HEADER, LongLog
from peers.damages import damaged, sources
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.repair import RepairedLog, plan_repair
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Unsupported, Valid

Json = dict[str, Any]


def sound(version: int, turns: int = 3) -> list[bytes]:
    source = LongLog(7, result_bytes=20).turns()
    events = [event for _ in range(turns) for event in next(source)]
    data = b"".join(dumps(record) + b"\n" for record in (HEADER, *events))
    moved = migrate_log(data, version)
    return b"".join(moved.blocks(compressed=False)).splitlines(keepends=True)


LOGS = {2: sound(2), 3: sound(3)}


def without(version: int, lost: Sequence[int]) -> tuple[bytes, RepairedLog]:
    lines = LOGS[version]
    data = b"".join(line for at, line in enumerate(lines) if at not in lost)
    plan = plan_repair(data)
    assert plan.refused is None
    (log,) = plan.logs
    assert isinstance(log.outcome, Valid)
    return data, log


def events(data: bytes) -> list[Json]:
    return [json.loads(line) for line in data.splitlines()[1:]]


def places(version: int, kind: str) -> list[int]:
    return [at for at, line in enumerate(LOGS[version]) if f'"type":"{kind}"'.encode() in line]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "kind", ["turn/start", "turn/end", "step/start", "step/end", "tool/call", "tool/result"]
)
def test_what_begins_or_ends_something_is_made_up(version: int, kind: str) -> None:
    for at in places(version, kind)[:3]:
        if kind == "turn/end" and at == len(LOGS[version]) - 1:
            continue
        data, log = without(version, [at])
        if not any("made up" in change for change in log.changes):
            # A step that lost its start and whose turn lost nothing is opened when it is named.
            assert kind == "turn/end"
        left, kept = events(data), events(log.data)
        said = {json.dumps(e["data"].get("message", e["data"])) for e in left if "surfaceOp" in e}
        assert said <= {json.dumps(e["data"].get("message", e["data"])) for e in kept}


@pytest.mark.parametrize("version", [2, 3])
def test_a_whole_turn_may_be_lost(version: int) -> None:
    starts = places(version, "turn/start")
    data, log = without(version, range(starts[1], starts[2]))
    turns = [e["data"]["turn"] for e in events(log.data) if e["type"] == "turn/start"]
    assert turns == [1, 2], "the turns behind it move up"
    assert len(events(log.data)) == len(events(data))
    assert any("another turn" in change for change in log.changes)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_any_gap(version: int, seed: int) -> None:
    """Whatever is lost, the rest loads, or says of each event why it is set aside."""
    chance = random.Random(seed)
    first = chance.randrange(1, len(LOGS[version]) - 1)
    lost = range(first, first + chance.choice((1, 1, 2, 5)))
    data = b"".join(line for at, line in enumerate(LOGS[version]) if at not in lost)
    plan = plan_repair(data)
    for log in plan.logs:
        assert isinstance(log.outcome, Valid)
        aside = sum("set aside" in change for change in log.changes)
        made = sum("made up" in change for change in log.changes)
        assert log.events == len(events(data)) - aside + made
    assert plan.refused is None


def seeded() -> list[bytes]:
    header, *lines = LOGS[3]
    marked = {**json.loads(header), "isSeeded": True, "parentSession": "p"}
    seq = len(lines)
    mark: Json = {"type": "session/end-seed", "seq": seq, "time": 5, "data": {"inherited": True}}
    return [dumps(marked) + b"\n", *lines, dumps(mark) + b"\n"]


def test_the_mark_of_a_seed_is_made_up_where_it_is_torn() -> None:
    data = b"".join(seeded())
    assert isinstance(decode(data), Valid)
    (log,) = plan_repair(data[:-9]).logs
    assert isinstance(log.outcome, Valid)
    assert events(log.data)[-1] == events(data)[-1] | {"time": events(data)[-2]["time"]}
    assert any("session/end-seed" in change for change in log.changes)


def test_sources_in_pairs_move_with_their_events() -> None:
    header, *lines = LOGS[3]
    said = [e["seq"] for e in events(b"".join(LOGS[3])) if e["type"] == "user/message"]
    whole: Json = json.loads(lines[said[-1]])
    whole |= {"seq": len(lines), "sourceEventSeqs": [[2, 6]]}
    turn_end = places(3, "turn/end")[-1]
    kept = [line for at, line in enumerate([header, *lines]) if at != turn_end]
    (log,) = plan_repair(b"".join([*kept, dumps(whole) + b"\n"])).logs
    assert isinstance(log.outcome, Valid)
    moved = [e for e in events(log.data) if e.get("sourceEventSeqs") == [[2, 6]]]
    assert len(moved) == 1


def test_a_header_of_v1_does_not_count_what_is_lost() -> None:
    header: Json = {**HEADER, "version": 1, "parentSession": "p", "seedLength": 9}
    turn: Json = {"type": "turn/start", "seq": 0, "time": 1, "data": {"turn": 1}}
    data = dumps(header) + b"\n" + dumps(turn) + b"\n"
    (log,) = plan_repair(data + b'{"type":').logs
    assert isinstance(log.outcome, Valid)
    assert (log.header["seedLength"], log.events) == (1, 1)


def test_a_type_that_a_damaged_frame_misspells_is_set_aside() -> None:
    header, *lines = LOGS[3]
    frame = write_frame(lines[0])
    at = frame.index(b"turn/start")  # the compressor leaves so short a text as it is
    wrong = frame[:at] + b"worn" + frame[at + 4 :]
    plan = plan_repair(write_frame(header) + wrong + write_frame(b"".join(lines[1:])))
    (log,) = plan.logs
    assert isinstance(log.outcome, Valid)
    assert [run.reason for run in plan.dropped] == ["damaged frame", "type-unknown"]
    assert "a lost turn/start is made up as event 0" in log.changes


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_plan_for_any_damage(version: int) -> None:
    """Never an exception; and every log of a plan loads, or merely needs a newer program."""
    logs = sources(version)
    for seed in range(60):
        chance = random.Random(f"plan:{version}:{seed}")
        for log in plan_repair(damaged(chance.choice(logs), chance)).logs:
            assert isinstance(log.outcome, Valid | Unsupported)


NAMELESS = [
    ("assistant/message", {"message": {"content": [{"type": "tool-call", "id": "c"}]}}),
    ("tool/result", {"message": {"source": {"callId": "c"}, "content": []}}),
    ("session/title", {"source": {"kind": "user"}}),
    ("compaction/prune", {"shadowedSeqs": [0], "shadowedRange": 1}),
    ("turn/start", {}),
    ("step/end", {}),
]


@pytest.mark.parametrize("version", [2, 3])
def test_events_without_what_they_should_name(version: int) -> None:
    lines = LOGS[version][:4]
    for kind, data in NAMELESS:
        event: Json = {"type": kind, "seq": 7, "time": 9, "data": data}
        if kind in ("assistant/message", "tool/result"):
            event["surfaceOp"] = "append"
        lines.append(dumps(event) + b"\n")
    for log in plan_repair(b"".join(lines)).logs:
        assert isinstance(log.outcome, Valid)

"""The fast lane gives the answers of the careful way, whatever a line holds."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

from logs.dsh.long_logs import HEADER, LongLog
from logs.dsh.vectors import Case, cases, rows
from peers.damages import damaged, sources
from sesskit.logs.dsh import lines as text_module
from sesskit.logs.dsh import reader
from sesskit.logs.dsh.decode import examine, open_log
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.inspection import inspect_log
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.quick import QuickLane
from sesskit.logs.dsh.rows import pack
from sesskit.schemas.ecmascript import dumps

NUMBERS: tuple[Any, ...] = (-1, 0, 1, 2, 7, 1.0, 0.5, 2**53, 2**53 - 1, "1", None, True, [], {})


def agree(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "is_sound", lambda *_: False)
        patch.setattr(QuickLane, "take", lambda _lane, _lines, at, *_: at)
        careful = examine(io.BytesIO(data), keep=True)
    for keep in (True, False):
        light = examine(io.BytesIO(data), keep=keep)
        assert light.issues == careful.issues
        assert light.original == careful.original
        assert type(light) is type(careful)
    assert inspect_log(io.BytesIO(data)).outcome.issues == careful.issues


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_recorded_logs(case: Case) -> None:
    if case.file.suffix != ".db":
        agree(case.file.read_bytes())


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value: what holds it, and its key."""
    found = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_later_versions(row: dict[str, str]) -> None:
    agree(row["text"].encode())


@pytest.mark.parametrize("case", cases("valid"), ids=lambda c: c.name)
@pytest.mark.parametrize("seed", range(12))
def test_changed_events(case: Case, seed: int) -> None:
    """Every type of event, in every version, with a value changed."""
    chance = random.Random(seed)
    for path in (case.file, *sorted(case.folder.glob("migrated.*"))):
        if path.suffix != ".jsonl":
            continue
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        if len(lines) < 2:
            continue
        holder, key = chance.choice(places(chance.choice(lines[1:])))
        if isinstance(holder, dict) and chance.random() < 0.3:
            del holder[key]
        else:
            holder[key] = chance.choice(NUMBERS)
        agree(b"".join(dumps(line) + b"\n" for line in lines))


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("seed", range(200))
def test_changed_lines(seed: int, packed: bool) -> None:
    chance = random.Random(seed)
    events = next(LongLog(seed, result_bytes=20).turns())
    records = list(pack(events)) if packed else events
    for _ in range(chance.randint(1, 3)):
        number = chance.randrange(len(records))
        record = records[number] = json.loads(json.dumps(records[number]))
        holder, key = chance.choice(places(record))
        if isinstance(holder, dict) and chance.random() < 0.3:
            holder["zz" if chance.random() < 0.5 else key] = holder.pop(key)
        else:
            holder[key] = chance.choice(NUMBERS)
    agree(b"".join(dumps(line) + b"\n" for line in ({**HEADER, "id": "x"}, *records)))


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_damaged_logs(version: int) -> None:
    logs = sources(version)
    for seed in range(60):
        chance = random.Random(f"lanes:{version}:{seed}")
        agree(damaged(chance.choice(logs), chance))


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_damaged_logs_of_several_turns(
    version: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the blocks are, and the frames, in which lines come."""
    chance = random.Random(f"blocks:{version}:{seed}")
    monkeypatch.setattr(text_module, "READ_BYTES", chance.choice((60, 900, 5000)))
    log = [json.loads(line) for line in long_log(version).splitlines()]
    data = damaged(log, chance)
    agree(data)
    agree(framed(data, chance))


def framed(data: bytes, chance: random.Random) -> bytes:
    """The text as frames of a few lines, cut anywhere now and then."""
    head, _, rest = data.partition(b"\n")
    frames = [write_frame(head + b"\n")]
    while rest:
        size = chance.choice((1, 30, 400, 3000))
        end = size if chance.random() < 0.2 else rest.find(b"\n", size) + 1 or len(rest)
        frames.append(write_frame(rest[:end]))
        rest = rest[end:]
    return b"".join(frames)


def test_types_are_learnt_as_they_come() -> None:
    (case,) = cases("valid", "tools-multi-turn-raw")
    lines = case.file.read_bytes().splitlines(keepends=True)
    reader_ = open_log(io.BytesIO(b"".join(lines)), keep=False)
    slow = {stored.value["type"] for stored in reader_.remarkable()}
    kinds = {json.loads(line)["type"] for line in lines}
    assert "agent/inbox/spliced" in kinds
    assert "agent/inbox/spliced" not in slow


@pytest.mark.parametrize("version", [0, 3])
def test_most_lines_of_a_sound_log_are_taken_quickly(version: int) -> None:
    data = long_log(version)
    reader_ = open_log(io.BytesIO(data), keep=False)
    slow = [stored.value.get("type") for stored in reader_.remarkable()]
    assert len(slow) < data.count(b"\n") / 20, slow


def long_log(version: int) -> bytes:
    turns = LongLog(3, result_bytes=50).turns()
    events = [event for _ in range(4) for event in next(turns)]
    lines = [dumps(record) + b"\n" for record in (HEADER, *pack(events))]
    data = b"".join(lines)
    return data if version == 0 else b"".join(migrate_log(data, version).blocks(compressed=False))

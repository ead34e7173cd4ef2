"""Whatever happened to a file: what is repaired is sound, whole, and needs no repair again."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from logs.dsh.damaged_files import broken_lines, damaged, sound
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.material import Frames, Material
from sesskit.logs.dsh.repair import RepairPlan, plan_repair
from sesskit.logs.dsh.rows import is_row, members
from sesskit.schemas.outcomes import Original

FEW, MANY = range(500), range(500, 12_000)


def is_good(plan: RepairPlan) -> None:
    """Every log of a plan is what it says, is loaded, and is not repaired again."""
    for log in plan.logs:
        data = log.data
        assert (log.length, log.sha256) == (len(data), hashlib.sha256(data).hexdigest())
        found = decode(data)
        assert found.status in ("valid", "unsupported")
        if found.status == "valid":
            assert found.original == Original("accept")
        again = plan_repair(data)
        assert (again.logs, again.dropped) == ((), ())
        assert again.refused is None or found.status == "unsupported"


def is_accounted_for(data: bytes, plan: RepairPlan) -> None:
    """Every byte is in a repaired log or in a dropped run, never in two runs."""
    material, frames = Material(data), Frames()
    pieces = list(material.text(frames))
    text = b"".join(piece.data for piece in pieces)
    breaks = {piece.offset for piece in pieces if piece.broken}
    marks = {False: bytearray(len(text)), True: bytearray(len(data))}
    lines = b"".join(plan.lost_and_found()).splitlines()
    for run, line in zip(plan.dropped, lines, strict=True):
        lost = base64.b64decode(json.loads(line)["base64"])
        assert (run.length, run.sha256) == (len(lost), hashlib.sha256(lost).hexdigest())
        of_frames = material.compressed and not run.decompressed
        place = slice(run.offset, run.offset + run.length)
        assert (data if of_frames else text)[place] == lost
        assert not any(marks[of_frames][place])
        marks[of_frames][place] = b"\1" * run.length
    values = [value for kept in _kept(text, marks[False], breaks) for value in _values(kept)]
    headers = [value for value in values if value.get("type") == "session"]
    assert len(headers) == 1
    events = sum(members(v) if is_row(v) else 1 for v in values) - 1
    assert events == sum(_own_events(log) for log in plan.logs)


def _own_events(log: Any) -> int:
    """Events of a log that stand in the file, without those that it shares."""
    made = [c for c in log.changes if "is made up as event" in c]
    return int(log.events - log.shared - sum(int(c.split()[-1]) >= log.shared for c in made))


def _kept(text: bytes, dropped: bytearray, breaks: set[int]) -> Iterator[str]:
    """The runs of text that no dropped run holds."""
    run = bytearray()
    for at, byte in enumerate(text):
        if dropped[at] or at in breaks or byte == 0x0A:
            yield run.decode("utf-8", "replace")
            run.clear()
        if not dropped[at] and byte != 0x0A:
            run.append(byte)
    yield run.decode("utf-8", "replace")


def _values(text: str) -> Iterator[Any]:
    """Values that stand one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at] in " \t\r":
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        yield value


def examined(seeds: range) -> int:
    """How many of these files are repaired; all are as they should be."""
    repaired = 0
    for seed in seeds:
        data = damaged(seed)
        plan = plan_repair(data)
        is_good(plan)
        if plan.logs:
            is_accounted_for(data, plan)
        repaired += bool(plan.logs)
    return repaired


def test_any_damage() -> None:
    assert examined(FEW) > len(FEW) * 3 // 4


@pytest.mark.soak
def test_any_damage_at_length() -> None:
    assert examined(MANY) > len(MANY) * 3 // 4


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_cut_at_every_byte(version: int) -> None:
    lines = min(sound(version), key=lambda log: sum(map(len, log)))
    whole = b"".join(lines)
    for end in range(len(lines[0]), len(whole)):
        plan = plan_repair(whole[:end])
        is_good(plan)
        complete = whole[:end].count(b"\n") - 1
        assert not plan.logs or plan.logs[0].events >= min(complete, 1)
        if plan.logs:
            is_accounted_for(whole[:end], plan)


@pytest.mark.parametrize("seed", range(60))
def test_lines_that_no_damage_touched_stay(seed: int) -> None:
    """In v0 nothing but an event's own faults keeps it out of the log."""
    chance = random.Random(seed)
    lines = chance.choice(sound(0))
    at = chance.randrange(1, len(lines))
    spoiled = [
        *lines[:at],
        chance.choice((b"", b"\0" * 9, lines[at][:9] + b"\n")),
        *lines[at + 1 :],
    ]
    plan = plan_repair(b"".join(spoiled))
    if not plan.logs:
        assert at == len(lines) - 1
        return
    (log,) = plan.logs
    kept = [_core(line) for line in log.data.splitlines()[1:]]
    wanted = [_core(line) for line in (*lines[1:at], *lines[at + 1 :])]
    assert [core for core in wanted if core not in kept] == []


def _core(line: bytes) -> str:
    value = json.loads(line)
    data = value["data"] if isinstance(value["data"], dict) else {}
    told = {k: v for k, v in data.items() if k not in ("messageSeqs", "sourceEventSeq")}
    return json.dumps([value["type"], {k: v for k, v in told.items() if "hadowed" not in k}])


def test_broken_lines_are_not_always_the_same() -> None:
    lines = sound(0)[0]
    made = {b"".join(broken_lines(lines, random.Random(seed))) for seed in range(40)}
    assert len(made) > 30

"""The fast lane gives the answers of the careful way, whatever a line holds."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest

from logs.dsh.long_logs import HEADER, LongLog
from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.decode import examine
from sesskit.logs.dsh.rows import pack
from sesskit.schemas.ecmascript import dumps

NUMBERS: tuple[Any, ...] = (-1, 0, 1, 2, 7, 1.0, 0.5, 2**53, 2**53 - 1, "1", None, True, [], {})


def agree(data: bytes) -> None:
    light = examine(io.BytesIO(data), keep=False)
    careful = examine(io.BytesIO(data), keep=True)
    assert light.issues == careful.issues
    assert light.original == careful.original
    assert type(light) is type(careful)


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


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("seed", range(60))
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

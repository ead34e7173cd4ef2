"""Fast path, collecting path and published schema never contradict each other.

The fast path accepts only what the collecting path accepts, and builds the same value; what the
collecting path accepts, an independent validator of the published schema accepts.
"""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robota_vectors import BASES
from sesskit.schemas.catalogue import generated
from sesskit.schemas.check import check
from sesskit.schemas.items import REFUSED
from sesskit.schemas.robota_decode import decode_bare
from sesskit.schemas.robota_members import MEMBERS
from sesskit.schemas.robota_record import Record
from sesskit.schemas.shapes import shape_of

Json = Any
LEAVES: list[Json] = [
    None, True, False, 0, 1, -1, 1.0, 1.5, 59, 60, 3600, 3601, 2**53, 2**63, 2**64, 1e300, "",
    " ", "\u00a0", "\u200b", "x", "user", "complete", "object", "agent", "process", "waiting",
    "2026", "2026-03-04T09:00:00Z", "2026-03-04T09:00:00", "2026-02-30T00:00:00Z", "24:00",
    "2026-03-04T24:00:00Z", "2026-03-04T09:00:00.123456Z", "2026-03-04T09:00:00Z\n",
    [], {}, [1, "a"], ["a"], [1], {"a": 1}, {"a": "b"}, [[]], [None],
]  # fmt: skip
REFEREE = jsonschema_rs.validator_for(generated("robota-record-bare"))


def places(value: Json) -> list[tuple[Json, Any]]:
    """Every (container, key) below a value."""
    found: list[tuple[Json, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, inner in list(pairs):
            found.append((holder, key))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    return found


def disturb(record: Json, rng: random.Random) -> Json:
    """A copy with one member replaced, dropped, renamed, doubled or moved."""
    copy = json.loads(json.dumps(record))
    holder, key = rng.choice(places(copy))
    act = rng.randrange(5)
    if act == 0 or isinstance(holder, list):
        holder[key] = rng.choice(LEAVES)
    elif act == 1:
        del holder[key]
    elif act == 2:
        holder[key + "x"] = holder.pop(key)
    elif act == 3:
        other, name = rng.choice(places(copy))
        holder[key] = json.loads(json.dumps(other[name]))
    else:
        holder[rng.choice(["name", "error", "result", "metadata", "data", "zz"])] = holder[key]
    return copy


def agree(record: Json) -> None:
    data = json.dumps(record).encode()
    by_path = decode_bare(data)
    _, collected = check(shape_of(Record), json.loads(data))
    errors = {(i.path, i.code) for i in collected if i.severity == "error"}
    assert {(i.path, i.code) for i in by_path.issues if i.severity == "error"} == errors
    assert (by_path.status == "valid") == (not errors)
    if not errors:
        assert REFEREE.is_valid(json.loads(data))


@pytest.mark.parametrize("base", BASES)
@given(seed=st.integers(0, 2**32))
def test_disturbed_records(base: str, seed: int) -> None:
    agree(disturb(BASES[base], random.Random(seed)))


@pytest.mark.parametrize("name", MEMBERS)
@given(seed=st.integers(0, 2**32))
def test_what_the_fast_path_accepts_is_what_the_collecting_path_builds(
    name: str, seed: int
) -> None:
    member, rng = MEMBERS[name], random.Random(seed)
    value = BASES["maximal"][name]
    item = rng.choice(value) if member.is_list else value
    holder = [item]
    disturbed = disturb(holder, rng)
    if not disturbed:
        return
    data = json.dumps(disturbed[0]).encode()
    fast = member.item.fast(data)
    built, issues = member.item.collect(data)
    errors = [i for i in issues if i.severity == "error"]
    if fast is not REFUSED:
        assert errors == []
        assert fast == built
    elif not errors:
        assert built is not None or disturbed[0] is None


@pytest.mark.soak
@pytest.mark.parametrize("base", BASES)
@given(seed=st.integers(0, 2**64))
def test_disturbed_records_for_long(base: str, seed: int) -> None:
    rng = random.Random(seed)
    record = BASES[base]
    for _ in range(rng.randrange(1, 5)):
        record = disturb(record, rng)
        if not isinstance(record, dict) or not record:
            return
    agree(record)

"""What a dsh log can hold, and what its counts are."""

from collections import OrderedDict
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

import pytest

from logs.dsh.vectors import rows
from sesskit.schemas.dsh_values import (
    FrozenDict,
    FrozenList,
    frozen,
    is_count,
    is_json_value,
    is_safe_integer,
)


class Level(IntEnum):
    LOW = 1


def cycle() -> list[Any]:
    value: list[Any] = []
    value.append([value])
    return value


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


SHARED: dict[str, Any] = {"a": 1}
SAMPLES: dict[str, Any] = {
    "null": None,
    "9007199254740993": 9007199254740993,
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "emptystring": "",
    "lonesurrogatestring": "\ud800",
    "NULstring": "\0",
    "undefined": ...,
    "bigint1n": 1j,
    "symbol": object(),
    "function": len,
    "[]": [],
    "[1,[2,{}]]": [1, [2, {}]],
    "[undefined]": [...],
    "Arraysubclass": type("Sub", (list,), {})(),
    "{}": {},
    "{a:undefined}": {"a": ...},
    "{a:-0}": {"a": -0.0},
    "nestedNaN": {"a": [float("nan")]},
    "null-prototypeobject": {"a": 1},
    "own__proto__key(fromJSON.parse)": {"__proto__": 1},
    "non-enumerableproperty": {1: "a"},
    "cycle": cycle(),
    "sameobjecttwice(nocycle)": [SHARED, SHARED],
    "Map": OrderedDict(a=1),
    "Date": datetime(2026, 1, 1, tzinfo=UTC),
    "RegExp": __import__("re").compile("a"),
    "classinstance": Level.LOW,
    "boxedNumber": type("Boxed", (int,), {})(5),
    "Error": ValueError("x"),
    "Uint8Array": b"abc",
    "Promise": (1, 2),
    "50000levelsofnesting": nested(50_000),
}


@pytest.mark.parametrize("row", rows("json-values"), ids=lambda r: r["label"])
def test_table(row: dict[str, Any]) -> None:
    value = SAMPLES[row["label"].replace(" ", "")]
    assert is_json_value(value) is row["accepted"]


@pytest.mark.parametrize(
    ("value", "safe", "count"),
    [
        (0, True, True),
        (5.0, True, True),
        (-0.0, True, False),
        (-1, True, False),
        (2**53 - 1, True, True),
        (2**53, False, False),
        (float(2**53), False, False),
        (1.5, False, False),
        (float("inf"), False, False),
        (float("nan"), False, False),
        (True, False, False),
        ("1", False, False),
        (None, False, False),
    ],
)
def test_counts(value: object, safe: bool, count: bool) -> None:
    assert (is_safe_integer(value), is_count(value)) == (safe, count)


def test_frozen_copies_deeply() -> None:
    value: dict[str, Any] = {"a": [1, {"b": SHARED}], "c": SHARED}
    copy = frozen(value)
    assert copy == value
    assert type(copy) is FrozenDict
    assert type(copy["a"]) is FrozenList
    assert type(copy["a"][1]["b"]) is FrozenDict
    value["a"][1]["b"]["a"] = 2
    assert copy["a"][1]["b"] == {"a": 1}
    assert frozen(copy) is copy
    assert is_json_value(copy)
    SHARED["a"] = 1


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(b=1),
        lambda d: d.__setitem__("a", 1),
        lambda d: d.pop("a"),
        lambda d: d.__ior__({"b": 1}),
        lambda d: d["a"].append(1),
        lambda d: d["a"].__setitem__(0, 1),
        lambda d: d["a"].sort(),
        lambda d: d["a"].__iadd__([1]),
    ],
)
def test_frozen_values_refuse_changes(change: Any) -> None:
    with pytest.raises(TypeError, match="frozen"):
        change(frozen({"a": [2, 1]}))


def test_depth_is_no_limit() -> None:
    assert type(frozen(nested(50_000))) is FrozenList
    assert not is_json_value([nested(50_000), ...])


def test_shared_parts_are_looked_at_once() -> None:
    value: list[Any] = []
    for _ in range(200):
        value = [value, value]
    assert is_json_value(value)
    assert type(frozen(value)[0][1]) is FrozenList

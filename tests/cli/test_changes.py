"""What differs between two records, as it is shown: short, masked, writable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesskit.cli.changes import change_members, change_rows
from sesskit.records.ochat_differences import Change, Difference
from sesskit.schemas.issues import Keys

LONG = "word " * 20
SECRET = "not-a-real-secret"


def changed(old: Any, new: Any, *, change: Change = "changed", first: Keys = ("x",)) -> Difference:
    return Difference(change, "x", first, 1, old, new)


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (changed(1, 2), "x: 1 -> 2"),
        (changed(None, [], change="added"), "x: []"),
        (changed({"a": LONG}, None, change="removed"), "x: {1 member}"),
        (changed([LONG, 1], LONG), 'x: [2 elements] -> "word word word word word word word…'),
        (changed({"password": SECRET}, SECRET, first=("secret",)), "secret: [masked] -> [masked]"),
        (changed("a", SECRET, first=("kv_store", 0, 1)), "kv_store[0][1]: [masked] -> [masked]"),
        (changed(f"secret={SECRET}", 1), 'x: "secret=[masked]" -> 1'),
    ],
)
def test_rows(difference: Difference, words: str) -> None:
    (row,) = change_rows([difference])
    assert row[1].replace('"[masked]"', "[masked]") == words


def test_several_places_are_told_with_the_first() -> None:
    many = Difference("added", "history[].id", ("history", 0, "id"), 3, None, "1:a:0")
    assert change_rows([many]) == (("added", 'history[].id (3 times): first "1:a:0"'),)


def test_a_deep_value_can_be_written() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    (member,) = change_members([changed(deep, 1)])
    assert json.loads(json.dumps(member))["old"].startswith("[[[[")
    assert member["new"] == 1


def test_what_was_compared_is_not_touched() -> None:
    value = {"kv": [["password", SECRET]]}
    assert change_members([changed(value, None, change="removed")])[0]["old"] == {
        "kv": [["password", "[masked]"]]
    }
    assert value == {"kv": [["password", SECRET]]}

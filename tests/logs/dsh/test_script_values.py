"""Values as the released program compares them."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh.script_values import UNDEFINED, as_key, as_place, member, same

ONE: list[Any] = []


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (1, True, False),
        (True, True, True),
        ("1", 1, False),
        (None, None, True),
        (None, UNDEFINED, False),
        (UNDEFINED, UNDEFINED, True),
        ([], [], False),
        (ONE, ONE, True),
        ({}, {}, False),
    ],
)
def test_equality(one: Any, other: Any, equal: bool) -> None:
    assert same(one, other) is equal
    if type(one) not in (list, dict):
        assert (as_key(one) == as_key(other)) is equal


def test_an_absent_member_is_a_value_of_its_own() -> None:
    assert member({"a": None}, "a") is None
    assert member({}, "a") is UNDEFINED
    assert member([1], "a") is UNDEFINED
    assert not UNDEFINED
    assert len({as_key([]), as_key([]), as_key(True), as_key(1)}) == 4


@pytest.mark.parametrize(
    ("value", "place"),
    [(0, 0), (2.0, 2), (-1, None), (0.5, None), (True, None), ("7", 7), ("07", None), ("0", 0),
     ("x", None), ("\u0663", None), ("9" * 20, None), (None, None)],
)  # fmt: skip
def test_places_in_an_array(value: Any, place: int | None) -> None:
    assert as_place(value) == place

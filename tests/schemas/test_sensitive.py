from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType, field

from robota_vectors import rows
from sesskit.schemas.instants import Instant
from sesskit.schemas.sensitive import is_sensitive_key, rebuilt, scrub_sensitive_keys

NAMES = st.sampled_from(["apiKey", "password", "token", "a", "1"])
TREES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=15,
)


def of(op: str) -> list[dict[str, Any]]:
    return [row for row in rows("scrub") if row["op"] == op]


@pytest.mark.parametrize("row", of("isSensitiveKey"), ids=lambda row: ascii(row["key"]))
def test_which_keys_are_sensitive(row: dict[str, Any]) -> None:
    assert is_sensitive_key(row["key"]) is row["expect"]


@pytest.mark.parametrize("key", ["password\n", "api\u212aey", "x_api_key_", "apikey ", "pass_word"])
def test_the_rule_is_exact(key: str) -> None:
    assert not is_sensitive_key(key)


@pytest.mark.parametrize("row", of("scrub"), ids=lambda row: row["name"])
def test_scrubbing(row: dict[str, Any]) -> None:
    before = copy.deepcopy(row["input"])
    fill = {"fill": row["fill"]} if "fill" in row else {}
    answer = scrub_sensitive_keys(row["input"], **fill)
    assert json.dumps(answer) == json.dumps(row["expect"])
    assert row["input"] == before


@pytest.mark.parametrize("value", ["password", None, 5, True])
def test_scalars_stay(value: Any) -> None:
    assert scrub_sensitive_keys(value) is value


def test_tuples_are_walked_and_instants_stay() -> None:
    instant = Instant(5)
    value = {"a": ({"secret": 1}, (2, [{"password": (3,)}], instant)), "b": ()}
    answer = scrub_sensitive_keys(value)
    assert answer == {
        "a": ({"secret": "[REDACTED]"}, (2, [{"password": "[REDACTED]"}], instant)),
        "b": (),
    }
    assert answer["a"][1][2] is instant


class Login(Struct, frozen=True):
    user: str
    key: str | UnsetType = field(name="apiKey", default=UNSET)
    more: Any = None


def test_structs_are_walked_by_their_wire_names() -> None:
    value = [Login("u", "k", ({"secret": 1, "user": 2},)), Login("u")]
    assert scrub_sensitive_keys(value) == [
        Login("u", "[REDACTED]", ({"secret": "[REDACTED]", "user": 2},)),
        Login("u"),
    ]
    assert value[0] == Login("u", "k", ({"secret": 1, "user": 2},))


def test_depth_costs_no_stack() -> None:
    deep: Any = {"secret": 1}
    for _ in range(50_000):
        deep = [deep]
    answer = scrub_sensitive_keys(deep)
    for _ in range(50_000):
        answer = answer[0]
    assert answer == {"secret": "[REDACTED]"}


def test_names_that_become_equal_are_told_apart() -> None:
    value = {"a": 1, "b": 2, "x (2)": 3, "c": 4}
    assert rebuilt(value, None, name=lambda name: "x" if len(name) == 1 else name) == {
        "x": 1,
        "x (2)": 2,
        "x (2) (3)": 3,
        "x (4)": 4,
    }


def leaks(value: Any) -> bool:
    if isinstance(value, dict):
        return any(
            held != "[REDACTED]" if is_sensitive_key(name) else leaks(held)
            for name, held in value.items()
        )
    return isinstance(value, list | tuple) and any(map(leaks, value))


@given(TREES)
def test_nothing_under_a_sensitive_key_survives(value: Any) -> None:
    before = copy.deepcopy(value)
    answer = scrub_sensitive_keys(value)
    assert not leaks(answer)
    assert scrub_sensitive_keys(answer) == answer
    assert value == before
    if not leaks(value):
        assert answer == value

"""Values by their paths: dotted or pointer, in sound and in damaged text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.records.lookup import Found, find, meant
from sesskit.schemas.issues import Keys, dotted, pointer

VALUE: dict[str, Any] = {
    "record": {
        "messages": [{"role": "user"}, {"role": "tool", "a.b": 1, "a": {"b": 2, "[0]": 3}}],
        "": {"": 4},
        "x/y~z": 5,
        "2": {"0": 6},
    },
    "schemaVersion": 1,
}
DATA = json.dumps(VALUE).encode()


def value_at(data: bytes, path: str) -> Any:
    found = find(data, path)
    assert found is not None
    assert found.rest == ""
    return json.loads(data[found.span.start : found.span.end])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", VALUE),
        ("schemaVersion", 1),
        ("record.messages[0].role", "user"),
        ("record.messages.1.role", "tool"),
        ("record.messages[-1].role", "tool"),
        ("record.messages[1].a.b", 1),  # the longest name that fits
        ("record.messages[1].a", {"b": 2, "[0]": 3}),
        ("record.messages[1].a.[0]", 3),
        ("record..", 4),
        ("record.x/y~z", 5),
        ("record.2.0", 6),
        ("/record/messages/0/role", "user"),
        ("/record/messages/1/a.b", 1),
        ("/record/messages/1/a/b", 2),
        ("/record//", 4),
        ("/record/x~1y~0z", 5),
        ("/record/2/0", 6),
    ],
)
def test_values_are_found(path: str, value: Any) -> None:
    assert value_at(DATA, path) == value


@pytest.mark.parametrize(
    ("path", "keys", "rest"),
    [
        ("record.messages[2]", ("record", "messages"), "[2]"),
        ("record.messages[-3]", ("record", "messages"), "[-3]"),
        ("record.messages.role", ("record", "messages"), ".role"),
        ("record.messages[0]role", ("record", "messages", 0), "role"),
        ("record.messages[0].role.x", ("record", "messages", 0, "role"), ".x"),
        ("recor", (), "recor"),
        (".record", (), ".record"),
        ("[0]", (), "[0]"),
        ("/record/messages/01", ("record", "messages"), "/01"),
        ("/record/messages/-", ("record", "messages"), "/-"),
        ("/nothing/here", (), "/nothing/here"),
    ],
)
def test_a_path_that_leads_nowhere_says_how_far_it_led(path: str, keys: Keys, rest: str) -> None:
    found = find(DATA, path)
    assert found is not None
    assert (found.keys, found.rest) == (keys, rest)


def test_what_there_is_instead_is_told() -> None:
    by_object, by_array = find(DATA, "record.x"), find(DATA, "record.messages[7]")
    assert isinstance(by_object, Found)
    assert isinstance(by_array, Found)
    assert by_object.names == ("messages", "", "x/y~z", "2")
    assert (by_array.count, by_array.names) == (2, ())


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("messages[0].role", "record.messages[0].role"),
        ("/messages/0", "record.messages[0]"),
        ("nothing", None),
    ],
)
def test_a_path_without_its_first_step_is_understood(path: str, other: str | None) -> None:
    assert meant(DATA, path) == other


def test_where_there_is_no_value_there_is_no_answer() -> None:
    assert (find(b"", "a"), meant(b"", "a")) == (None, None)


def test_damaged_text_is_searched_as_far_as_it_goes() -> None:
    cut = DATA[: DATA.index(b"tool")]
    assert value_at(cut, "record.messages[0].role") == "user"
    found = find(cut, "record.messages[1].role")
    assert found is not None
    assert (found.rest, found.span.whole) == ("", False)


@given(
    st.recursive(
        st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=12,
    )
)
def test_every_value_is_found_by_its_pointer(value: Any) -> None:
    data = json.dumps(value).encode()
    waiting: list[tuple[Keys, Any]] = [((), value)]
    while waiting:
        keys, held = waiting.pop()
        assert value_at(data, pointer(keys)) == held
        if isinstance(held, dict):
            waiting += [((*keys, name), inner) for name, inner in held.items()]
        elif isinstance(held, list):
            waiting += [((*keys, n), inner) for n, inner in enumerate(held)]


@given(st.text(max_size=12))
def test_any_path_is_answered(path: str) -> None:
    found = find(DATA, path)
    assert found is not None
    assert path.endswith(found.rest)
    assert dotted(found.keys) is not None

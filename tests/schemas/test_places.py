"""Places: spans, names, missing members, lines and columns, in sound and in damaged text."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.json_text import read_json
from sesskit.schemas.places import Base, Places

JSON = st.recursive(
    st.none() | st.integers(-9, 99) | st.sampled_from(["", "]", '"', "\\", "é}", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from('ab"\\'), inner),
    max_leaves=20,
)
TEXT = '{"a": [1, {"b": "é"}],\n "c" : {"d": []}, "a":[2, [3]]}\n'.encode()


def values_in(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    yield keys, value
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in inner:
            yield from values_in(part, (*keys, key))


@given(JSON, st.sampled_from([None, 2]), st.booleans(), st.integers(0, 8))
def test_every_span_is_its_value(value: Any, indent: int | None, plain: bool, levels: int) -> None:
    for _ in range(levels):
        value = {"a": [value, 1]}
    data = b"\n" + json.dumps(value, indent=indent, ensure_ascii=plain).encode() + b" "
    places = Places(data)
    for keys, part in values_in(value):
        span = places.span(keys)
        assert span is not None
        assert json.loads(data[slice(*span)]) == part
        assert places.locate(keys) == span[0]
        assert places.locate((*keys, "missing", 7)) == span[0]
        name = places.key_span(keys)
        if keys and isinstance(keys[-1], str):
            assert name is not None
            assert json.loads(data[slice(*name)]) == keys[-1]
            assert places.locate(keys, at_key=True) == name[0]
        else:
            assert name is None
            assert places.locate(keys, at_key=True) == span[0]


@given(st.binary(max_size=60) | st.text("[]{}\"',:1ax \\\n\x00é", max_size=40).map(str.encode))
def test_nothing_raises(data: bytes) -> None:
    places = Places(data, hints={("a",): [3, 900, -1], (): [1], ("b",): []})
    paths: list[Keys] = [(), (0,), ("a",), ("a", 1), ("a", 2, "x"), ("b", 0), ("", 0), (-1,)]
    for keys in paths:
        for at_key in (False, True):
            places.locate(keys, at_key)
        places.key_span(keys)
        span = places.span(keys)
        assert span is None or span[0] < span[1]
    for offset in (-1, 0, 7, len(data), len(data) + 5):
        line, column = places.position(offset)
        assert line >= 1
        assert column >= 1


@pytest.mark.parametrize(
    ("keys", "at_key", "line", "column"),
    [
        ((), False, 1, 1),
        (("a",), True, 2, 19),
        (("a",), False, 2, 23),
        (("a", 1, 0), False, 2, 28),
        (("a", 1, "b"), False, 2, 27),  # the last "a" counts
        (("c",), False, 2, 8),
        (("c", "d"), True, 2, 9),
        (("c", "no"), False, 2, 8),
        (("c", "no"), True, 2, 8),
        (("a", 5), False, 2, 23),
        (("no", "no"), False, 1, 1),
    ],
)
def test_lines_and_columns(keys: Keys, at_key: bool, line: int, column: int) -> None:
    (issue,) = Places(TEXT).place([Issue("x", "m", keys=keys, at_key=at_key)])
    assert (issue.line, issue.column) == (line, column)
    assert Places(TEXT).position(issue.offset or 0) == (line, column)


def test_a_number_finds_a_member_of_that_name() -> None:
    data = b'{"0": {"10": 1}}'
    assert Places(data).span((0, 10)) == (13, 14)
    assert Places(b"[[7]]").span(("0",)) is None


def test_issues_are_sorted_and_kept_in_order() -> None:
    data = b'[1, 2,\n {"a": NaN}]'
    found = read_json(data).issues
    issues = [
        Issue("late", "m", keys=(2, "a")),
        Issue("first", "m", keys=(0,)),
        *found,
        Issue("second", "m", keys=(0,)),
        Issue("offset only", "m", offset=4),
        Issue("line only", "m", keys=(1,), line=9, column=9),
    ]
    placed = Places(data).place(issues)
    assert [i.code for i in placed] == [
        *("first", "second", "offset only", "line only", "late", "json-constant"),
    ]
    assert [(i.offset, i.line, i.column) for i in placed] == [
        *((1, 1, 2), (1, 1, 2), (4, 1, 5), (4, 9, 9), (14, 2, 8), (14, 2, 8)),
    ]


def test_places_in_a_file() -> None:
    places = Places(b'{"a":\n1}', base=Base(100, 7, 3))
    a, b = places.place([Issue("x", "m", keys=("a",)), Issue("y", "m", ("error"))])
    assert (a.code, a.offset, a.line, a.column) == ("y", 100, 7, 3)
    assert (b.code, b.offset, b.line, b.column) == ("x", 106, 8, 1)
    assert places.locate(("a",)) == 6
    assert places.position(0) == (7, 3)


@pytest.mark.parametrize(
    ("data", "keys", "text"),
    [
        (b'{"a": [1, {"b": 2', ("a", 1, "b"), b"2"),
        (b'{"a": [1, {"b": 2', ("a",), b'[1, {"b": 2'),
        (b'{"a": "x', ("a",), b'"x'),
        (b'\xef\xbb\xbf {"a": 1,}', ("a",), b"1"),
        (b"{a: 'x', \"b\" 2}", ("a",), b"'x'"),
        (b"[1 2 /* 3 */ NaN]", (2,), b"NaN"),
        (b'\x00\x00{"a":\xff1}', ("a",), b"1"),
        (b'{"a":[1}}', ("a",), b"[1}"),
        (b'{"\\q": 1}', ("\\q",), b"1"),
        (b'{"\\ud800": 1}', ("\ud800",), b"1"),
    ],
)
def test_damaged_text(data: bytes, keys: Keys, text: bytes) -> None:
    span = Places(data).span(keys)
    assert span is not None
    assert data[slice(*span)] == text


@pytest.mark.parametrize("data", [b"", b" \n", b'{"a":}', b"{", b"[,]", bytes(9)])
def test_no_value(data: bytes) -> None:
    places = Places(data)
    assert places.span(("a",)) is None
    assert places.key_span(("a",)) is None
    assert places.locate(("a",)) <= len(data)


# Long lists.

ELEMENT = '{"id": "é", "n": [1, {"x": 2}], "t": "%s"}' % ("y" * 60)


def long_list(count: int) -> tuple[bytes, list[int]]:
    """A record with one long list, on one line, and where the elements start."""
    head = b'{"v": 1, "record": {"name": "n", "list": [ '
    element = ELEMENT.encode()
    starts = [len(head) + n * (len(element) + 2) for n in range(count)]
    return head + b", ".join([element] * count) + b'], "goal": {"x": 5}}}', starts


def issues_in(count: int, step: int) -> list[Issue]:
    keys: list[Keys] = [("record", "list", n, "n", 1, "x") for n in range(0, count, step)]
    keys += [("record", "goal", "x"), ("record", "name")]
    return [Issue("x", "m", keys=k) for k in reversed(keys)]


def test_hints_change_no_place() -> None:
    data, starts = long_list(3000)
    issues = issues_in(3000, 7)
    placed = Places(data).place(issues)
    assert Places(data, {("record", "list"): starts}).place(issues) == placed
    for issue in placed:
        assert issue.offset is not None
        assert issue.column == len(data[: issue.offset].decode()) + 1


def test_hints_spare_the_search() -> None:
    """A hint is believed, whatever stands there; only beyond the hints the text is searched."""
    data = b'{"a": [ 11, 22, 33], "b": 4}'
    places = Places(data, {("a",): [8, 16]})
    assert places.span(("a", 1)) == (16, 18)
    assert places.span(("a", 0)) == (8, 10)
    assert places.span(("a", 2)) == (16, 18)
    assert places.span(("b",)) == (26, 27)
    assert places.span(("a",)) == (6, 19)


def test_a_long_element_is_passed_over_once() -> None:
    data = b"[" + json.dumps({"a": ["x" * 50] * 200_000, "b": 1}).encode() + b"]"
    places = Places(data, {(): [1]})
    started = time.process_time()
    for _ in range(300):
        assert places.span((0, "b"))
    assert time.process_time() - started < 10


def cost(data: bytes, issues: list[Issue]) -> float:
    def once() -> float:
        started = time.process_time()
        Places(data).place(issues)
        return time.process_time() - started

    return min(once() for _ in range(3))


def test_a_thousand_faults_in_a_long_list_cost_little_more_than_one() -> None:
    data, _ = long_list(40_000)
    one = cost(data, issues_in(40_000, 40_000))
    assert cost(data, issues_in(40_000, 40)) < 4 * one


def test_positions_in_descending_order_are_not_quadratic() -> None:
    data = "é".encode() * 4_000_000
    places = Places(data)
    started = time.process_time()
    for offset in range(len(data), 0, -4_000):
        assert places.position(offset) == (1, offset // 2 + 1)
    assert time.process_time() - started < 20


def test_deep_text_is_looked_through_once() -> None:
    data = b"".join(b"[" + b"1," * 2000 for _ in range(700)) + b"7" + b"]" * 700
    started = time.process_time()
    assert data[Places(data).locate((2000,) * 700)] == ord("7")
    assert time.process_time() - started < 20

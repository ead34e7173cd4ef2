"""The outline of JSON bytes: the same by both ways, right about places, total on damage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.records import outline
from sesskit.records.outline import Span, children, members, root, scalar

SPACED = b'\xef\xbb\xbf \n{ "a" : 1 ,\n  "b":["x", {"c": null}, -2.5e3], "": "\\u0041\\"" }\n'
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=25,
)


def read(data: bytes, span: Span) -> Any:
    """The value at a span, by way of its parts."""
    kind = outline.kind(data, span)
    if kind == "object":
        return {part.key: read(data, part) for part in children(data, span)}
    if kind == "array":
        return [read(data, part) for part in children(data, span)]
    return json.loads(data[span.start : span.end])


def test_values_are_found_between_spaces_and_behind_a_byte_order_mark() -> None:
    span = root(SPACED)
    assert span is not None
    assert read(SPACED, span) == {"a": 1, "b": ["x", {"c": None}, -2500.0], "": 'A"'}


@given(JSON, st.sampled_from([None, 2]))
def test_the_parts_of_any_json_give_it_back(value: Any, indent: int | None) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=False).encode()
    span = root(data)
    assert span is not None
    assert read(data, span) == value


@given(JSON, st.sampled_from([None, 2]))
def test_large_values_are_cut_the_same_way(value: Any, indent: int | None) -> None:
    large = {"pad": "x" * 20_000, "value": value, "list": [value, "y" * 20_000, value]}
    data = json.dumps(large, indent=indent, ensure_ascii=False).encode()
    whole = root(data)
    assert whole is not None
    slow = list(outline._members(data, whole))
    assert list(children(data, whole)) == slow
    listed = slow[2]
    assert list(children(data, listed)) == list(outline._elements(data, listed))


@pytest.mark.parametrize("last", ["x" * 30_000, "x"], ids=["long", "short"])
def test_doubled_names_in_a_large_object_are_all_seen(last: str) -> None:
    data = b'{"a": "' + b"y" * 20_000 + b'", "b": 1, "a": "' + last.encode() + b'"}'
    whole = root(data)
    assert whole is not None
    found = list(children(data, whole))
    assert [part.key for part in found] == ["a", "b", "a"]
    assert read(data, found[2]) == last
    assert members(data, whole)["a"] == found[2]


@pytest.mark.parametrize(
    ("data", "keys", "whole"),
    [
        pytest.param(b'{"a": 1, "b": "cut', ["a", "b"], [True, False], id="cut text"),
        pytest.param(b'{"a": 1, "b": [1, 2', ["a", "b"], [True, False], id="cut array"),
        pytest.param(b'{"a": 1, "b"', ["a"], [True], id="cut name"),
        pytest.param(b'{"a": 1, "b": \0\0\0\0', ["a"], [True], id="zeros"),
        pytest.param(b'{"a": 1,, "b": 01,}', ["a", "b"], [True, True], id="commas"),
        pytest.param(b'{"a": 1 "b": nil}', ["a", "b"], [True, True], id="no comma"),
        pytest.param(b"{'a': 1}", [], [], id="quotes"),
        pytest.param(b'{"a" 1}', [], [], id="no colon"),
        pytest.param(b'{"a": }', [], [], id="no value"),
    ],
)
def test_what_lies_before_the_damage_is_seen(
    data: bytes, keys: list[str], whole: list[bool]
) -> None:
    span = root(data)
    assert span is not None
    found = list(children(data, span))
    assert ([part.key for part in found], [part.whole for part in found]) == (keys, whole)


@pytest.mark.parametrize("data", [b"", b" \n", b"\0\0\0", b"]", b","])
def test_where_no_value_starts_there_is_none(data: bytes) -> None:
    assert root(data) is None


def test_only_objects_and_arrays_have_parts() -> None:
    for data in (b'"text"', b"12", b"null"):
        span = root(data)
        assert span is not None
        assert list(children(data, span)) == []
        assert members(data, span) == {}


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'"a\\n\\u00e9"', "a\né"),
        (b'"a\tb"', "a\tb"),
        (b'"\xff"', "\ufffd"),
        (b"-1.5", -1.5),
        (b"true", True),
        (b"null", None),
        (b"nonsense", None),
        (b'"bad \\x escape"', None),
        (b"[1]", None),
        (b'"cut', None),
        (b'"' + b"x" * 5_000 + b'"', None),
    ],
)
def test_short_scalars_are_read(data: bytes, value: Any) -> None:
    assert scalar(data, root(data)) == value


def test_no_span_has_no_scalar() -> None:
    assert scalar(b"1", None) is None


def test_an_escaped_name_is_read_and_a_broken_one_stands_as_it_is() -> None:
    data = b'{"\\u0061": 1, "\\x": 2}'
    span = root(data)
    assert span is not None
    assert list(members(data, span)) == ["a", "\\x"]


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'"' * 200_001,
        b'{"a":"' + b"\\" * 200_001,
        b"[[1]," * 50_000,
    ],
    ids=["nested", "named", "quotes", "escapes", "rows"],
)
def test_hostile_text_is_answered(data: bytes) -> None:
    span = root(data)
    assert span is not None
    assert sum(1 for _ in children(data, span)) < 200_000


@given(st.binary(max_size=60))
def test_any_bytes_are_answered(data: bytes) -> None:
    span = root(data)
    if span is not None:
        assert all(0 <= part.start <= part.end <= len(data) for part in children(data, span))


@pytest.mark.parametrize("opening", [b'{"a": ', b"[1, "])
def test_large_values_with_a_fault_inside_are_cut_too(opening: bytes) -> None:
    closing = b"}" if opening.startswith(b"{") else b"]"
    data = b"[" + opening + b'"' + b"x" * 20_000 + b'",,' + closing + b", 2]"
    whole = root(data)
    assert whole is not None
    large, last = children(data, whole)
    assert len(list(children(data, large))) == (1 if opening.startswith(b"{") else 2)
    assert read(data, last) == 2

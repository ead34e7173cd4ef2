"""The number ``-0`` in text, found quickly."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.logs.dsh.negative_zero import has_negative_zero

PATTERN = re.compile(rb"[:,\[]\s*-0(?:\.0+)?(?:[eE][+-]?[0-9]+)?\s*[,}\]]")
PIECES = [b"-", b"0", b"-0", b":", b",", b"[", b"]", b"}", b" ", b"\n", b"1", b"a", b".", b"e"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.integers(0, 300))
def test_the_same_as_a_plain_search(text: bytes, dashes: int) -> None:
    for data in (text, b"-" * dashes + text, text + b"x-" * dashes):
        assert has_negative_zero(data) == (PATTERN.search(data) is not None)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a":-0}', True),
        (b'{"a": -0 ,"b":1}', True),
        (b"[-0]", True),
        (b'{"a":-0.0}', True),
        (b'{"a":-0e1}', True),
        (b'{"a":-0.01}', False),
        (b'{"a":"2026-01-02"}', False),
        (b"-0", False),
        (b"-", False),
    ],
)
def test_values(data: bytes, found: bool) -> None:
    assert has_negative_zero(data) is found

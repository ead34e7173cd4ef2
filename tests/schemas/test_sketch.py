"""The sketch of a text's beginning: names of members, what ended, what stands in front."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.schemas.sketch import MAX_NAMES, sketch


@pytest.mark.parametrize(
    ("head", "kind", "members"),
    [
        (b"", "", []),
        (b"   ", "", []),
        (b"{}", "object", []),
        (b'{"a":1,"b":{"c":2},"d":[{"e":3}]}', "object", ["a", "b", "d"]),
        (b' \n{ "a" : "x:y" , "b"', "object", ["a"]),
        (b'{"a\\"b":1}', "object", ['a\\"b']),
        (b'{"a":"\\', "object", ["a"]),
        (b'{"a":"cut', "object", ["a"]),
        (b"[1,2]", "array", []),
        (b'"text"', "string", []),
        (b"12.5e3", "scalar", []),
        (b"null\n", "scalar", []),
        (b"nullx", "", []),
        (b"junk", "", []),
    ],
)
def test_kind_and_members(head: bytes, kind: str, members: list[str]) -> None:
    drawn = sketch(head)
    assert (drawn.kind, drawn.members) == (kind, members)


def test_inner_members_by_their_owner() -> None:
    drawn = sketch(b'{"a":{"b":1,"c":{"d":2}},"e":[{"f":1}],"g":{"h":')
    assert drawn.inner == {"a": ["b", "c"], "g": ["h"]}


@pytest.mark.parametrize(
    ("head", "ended", "more", "before"),
    [
        (b'{"a":1}', True, False, False),
        (b'{"a":1}\n', True, False, False),
        (b'{"a":1}\n{"b":2}', True, True, False),
        (b'{"a":[1,{"b":2}', False, False, False),
        (b'\xef\xbb\xbf{"a":1}', True, False, True),
        (b'\0\0\0{"a":1}', True, False, True),
        (b'log: {"a":1}', True, False, True),
        (b'"x"', True, False, False),
        (b'"x" y', False, False, False),
    ],
)
def test_what_is_around(head: bytes, ended: bool, more: bool, before: bool) -> None:
    drawn = sketch(head)
    assert (drawn.ended, drawn.more, drawn.before) == (ended, more, before)


def test_names_are_bounded() -> None:
    text = json.dumps({f"n{i}": i for i in range(500)}).encode()
    assert len(sketch(text).members) == MAX_NAMES


@given(st.binary(max_size=300))
def test_total(head: bytes) -> None:
    sketch(head)
    sketch(b'{"a":' + head)


@given(st.dictionaries(st.text("abc ", max_size=3), st.integers() | st.text("x{}[]:", max_size=5)))
def test_names_of_whole_objects(value: dict[str, object]) -> None:
    drawn = sketch(json.dumps(value).encode())
    assert drawn.ended
    assert drawn.members == list(value)[:MAX_NAMES]


@pytest.mark.parametrize("unit", [b'"', b'\\"', b"\\", b"{", b"[", b'{"a":', b"1", b" ", b"}"])
def test_hostile_text_takes_linear_time(unit: bytes) -> None:
    begun = time.process_time()
    sketch(b'{"a":' + unit * (400_000 // len(unit)))
    sketch(unit * (400_000 // len(unit)))
    assert time.process_time() - begun < 2

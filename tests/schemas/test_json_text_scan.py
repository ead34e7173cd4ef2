"""Stepping through text without reading it."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.schemas.json_scan import Members, behind_noise, end_of_text, name_of, skip, too_deep
from sesskit.schemas.limits import MAX_DEPTH

JSON = st.recursive(
    st.none() | st.integers(-9, 99) | st.sampled_from(["", "]", '"', "\\", "é}", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from('ab"\\'), inner),
    max_leaves=20,
)


def nest(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = [value, {"b": 1}]
    return value


@given(JSON, st.integers(0, 50), st.sampled_from([None, 1]))
def test_members_are_the_members(value: Any, levels: int, indent: int | None) -> None:
    """Any height: low containers are passed over in one match, tall ones bracket by bracket."""
    value = nest(value, levels)
    data = b" " + json.dumps(value, indent=indent).encode() + b", tail"
    end = len(data) - len(", tail")
    ends: dict[int, int] = {}
    for remembered in (None, ends, ends):
        assert skip(data, 1, remembered) == end
        members = Members(data, 1, remembered)
        found = {key: (json.loads(data[a:b]), data[k:a]) for key, k, a, b in members}
        if not isinstance(value, list | dict):
            assert (members.end, members.stopped) == (None, 1)
            continue
        assert (members.end, members.stopped) == (end, None)
        plain = value if isinstance(value, dict) else dict(enumerate(value))
        assert {key: inner for key, (inner, _) in found.items()} == plain
        if isinstance(value, dict):
            assert all(json.loads(b"{%s1}" % name) == {key: 1} for key, (_, name) in found.items())


@pytest.mark.parametrize(
    ("raw", "found", "stopped"),
    [
        (b"[1, x, 'a,b', \"c\" [2 3]]", ["1", "x", "'a,b'", '"c"', "[2 3]"], None),
        (b"[1,,2,]", ["1", "2"], None),
        (b"[1, // no, 2\n 3, /* 4 */ # 5\n 6]", ["1", "3", "6"], None),
        (b"[\x00\x001\xff, \xa02]", ["1", "2"], None),
        (b"[[1}, {2], 3]", ["[1}", "{2]", "3"], None),
        (b"[1, 2", ["1", "2"], 5),
        (b"[1, [2, 3", ["1", "[2, 3"], 4),
        (b'[1, "2, 3', ["1", '"2, 3'], 4),
        (b"[1 : 2]", ["1"], 3),
        (b"[1, 'a", ["1"], 4),
        (b"[", [], 1),
        (b"{'a': 1, b: 2, \"c\" :3 d:4,}", ["1", "2", "3", "4"], None),
        (b'{"a":, "b": }', [], None),
        (b'{"a"\xff: /**/ "x", "b":\x00[1]}', ['"x"', "[1]"], None),
        (b'{"a":[1,', ["[1,"], 5),
        (b'{"a":"1,', ['"1,'], 5),
        (b'{"a":1, 2}', ["1"], 8),
        (b'{"a":1, "b', ["1"], 8),
        (b'{"a":1', ["1"], 6),
        (b"7", [], 0),
        (b"", [], 0),
    ],
)
def test_members_of_damaged_text(raw: bytes, found: list[str], stopped: int | None) -> None:
    members = Members(raw, 0)
    assert [raw[a:b].decode() for _, _, a, b in members] == found
    assert members.stopped == stopped
    assert members.end == (len(raw) if stopped is None else None)


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        (b'"a\\"]" 1', 6),
        (b"12.5e3, 1", 6),
        (b"[[]]]", 4),
        (b"[" * 40 + b'"]"' + b"]" * 40 + b"]", 83),
        (b"[1,[2,[3,[4,[5,[6,[7]]]]]],[8]]", 31),
        (b"[" * 2000 + b"]" * 2000, 4000),
        (b"[" * 2000 + b"]" * 1999, None),
        (b'["a', None),
        (b'"a', None),
        (b",", None),
        (b"", None),
    ],
)
def test_skip(raw: bytes, end: int | None) -> None:
    assert skip(raw, 0) == end


def test_tall_containers_are_remembered() -> None:
    inner = json.dumps(nest("x" * 5000, 9)).encode()
    data = b"[1, " + inner + b"]"
    ends: dict[int, int] = {}
    assert skip(data, 0, ends) == len(data)
    assert ends[0] == len(data)
    assert ends[4] == len(data) - 1
    ends[4] = 17
    assert skip(data, 4, ends) == 17


@pytest.mark.parametrize(
    ("raw", "offset"),
    [
        (b"[" * MAX_DEPTH, None),
        (b"[" * (MAX_DEPTH + 1), MAX_DEPTH),
        (b"[]" * 2000, None),
        (b'"' + b"[" * 2000, None),
        (b'["' + b"[" * 2000 + b'"]', None),
        (b'["\\"' + b"[" * 2000 + b'"]', None),
        (b"]" * 900 + b"[" * MAX_DEPTH, None),
        (b"]" * 900 + b"[" * (MAX_DEPTH + 1), 900 + MAX_DEPTH),
        (b"[{}," * 767 + b"[1" + b"]" * 768, None),
        (b"[{}," * 768 + b"[1" + b"]" * 769, 4 * 767 + 1),
        (b"[" * 760 + b"[[[[[[[[[]]]]]]]]]", 768),
        (b"[" * 760 + b"[[[[[[[[]]]]]]]], [[[[[[[[1,[]]]]]]]]]", 760 + 28),
    ],
)
def test_too_deep(raw: bytes, offset: int | None) -> None:
    assert too_deep(raw) == offset


def test_depth_against_a_plain_count() -> None:
    rng = random.Random(5)
    for _ in range(200):
        raw = bytes(rng.choices(b'[[[{{]}",\\ 1', k=6000))
        depth, inside, escaped, expected = 0, False, False, None
        for offset, byte in enumerate(raw):
            if inside:
                inside = escaped or byte != ord('"')
                escaped = byte == ord("\\") and not escaped
            elif byte == ord('"'):
                inside, escaped = True, False
            elif byte in b"[{":
                depth += 1
                if depth > MAX_DEPTH:
                    expected = offset
                    break
            elif byte in b"]}":
                depth = max(depth - 1, 0)
        assert too_deep(raw) == expected


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b'"a"', "a"),
        (b'"\\u0061\\n"', "a\n"),
        (b'"\\q"', "\\q"),
        (b'"\xff"', "\ufffd"),
        (b"'it\\'s'", "it's"),
        (b"plain", "plain"),
    ],
)
def test_name_of(raw: bytes, name: str) -> None:
    assert name_of(raw) == name


def test_ends() -> None:
    assert end_of_text(b"") == 0
    assert end_of_text(b" \n") == 0
    assert end_of_text(b"[1] \n") == 3
    assert end_of_text(b"[1]" + b" " * 20_000) == 3
    assert behind_noise(b"x", 0) == 0
    assert behind_noise(b" \xff// a\n/* b */ x", 0) == 15


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 3_000_000,
        b"[1," * 200_000,
        b'[{"a":' * 100_000,
        b'"' * 1_000_001,
        b'["' + b'\\"' * 1_000_000,
        b"[" * 700 + b'"' + b'\\"' * 1_000_000,
        b"[" + b"\xff " * 1_000_000,
        b"['" * 200_000,
        b"[" + b"#\n" * 500_000,
        b"[" + b"/" * 1_000_000,
        b"[" * 500_000 + b"]" * 500_000,
        b"{" + b'"' * 1_000_000,
    ],
    ids=lambda raw: repr(raw[:8]),
)
def test_hostile_text_is_passed_over_in_time(raw: bytes) -> None:
    started = time.process_time()
    skip(raw, 0)
    too_deep(raw)
    sum(1 for _ in Members(raw, 0))
    assert time.process_time() - started < 20

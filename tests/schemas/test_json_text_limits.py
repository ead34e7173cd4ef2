"""Hostile texts: deep, long, full of faults. Everything ends, in time that grows with the text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from sesskit.schemas.json_reader import Reader
from sesskit.schemas.json_text import parse_fast, read_json, too_deep
from sesskit.schemas.limits import MAX_DEPTH

OPENINGS = {"arrays": b"[", "objects": b'{"a":', "both": b'[{"":'}
CLOSINGS = {"arrays": b"]", "objects": b"}", "both": b"}]"}


def nested(kind: str, levels: int, core: bytes = b"1") -> bytes:
    times = levels // (2 if kind == "both" else 1)
    return OPENINGS[kind] * times + core + CLOSINGS[kind] * times


def deep_down(frames: int, call: Callable[[], Any]) -> Any:
    """The answer of a call that has only so many Python frames left."""

    def down(left: int) -> Any:
        return call() if left == 0 else down(left - 1)

    frame, used = sys._getframe(), 0
    while frame.f_back:
        frame, used = frame.f_back, used + 1
    return down(sys.getrecursionlimit() - used - frames)


@pytest.mark.parametrize("kind", OPENINGS)
@pytest.mark.parametrize("thorough", [True, False])
def test_depth_is_counted_exactly(kind: str, thorough: bool) -> None:
    assert read_json(nested(kind, MAX_DEPTH), thorough=thorough).issues == ()
    deep = nested(kind, MAX_DEPTH, OPENINGS[kind] + b"1" + CLOSINGS[kind])
    text = read_json(deep, thorough=thorough)
    offset = len(OPENINGS[kind]) * MAX_DEPTH // (2 if kind == "both" else 1)
    assert [(i.code, i.offset) for i in text.issues] == [("json-depth", offset)]
    assert too_deep(deep) == offset
    with pytest.raises(ValueError, match="deep"):
        parse_fast(deep)


def test_depth_does_not_depend_on_the_caller() -> None:
    sound, deep = nested("arrays", MAX_DEPTH), nested("arrays", MAX_DEPTH + 1)
    odd = sound.replace(b"1", b'"\\ud800"')
    assert deep_down(60, lambda: read_json(sound)).issues == ()
    assert [i.code for i in deep_down(60, lambda: read_json(odd)).issues] == ["lone-surrogate"]
    assert [i.code for i in deep_down(60, lambda: read_json(deep)).issues] == ["json-depth"]
    with pytest.raises(ValueError, match="deep"):
        deep_down(60, lambda: parse_fast(odd))


def test_reading_goes_on_beside_what_is_too_deep() -> None:
    core = b'[[1, "]"]], 2, {"a":[{}]}, NaN'
    text = read_json(nested("arrays", MAX_DEPTH, core))
    codes = [(i.code, (i.offset or 0) - MAX_DEPTH) for i in text.issues]
    assert codes == [("json-depth", 0), ("json-depth", 15), ("json-constant", 27)]


@pytest.mark.parametrize(
    ("raw", "codes"),
    [
        (nested("arrays", 100_000), ["json-depth"]),
        (nested("objects", 100_000), ["json-depth"]),
        (b"[" * 5_000_000, ["json-depth"]),
        (b'[{"a":' * 100_000, ["json-depth"]),
        (b'"' * 1_000_001, ["json-trailing"]),
        (b'["' + b'\\"' * 500_000, ["json-cut"]),
        (b'[ "' + b"\\" * 1_000_001 + b'"]', ["json-cut"]),
        (b"[" + b"," * 1_000_000, ["json-syntax", "json-cut"]),
        (bytes(5_000_000), ["json-nul-run"]),
        (b"[" + bytes(1_000_000) + b"]", ["json-nul-run"]),
        (b" " * 5_000_000, ["json-empty"]),
        (b"[1" + b" " * 5_000_000, ["json-cut"]),
        (b"[1]" + b"]" * 1_000_000, ["json-trailing"]),
        (b"[" + b"9" * 1_000_000 + b"]", ["number-overflow"]),
        (b"[0" + b"9" * 1_000_000 + b"]", ["json-number"]),
        (b"[" + b"x" * 1_000_000 + b"]", ["json-syntax"]),
        (b"[/*" + b"*" * 1_000_000, ["json-comment", "json-cut"]),
        (b"[" + b"\xff" * 60_000 + b"1]", ["utf8-outside-string"]),
        (('["' + "€" * 300_000 + '\\ud800"]').encode(), ["lone-surrogate"]),
    ],
    ids=lambda value: repr(value[:12]) if isinstance(value, bytes) else "",
)
def test_one_answer_to_much_of_the_same(raw: bytes, codes: list[str]) -> None:
    started = time.process_time()
    assert [i.code for i in read_json(raw).issues] == codes
    assert time.process_time() - started < 20


def many(count: int) -> bytes:
    """One line with ``count`` faults of several kinds."""
    part = '{"é":NaN,"a":"\\q\\ud800 \x01","b":[01,2,],"c":1 "a":2}, '.encode()
    return b"[" + part * (count // 8) + b"1]"


def cost(data: bytes) -> float:
    def once() -> float:
        started = time.process_time()
        read_json(data)
        return time.process_time() - started

    return min(once() for _ in range(3))


def test_time_grows_with_the_text_and_its_faults() -> None:
    assert len(read_json(many(800)).issues) == 800
    assert cost(many(32_000)) < 9 * cost(many(8_000))


def test_a_long_line() -> None:
    data = b'["' + "é".encode() * 2_500_000 + b'", NaN, "\\ud800"]'
    text = read_json(data)
    places = [(i.code, i.offset, i.line, i.column) for i in text.issues]
    assert places == [
        ("json-constant", 5_000_005, 1, 2_500_006),
        ("lone-surrogate", 5_000_011, 1, 2_500_012),
    ]


def test_reading_stops_some_way_behind_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.schemas.json_reader.DAMAGE_SCAN_BYTES", 100)
    element = b'{"a":NaN}, '
    text = read_json(b"[" + element * 50 + b"1]")
    codes = [i.code for i in text.issues]
    assert codes == ["json-constant"] * 10 + ["json-unread"]
    assert text.issues[-1].severity == "info"
    assert len(text.partial) == 10
    calm = read_json(b"[" + b'{"a":"\\ud800"}, ' * 50 + b"1]")
    assert len(calm.issues) == 50


def test_faults_beyond_a_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.schemas.json_odd.MAX_TEXT_FAULTS", 10)
    text = read_json(b"[" + b"NaN, " * 50 + b"1]")
    assert [i.code for i in text.issues] == ["json-constant"] * 10 + ["json-unlisted"]
    assert "40 further faults" in text.issues[-1].message
    only_warnings = read_json(b"[" + b'"\\ud800", ' * 50 + b"1]")
    assert only_warnings.sound
    assert len(only_warnings.issues) == 9 + 1  # their keys have weight too
    assert "41 further faults" in only_warnings.issues[-1].message


def test_deep_warnings_do_not_multiply_memory() -> None:
    core = b"{" + b'"":0,' * 50_000 + b'"":0}'
    text = Reader(nested("arrays", MAX_DEPTH - 1, core)).read()
    assert text.sound
    kept = [i for i in text.issues if i.code == "duplicate-member"]
    assert len(kept) == -(-8_000_000 // (8 + MAX_DEPTH))
    assert text.issues[-1].code == "json-unlisted"

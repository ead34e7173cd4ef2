"""The outline of JSON bytes: where the members and elements of a value lie, sound or damaged.

Nothing is decoded and nothing refused: what cannot be read ends the value that holds it, and
everything before stays visible. One pass for each level asked for, no recursion, nothing kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PLAIN = rb"[^\s,\[\]{}\":\0]++"
_SPACE = re.compile(rb"[\s\0]*+")
_NEXT = re.compile(rb"[\s,]*+")
_NAME = re.compile(rb"[\s,]*+(" + _STRING + rb")\s*+:\s*+", re.DOTALL)
_MEMBER = re.compile(_NAME.pattern + rb"(" + _STRING + rb"|" + _PLAIN + rb")?+", re.DOTALL)
_SIMPLE = re.compile(_STRING + rb"|" + _PLAIN, re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")
_UNBRACKETED = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb"|(?!))*+", re.DOTALL)
"""Everything up to the next bracket that is not part of a text."""

_BOM = b"\xef\xbb\xbf"
_OBJECT, _ARRAY = b"{", b"["
_LARGE = 16 * 1024
"""From so many bytes the fast parser is asked for the lengths of the parts."""
_CHUNK = 1 << 20
_DICT = msgspec.json.Decoder(dict[str, Raw])
_LENIENT = json.JSONDecoder(strict=False)
_LIST = msgspec.json.Decoder(list[Raw])

SHORT = 4096
"""Bytes of the longest scalar that `scalar` decodes; longer ones are texts, read by their refs."""


class Span(NamedTuple):
    """A value from ``start`` up to ``end``; ``key`` is its name or position in what holds it.

    ``whole`` is False where the value is cut: the text ends, or stops being JSON, inside it.
    """

    key: str | int
    start: int
    end: int
    whole: bool = True


def root(data: bytes) -> Span | None:
    """The first value of a text, whatever stands behind it; None where there is none."""
    start = _after(_SPACE, data, len(_BOM) if data.startswith(_BOM) else 0, len(data))
    if len(data) >= _LARGE and _is_json(data):
        return Span("", start, len(data.rstrip(b" \t\r\n")))
    return _value(data, start, "", len(data))


def children(data: bytes, span: Span) -> Iterator[Span]:
    """The members or elements of an object or array, in their order; of anything else nothing."""
    opening = data[span.start : span.start + 1]
    fast = span.whole and span.end - span.start >= _LARGE
    if opening == _OBJECT:
        yield from (fast and _known_members(data, span)) or _members(data, span)
    elif opening == _ARRAY:
        yield from (fast and _known_elements(data, span)) or _elements(data, span)


def members(data: bytes, span: Span) -> dict[str, Span]:
    """The members of an object by name, the last one of doubled names; of anything else none."""
    if data[span.start : span.start + 1] != _OBJECT:
        return {}
    return {str(member.key): member for member in children(data, span)}


def kind(data: bytes, span: Span) -> str:
    """The JSON kind of a value, by its first byte: object, array, string or scalar."""
    kinds = {_OBJECT: "object", _ARRAY: "array", b'"': "string"}
    return kinds.get(data[span.start : span.start + 1], "scalar")


def scalar(data: bytes, span: Span | None) -> Any:
    """A short text, a number, true, false or null as a Python value; None for anything else."""
    if span is None or not span.whole or span.end - span.start > SHORT:
        return None
    raw = data[span.start : span.end]
    if raw[:1] in (_OBJECT, _ARRAY):
        return None
    return _decoded(raw)


def _members(data: bytes, span: Span) -> Iterator[Span]:
    position, match = span.start + 1, _MEMBER.match
    while found := match(data, position, span.end):
        key, (start, end) = _name(found[1]), found.span(2)
        if start >= 0:
            yield Span(key, start, end)
            position = end
            continue
        value = _value(data, found.end(), key, span.end)
        if value is None:
            return
        yield value
        position = value.end


def _elements(data: bytes, span: Span) -> Iterator[Span]:
    position, number = span.start + 1, 0
    while value := _value(data, _after(_NEXT, data, position, span.end), number, span.end):
        yield value
        position, number = value.end, number + 1


def _value(data: bytes, start: int, key: str | int, limit: int) -> Span | None:
    """The value that starts here; None where none does."""
    if simple := _SIMPLE.match(data, start, limit):
        return Span(key, start, simple.end())
    first = data[start : start + 1] if start < limit else b""
    if first == b'"':
        return Span(key, start, limit, whole=False)
    if not first or first not in _OBJECT + _ARRAY:
        return None
    depth, position = 0, start
    while _BRACKETS.match(data, position, limit):
        depth += 1 if data[position] in b"{[" else -1
        position += 1
        if not depth:
            return Span(key, start, position)
        position = _after(_UNBRACKETED, data, position, limit)
    return Span(key, start, limit, whole=False)


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _known_members(data: bytes, span: Span) -> list[Span]:
    """The members of a large object, by the lengths the fast parser gives; empty where unsure."""
    try:
        pieces = _DICT.decode(memoryview(data)[span.start : span.end])
    except (msgspec.MsgspecError, RecursionError):
        return []
    found: list[Span] = []
    position = span.start + 1
    while name := _NAME.match(data, position, span.end):
        key = _name(name[1])
        piece = memoryview(pieces.get(key, b""))
        # Of doubled names the parser knows the last value only.
        if not piece or not _same(data, name.end(), piece):
            return []
        position = name.end() + len(piece)
        found.append(Span(key, name.end(), position))
    return found if len(found) == len(pieces) else []


def _known_elements(data: bytes, span: Span) -> Iterator[Span] | None:
    """The elements of a large array, by the lengths the fast parser gives; None where unsure."""
    try:
        pieces = _LIST.decode(memoryview(data)[span.start : span.end])
    except (msgspec.MsgspecError, RecursionError):
        return None
    return _stepped(data, pieces, span)


def _stepped(data: bytes, pieces: list[Raw], span: Span) -> Iterator[Span]:
    position = span.start + 1
    for number, piece in enumerate(pieces):
        start = _after(_NEXT, data, position, span.end)
        position = start + len(memoryview(piece))
        yield Span(number, start, position)


def _same(data: bytes, start: int, piece: memoryview) -> bool:
    """Whether the piece stands there. Bit by bit, to hold no second copy of a large one."""
    ends = ((at, min(at + _CHUNK, len(piece))) for at in range(0, len(piece), _CHUNK))
    return all(data[start + at : start + end] == bytes(piece[at:end]) for at, end in ends)


def _after(pattern: re.Pattern[bytes], data: bytes, start: int, limit: int) -> int:
    found = pattern.match(data, start, limit)
    return found.end() if found else start


def _name(raw: bytes) -> str:
    name = _decoded(raw)
    return name if isinstance(name, str) else raw[1:-1].decode("utf-8", errors="replace")


def _decoded(raw: bytes) -> Any:
    if raw.startswith(b'"') and b"\\" not in raw:
        return raw[1:-1].decode("utf-8", errors="replace")
    try:
        return _LENIENT.decode(raw.decode("utf-8", errors="replace"))
    except ValueError:
        return None

"""The envelope of an event, and the list of its source events.

Files of v1 and later may write a run of sources as a pair ``[first, last]``. Lists are looked at
as spans and only written out on demand: a few bytes can stand for very many numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from msgspec import Struct, field

from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.dsh_values import is_count, is_index, is_negative_zero, is_safe_integer
from sesskit.schemas.issues import Issue

Json = dict[str, Any]

REQUIRED = ("type", "seq", "time", "data")
OPTIONAL = ("sourceEventSeqs", "surfaceOp", "ignorable")
_MEMBERS = frozenset([*REQUIRED, *OPTIONAL])

LEAST_RANGE = 3
"""A shorter run of consecutive sources is written number by number."""


def check_envelope(event: Json, *, later: bool = False) -> Iterator[Issue]:
    """Every rule of the envelope that an event breaks, but for the number itself.

    ``later`` asks for those of v1 and after, which take no ``-0`` for a time.
    """
    for name in event:
        if name not in _MEMBERS:
            message = "no such member of an event"
            yield Issue("member-unknown", message, keys=(name,), at_key=True)
    for name in REQUIRED:
        if name not in event:
            yield Issue("member-missing", "missing; an event must have it", keys=(name,))
    if not isinstance(event.get("type", ""), str):
        yield _wrong("type", "string")
    if not is_index(event.get("seq", 0)):
        yield _wrong("seq", "count")
    time = event.get("time", 0)
    if not is_safe_integer(time) or (later and is_negative_zero(time)):
        yield _wrong("time", "whole milliseconds since 1970")
    if event.get("ignorable", True) is not True:
        yield _wrong("ignorable", "true, or absent")


def _wrong(name: str, expected: str) -> Issue:
    return Issue("envelope", f"must be: {expected}", keys=(name,), expected=expected)


class Sources(Struct):
    """The source events of one event, and what is wrong with the list."""

    spans: list[tuple[int, int]] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    numbers: frozenset[int] = frozenset()
    """The sources where the list is a plain one without fault; then there are no spans."""

    def __contains__(self, seq: int) -> bool:
        if self.numbers:
            return seq in self.numbers
        at = bisect_right(self.spans, (seq, MAX_SAFE_INTEGER)) - 1
        return at >= 0 and self.spans[at][0] <= seq <= self.spans[at][1]


def read_sources(stored: object, seq: float, *, pairs: bool) -> Sources:
    """The sources of event ``seq``; the spans mean something only where there is no issue.

    Each must be an earlier event and be named once. ``pairs`` says whether pairs are understood;
    a list that has one must rise.
    """
    sources = Sources()
    if not isinstance(stored, list):
        message = "expected an array of event numbers"
        sources.issues.append(_source("type", message, (), "array"))
        return sources
    if stored and set(map(type, stored)) == {int}:
        numbers = frozenset(stored)
        if len(numbers) == len(stored) and min(numbers) >= 0 and max(numbers) < seq:
            sources.numbers = numbers
            return sources
    placed: list[tuple[int, int, int]] = []
    for index, item in enumerate(stored):
        span = _span(item) if pairs else _number(item)
        if span is None:
            message = "expected the number of an event"
            sources.issues.append(_source("sources-kind", message, (index,), "event number"))
        elif span[1] >= seq:
            message = "a source must be an earlier event"
            sources.issues.append(_source("sources-not-earlier", message, (index,)))
        else:
            placed.append((*span, index))
    if any(isinstance(item, list) for item in stored):
        sources.issues += _falling(placed)
    placed.sort()
    for (_, last, earlier), (first, _, later) in pairwise(placed):
        if first <= last:
            message = "names an event that the list names already"
            sources.issues.append(_source("sources-duplicate", message, (max(earlier, later),)))
    sources.spans = [(first, last) for first, last, _ in placed]
    return sources


def _falling(placed: list[tuple[int, int, int]]) -> Iterator[Issue]:
    for (_, last, _index), (first, _, index) in pairwise(placed):
        if first <= last:
            yield _source("sources-order", "a list with pairs must rise", (index,))
            return


def check_loose_sources(stored: object, seq: object) -> Iterator[Issue]:
    """What v1 asks of a list of sources when it reads a line: less than a session does."""
    if not is_count(seq):
        yield _wrong("seq", "count")
        return
    if not isinstance(stored, list):
        yield _source("type", "expected an array of event numbers", (), "array")
        return
    placed: list[tuple[int, int, int]] = []
    room = int(seq)
    for index, item in enumerate(stored):
        span = _span(item, strict=True)
        if span is None:
            message = "expected the number of an event"
            yield _source("sources-kind", message, (index,), "event number")
            return
        room -= span[1] - span[0] + 1
        if room < 0:
            yield _source("sources-not-earlier", "more sources than earlier events", (index,))
            return
        placed.append((*span, index))
    if any(isinstance(item, list) for item in stored):
        yield from _falling(placed)


def _number(item: object, *, strict: bool = False) -> tuple[int, int] | None:
    if not is_index(item) or (strict and is_negative_zero(item)):
        return None
    return int(item), int(item)


def _span(item: object, *, strict: bool = True) -> tuple[int, int] | None:
    if not isinstance(item, list):
        return _number(item, strict=strict)
    if len(item) != 2 or not is_count(item[0]) or not is_count(item[1]):
        return None
    first, last = int(item[0]), int(item[1])
    return (first, last) if first <= last else None


def _source(code: str, message: str, keys: tuple[int, ...], expected: str | None = None) -> Issue:
    return Issue(code, message, keys=("sourceEventSeqs", *keys), expected=expected)


def expand_sources(stored: list[Any]) -> list[int]:
    """The numbers of a sound list in its own order, pairs written out."""
    numbers: list[int] = []
    for item in stored:
        first, last = item if isinstance(item, list) else (item, item)
        numbers.extend(range(int(first), int(last) + 1))
    return numbers


def pack_sources(numbers: list[int]) -> list[Any]:
    """The sources as v2 and v3 files write them: long runs of a rising list as pairs."""
    if any(later <= number for number, later in pairwise(numbers)):
        return list(numbers)
    packed: list[Any] = []
    at = 0
    while at < len(numbers):
        end = at
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        run = numbers[at : end + 1]
        packed += [[run[0], run[-1]]] if len(run) >= LEAST_RANGE else run
        at = end + 1
    return packed

"""Texts seen through line by line: without what stands before lines, with broken lines joined.

The ends of lines that wrapping made are told by how wide lines are; what stands before lines by how
many of them have it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from sesskit.artifacts.line_prefixes import FURTHER
from sesskit.artifacts.views import Cut

__all__ = ["PREFIXES", "continued", "first_lines", "goes_on", "unwrapped", "without_prefixes"]

Part = tuple[int, str, Cut]
"""Where a part of a text begins, the part, and what is seen of it."""

PREFIXES: Final = (
    re.compile(r"[ \t]{0,10}[0-9]{1,7}(?:→|\t|[ ]?[│|:][ ]?|[ ]{2}(?=\S)|-[ ]?)"),
    re.compile(r"(?:[A-Za-z]:)?[\w./@+~-]{1,200}[:-][0-9]{1,7}[:-](?:[0-9]{1,5}:)?"),
    re.compile(r"[+-](?![+-]{2} |[rwxst-]{9})|[ ](?=\S)|[>|] ?|@@[^@\n]{1,60}@@ ?"),
    re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,16}(?:Z|[+-][0-9:]{4,6})?[ \t]"),
    *FURTHER,
)
"""Line numbers, the places that a search shows, the marks of a difference or quotation, times; and
those that are only looked for where something hides in lines."""

_ANY_PREFIX: Final = re.compile(rf"\n(?:{'|'.join(prefix.pattern for prefix in PREFIXES)})")
_SHORT_PREFIX: Final = re.compile(r"[ \t0-9>|@]|[+-](?![rwxst-]{9})")
_PLACE: Final = re.compile(r"[:-][0-9]{1,7}[:-]")
"""How all but the second of them begin, and what that one has."""

_WORD: Final = "A-Za-z0-9+/_"
_WORD_END: Final = re.compile(rf"\n(?:(?<=[{_WORD}.=:-]\n)|(?<=[{_WORD}.=:-]\r\n))")
_HEAD: Final = 2000
_LINES_SAMPLED: Final = 200
_CHARACTERS_SAMPLED: Final = 20_000
_BREAK: Final = re.compile(
    rf"\r?\n(?:(?:(?<=[{_WORD}.=-]\n)|(?<=[{_WORD}.=-]\r\n))(?:[ ]{{2,8}}|\t)(?=[{_WORD}]))?"
)
"""The end of a line, with blanks before what may go on with a word."""

_INDENTED: Final = re.compile(rf"\n(?<=[{_WORD}.=-]\n)[ \t]")
_OWN_LINE: Final = re.compile(
    r"\r?\n[ \t]{0,8}(?:[A-Za-z_][\w.-]{0,60}[ \t]{0,3}[=:]|[0-9]{1,7}(?:→|\t|[ ]?[:|]))"
)
_ALONE: Final = re.compile(
    r"\r?\n[ \t]{0,8}[A-Za-z0-9+/=_.-]{1,4096}[\"'`,;)\]]{0,3}[ \t\r]{0,8}(?:\n|\Z)"
)
"""A name and its value begin a line of their own; the end of a word that was broken is alone."""

_NARROWEST: Final = 40
_WIDTHS: Final = frozenset({64, 70, 72, 76, 78, 79, 80, 99, 100, 119, 120, 132, 160})
"""Widths at which terminals and mail break lines: there one full line is enough to see it."""


def without_prefixes(text: str, lines: list[str], *, needed: bool = True) -> Iterator[Cut]:
    """The text without what a tool puts before each line; ``lines`` are its `first_lines`.

    Unless it is ``needed``, only where lines that are too wide may have been broken.
    """
    if not needed and not _WORD_END.search(text):
        return
    short = _are_most(_SHORT_PREFIX, lines)
    likely = [short, _PLACE.search(text, 0, _CHARACTERS_SAMPLED) is not None, short, short]
    likely += [needed] * len(FURTHER)
    for prefix, is_likely in zip(PREFIXES, likely, strict=True):
        lengths = _lengths(prefix, lines) if is_likely else None
        if not lengths or not _ANY_PREFIX.search("\n" + text[:_HEAD]):
            continue
        if needed or _full([len(ln) - n for ln, n in zip(lines, lengths, strict=True)])[1]:
            yield Cut(text, _holes(prefix, text))


def _lengths(prefix: re.Pattern[str], lines: list[str]) -> list[int]:
    """How long a prefix of each line is, if at least half of the lines have it; else nothing."""
    spare = len(lines) // 2
    lengths = []
    for line in lines:
        found = prefix.match(line)
        if not found:
            spare -= 1
            if spare < 0:
                return []
        lengths.append(found.end() if found else 0)
    return lengths


def _are_most(prefix: re.Pattern[str], lines: list[str]) -> bool:
    """Whether at least half of the lines begin so."""
    spare = len(lines) // 2
    for line in lines:
        if not prefix.match(line):
            spare -= 1
            if spare < 0:
                return False
    return bool(lines)


def _holes(prefix: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Where prefixes of lines stand."""
    holes = []
    start = 0
    while start >= 0:
        found = prefix.match(text, start)
        if found:
            holes.append(found.span())
        start = text.find("\n", start) + 1 or -1
    return holes


def unwrapped(text: str, lines: list[str]) -> Iterator[Part]:
    """The parts of a text with lines joined that something broke because they were too wide.

    ``lines`` are its `first_lines`. Whether two of them are one word is not known: see `goes_on`.
    """
    widest, full = _full(list(map(len, lines)))
    rows = text.split("\n") if full else []
    wide = [number for number, row in enumerate(rows) if len(row) >= widest]
    if "\r" in text:
        wide = [number for number in wide if len(rows[number].removesuffix("\r")) >= widest]
    if wide and wide[-1] == len(rows) - 1:
        wide.pop()  # no line follows
    if not wide:
        return
    ends = list(accumulate([len(row) + 1 for row in rows]))
    plain = "\r" not in text and not _INDENTED.search(text)
    for first, last, numbers in _groups(rows, wide):
        start = ends[first - 1] if first else 0
        places = [ends[number] - 1 - start for number in numbers]
        part = text[start : ends[last] - 1]
        if plain:
            holes = [(place, place + 1) for place in places]
        else:
            holes = [_break(part, place) for place in places]
        yield start, part, Cut(part, holes)


def _groups(rows: list[str], wide: list[int]) -> Iterator[tuple[int, int, list[int]]]:
    """First and last row of each part, from one before to one behind the wide ones in it."""
    first, last = -1, -1
    numbers: list[int] = []
    for number in wide:
        if number > last:
            if numbers:
                yield first, last, numbers
            first, numbers = max(number - 1, 0), []
        numbers.append(number)
        behind = 1 if rows[number + 1] or rows[number].endswith("\r") else 2
        last = min(number + behind, len(rows) - 1)
    yield first, last, numbers


def _break(part: str, place: int) -> tuple[int, int]:
    """The break of a line at whose end ``place`` is; a carriage return before it belongs to it."""
    found = _BREAK.match(part, place - (part[place - 1] == "\r"))
    return found.span() if found else (place, place + 1)


def _part(text: str, start: int, end: int, holes: list[tuple[int, int]]) -> Part:
    part = text[start:end]
    return start, part, Cut(part, [(first - start, last - start) for first, last in holes])


def goes_on(text: str, end: int) -> bool:
    """Whether a value that ends with the line whose end is at ``end`` can go on in the next."""
    end -= text[end - 1 : end] == "\r"
    return not _OWN_LINE.match(text, end) and (
        _full([len(line) for line in first_lines(text)])[1] > 1
        or _ALONE.match(text, end) is not None
    )


def first_lines(text: str) -> list[str]:
    """The lines of the beginning of a text that are not blank: they show how wide lines get."""
    head = text if len(text) <= _CHARACTERS_SAMPLED else text[:_CHARACTERS_SAMPLED]
    lines = head.split("\n", _LINES_SAMPLED)[:_LINES_SAMPLED]
    if "\r" in head:
        lines = [line.removesuffix("\r") for line in lines]
    return [line for line in lines if line and not line.isspace()]


def _full(widths: list[int]) -> tuple[int, int]:
    """How wide the widest lines are, and how many are so; none if nothing was broken there."""
    widest = max(widths, default=0)
    full = widths.count(widest)
    if len(widths) < 2 or widest < _NARROWEST or not (full > 1 or widest in _WIDTHS):
        return widest, 0
    return widest, full


_PLUS: Final = r"[ \t]{0,4}\+[ \t]{0,4}(?:\r?\n[ \t]{0,40})?"
_JOINTS: Final = re.compile(
    rf"(?:[=\\](?<=[{_WORD}.-].)\r?\n|\"(?<=[{_WORD}.-].){_PLUS}\"|'(?<=[{_WORD}.-].){_PLUS}')"
    rf"(?=[{_WORD}.-])"
)

_ADDED: Final = re.compile(r"\+[ \t]{0,4}(?:\r?\n[ \t]{0,40})?[\"']")
_AT_END: Final = (re.compile(r"=\r?\n"), re.compile(r"\\\r?\n"))
"""What has to be there for one of them."""


def continued(text: str) -> Iterator[Part]:
    """The parts of a text in which strings are put together, or a line goes on in the next.

    A line that goes on ends with ``\\``, or with ``=`` in mail.
    """
    added = "+" in text and _ADDED.search(text)
    if added or any(sign.search(text) for sign in _AT_END):
        joints = [found.span() for found in _JOINTS.finditer(text)]
        places = [end for _, end in joints]
        starts = [start for start, _ in joints]
        for start, end in _around(text, places):
            inside = joints[bisect_left(starts, start) : bisect_right(places, end)]
            yield _part(text, start, end, inside)


def _around(text: str, places: list[int]) -> Iterator[tuple[int, int]]:
    """The lines around some places, from one before to one behind, those side by side as one."""
    start = end = -1
    for place in places:
        if place > end or end < 0:
            if end >= 0:
                yield start, end
            start = text.rfind("\n", 0, max(place - 2, 0)) + 1
            start = text.rfind("\n", 0, max(start - 1, 0)) + 1
        if place + 2 <= end:
            continue
        following = text.find("\n", place + 2)
        end = following if following >= 0 else len(text)
    if end >= 0:
        yield start, end

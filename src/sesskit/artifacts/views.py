"""Texts seen through: the same text without escapes, prefixes or invisible signs, and the way back.

A `View` is made once from a text; places in it are turned into places of the text. What was taken
out between two characters belongs to neither; a character that was written as an escape stands for
the whole escape.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sesskit.artifacts.json_leaves import text_of
from sesskit.artifacts.line_prefixes import PREFIXES

__all__ = [
    "View",
    "continued",
    "decoded",
    "deeper_views",
    "goes_on",
    "unwrapped",
    "without_noise",
    "without_prefixes",
]


class View:
    """A text made from another one. ``text`` is what is seen."""

    __slots__ = ("_lengths", "_origins", "_starts", "text")

    def __init__(
        self, pieces: list[str], starts: list[int], origins: list[int], lengths: list[int]
    ) -> None:
        self.text = "".join(pieces)
        self._starts = starts
        self._origins = origins
        self._lengths = lengths  # -1 where characters stand one for one

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]``, which is not empty, comes from."""
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, place: int) -> tuple[int, int]:
        piece = bisect_right(self._starts, place) - 1
        origin, length = self._origins[piece], self._lengths[piece]
        if length >= 0:
            return origin, origin + length
        begin = origin + place - self._starts[piece]
        return begin, begin + 1


Part = tuple[int, str, View]
"""Where a part of a text begins, the part, and what is seen of it."""


def view_of(
    text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> View | None:
    """The text with everything that the pattern finds in its meaning; None if it finds nothing."""
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    lengths: list[int] = []
    size = at = 0

    def put(piece: str, origin: int, length: int) -> None:
        nonlocal size
        if piece:
            pieces.append(piece)
            starts.append(size)
            origins.append(origin)
            lengths.append(length)
            size += len(piece)

    for found in pattern.finditer(text):
        put(text[at : found.start()], at, -1)
        put(meaning(found), found.start(), found.end() - found.start())
        at = found.end()
    if not at:
        return None
    put(text[at:], at, -1)
    return View(pieces, starts, origins, lengths)


_INVISIBLE: Final = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)
_NOISE: Final = re.compile(
    "\x1b(?:\\[[0-?]{0,40}[ -/]{0,4}[@-~]|\\][^\x07\x1b]{0,400}(?:\x07|\x1b\\\\)?"
    "|[PX^_][^\x1b]{0,400}\x1b\\\\|[ -~])?"
    f"|\x9b[0-?]{{0,40}}[ -/]{{0,4}}[@-~]|[{_INVISIBLE}]|\x08"
)
_UNSEEN: Final = re.compile(f"[\x1b\x9b\x08{_INVISIBLE}]")
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])"
)
_LOOSE_ESCAPE: Final = re.compile(_ESCAPE.pattern + r"|\\x[0-7][0-9a-fA-F]|\\[01][0-7]{2}|\\['`]")
_PERCENT: Final = re.compile(r"%[2-7][0-9A-Fa-f]")
_ENTITY: Final = re.compile(r"&(?:amp|quot|apos|lt|gt|#[0-9]{2,5}|#[xX][0-9A-Fa-f]{2,4});")
_WIDE: Final = re.compile("[\uff01-\uff5e]")
_WIDER: Final = 0xFF01 - 0x21
"""Letters as wide as those of Chinese and Japanese, and how far they are from ours."""

_ANY_PREFIX: Final = re.compile(
    rf"\n(?:{'|'.join(prefix.pattern.removeprefix('^') for prefix in PREFIXES)})"
)
_WORD_END: Final = re.compile(r"[A-Za-z0-9+/_.=:-]\r?\n")
_HEAD: Final = 2000
_LINES_SAMPLED: Final = 200
_WORD: Final = "A-Za-z0-9+/_"
_BREAK: Final = re.compile(
    rf"\r?\n(?:(?:(?<=[{_WORD}.=-]\n)|(?<=[{_WORD}.=-]\r\n))(?:[ ]{{2,8}}|\t)(?=[{_WORD}]))?"
)
"""The end of a line, with blanks before what may go on with a word."""

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


def without_noise(text: str) -> View | None:
    """Without the sequences of a terminal and without characters that do not show."""
    if text.isascii() and "\x1b" not in text and "\b" not in text:
        return None
    return view_of(text, _NOISE, lambda _: "") if _UNSEEN.search(text) else None


def decoded(raw: str) -> View:
    """The string that a JSON string with escapes in it stands for."""
    view = view_of(raw, _ESCAPE, lambda found: text_of(found[0]))
    return view or View([raw], [0], [0], [-1])


def without_prefixes(text: str, *, needed: bool = True) -> Iterator[View]:
    """The text without what a tool puts before each line.

    Unless it is ``needed``, only where lines that are too wide may have been broken.
    """
    if not needed and not _WORD_END.search(text):
        return
    if not _ANY_PREFIX.search("\n" + text[:_HEAD]):
        return
    lines = _first_lines(text)
    for prefix in PREFIXES:
        hits = sum(prefix.match(line) is not None for line in lines)
        if not hits or hits * 2 < len(lines):
            continue
        if needed or _full_lines([prefix.sub("", line) for line in lines])[1]:
            view = view_of(text, prefix, lambda _: "")
            if view:
                yield view


def unwrapped(text: str) -> Iterator[Part]:
    """The parts of a text with lines joined that something broke because they were too wide.

    Whether the two of them are one word is not known: see `goes_on`.
    """
    widest, full = _full_lines(_first_lines(text))
    if not full:
        return

    def is_wrapped(found: re.Match[str]) -> bool:
        return _is_full(found.string, found.start(), widest)

    places = [found.start() for found in _BREAK.finditer(text) if is_wrapped(found)]
    yield from _parts(text, places, _BREAK, is_wrapped)


def goes_on(text: str, end: int) -> bool:
    """Whether a value that ends with the line whose end is at ``end`` can go on in the next."""
    end -= text[end - 1 : end] == "\r"
    return not _OWN_LINE.match(text, end) and (
        _full_lines(_first_lines(text))[1] > 1 or _ALONE.match(text, end) is not None
    )


def _full_lines(lines: list[str]) -> tuple[int, int]:
    """How wide the widest lines are, and how many are so; none if nothing was broken there."""
    widths = list(map(len, lines))
    widest = max(widths, default=0)
    full = widths.count(widest)
    if len(lines) < 2 or widest < _NARROWEST or not (full > 1 or widest in _WIDTHS):
        return widest, 0
    return widest, full


def _first_lines(text: str) -> list[str]:
    lines = text[:20_000].split("\n", _LINES_SAMPLED)[:_LINES_SAMPLED]
    return [line.removesuffix("\r") for line in lines if line.strip()]


def _is_full(text: str, end: int, widest: int) -> bool:
    """Whether the line that ends there is as wide as lines get: it may have been wrapped."""
    return end - (text.rfind("\n", 0, end) + 1) >= widest


_PLUS: Final = r"[ \t]{0,4}\+[ \t]{0,4}(?:\r?\n[ \t]{0,40})?"
_JOINTS: Final = re.compile(
    rf"(?:[=\\](?<=[{_WORD}.-].)\r?\n|\"(?<=[{_WORD}.-].){_PLUS}\"|'(?<=[{_WORD}.-].){_PLUS}')"
    rf"(?=[{_WORD}.-])"
)


def continued(text: str) -> Iterator[Part]:
    """The parts of a text in which strings are put together, or a line goes on in the next.

    A line that goes on ends with ``\\``, or with ``=`` in mail.
    """
    if "+" in text or "\\\n" in text or "=\n" in text or "\r\n" in text:
        places = [found.end() for found in _JOINTS.finditer(text)]
        yield from _parts(text, places, _JOINTS, lambda _: True)


def _parts(
    text: str,
    places: Iterable[int],
    pattern: re.Pattern[str],
    goes: Callable[[re.Match[str]], bool],
) -> Iterator[Part]:
    """The lines around some places, those side by side as one, without what the pattern finds."""
    start = end = -1
    for place in places:
        if place > end or end < 0:
            if end >= 0:
                yield from _part(text[start:end], start, pattern, goes)
            start = text.rfind("\n", 0, max(place - 2, 0)) + 1
            start = text.rfind("\n", 0, max(start - 1, 0)) + 1
        if place + 2 <= end:
            continue
        following = text.find("\n", place + 2)
        end = following if following >= 0 else len(text)
    if end >= 0:
        yield from _part(text[start:end], start, pattern, goes)


def _part(
    part: str, start: int, pattern: re.Pattern[str], goes: Callable[[re.Match[str]], bool]
) -> Iterator[Part]:
    view = view_of(part, pattern, lambda found: "" if goes(found) else found[0])
    if view:
        yield start, part, view


def deeper_views(text: str) -> Iterator[View]:
    """The text with its escapes undone: of strings, of addresses, of HTML."""
    if "\\" in text:
        view = view_of(text, _LOOSE_ESCAPE, _unescaped)
        if view:
            yield view
    if "%" in text:
        view = view_of(text, _PERCENT, lambda found: chr(int(found[0][1:], 16)))
        if view:
            yield view
    if not text.isascii() and _WIDE.search(text):
        view = view_of(text, _WIDE, lambda found: chr(ord(found[0]) - _WIDER))
        if view:
            yield view
    if "&" in text:
        view = view_of(text, _ENTITY, lambda found: html.unescape(found[0]))
        if view:
            yield view


def _unescaped(found: re.Match[str]) -> str:
    escape = found[0]
    if escape[1] == "x":
        return chr(int(escape[2:], 16))
    if escape[1] in "01":
        return chr(int(escape[1:], 8))
    return escape[1] if escape[1] in "'`" else text_of(escape)

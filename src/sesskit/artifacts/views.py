"""Texts seen through: the same text without escapes, prefixes or invisible signs, and the way back.

A `View` is made once from a text; places in it are turned into places of the text. What was taken
out between two characters belongs to neither; a character that was written as an escape stands for
the whole escape.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from sesskit.artifacts.json_leaves import text_of

__all__ = [
    "Cut",
    "View",
    "decoded",
    "deeper_views",
    "uncommon_in",
    "with_plain_ends",
    "without_noise",
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


class Cut:
    """A text without some places, its holes: as a `View`, but the way back is seldom asked for."""

    __slots__ = ("_holes", "_moved", "text")

    def __init__(self, text: str, holes: Sequence[tuple[int, int]]) -> None:
        """The holes are in order."""
        pieces = []
        at = 0
        for start, end in holes:
            pieces.append(text[at:start])
            at = end
        pieces.append(text[at:])
        self.text = "".join(pieces)
        self._holes = holes
        self._moved: list[int] = []

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]``, which is not empty, comes from."""
        if not self._moved:
            gone = accumulate((end - start for start, end in self._holes), initial=0)
            starts = (start for start, _ in self._holes)
            self._moved = [at - before for at, before in zip(starts, gone, strict=False)]
        return self._at(start), self._at(end - 1) + 1

    def _at(self, place: int) -> int:
        number = bisect_right(self._moved, place)
        if not number:
            return place
        return self._holes[number - 1][1] + place - self._moved[number - 1]


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
    f"|\x9b[0-?]{{0,40}}[ -/]{{0,4}}[@-~]|[{_INVISIBLE}]|\x08|\r+(?=\n)"
    "|\\^\\[\\[[0-?]{0,40}[A-Za-z]"  # as ``cat -v`` shows it
)
_UNSEEN: Final = re.compile(f"[\x1b\x9b\x08{_INVISIBLE}]")
_RETURNS: Final = re.compile(r"\r+(?=\n)")
_COMMON: Final = bytes(set(range(128)) - set(b"\x1b\b"))
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])"
)
_LOOSE_ESCAPE: Final = re.compile(
    _ESCAPE.pattern + r"|\\x[0-7][0-9a-fA-F]|\\[01][0-7]{2}|\\['`_&!$@#~]"
)
_PERCENT: Final = re.compile(r"%[2-7][0-9A-Fa-f]")
_QUOTED_PRINTABLE: Final = re.compile(r"=(?:[2-7][0-9A-F]|\r?\n)")
_EMPHASIS: Final = re.compile(r"(?<=\w)\*\*(?=\w)|(?<![\w*])\*\*(?=\w)|(?<=\w)\*\*(?![\w*])")
"""The marks of bold letters in Markdown; three stars are a mask."""

_ENTITY: Final = re.compile(r"&(?:amp|quot|apos|lt|gt|#[0-9]{2,5}|#[xX][0-9A-Fa-f]{2,4});")
_WIDE: Final = re.compile("[\uff01-\uff5e]")
_WIDER: Final = 0xFF01 - 0x21
"""Letters as wide as those of Chinese and Japanese, and how far they are from ours."""


def uncommon_in(text: str) -> str:
    """The characters of a text that are not the common ones of ASCII: most often hardly any.

    Whoever has them gives them to the functions that look for some of them.
    """
    if text.isascii() and "\x1b" not in text and "\b" not in text:
        return ""
    data = text.encode("utf-8", "surrogatepass").translate(None, _COMMON)
    return data.decode("utf-8", "surrogatepass")


def without_noise(text: str, uncommon: str | None = None) -> Cut | None:
    """Without the sequences of a terminal and without characters that do not show."""
    seen = uncommon_in(text) if uncommon is None else uncommon
    if ("^" not in text or "^[[" not in text) and not _UNSEEN.search(seen):
        return None
    holes = [found.span() for found in _NOISE.finditer(text)]
    return Cut(text, holes) if holes else None


def with_plain_ends(text: str) -> Cut | None:
    """With lines that end with a line feed alone; None if all do."""
    if "\r" not in text or "\r\n" not in text:  # a single letter is found much faster
        return None
    return Cut(text, [found.span() for found in _RETURNS.finditer(text)])


def decoded(raw: str) -> View:
    """The string that a JSON string with escapes in it stands for."""
    view = view_of(raw, _ESCAPE, lambda found: text_of(found[0]))
    return view or View([raw], [0], [0], [-1])


def deeper_views(text: str, uncommon: str | None = None) -> Iterator[View]:
    """The text with its escapes undone: of strings, of addresses, of HTML."""
    if "\\" in text:
        view = view_of(text, _LOOSE_ESCAPE, _unescaped)
        if view:
            yield view
    if "%" in text:
        view = view_of(text, _PERCENT, lambda found: chr(int(found[0][1:], 16)))
        if view:
            yield view
    if not text.isascii() and _WIDE.search(uncommon_in(text) if uncommon is None else uncommon):
        view = view_of(text, _WIDE, lambda found: chr(ord(found[0]) - _WIDER))
        if view:
            yield view
    if "*" in text and "**" in text:
        view = view_of(text, _EMPHASIS, lambda _: "")
        if view:
            yield view
    if "=" in text and ("=\n" in text or "uoted-printable" in text):
        view = view_of(text, _QUOTED_PRINTABLE, _unquoted)
        if view:
            yield view
    if "&" in text:
        view = view_of(text, _ENTITY, lambda found: html.unescape(found[0]))
        if view:
            yield view


def _unquoted(found: re.Match[str]) -> str:
    return chr(int(found[0][1:], 16)) if found[0][1:].isalnum() else ""


def _unescaped(found: re.Match[str]) -> str:
    escape = found[0]
    if escape[1] == "x":
        return chr(int(escape[2:], 16))
    if escape[1] in "01":
        return chr(int(escape[1:], 8))
    return escape[1] if escape[1] in "'`_&!$@#~" else text_of(escape)

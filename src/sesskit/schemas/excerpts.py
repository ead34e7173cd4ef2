"""Excerpts: one line of JSON source, shown beside an issue without showing what it says.

Texts are elided, and so are the values of sensitive members, whatever is no JSON, and what belongs
to a container whose name is out of sight. Names, numbers, literals and punctuation stay. The line
may be damaged or of any length: only a window around the column is looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from sesskit.schemas.excerpt_pieces import ELLIPSIS, Piece, pieces_of
from sesskit.schemas.issues import Keys
from sesskit.schemas.masking import columns
from sesskit.schemas.sensitive import is_sensitive_key

__all__ = ["Excerpt", "lies_in_secret", "masked_line"]

_BEFORE = 1024
_AFTER = 512
_LEAST_WIDTH = 20

_Cell = tuple[str, int]  # a character that is shown, and the source column it stands for


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line as it may be shown: printable, with an ellipsis for all that is left out.

    Columns count from 1; those of the source are code points, those shown are terminal columns.
    """

    text: str
    origins: tuple[int, ...]
    """The source column each character of ``text`` stands for, ascending."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where the tokens in sight begin and end (half open) in source columns."""
    end: int = 1
    """The source column past the last one that was looked at."""

    def column(self, source: int) -> int:
        """The shown column of a source column. What is elided is where its ellipsis is."""
        if source >= self.end:
            return columns(self.text) + 1
        return columns(self.text[: self._index(source)]) + 1

    def caret(self, source: int) -> tuple[int, int]:
        """Shown column and length of the mark under the token that begins at a source column.

        In the middle of a token, or where there is none, the mark is one column long.
        """
        for start, end in self.spans:
            if start == source:
                shown = self.text[self._index(source) : bisect_left(self.origins, end)]
                return self.column(source), max(columns(shown), 1)
        return self.column(source), 1

    def _index(self, source: int) -> int:
        at = bisect_right(self.origins, source) - 1
        return bisect_left(self.origins, self.origins[at]) if at >= 0 else 0


def masked_line(
    line: str, column: int, *, width: int = 100, first: int = 1, secret: bool = False
) -> Excerpt:
    """The excerpt of a line around a source column, at most ``width`` (20 or more) columns wide.

    ``line`` may be cut: its first character is source column ``first``. With ``secret`` nothing of
    the line is shown (see `lies_in_secret`). Time and memory do not grow with the line.
    """
    if secret:
        return Excerpt(ELLIPSIS, (first,), (), first + len(line) + 1)
    at = min(max(column - first, 0), len(line))
    low, high = max(at - _BEFORE, 0), min(at + _AFTER, len(line))
    base = first + low
    found = pieces_of(line[low:high], at - low, cut=base > 1)
    cells = list(_cells(found, base))
    if base > 1 and cells and cells[0][0] != ELLIPSIS:
        cells.insert(0, (ELLIPSIS, base - 1))
    if high < len(line) and cells[-1][0] != ELLIPSIS:
        cells.append((ELLIPSIS, first + high))
    cells = _cropped(cells, first + at, max(width, _LEAST_WIDTH))
    return Excerpt(
        "".join(character for character, _ in cells),
        tuple(origin for _, origin in cells),
        tuple((base + piece.start, base + piece.end) for piece in found if piece.kind != "space"),
        first + high,
    )


def lies_in_secret(keys: Keys, at_key: bool = False) -> bool:
    """Whether a place is in the value of a sensitive member, where nothing may be shown."""
    above = keys[:-1] if at_key else keys
    return any(isinstance(key, str) and is_sensitive_key(key) for key in above)


def _cells(pieces: list[Piece], base: int) -> Iterator[_Cell]:
    """The characters shown: as far as they are the source's, each at its own column."""
    for piece in pieces:
        source, shown = piece.source, piece.shown
        start, last = base + piece.start, base + piece.end - 1
        same = 0
        for at, character in enumerate(shown):
            if piece.kind == "space" or (same == at and source[at : at + 1] == character):
                same = at + 1
                yield character, start + at
            elif at and at == len(shown) - 1 and source[-1] == character:
                yield character, last
            else:
                yield character, min(start + same, last)


def _cropped(cells: list[_Cell], column: int, width: int) -> list[_Cell]:
    """What fits around the source column, with room for an ellipsis on either side."""
    sizes = [columns(character) for character, _ in cells]
    if sum(sizes) <= width:
        return cells
    room, used = width - 2, 0
    begin = end = max(bisect_right(cells, column, key=lambda cell: cell[1]) - 1, 0)
    while begin and used + sizes[begin - 1] <= room // 2:
        begin -= 1
        used += sizes[begin]
    while end < len(cells) and used + sizes[end] <= room:
        used += sizes[end]
        end += 1
    while begin and used + sizes[begin - 1] <= room:
        begin -= 1
        used += sizes[begin]
    before = [(ELLIPSIS, cells[begin - 1][1])] if begin else []
    after = [(ELLIPSIS, cells[end][1])] if end < len(cells) else []
    return [*before, *cells[begin:end], *after]

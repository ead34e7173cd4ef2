"""Positions: from an offset in bytes to the line and column a person sees.

Lines are cut by ``\\n`` alone and count from 1. Columns count from 1 in code points of the text
after UTF-8 decoding, where every broken sequence is one replacement character (U+FFFD).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

_STEP = 1024 * 1024
_NEWLINE = b"\n"


class Base(NamedTuple):
    """Where a piece of text stands in its file: the offset, line and column of its first byte."""

    offset: int = 0
    line: int = 1
    column: int = 1


START = Base()


class Ruler:
    """Lines and columns of one text.

    Cheap in any order: offsets that grow cost what lies between them, others at most 1 MiB.
    """

    def __init__(self, data: bytes, base: Base = START) -> None:
        self._data = data
        self._base = base
        self._marks: list[Base] = [START]
        self._last = START

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, in the file, of the character at ``offset`` of the text."""
        mark = self._nearest(char_start(self._data, offset))
        self._last = mark
        line, column = mark.line, mark.column
        if line == 1:
            column += self._base.column - 1
        return line + self._base.line - 1, column

    def _nearest(self, offset: int) -> Base:
        place = bisect_right(self._marks, (offset + 1,))
        mark = self._marks[place - 1]
        if mark.offset < self._last.offset <= offset:
            mark = self._last
        while offset - mark.offset > _STEP:
            mark = self._step(mark, char_start(self._data, mark.offset + _STEP))
            self._marks.insert(place, mark)
            place += 1
        return self._step(mark, offset)

    def _step(self, mark: Base, offset: int) -> Base:
        data = self._data
        if data.find(_NEWLINE, mark.offset, offset) < 0:  # much faster than counting none
            return Base(offset, mark.line, mark.column + _width(data, mark.offset, offset))
        lines = data.count(_NEWLINE, mark.offset, offset)
        start = data.rindex(_NEWLINE, mark.offset, offset) + 1
        return Base(offset, mark.line + lines, 1 + _width(data, start, offset))


def _width(data: bytes, start: int, end: int) -> int:
    return len(data[start:end].decode("utf-8", "replace"))


def char_start(data: bytes, offset: int) -> int:
    """Where the character begins that the byte at ``offset`` belongs to; clamped to the text."""
    offset = min(max(offset, 0), len(data))
    if not _continues(data, offset):
        return offset
    for start in range(offset - 1, max(offset - 4, -1), -1):
        if not _continues(data, start):
            return start if start + _unit(data[start : start + 4]) > offset else offset
    return offset


def _continues(data: bytes, offset: int) -> bool:
    return offset < len(data) and data[offset] & 0xC0 == 0x80


def _unit(chunk: bytes) -> int:
    """Bytes of the first character, or of the broken sequence that decodes to one U+FFFD."""
    try:
        text = chunk.decode()
    except UnicodeDecodeError as fault:
        if fault.start == 0:
            return fault.end
        text = chunk[: fault.start].decode()
    return len(text[0].encode())

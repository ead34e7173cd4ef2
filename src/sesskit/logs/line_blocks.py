"""Framing: a stream of bytes in batches of whole lines, however long the lines are.

Lines end with a line feed and nothing else. What is no text is not held in memory: a hole of NUL
bytes is counted, and a line longer than the limit is stepped over.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple, Protocol

from sesskit.schemas.limits import MAX_LINE_BYTES

BATCH_LINES = 32
LONG_BYTES = 512 * 1024
"""From here on a line is put together from pieces."""

BUFFER_BYTES = 256 * 1024

_ZEROS = bytes(LONG_BYTES)
_SAMPLE_ZEROS = 1024
_STRIDE = 50
_LONG_DIGITS = 309  # from here on a whole number may read as infinity
_DIGIT_SAMPLES = re.compile(rb"[0-9]{%d,}+" % (_LONG_DIGITS // _STRIDE))
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % _LONG_DIGITS)


class Lines(Protocol):
    """What framing needs of a stream; one that can be peeked into is read faster."""

    def readline(self, limit: int, /) -> bytes: ...


class Peekable(Lines, Protocol):
    def peek(self, size: int, /) -> bytes: ...

    def readlines(self, hint: int, /) -> list[bytes]: ...


class BoundedLines:
    """The lines of a stream up to an offset at which a line ends."""

    def __init__(self, stream: Peekable, left: int) -> None:
        self._stream = stream
        self._left = left

    def readline(self, limit: int, /) -> bytes:
        line = self._stream.readline(min(limit, self._left)) if self._left else b""
        self._left -= len(line)
        return line

    def peek(self, size: int, /) -> bytes:
        return self._stream.peek(size)[: self._left] if self._left else b""

    def readlines(self, hint: int, /) -> list[bytes]:
        """Lines up to where one ends after ``hint`` bytes."""
        lines = self._stream.readlines(hint)
        self._left -= sum(map(len, lines))
        return lines


class Hollow(NamedTuple):
    """A line that is not held: ``size`` NUL bytes, or bytes of a line that is too long."""

    size: int
    zeros: bool


@dataclass(slots=True)
class Block:
    """Lines with their line feeds; ``ended`` is False if the last one of the file has none.

    ``number`` and ``offset`` are those of the first line. A hollow line stands alone, and a sample
    for it.
    """

    number: int
    offset: int
    lines: list[bytes]
    ended: bool = True
    hollow: Hollow | None = None

    @property
    def end(self) -> int:
        """The offset behind the last of the lines."""
        if self.hollow is not None:
            return self.offset + self.hollow.size + self.ended
        return self.offset + sum(map(len, self.lines))


def line_blocks(stream: Lines, offset: int = 0, number: int = 1) -> Iterator[Block]:
    """All lines of a stream that begins at ``offset``, in order; an empty last line is none.

    ``number`` is that of its first line.
    """
    pieces = iter(partial(stream.readline, LONG_BYTES), b"")
    for known, batch in _batches(stream, pieces):
        if known:
            yield Block(number, offset, batch)
            number += len(batch)
            offset += known
            continue
        if batch[-1].endswith(b"\n") and max(map(len, batch)) < LONG_BYTES:
            yield Block(number, offset, batch)
            number += len(batch)
            offset += sum(map(len, batch))
            continue
        for line, size, hollow in _assembled(deque(batch), pieces):
            ended = line.endswith(b"\n") if hollow is None else hollow.size < size
            yield Block(number, offset, [line], ended, hollow)
            number += 1
            offset += size


def _batches(stream: Lines, pieces: Iterator[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Lines with their bytes, or 0 and maybe pieces of long ones.

    If the stream tells, all lines that it has at hand come at once.
    """
    if not (hasattr(stream, "peek") and hasattr(stream, "readlines")):
        while batch := list(islice(pieces, BATCH_LINES)):
            yield 0, batch
        return
    peek, readlines = stream.peek, stream.readlines
    while True:
        whole = peek(1).rfind(b"\n") + 1
        if whole > 1:
            yield whole, readlines(whole - 1)  # it stops behind the line that exceeds the hint
        elif piece := next(pieces, b""):
            yield 0, [piece]
        else:
            return


def _assembled(
    waiting: deque[bytes], pieces: Iterator[bytes]
) -> Iterator[tuple[bytes, int, Hollow | None]]:
    """Each line with its size; pieces of long lines are put together."""

    def following() -> bytes:
        return waiting.popleft() if waiting else next(pieces, b"")

    while waiting:
        piece = waiting.popleft()
        if piece.endswith(b"\n") or len(piece) < LONG_BYTES:
            yield piece, len(piece), None
        else:
            yield _long_line(piece, following)


def _long_line(start: bytes, following: Callable[[], bytes]) -> tuple[bytes, int, Hollow | None]:
    """The line that begins with ``start``. Zeros are counted, and held once they are followed by
    something else; beyond the limit nothing is held."""
    held, size, zeros, ended = [start], len(start), start == _ZEROS, False
    while not ended and (piece := following()):
        ended = piece.endswith(b"\n")
        more = piece[:-1] if ended else piece
        if zeros and more != _ZEROS[: len(more)]:
            zeros, held = False, [bytes(min(size, MAX_LINE_BYTES))]
        size += len(more)
        if size > MAX_LINE_BYTES:
            held = []
        elif not zeros:
            held.append(piece)
    if zeros:
        return _ZEROS[:_SAMPLE_ZEROS], size + ended, Hollow(size, zeros=True)
    if size > MAX_LINE_BYTES:
        return b"", size + ended, Hollow(size, zeros=False)
    return b"".join(held), size + ended, None


def may_overflow(text: bytes) -> bool:
    """Whether a whole number in the text is so long that it may be infinity. Never a false no.

    Such a number shows in so many samples of the text, one right after the other.
    """
    for found in _DIGIT_SAMPLES.finditer(text[::_STRIDE]):
        start = max(0, (found.start() - 1) * _STRIDE)
        if _LONG_NUMBER.search(text, start, (found.end() + 1) * _STRIDE):
            return True
    return False

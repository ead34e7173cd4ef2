"""Framing: a stream of bytes in blocks of whole lines, however long the lines are.

Lines end with a line feed and nothing else. What is no text is not held in memory: a hole of NUL
bytes is counted, and a line longer than the limit is stepped over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sesskit.schemas.limits import MAX_LINE_BYTES

BLOCK_BYTES = 1024 * 1024
_ZEROS = bytes(BLOCK_BYTES)
_SAMPLE_ZEROS = 1024
_STRIDE = 150
_LONG_DIGITS = 309  # from here on a whole number may read as infinity
_TWO_SAMPLES = re.compile(rb"[0-9][0-9]")
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % _LONG_DIGITS)


class Hollow(NamedTuple):
    """A line that is not held: ``size`` NUL bytes, or bytes of a line that is too long."""

    size: int
    zeros: bool


@dataclass(slots=True)
class Block:
    """Lines without their line feeds; ``ended`` is False if the last one has none.

    ``number`` and ``offset`` are those of the first line. ``text`` holds the same bytes as the
    lines, so that a quick look at all of them is one search; it is empty for a hollow line.
    """

    number: int
    offset: int
    lines: list[bytes]
    text: bytes
    ended: bool = True
    hollow: Hollow | None = None


def line_blocks(
    read: Callable[[int], bytes], *, number: int = 1, offset: int = 0
) -> Iterator[Block]:
    """All lines that ``read`` gives, in order; an empty last line is none."""
    rest = b""
    while chunk := read(BLOCK_BYTES):
        text = rest + chunk if rest else chunk
        end = text.rfind(b"\n") + 1
        if end:
            lines = text[:end].split(b"\n")
            lines.pop()
            yield Block(number, offset, lines, text)
            number += len(lines)
            offset += end
            rest = text[end:]
        elif len(text) < 4 * BLOCK_BYTES:
            rest = text
        else:
            long = _long_line(text, read)
            yield Block(number, offset, [long.line], long.line, long.ended, long.hollow)
            number, offset, rest = number + 1, offset + long.size, long.rest
    if rest:
        yield Block(number, offset, [rest], rest, ended=False)


class _Long(NamedTuple):
    line: bytes
    size: int
    ended: bool
    hollow: Hollow | None
    rest: bytes


def _long_line(start: bytes, read: Callable[[int], bytes]) -> _Long:
    """The line that begins with ``start``, piece by piece; its line feed counts for the size."""
    pieces, size, cut = [start], len(start), -1
    zeros = not start.strip(b"\0")
    while cut < 0 and (piece := read(BLOCK_BYTES)):
        cut = piece.find(b"\n")
        more = piece if cut < 0 else piece[:cut]
        if zeros and more != _ZEROS[: len(more)]:
            zeros, pieces = False, [bytes(min(size, MAX_LINE_BYTES))]
        size += len(more)
        if size > MAX_LINE_BYTES:
            pieces = []
        elif not zeros:
            pieces.append(more)
    ended = cut >= 0
    rest = piece[cut + 1 :] if ended else b""
    if zeros:
        return _Long(_ZEROS[:_SAMPLE_ZEROS], size + ended, ended, Hollow(size, zeros=True), rest)
    if size > MAX_LINE_BYTES:
        return _Long(b"", size + ended, ended, Hollow(size, zeros=False), rest)
    return _Long(b"".join(pieces), size + ended, ended, None, rest)


def may_overflow(text: bytes) -> bool:
    """Whether a whole number in the text is so long that it may be infinity. Never a false no.

    Samples of the text that stand closer than half such a number are looked at first.
    """
    for found in _TWO_SAMPLES.finditer(text[::_STRIDE]):
        start = max(0, (found.start() - 2) * _STRIDE)
        if _LONG_NUMBER.search(text, start, (found.end() + 2) * _STRIDE):
            return True
    return False

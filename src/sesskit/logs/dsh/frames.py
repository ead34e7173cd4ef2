"""Zstd frames: a `.jsonl.zstd` file is a concatenation of them, and they are found by structure.

Reading is streamed and bounded: one pass over any byte stream, memory of one window and one held
frame, whatever the file says. Every byte of the file ends up in exactly one `Frame` or `Stray`.

The container as dsh writes it: frame 1 holds the header line alone, each later frame one append
batch; a content checksum in each, no content size. Skippable frames are no part of it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import BinaryIO

from backports.zstd import (
    CompressionParameter,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
)
from msgspec import Struct

from sesskit.logs.dsh.frame_events import (
    Frame,
    FrameEvent,
    FrameState,
    Piece,
    Reason,
    Run,
    Stray,
)
from sesskit.logs.dsh.frame_headers import (
    BLOCK_RESERVED,
    BLOCK_RLE,
    CHECKSUM,
    CHECKSUM_BYTES,
    MAGIC,
    RESERVED,
    header_bytes,
)
from sesskit.logs.dsh.short_frames import RUN_BYTES, ShortFrames
from sesskit.logs.dsh.windows import READ_BYTES, Window
from sesskit.schemas.dsh_limits import (
    EXPANSION_FACTOR,
    FREE_EXPANSION_BYTES,
    HELD_FRAME_BYTES,
)

__all__ = [
    "MAGIC",
    "Frame",
    "FrameEvent",
    "Piece",
    "Run",
    "Stray",
    "read_frames",
    "read_runs",
    "write_frame",
]

PIECE_BYTES = 256 * 1024


class _Budget(Struct):
    """What the whole file may still expand to."""

    read: int = 0
    given: int = 0

    def spent(self) -> bool:
        return self.given > FREE_EXPANSION_BYTES + EXPANSION_FACTOR * self.read

    def spare(self) -> int:
        """How much more text there may be."""
        return FREE_EXPANSION_BYTES + EXPANSION_FACTOR * self.read - self.given


class _Inflater:
    """The decompressor of one frame: pieces come out, held back while they are few."""

    def __init__(self, number: int, budget: _Budget, *, odd: bool = False) -> None:
        self._number = number
        self._odd = odd
        self._budget = budget
        self._decompressor: ZstdDecompressor | None = ZstdDecompressor()
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._streaming = False
        self.size = 0
        self.reason: Reason = ""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Decompress the next bytes of the frame; after a fault they are passed over."""
        self._budget.read += len(data)
        if self._odd:
            self._odd, at = False, len(MAGIC)
            data = data[:at] + bytes([data[at] & ~RESERVED]) + data[at + 1 :]
        while self._decompressor is not None and not self.reason:
            try:
                text = self._decompressor.decompress(data, PIECE_BYTES)
            except (ZstdError, MemoryError):
                self._fail("data")
                return
            data = b""
            self.size += len(text)
            self._budget.given += len(text)
            if text:
                yield from self._pass_on(text)
            if self._budget.spent():
                self._fail("bomb")
            elif self._decompressor.eof or (self._decompressor.needs_input and not text):
                return

    def finish(self, *, whole: bool) -> Iterator[Piece]:
        """The held pieces, once all bytes of the frame (``whole``) or of the file were fed."""
        if whole and not self.reason and not (self._decompressor and self._decompressor.eof):
            self._fail("data")
        for text in self._held:
            yield Piece(self._number, text, sound=not self.reason)
        self._held.clear()
        self._decompressor = None

    def _fail(self, reason: Reason) -> None:
        self.reason = reason
        self._decompressor = None

    def _pass_on(self, text: bytes) -> Iterator[Piece]:
        if not self._streaming and self._held_bytes + len(text) <= HELD_FRAME_BYTES:
            self._held.append(text)
            self._held_bytes += len(text)
            return
        self._streaming = True
        for held in (*self._held, text):
            yield Piece(self._number, held, sound=None)
        self._held.clear()


def read_frames(source: BinaryIO) -> Iterator[FrameEvent]:
    """Walk a stream of concatenated frames; total and bounded.

    Gives the pieces of each frame, then the frame. Bytes that begin no frame come as `Stray`, and
    the walk goes on at the next frame magic.
    """
    for event in read_runs(source):
        if isinstance(event, Run):
            yield from event.events()
        else:
            yield event


def read_runs(source: BinaryIO) -> Iterator[FrameEvent | Run]:
    """The same, but whole short frames behind the first one come together."""
    window, budget, number = Window(source), _Budget(), 0
    shorts = ShortFrames(window)
    while not window.at_end():
        start = window.offset
        if found := shorts.take(budget.spare(), RUN_BYTES if number else 1):
            budget.read += window.offset - start
            budget.given += sum(len(text) for _, _, text in found)
            run = Run(number + 1, start, found)
            yield from [run] if number else run.events()
            number += len(found)
        elif window.ensure(len(MAGIC)) and window.peek(len(MAGIC)) == MAGIC:
            number += 1
            yield from _read_frame(window, number, budget)
        else:
            torn = not window.ensure(len(MAGIC))
            window.skip_to(MAGIC)
            yield Stray(start, window.offset, torn)


def _read_frame(window: Window, number: int, budget: _Budget) -> Iterator[FrameEvent]:
    start = window.offset
    header_bytes, checksum, odd = _header(window)
    # What bits of the header that must not be set say is nothing: the rest is read without them.
    inflater = _Inflater(number, budget, odd=odd)
    state = yield from _read_blocks(window, inflater, header_bytes, checksum)
    yield from inflater.finish(whole=state == "whole")
    reason = inflater.reason
    if reason != "bomb" and (odd or state == "damaged"):
        reason = "structure"
    if state == "torn":
        reason = reason if reason in ("bomb", "structure") else "end"
    elif reason:
        state = "damaged"
    if state == "damaged" and reason != "bomb" and not _at_frame(window):
        window.skip_to(MAGIC)  # the rest of it: where it ends was damaged as well
        reason = "structure"
    yield Frame(number, start, window.offset, checksum, state, inflater.size, reason)


def _at_frame(window: Window) -> bool:
    """Whether the next frame begins here, or the file ends."""
    return window.peek(len(MAGIC)) == MAGIC if window.ensure(len(MAGIC)) else window.at_end()


def _read_blocks(
    window: Window, inflater: _Inflater, header_bytes: int, checksum: bool
) -> Generator[Piece, None, FrameState]:
    """Decompress a frame up to its end, or to where it stops being one."""
    size, last, torn = header_bytes, False, False
    pending = b""
    while True:
        torn = not window.ensure(size)
        pending += window.take(size)
        if len(pending) >= READ_BYTES or last or torn:
            yield from inflater.feed(pending)
            pending = b""
        if last or torn:
            break
        block = _block(window)
        if block is None:
            yield from inflater.feed(pending)
            return "damaged"
        size, last = block
    if checksum and not torn:
        # Fed apart, so that a checksum that differs does not take the text with it.
        torn = not window.ensure(CHECKSUM_BYTES)
        yield from inflater.feed(window.take(CHECKSUM_BYTES))
    return "torn" if torn else "whole"


def _header(window: Window) -> tuple[int, bool, bool]:
    """Bytes of the frame header with its magic, the checksum flag, and whether it is no header."""
    if not window.ensure(5):
        return 5, False, False
    descriptor = window.peek(1, len(MAGIC))[0]
    return header_bytes(descriptor), bool(descriptor & CHECKSUM), bool(descriptor & RESERVED)


def _block(window: Window) -> tuple[int, bool] | None:
    """Bytes of the next block with its own header, and whether it is the last one."""
    if not window.ensure(3):
        return 3, False
    head = int.from_bytes(window.peek(3), "little")
    kind, size = head >> 1 & 3, head >> 3
    if kind == BLOCK_RESERVED:
        return None
    return 3 + (1 if kind == BLOCK_RLE else size), bool(head & 1)


_OPTIONS: dict[int, int] = {
    CompressionParameter.compression_level: 3,
    CompressionParameter.checksum_flag: 1,
    CompressionParameter.content_size_flag: 0,
}


def write_frame(text: bytes) -> bytes:
    """One frame as dsh writes it: level 3, with checksum, without content size.

    The text is fed before the end is announced: told at once, the compressor would size its
    window to the text, and the bytes would differ from those of the original writer.
    """
    compressor = ZstdCompressor(options=_OPTIONS)
    return compressor.compress(text) + compressor.flush()

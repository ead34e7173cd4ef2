"""What is found in a row of zstd frames, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

FrameState = Literal["whole", "damaged", "torn"]
Reason = Literal["", "structure", "data", "bomb", "end"]


class Piece(Struct, frozen=True):
    """Decompressed text of one frame, in order.

    ``sound`` says whether the whole frame decompressed and its checksum held; None for a piece of
    a frame so large that it is passed on before that is known.
    """

    frame: int
    data: bytes
    sound: bool | None


class Frame(Struct, frozen=True):
    """One frame; it follows its pieces. ``start`` and ``end`` are bytes of the file.

    ``reason`` of a damaged frame: ``structure`` (it is not built as a frame is; then it reaches up
    to the next magic), ``data`` (it does not decompress, or its checksum differs), ``bomb`` (it
    expands beyond the limit). A torn frame ends with the file: ``end``, or ``structure`` as well.
    """

    number: int
    start: int
    end: int
    checksum: bool
    state: FrameState
    size: int
    reason: Reason = ""


class Stray(Struct, frozen=True):
    """Bytes between or behind frames that begin no frame.

    ``torn`` marks the one to three bytes at the end that dsh takes for a torn frame.
    """

    start: int
    end: int
    torn: bool = False


FrameEvent = Piece | Frame | Stray


ShortFrame = tuple[int, bool, bytes]
"""A whole frame of few lines: how many bytes of the file it takes, its checksum flag, its text."""


class Run(Struct, frozen=True):
    """Whole frames that follow each other, from that number on: each is sound."""

    first: int
    start: int
    frames: list[ShortFrame]

    def events(self) -> Iterator[FrameEvent]:
        """The same, frame by frame."""
        start = self.start
        for number, (size, checksum, text) in enumerate(self.frames, self.first):
            if text:
                yield Piece(number, text, True)
            yield Frame(number, start, start + size, checksum, "whole", len(text))
            start += size

"""The lines of a log, plain or compressed, and what is wrong with what holds them.

One pass, memory of the longest line. Numbers and offsets are those of the text after
decompression, the header being line 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct, field

from sesskit.logs.dsh.frame_events import Frame, Piece, Run, Stray
from sesskit.logs.dsh.splitting import Line, Quick, Splitter
from sesskit.schemas.issues import Issue

__all__ = ["HEADER_FRAME", "Line", "LogText"]

READ_BYTES = 128 * 1024
HEADER_FRAME = "the first frame must hold the header line and nothing else"


class LogText(Struct):
    """The lines of one log, with the faults of its container between them as `Issue`.

    When iteration is over: ``refused`` says that the original refuses the file for its container
    alone, ``stray`` that it does so before it decompresses anything; ``cut_at`` is the byte of the
    file where it would cut a torn frame, ``frames`` counts.
    """

    source: BinaryIO
    compressed: bool
    refused: bool = False
    stray: bool = False
    cut_at: int | None = None
    frames: int = 0
    _lines: Splitter = field(default_factory=Splitter)
    _first_frame_lines: int = 0
    _open_behind_whole: bool = False

    @property
    def line(self) -> int:
        """The number of the last line so far, 1 where there is none."""
        return max(self._lines.number, 1)

    @property
    def number(self) -> int:
        """How many lines there were so far."""
        return self._lines.number

    @property
    def offset(self) -> int:
        """Where the text behind that line begins."""
        return self._lines.offset

    def hurry(self, quick: Quick | None) -> None:
        """Offer lines of sound text to ``quick`` first; those that it takes are not given."""
        self._lines.quick = quick

    def __iter__(self) -> Iterator[Line | Issue]:
        return self._compressed() if self.compressed else self._plain()

    def _plain(self) -> Iterator[Line]:
        while data := self.source.read(READ_BYTES):
            yield from self._lines.feed(data, None, True)
        yield from self._lines.finish()

    def _compressed(self) -> Iterator[Line | Issue]:
        from sesskit.logs.dsh.frames import read_runs  # only for such logs

        held: list[Piece] = []
        for event in read_runs(self.source):
            if isinstance(event, Run):
                yield from self._lines.feed_run(event.first, [text for _, _, text in event.frames])
                self.frames = event.first + len(event.frames) - 1
                self._open_behind_whole = self._lines.open
            elif isinstance(event, Piece):
                if event.frame == 1:
                    self._first_frame_lines += event.data.count(b"\n")
                # Text waits for its frame: only then it is known whether it is the torn one.
                if event.sound is None:
                    yield from self._lines.feed(event.data, event.frame, True)
                else:
                    held.append(event)
            elif isinstance(event, Frame):
                if event.state == "whole" and event.number > 1:
                    for piece in held:
                        yield from self._lines.feed(piece.data, piece.frame, True)
                    self.frames, self._open_behind_whole = event.number, self._lines.open
                else:
                    yield from self._held(held, event)
                    yield from self._frame(event)
                held.clear()
            else:
                yield self._stray(event)
        if self._open_behind_whole:
            self.refused = True
            message = "the text of the last frame does not end with a line feed"
            yield self._issue("zstd-unended", message)
        last = self.frames if self.cut_at is not None else 0
        yield from (_torn(line, last) for line in self._lines.finish())

    def _held(self, pieces: list[Piece], frame: Frame) -> Iterator[Line]:
        if frame.state == "torn":
            quick, self._lines.quick = self._lines.quick, None
            for piece in pieces:
                for line in self._lines.feed(piece.data, piece.frame, piece.sound is not False):
                    yield _torn(line, frame.number)
            self._lines.quick = quick
            return
        for piece in pieces:
            yield from self._lines.feed(piece.data, piece.frame, piece.sound is not False)

    def _frame(self, frame: Frame) -> Iterator[Line | Issue]:
        self.frames = frame.number
        self.stray |= frame.reason == "structure"
        if frame.state == "whole":
            self._open_behind_whole = self._lines.open
        if frame.state == "torn":
            self.cut_at = frame.start
            self.refused |= frame.number == 1 or self.stray
            message = f"the last frame, from byte {frame.start} of the file, is not whole"
            if frame.reason == "structure":
                message = f"{_REASONS[frame.reason]}; it takes byte {frame.start} to the end"
                yield self._issue("zstd-damaged", message)
            else:
                yield self._issue("zstd-torn", message, "whole frame", "torn frame")
        elif frame.state == "damaged":
            self.refused = True
            message = f"{_REASONS[frame.reason]}; it takes bytes {frame.start} to {frame.end}"
            yield self._issue(_CODES.get(frame.reason, "zstd-damaged"), message)
            yield from self._lines.finish()
        elif frame.number == 1 and not self.stray and self._is_no_header_frame():
            self.refused = True
            found = "text without line feed" if self._lines.open else "another number of lines"
            yield self._issue("zstd-header-frame", HEADER_FRAME, "one line", found)

    def _is_no_header_frame(self) -> bool:
        return self._lines.open or self._first_frame_lines != 1

    def _stray(self, stray: Stray) -> Issue:
        count = stray.end - stray.start
        size = f"{count} byte{'' if count == 1 else 's'}"
        if stray.torn and self.frames:
            self.cut_at = stray.start
            message = f"{size} behind the last frame, from byte {stray.start} of the file"
            return self._issue("zstd-torn", message, "whole frame", "too few bytes for a frame")
        self.refused = self.stray = True
        message = f"{size} that can begin no frame, from byte {stray.start} of the file"
        return self._issue("zstd-stray", message, "zstd frame", "other bytes")

    def _issue(
        self, code: str, message: str, expected: str | None = None, found: str | None = None
    ) -> Issue:
        return Issue(
            code,
            message,
            expected=expected,
            found=found,
            line=self._lines.number + 1,
            column=1,
            offset=self._lines.offset,
            frame=max(self.frames, 1),
        )


_CODES = {"bomb": "zstd-bomb"}
_REASONS = {
    "structure": "this frame is not built as a zstd frame is",
    "data": "this frame does not decompress, or its checksum differs",
    "bomb": "this frame expands far beyond what a session log could",
}


def _torn(line: Line, frame: int) -> Line:
    """A line that came with the torn frame; one that began before it is damage of its own."""
    return line._replace(torn=line.frame == frame)

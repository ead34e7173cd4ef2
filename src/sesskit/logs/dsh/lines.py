"""The lines of a log, plain or compressed, and what is wrong with what holds them.

One pass, memory of the longest line. Numbers and offsets are those of the text after
decompression, the header being line 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from sesskit.logs.dsh.frames import Frame, Piece, Stray, read_frames
from sesskit.schemas.dsh_limits import MAX_LOG_LINE_BYTES, SURE_LINE_BYTES
from sesskit.schemas.issues import Issue

READ_BYTES = 128 * 1024
LONG_BYTES = 1024 * 1024
"""From here on a line grows in one place, so that its pieces are not held beside it."""

FEW_EMPTY = 16
"""So many empty lines that follow each other are given one by one."""

HEADER_FRAME = "the first frame must hold the header line and nothing else"


class Line(NamedTuple):
    """One line without its line feed.

    ``ended`` says whether there was one; ``sound`` is False for text of a damaged frame; ``frame``
    is where the line begins, ``torn`` whether that is the torn last one. Of a line that is too
    long, ``data`` is the beginning and ``whole`` is False. An empty line may stand for ``more``
    empty lines that follow it.
    """

    number: int
    offset: int
    data: bytes
    ended: bool = True
    frame: int | None = None
    sound: bool = True
    torn: bool = False
    whole: bool = True
    more: int = 0


@dataclass(slots=True)
class _Splitter:
    """Cuts text that comes in pieces into lines; linear in the text."""

    number: int = 0
    offset: int = 0
    quick: Callable[[bytes], bool] | None = None
    _pending: list[bytes] = field(default_factory=list)
    _long: bytearray = field(default_factory=bytearray)
    _pending_bytes: int = 0
    _dropped: int = 0
    _frame: int | None = None
    _sound: bool = True

    @property
    def open(self) -> bool:
        return self._pending_bytes > 0

    def feed(self, data: bytes, frame: int | None, sound: bool) -> Iterator[Line]:
        if not self.open:
            self._frame, self._sound = frame, True
        self._sound &= sound
        first, *rest = data.split(b"\n")
        self._hold(first)
        if not rest:
            return
        text = self._joined()
        if self.quick is None or not self._sound or self._dropped or not self.quick(text):
            yield self._line(text, ended=True)
        else:
            self.number += 1
            self.offset += len(text) + 1
            self._pending_bytes = 0
        del text
        last = rest.pop()
        quick = self.quick if sound else None
        empty = 0
        for text in rest:
            if not text:
                empty += 1
                continue
            if empty:
                yield from self._empty(empty, frame, sound)
                empty, quick = 0, self.quick if sound else None
            self.number += 1
            if quick is None or not quick(text):
                yield Line(self.number, self.offset, text, True, frame, sound)
                quick = self.quick if sound else None
            self.offset += len(text) + 1
        if empty:
            yield from self._empty(empty, frame, sound)
        self._frame, self._sound = frame, sound
        self._hold(last)

    def _empty(self, count: int, frame: int | None, sound: bool) -> Iterator[Line]:
        """Empty lines that follow each other; very many of them as one."""
        each = count if count > FEW_EMPTY else 1
        for _ in range(0, count, each):
            yield Line(self.number + 1, self.offset, b"", True, frame, sound, more=each - 1)
            self.number += each
            self.offset += each

    def finish(self) -> Iterator[Line]:
        """What stands behind the last line feed, if anything does."""
        if self.open:
            yield self._line(self._joined(), ended=False)

    def _hold(self, text: bytes) -> None:
        held = self._pending_bytes - self._dropped
        self._pending_bytes += len(text)
        room = max(0, SURE_LINE_BYTES - held)
        if self._dropped:
            room = 0
        elif len(text) > room and self._may_be_event(text, held):
            room = MAX_LOG_LINE_BYTES - held
        self._dropped += max(0, len(text) - room)
        if not text or not room:
            return
        if held + len(text) < LONG_BYTES:
            self._pending.append(text[:room])
        else:
            for piece in (*self._pending, text[:room]):
                self._long += piece
            self._pending = []

    def _may_be_event(self, text: bytes, held: int) -> bool:
        """Whether a line that goes on with ``text`` can be an event, from what was looked at."""
        known: list[bytes | bytearray] = [*self._pending, self._long, text]
        before = [piece for piece in known if piece]
        new = before[-1:] if held > SURE_LINE_BYTES else before
        return before[0].startswith(b"{") and all(b"\0" not in piece for piece in new)

    def _joined(self) -> bytes:
        """The line so far, which is let go."""
        text = bytes(self._long) if self._long else b"".join(self._pending)
        self._pending, self._long = [], bytearray()
        return text

    def _line(self, data: bytes, *, ended: bool) -> Line:
        self.number += 1
        whole = self._dropped == 0
        line = Line(self.number, self.offset, data, ended, self._frame, self._sound, False, whole)
        self.offset += self._pending_bytes + ended
        self._pending_bytes = self._dropped = 0
        return line


@dataclass(slots=True)
class LogText:
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
    _lines: _Splitter = field(default_factory=_Splitter)
    _first_frame_lines: int = 0
    _open_behind_whole: bool = False

    @property
    def line(self) -> int:
        """The number of the last line so far, 1 where there is none."""
        return max(self._lines.number, 1)

    @property
    def offset(self) -> int:
        """Where the text behind that line begins."""
        return self._lines.offset

    def hurry(self, quick: Callable[[bytes], bool] | None) -> None:
        """Offer lines of sound text to ``quick`` first; those that it takes are not given."""
        self._lines.quick = quick

    def __iter__(self) -> Iterator[Line | Issue]:
        return self._compressed() if self.compressed else self._plain()

    def _plain(self) -> Iterator[Line]:
        while data := self.source.read(READ_BYTES):
            yield from self._lines.feed(data, None, True)
        yield from self._lines.finish()

    def _compressed(self) -> Iterator[Line | Issue]:
        held: list[Piece] = []
        for event in read_frames(self.source):
            if isinstance(event, Piece):
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
        elif frame.number == 1 and (self._lines.open or self._first_frame_lines != 1):
            self.refused = True
            found = "text without line feed" if self._lines.open else "another number of lines"
            yield self._issue("zstd-header-frame", HEADER_FRAME, "one line", found)

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

"""Text that comes in pieces, cut into lines; lines that are taken quickly never come out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct, field

from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.schemas.dsh_limits import MAX_LOG_LINE_BYTES, SURE_LINE_BYTES

LONG_BYTES = 1024 * 1024
"""From here on a line grows in one place, so that its pieces are not held beside it."""

FEW_EMPTY = 16
"""So many empty lines that follow each other are given one by one."""

Quick = Callable[[list[bytes], int, bool], int]
"""Takes in lines from one on, as many as it can, and gives the place of the first that it did not.
It is told whether there may be a ``-0`` among them."""

_FrameAt = Callable[[int], int | None]
"""The frame that holds the text at an offset."""


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


class Splitter(Struct):
    """Cuts text that comes in pieces into lines; linear in the text."""

    number: int = 0
    offset: int = 0
    quick: Quick | None = None
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
        """Take in the next text; the lines that end in it come out, but for those taken quickly."""
        return self._feed(data, data.split(b"\n"), lambda _: frame, sound)

    def feed_run(self, first: int, texts: list[bytes]) -> Iterator[Line]:
        """The same for the texts of sound frames, from that number on."""
        data = b"".join(texts)
        lines = data.split(b"\n")
        if self.quick is None or not self._sound or b"" in lines[:-1]:
            for number, text in enumerate(texts, first):
                yield from self.feed(text, number, True)
            return
        start = self.offset + self._pending_bytes
        ends = list(accumulate(map(len, texts), initial=start))[1:]
        yield from self._feed(data, lines, lambda at: first + bisect_right(ends, at), True)

    def _feed(
        self, data: bytes, lines: list[bytes], frame_at: _FrameAt, sound: bool
    ) -> Iterator[Line]:
        if not self.open:
            self._frame, self._sound = frame_at(self.offset), True
        self._sound &= sound
        self._hold(lines[0])
        if len(lines) == 1:
            return
        last, at = lines.pop(), 0
        if self._dropped or not self._sound:
            yield self._line(self._joined(), ended=True)
            at = 1
        else:
            lines[0] = self._joined()
            self._pending_bytes = 0
        zeros = self.quick is None or has_negative_zero(data) or has_negative_zero(lines[0])
        yield from self._whole(lines, at, frame_at, sound, zeros)
        self._frame, self._sound = frame_at(self.offset), sound
        self._hold(last)

    def _whole(
        self, lines: list[bytes], at: int, frame_at: _FrameAt, sound: bool, zeros: bool
    ) -> Iterator[Line]:
        """Whole lines from one on; the first may have begun in an earlier frame."""
        count = len(lines)
        while at < count:
            if sound and self.quick is not None:
                stop = self.quick(lines, at, zeros)
                self.number += stop - at
                self.offset += sum(map(len, lines[at:stop])) + stop - at
                at = stop
                if at == count:
                    return
            text = lines[at]
            frame = frame_at(self.offset) if at else self._frame
            if text or not at:
                self.number += 1
                yield Line(self.number, self.offset, text, True, frame, sound)
                self.offset += len(text) + 1
                at += 1
                continue
            end = next((n for n in range(at, count) if lines[n]), count)
            yield from self._empty(end - at, frame, sound)
            at = end

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

"""A window over a stream of bytes: looking ahead in bounded memory."""

from __future__ import annotations

from typing import BinaryIO

READ_BYTES = 128 * 1024


class Window:
    """The bytes of a stream from ``offset`` on, read as they are asked for."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._buffer = bytearray()
        self._at = 0
        self._ended = False
        self.offset = 0

    def ensure(self, count: int) -> bool:
        """Have ``count`` bytes at hand; False when the stream ends before them."""
        while len(self._buffer) - self._at < count and not self._ended:
            if self._at > READ_BYTES:
                del self._buffer[: self._at]
                self._at = 0
            more = self._source.read(READ_BYTES)
            self._ended = not more
            self._buffer += more
        return len(self._buffer) - self._at >= count

    def peek(self, count: int, skip: int = 0) -> bytes:
        """Bytes that are at hand, from ``skip`` on; they stay."""
        start = self._at + skip
        return bytes(self._buffer[start : start + count])

    def held(self) -> tuple[bytearray, int]:
        """All bytes that are at hand, and where the window stands in them; not to be changed."""
        return self._buffer, self._at

    def take(self, count: int) -> bytes:
        """The next bytes that are at hand; the window goes on behind them."""
        data = self.peek(count)
        self._at += len(data)
        self.offset += len(data)
        return data

    def pass_over(self, count: int) -> None:
        """Go on behind so many bytes that are at hand."""
        self._at += count
        self.offset += count

    def at_end(self) -> bool:
        """Whether the stream has nothing more."""
        return not self.ensure(1)

    def skip_to(self, magic: bytes) -> None:
        """Step to where ``magic`` stands next, or to the end of the stream."""
        while self.ensure(len(magic)):
            found = self._buffer.find(magic, self._at)
            here = found if found >= 0 else max(self._at + 1, len(self._buffer) - len(magic) + 1)
            self.offset += here - self._at
            self._at = here
            if found >= 0:
                return
        self.take(len(magic))

"""A damaged file as a repair reads it: again and again from its beginning, never as a whole.

What is in it besides lines is noted in a `Ledger`: every run of bytes that no log will hold, with
its place and its SHA-256, so that nothing of it has to be kept in memory.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from sesskit.logs.dsh.frames import MAGIC, Frame, Piece, Stray, read_frames
from sesskit.records.reading import open_regular

READ_BYTES = 256 * 1024

MOST_RESTARTS = 1_000
"""How often the walk through the frames begins anew inside a torn one."""

RESTART_ROOM = 64 * 1024 * 1024
RESTART_FACTOR = 16
"""How many bytes are walked through again, all together: some, and so many times the file."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Bytes that are in no repaired log. Offsets are those of the file, or of the text of it where
    ``decompressed``."""

    offset: int
    length: int
    sha256: str
    reason: str
    decompressed: bool = False


@dataclass(slots=True)
class Ledger:
    """Runs of dropped bytes in the order of their places; neighbours of one reason are one run."""

    decompressed: bool = False
    closed: list[Dropped] = field(default_factory=list)
    _start: int = 0
    _end: int = -1
    _reason: str = ""
    _hash: Any = None

    def add(self, offset: int, data: bytes, reason: str) -> None:
        """Note bytes; ``reason`` is empty for line feeds, which go with whatever they follow."""
        if self._hash is None or offset != self._end or (reason or self._reason) != self._reason:
            self.close()
            self._start, self._reason = offset, reason or "empty lines"
            self._hash = hashlib.sha256()
        self._hash.update(data)
        self._end = offset + len(data)

    def add_line(self, offset: int, line: bytes, reason: str) -> None:
        """Note a line that follows the one noted before, but for the line feed between them."""
        if self._hash is not None and offset == self._end + 1 and reason == self._reason:
            line, offset = b"\n" + line, offset - 1
        self.add(offset, line, reason)

    def close(self) -> list[Dropped]:
        """Every run so far."""
        if self._hash is not None:
            size, digest = self._end - self._start, self._hash.hexdigest()
            run = Dropped(self._start, size, digest, self._reason, self.decompressed)
            self.closed.append(run)
            self._hash = None
        return self.closed


class Text(NamedTuple):
    """A piece of the text; with ``broken`` the line that it ends in does not go on."""

    offset: int
    data: bytes
    broken: bool = False


@dataclass(slots=True)
class Frames:
    """What is found out about the frames of a file while its text is read."""

    lost: list[tuple[int, int, str]] = field(default_factory=list)
    """Runs of bytes of the file that gave no text, or not all of it, and why."""
    doubtful: list[tuple[int, int]] = field(default_factory=list)
    """Where text is of damaged frames: what it says may be what the damage made of it."""


class Material:
    """A file of ``size`` bytes: in memory, or on the disk, where only its end may change.

    Reading raises `OSError`, also where the file became another one or shorter.
    """

    def __init__(self, source: bytes | Path) -> None:
        self._source = source
        if isinstance(source, bytes):
            self.size, self._identity = len(source), (0, 0)
        else:
            with self._opened(source) as stream:
                found = os.fstat(stream.fileno())
            self.size, self._identity = found.st_size, (found.st_dev, found.st_ino)
        with self.open() as stream:
            self.compressed = stream.read(len(MAGIC)) == MAGIC

    @staticmethod
    def _opened(path: Path) -> BinaryIO:
        return os.fdopen(open_regular(path), "rb", buffering=0)

    def open(self) -> BinaryIO:
        """The file from its beginning, as long as it was at first."""
        if isinstance(self._source, bytes):
            return io.BytesIO(self._source)
        stream = self._opened(self._source)
        found = os.fstat(stream.fileno())
        if found.st_size < self.size or (found.st_dev, found.st_ino) != self._identity:
            stream.close()
            raise OSError(errno.ESTALE, "it was changed while it was read", str(self._source))
        return io.BufferedReader(_Bounded(stream, self.size), READ_BYTES)

    def sha256(self) -> str:
        """The digest of the whole file."""
        digest = hashlib.sha256()
        with self.open() as stream:
            while block := stream.read(READ_BYTES):
                digest.update(block)
        return digest.hexdigest()

    def bytes_of(self, start: int, end: int) -> Iterator[bytes]:
        """Bytes of the file, in pieces."""
        with self.open() as stream:
            stream.seek(start)
            while start < end and (block := stream.read(min(READ_BYTES, end - start))):
                start += len(block)
                yield block

    def text(self, frames: Frames | None = None) -> Iterator[Text]:
        """The text in pieces, decompressed where it is compressed."""
        if self.compressed:
            return self._inflated(Frames() if frames is None else frames)
        return self._plain()

    def text_from(self, start: int) -> Iterator[Text]:
        """The text from a place of it on; quick where it is not compressed."""
        if not self.compressed:
            yield from self._plain(start)
            return
        for offset, data, _ in self._inflated(Frames()):
            if offset + len(data) > start:
                skipped = max(0, start - offset)
                yield Text(offset + skipped, data[skipped:])

    def _plain(self, start: int = 0) -> Iterator[Text]:
        with self.open() as stream:
            stream.seek(start)
            while block := stream.read(READ_BYTES):
                yield Text(start, block)
                start += len(block)

    def _inflated(self, frames: Frames) -> Iterator[Text]:
        start, offset, walked = 0, 0, 0
        for _ in range(MOST_RESTARTS):
            again, begun, tail = None, offset, b""
            with self.open() as stream:
                stream.seek(start)
                for event in read_frames(stream):
                    if isinstance(event, Piece):
                        yield Text(offset, event.data)
                        offset, tail = offset + len(event.data), event.data[-1:] or tail
                        continue
                    first, last = start + event.start, start + event.end
                    if isinstance(event, Stray):
                        frames.lost.append((first, last, "no frame"))
                    elif event.state != "whole":
                        if event.state == "damaged" and offset > begun:
                            frames.doubtful.append((begun, offset))
                        room = walked < RESTART_ROOM + RESTART_FACTOR * self.size
                        if event.state == "torn" and room:
                            # A wrong length may have swallowed frames that are whole.
                            again = self._find(first + len(MAGIC), last)
                        if event.state == "damaged" or tail != b"\n" or again is not None:
                            # Its text is looked through like any other, but may not be all.
                            frames.lost.append((first, again or last, _reason(event)))
                        yield Text(offset, b"", broken=True)
                    begun, tail = offset, b""
            if again is None:
                return
            walked += self.size - again
            start = again

    def _find(self, start: int, end: int) -> int | None:
        """Where the next frame may begin."""
        held = b""
        for block in self.bytes_of(start, end):
            held += block
            found = held.find(MAGIC)
            if found >= 0:
                return start + found
            start += max(0, len(held) - len(MAGIC) + 1)
            held = held[-len(MAGIC) + 1 :]
        return None


def _reason(frame: Frame) -> str:
    return "torn frame" if frame.state == "torn" else "damaged frame"


class _Bounded(io.RawIOBase):
    """The first bytes of a file, which may be growing."""

    def __init__(self, source: BinaryIO, size: int) -> None:
        super().__init__()
        self._source = source
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}.get(whence, self._size)
        self._at = self._source.seek(max(0, base + offset))
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        room = max(0, min(len(buffer), self._size - self._at))
        data = self._source.read(room)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        self._source.close()
        super().close()

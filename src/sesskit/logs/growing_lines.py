"""The whole lines of a file that another process appends to.

A last line without its end is held back until it has one. What is not an append any more, the file
cut, rewritten, removed or replaced, is noticed and said.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

from sesskit.logs.robota_stream import LogChanged

CHUNK_BYTES = 256 * 1024
_SEAM = 64
"""So many bytes before the end of the last whole line must stay what they were."""


class GrowingLines:
    """A stream of the lines that are whole by now; `grow` looks for more.

    ``file`` must be open for as long as this is used; nothing here closes it.
    """

    def __init__(self, file: io.BufferedReader, path: Path) -> None:
        self._file, self._path = file, path
        self._given = self._whole = self._scanned = 0
        self._seam = b""

    def readline(self, limit: int, /) -> bytes:
        """The next line that is whole, or a piece of it; empty where there is none by now."""
        line = self._file.readline(min(limit, self._whole - self._given))
        self._given += len(line)
        return line

    def grow(self) -> bool:
        """Look for further lines; whether there are any.

        Raises `LogChanged` where the file is not the one it was, OSError where it cannot be read.
        """
        lost = lost_file(
            self._file.fileno(), self._path
        )  # asked first: what was appended before is read all the same
        more = self._scan()
        if lost is not None and not more:
            raise LogChanged(lost)
        return more

    def _scan(self) -> bool:
        descriptor = self._file.fileno()
        size = os.fstat(descriptor).st_size
        if size < self._scanned:
            raise LogChanged("it was cut: it is shorter than it was")
        if size == self._scanned:
            return False
        start = self._whole - len(self._seam)
        if os.pread(descriptor, len(self._seam), start) != self._seam:
            raise LogChanged("it was rewritten: what stands before is not what it was")
        before = self._whole
        while self._scanned < size:
            chunk = os.pread(descriptor, min(CHUNK_BYTES, size - self._scanned), self._scanned)
            if not chunk:
                break
            end = chunk.rfind(b"\n") + 1
            if end:
                self._whole = self._scanned + end
            self._scanned += len(chunk)
        if self._whole > before:
            begin = max(self._whole - _SEAM, 0)
            self._seam = os.pread(descriptor, self._whole - begin, begin)
        return self._whole > before


def lost_file(descriptor: int, path: Path) -> str | None:
    """What became of the name of an open file, if it leads elsewhere now."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return "it was removed"
    opened = os.fstat(descriptor)
    if (named.st_dev, named.st_ino) != (opened.st_dev, opened.st_ino):
        return "another file has its name now"
    return None

"""Following a log of dsh that is still being written: its lines as they become whole.

Of a compressed log a line is there once its frame is. What is not an append any more, the file cut,
rewritten, removed or replaced, is noticed and said (`LogChanged`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sesskit.logs.dsh.frames import MAGIC
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.growing_lines import lost_file
from sesskit.logs.robota_stream import LogChanged
from sesskit.records.reading import open_regular

SOONEST, LATEST = 0.05, 0.5
"""Seconds between two looks at the log: few when bytes come, more when they do not."""
_SEAM = 64
"""So many bytes before those that come must stay what they were."""

Wait = Callable[[float], None]


class GrowingBytes:
    """The bytes of a file and those that are appended to it; `read` waits for them."""

    def __init__(self, descriptor: int, path: Path, wait: Wait = time.sleep) -> None:
        self._descriptor, self._path, self._wait = descriptor, path, wait
        self._at = 0
        self._seam = b""
        self._back = b""

    def first(self, count: int) -> bytes:
        """The first bytes, which are read again; waits until there are so many."""
        while len(self._back) < count:
            self._back += self._next(count - len(self._back))
        return self._back[:count]

    def read(self, count: int = -1) -> bytes:
        """Some bytes, at most so many, never none. Raises `LogChanged`, OSError, what waiting
        raises."""
        back, self._back = self._back, b""
        return back or self._next(count if count > 0 else 1 << 17)

    def _next(self, count: int) -> bytes:
        pause = SOONEST
        while True:
            lost = lost_file(self._descriptor, self._path)
            data = self._appended(count)
            if data:
                self._at += len(data)
                self._seam = (self._seam + data)[-_SEAM:]
                return data
            if lost is not None:  # asked first: what was appended before is read all the same
                raise LogChanged(lost)
            self._wait(pause)
            pause = min(pause * 1.5, LATEST)

    def _appended(self, count: int) -> bytes:
        if os.fstat(self._descriptor).st_size < self._at:
            raise LogChanged("it was cut: it is shorter than it was")
        start = self._at - len(self._seam)
        held = os.pread(self._descriptor, len(self._seam) + count, start)
        if held[: len(self._seam)] != self._seam:
            raise LogChanged("it was rewritten: what stands before is not what it was")
        return held[len(self._seam) :]


@contextmanager
def followed(path: Path, wait: Wait = time.sleep) -> Iterator[LogReader]:
    """A reader of the lines that are there and of those that come; its iteration has no end.

    Raises OSError where the file cannot be opened, and from the iteration what `GrowingBytes` does.
    """
    descriptor = open_regular(path)
    try:
        source: Any = GrowingBytes(descriptor, path, wait)
        compressed = source.first(len(MAGIC)) == MAGIC
        yield LogReader(source, compressed, path.absolute(), keep=False)
    finally:
        os.close(descriptor)

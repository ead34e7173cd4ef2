"""Sidecar files: read below one directory, by descriptor, without following links.

A sidecar counts only if nobody could have moved it under the reader: every step opens relative to
the directory before it, links and special files are refused, and the file must be the same before
and after the read. Digest and read are one pass.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

from sesskit.logs.sidecar_references import PayloadFault, path_segments

CHUNK_BYTES = 1024 * 1024

_STABLE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_READ |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not make the reader wait
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_SURROGATES = dict.fromkeys(range(55296, 57344), "�")

_CODES = {
    errno.ENOENT: "PAYLOAD_NOT_FOUND",
    errno.ELOOP: "OUTSIDE_ROOT",
    errno.ENOTDIR: "OUTSIDE_ROOT",
    errno.EISDIR: "OUTSIDE_ROOT",
    errno.ENXIO: "OUTSIDE_ROOT",
}


@dataclass(frozen=True, slots=True)
class PayloadBytes:
    """What a sidecar holds, and the lower-case SHA-256 of it."""

    data: bytes
    sha256: str


class PayloadSource(Protocol):
    """Where sidecars are read from."""

    def read(self, relative_path: str, budget: int) -> PayloadBytes | PayloadFault:
        """The sidecar at a path as references spell it; at most ``budget`` bytes of it."""
        ...


class PayloadDirectory:
    """The sidecars below a log's directory; a context manager that holds it open.

    The directory's own last component must not be a link either. Several threads may read.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._root: int | None = None
        self._opening = threading.Lock()

    def __enter__(self) -> PayloadDirectory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory."""
        if self._root is not None:
            os.close(self._root)
            self._root = None

    def read(self, relative_path: str, budget: int) -> PayloadBytes | PayloadFault:
        """Read one sidecar; the checks stand in the order of the original."""
        segments = path_segments(relative_path)
        if segments is None:
            return PayloadFault("OUTSIDE_ROOT")
        if not _STABLE:
            return PayloadFault("STABLE_PAYLOAD_READ_UNAVAILABLE")
        try:
            file = self._open([segment.translate(_SURROGATES) for segment in segments])
        except OSError as error:
            return PayloadFault(_CODES.get(error.errno or 0, "PAYLOAD_UNREADABLE"))
        try:
            return self._read_open(file, budget)
        except OSError:
            return PayloadFault("PAYLOAD_UNREADABLE")
        finally:
            os.close(file)

    def _open(self, segments: list[str]) -> int:
        with self._opening:
            if self._root is None:
                self._root = os.open(self.directory, _READ | _DIRECTORY)
        parent = self._root
        for segment in segments[:-1]:
            child = os.open(segment, _READ | _DIRECTORY, dir_fd=parent)
            if parent != self._root:
                os.close(parent)
            parent = child
        try:
            _refuse_special(os.stat(segments[-1], dir_fd=parent, follow_symlinks=False))
            return os.open(segments[-1], _READ, dir_fd=parent)
        finally:
            if parent != self._root:
                os.close(parent)

    def _read_open(self, file: int, budget: int) -> PayloadBytes | PayloadFault:
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            return PayloadFault("OUTSIDE_ROOT")
        if before.st_size > budget:
            return PayloadFault("MAX_TOTAL_BYTES_EXCEEDED", {"expected": budget})
        read = _read_exactly(file, before.st_size)
        after = os.fstat(file)
        if after.st_size > before.st_size and after.st_size > budget:
            return PayloadFault("MAX_TOTAL_BYTES_EXCEEDED", {"expected": budget})
        if read is None or _identity(before) != _identity(after) or not self._root_kept():
            return PayloadFault("PAYLOAD_UNREADABLE")
        return read

    def _root_kept(self) -> bool:
        """Whether the directory's name still leads to the directory that was opened."""
        if self._root is None:
            return False
        named = self.directory.stat(follow_symlinks=False)
        opened = os.fstat(self._root)
        return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def _refuse_special(found: os.stat_result) -> None:
    """Links, directories, devices: refused before they are opened, opening may do things."""
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.ELOOP, "not a regular file")


def _read_exactly(file: int, size: int) -> PayloadBytes | None:
    """``size`` bytes and then the end of the file, or None."""
    import hashlib

    digest = hashlib.sha256()
    chunks: list[bytes] = []
    left = size
    while left:
        chunk = os.read(file, min(left, CHUNK_BYTES))
        if not chunk:
            return None
        digest.update(chunk)
        chunks.append(chunk)
        left -= len(chunk)
    if os.read(file, 1):
        return None
    return PayloadBytes(b"".join(chunks), digest.hexdigest())


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )

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
from typing import NamedTuple, Protocol

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


class _Folder(NamedTuple):
    """A directory that stays open."""

    name: str
    file: int
    place: tuple[int, int]


class PayloadDirectory:
    """The sidecars below a log's directory; a context manager that holds it open.

    The directory's own last component must not be a link either. Several threads may read.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._root: int | None = None
        self._identity: tuple[int, int] = (0, 0)
        self._folder: _Folder | None = None
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
        if self._folder is not None:
            os.close(self._folder.file)
            self._folder = None
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
        """A descriptor of the file; under a lock, so that no directory is closed under a thread."""
        with self._opening:
            if self._root is None:
                self._root = os.open(self.directory, _READ | _DIRECTORY)
                self._identity = _place(os.fstat(self._root))
            parent = self._root
            for depth, segment in enumerate(segments[:-1]):
                parent = self._kept(segment) if depth == 0 else self._below(parent, segment)
            try:
                _refuse_special(os.stat(segments[-1], dir_fd=parent, follow_symlinks=False))
                return os.open(segments[-1], _READ, dir_fd=parent)
            finally:
                self._leave(parent)

    def _kept(self, name: str) -> int:
        """The directory of this name in the root. The last one stays open: most sidecars of a log
        lie in one. That the name still leads there is asked each time, links not followed."""
        if self._folder is not None and self._folder.name == name:
            found = os.stat(name, dir_fd=self._root, follow_symlinks=False)
            if _place(found) == self._folder.place:
                return self._folder.file
        file = os.open(name, _READ | _DIRECTORY, dir_fd=self._root)
        if self._folder is not None:
            os.close(self._folder.file)
        self._folder = _Folder(name, file, _place(os.fstat(file)))
        return file

    def _below(self, parent: int, name: str) -> int:
        try:
            return os.open(name, _READ | _DIRECTORY, dir_fd=parent)
        finally:
            self._leave(parent)

    def _leave(self, folder: int) -> None:
        if folder != self._root and (self._folder is None or folder != self._folder.file):
            os.close(folder)

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
        return _place(self.directory.stat(follow_symlinks=False)) == self._identity


def _refuse_special(found: os.stat_result) -> None:
    """Links, directories, devices: refused before they are opened, opening may do things."""
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.ELOOP, "not a regular file")


def _read_exactly(file: int, size: int) -> PayloadBytes | None:
    """``size`` bytes, or None where there are fewer; that there are no more is seen elsewhere."""
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
    return PayloadBytes(b"".join(chunks), digest.hexdigest())


def _place(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )

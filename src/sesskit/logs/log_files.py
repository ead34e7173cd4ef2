"""The files of a log as a writer handles them: owner-only, locked, appended to, never torn.

Several processes may append to one log and write one sidecar at the same time. An append is one
write under an advisory lock; a sidecar appears whole, by a link that only the first one gets.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK_SECONDS = 5.0
"""How long an append waits for other writers; after that it is written without the lock."""

SETTLE_SECONDS = 0.5
"""How long a sidecar of another writer may take to reach its full length."""

OTHERS = stat.S_IRWXG | stat.S_IRWXO
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC
_POLL_SECONDS = 0.005


class SidecarCorrupt(OSError):
    """A sidecar of the right name holds other bytes. Nothing was changed."""

    def __init__(self) -> None:
        super().__init__(errno.EEXIST, "a sidecar of this name holds other bytes")


@contextmanager
def owner_directory(path: Path | str, parent: int | None = None) -> Iterator[int]:
    """The descriptor of a directory made 0700, created where it is missing.

    Below ``parent`` (a descriptor) the name must not be a link. Raises OSError.
    """
    flags = _DIRECTORY if parent is None else _DIRECTORY | os.O_NOFOLLOW
    if parent is None:
        Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
    else:
        with suppress(FileExistsError):
            os.mkdir(path, 0o700, dir_fd=parent)
    folder = os.open(path, flags, dir_fd=parent)
    try:
        make_private(folder, 0o700)
        yield folder
    finally:
        os.close(folder)


def make_private(file: int, mode: int) -> None:
    """Take every right of group and others from an open file, and see that it happened."""
    found = os.fstat(file).st_mode
    if found & OTHERS or found & 0o600 != 0o600:
        os.fchmod(file, mode)
        if os.fstat(file).st_mode & OTHERS:
            raise PermissionError(errno.EPERM, "others keep rights that cannot be taken away")


def append(folder: int, name: str, data: bytes, *, durable: bool = False) -> None:
    """Append whole lines to a file below ``folder``, all of them or none.

    A last line without its end gets it first, so that nothing is glued to a torn tail.
    """
    file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND | _SAFE, 0o600, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "a log must be a regular file")
        make_private(file, 0o600)
        with _locked(file):
            _append_locked(file, data)
        if durable:
            os.fsync(file)
    finally:
        os.close(file)


def _append_locked(file: int, data: bytes) -> None:
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        data = b"\n" + data
    written = 0
    try:
        while written < len(data):
            written += os.write(file, memoryview(data)[written:])
    except OSError:
        if os.fstat(file).st_size == size + written:
            os.ftruncate(file, size)
        raise


@contextmanager
def _locked(file: int) -> Iterator[None]:
    held = _take_lock(file, time.monotonic() + LOCK_SECONDS)
    try:
        yield
    finally:
        if held:
            fcntl.flock(file, fcntl.LOCK_UN)


def _take_lock(file: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        except OSError:
            return False  # a file system without locks: one write still does not tear
        else:
            return True


def put_once(folder: int, name: str, data: bytes, *, durable: bool = False) -> None:
    """Make a file of that content exist, whoever makes it.

    Raises `SidecarCorrupt` where the name is taken by other bytes, OSError where it cannot be
    written.
    """
    if _is_there(folder, name, data):
        return
    partial = f".{name}.{secrets.token_hex(8)}.partial"
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=folder)
    try:
        try:
            make_private(file, 0o600)
            _write_all(file, data)
            if durable:
                os.fsync(file)
        finally:
            os.close(file)
        _link(folder, partial, name, data)
    finally:
        os.unlink(partial, dir_fd=folder)
    if durable:
        os.fsync(folder)


def _link(folder: int, partial: str, name: str, data: bytes) -> None:
    try:
        os.link(partial, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        if not _is_there(folder, name, data):
            raise SidecarCorrupt from None


def _write_all(file: int, data: bytes) -> None:
    written = 0
    while written < len(data):
        written += os.write(file, memoryview(data)[written:])


def _is_there(folder: int, name: str, data: bytes) -> bool:
    """Whether the file exists with exactly this content; other content is `SidecarCorrupt`."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        try:
            file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _SAFE, dir_fd=folder)
        except FileNotFoundError:
            return False
        except OSError:
            raise SidecarCorrupt from None
        try:
            if _same(file, data):
                make_private(file, 0o600)
                return True
            shorter = os.fstat(file).st_size < len(data)
        finally:
            os.close(file)
        if not shorter or time.monotonic() > deadline:
            raise SidecarCorrupt
        time.sleep(_POLL_SECONDS)  # another writer may still be at it


def _same(file: int, data: bytes) -> bool:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_size != len(data):
        return False
    with os.fdopen(os.dup(file), "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").digest()
    return digest == hashlib.sha256(data).digest()

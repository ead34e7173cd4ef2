"""Advisory locks between processes that change the same file.

The lock is the kernel's (``flock`` on ``NAME.lock`` beside the file), so it ends with the process
that holds it, however that ends: no lock is ever stale. The lock file only says who holds it, and
goes away with the lock. It binds those who ask for it, nobody else.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from sesskit.records.reading import FileRefused, StrPath

LOCK_SECONDS = 10.0

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_ONLY = 0o600
_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05
_HELD = re.compile(r"pid (\d{1,10}) host ([A-Za-z0-9._-]{1,253})\n")


class LockTimeout(FileRefused, TimeoutError):
    """Another process held the lock for longer than this one wanted to wait."""


class Lock:
    """An exclusive lock on a file, for a ``with`` statement; threads exclude each other too.

    The folder must exist. Raises `LockTimeout`, which names the holder, after ``timeout`` seconds;
    `OSError` where the lock file cannot be made. Not reentrant.
    """

    def __init__(self, path: StrPath, *, timeout: float = LOCK_SECONDS) -> None:
        target = Path(path)
        self.path = target.with_name(f"{target.name}.lock")
        self.timeout = timeout
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self.timeout
        pause = _FIRST_PAUSE
        while not self._taken():
            if time.monotonic() >= deadline:
                raise LockTimeout(errno.ETIMEDOUT, self._who(), os.fspath(self.path))
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # Removed while it is still held: who waits sees that it is gone and makes its own.
            with contextlib.suppress(OSError):
                if self._is_current(descriptor):
                    self.path.unlink()
            os.close(descriptor)

    def _taken(self) -> bool:
        descriptor = os.open(self.path, _FLAGS, _OWNER_ONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._is_current(descriptor):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, _signature(), 0)
                self._descriptor = descriptor
        except BlockingIOError:
            return False
        finally:
            if self._descriptor is None:
                os.close(descriptor)
        return self._descriptor is not None

    def _is_current(self, descriptor: int) -> bool:
        """False if the file was removed by its last holder between opening and locking."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    def _who(self) -> str:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                text = os.read(descriptor, 512).decode("ascii", "replace")
            finally:
                os.close(descriptor)
        except OSError:
            text = ""
        held = _HELD.fullmatch(text)
        holder = f"process {held[1]} on {held[2]}" if held else "another process"
        return f"{holder} is using it; gave up after {self.timeout:g} seconds"


def _signature() -> bytes:
    host = re.sub(r"[^A-Za-z0-9._-]", "-", os.uname().nodename) or "unknown"
    return f"pid {os.getpid()} host {host}\n".encode("ascii")

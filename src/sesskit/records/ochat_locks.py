"""ochat: the lock round a save, between processes of ours and towards ochat itself.

ochat locks a save by making ``snapshot.bin.lock``, which nobody may make twice, and by removing
it afterwards; if it is killed in between, somebody has to remove the file by hand. Ours is made
the same way, so ochat keeps away, but under a lock of the kernel's that ends with the process:
who holds that one knows that a lock file with our signature is left over, and replaces it. A file
without it is ochat's, and is never taken away.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from sesskit.records.locks import LOCK_SECONDS, Lock, LockTimeout
from sesskit.records.reading import StrPath
from sesskit.records.writing import remove_leftovers, write_atomic

_PAUSE = 0.02
_OURS = re.compile(rb"sesskit pid \d{1,10} host [A-Za-z0-9._-]{1,253}\n")
_NOT_OURS = (
    "ochat or another program is saving it (its lock file is there); gave up after {:g} seconds."
    " If no such program runs, remove the lock file"
)


class SnapshotLock:
    """The exclusive lock on a snapshot, for a ``with`` statement; the folder must exist.

    Raises `LockTimeout`, which names the holder, after ``timeout`` seconds; `OSError` where no
    lock file can be made. Not reentrant.
    """

    def __init__(self, path: StrPath, *, timeout: float = LOCK_SECONDS) -> None:
        target = Path(path)
        self.path = target.with_name(f"{target.name}.lock")
        self.timeout = timeout
        self._ours = Lock(target.with_name(f"{target.name}.sesskit"), timeout=timeout)

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self.timeout
        with contextlib.ExitStack() as undo:
            undo.enter_context(self._ours)
            remove_leftovers(self.path)
            while not self._made():
                if time.monotonic() >= deadline:
                    words = _NOT_OURS.format(self.timeout)
                    raise LockTimeout(errno.ETIMEDOUT, words, os.fspath(self.path))
                time.sleep(_PAUSE)
            undo.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            with contextlib.suppress(OSError):
                self.path.unlink()
        finally:
            self._ours.__exit__(kind, error, trace)

    def _made(self) -> bool:
        """One try at the lock file; a left over one of ours is removed for the next try."""
        try:
            write_atomic(self.path, _signature(), overwrite=False)
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if _OURS.fullmatch(self.path.read_bytes()[:512]):
                    self.path.unlink()
            return False
        return True


def _signature() -> bytes:
    host = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()) or "unknown"
    return f"sesskit pid {os.getpid()} host {host}\n".encode("ascii")

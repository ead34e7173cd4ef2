"""Tool results too big for memory, spilled to disk for as long as their owner lives.

Nobody learns from a reference, a file name or an error where or what they are: the directory is
unpredictable and its owner's alone, references are random, an error holds only its code.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from sesskit.logs.sidecar_files import PayloadDirectory
from sesskit.logs.sidecar_references import PayloadFault

PREFIX = "agent-tool-results-"
MAX_BYTES = 8 * 1024 * 1024
RETENTION_SECONDS = 3600.0

_SCHEME = "tool-result:"
_REFERENCE = re.compile(r"tool-result:([A-Za-z0-9_-]{22,64})")
_TOKEN_BYTES = 18
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

SpillCode = Literal[
    "invalid-options",
    "unsafe-root",
    "write-failed",
    "missing",
    "expired",
    "invalid-reference",
    "read-failed",
    "cleanup-failed",
    "closed",
]


class SpillError(Exception):
    """A spill store could not do it. The message is the code and nothing else."""

    def __init__(self, code: SpillCode) -> None:
        super().__init__(code)
        self.code: SpillCode = code


@dataclass(frozen=True, slots=True)
class _Kept:
    name: str
    expires: float


class SpillStore:
    """A store for one process; a context manager. References mean nothing to another store.

    ``retention`` is how many seconds a result lives from its writing; ``clock`` counts seconds.
    Every operation that fails raises `SpillError`.
    """

    def __init__(
        self,
        parent: Path | None = None,
        *,
        retention: float = RETENTION_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not retention > 0:
            raise SpillError("invalid-options")
        self._retention = retention
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        self._lock = threading.RLock()
        self._closed = False
        self._timer: threading.Timer | None = None
        self._root = _new_root(Path(tempfile.gettempdir()) if parent is None else parent)

    def __enter__(self) -> SpillStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._closed:
            self.close()

    def write(self, text: str) -> str:
        """Spill a text of at most 8 MiB UTF-8; gives its reference."""
        data = _well_formed(text).encode()
        if len(data) > MAX_BYTES:
            raise SpillError("write-failed")
        with self._lock:
            self._require_open()
            self._sweep()
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            name = f"{token}.txt"
            try:
                self._write_file(name, data)
            except OSError:
                raise SpillError("write-failed") from None
            reference = _SCHEME + token
            self._kept[reference] = _Kept(name, self._clock() + self._retention)
            self._watch()
            return reference

    def read(self, reference: str) -> str:
        """The text of a reference, until it expires."""
        with self._lock:
            self._require_open()
            if not _REFERENCE.fullmatch(reference):
                raise SpillError("invalid-reference")
            kept = self._kept.get(reference)
            if kept is None:
                raise SpillError("missing")
            if self._clock() >= kept.expires:
                self._drop(reference)
                raise SpillError("expired")
            with PayloadDirectory(self._root) as files:
                found = files.read(kept.name, MAX_BYTES)
            if isinstance(found, PayloadFault):
                raise SpillError("read-failed")
            return found.data.decode("utf-8", "replace")

    def close(self) -> None:
        """Delete everything, then the directory; a file that is not ours is left and reported."""
        with self._lock:
            self._require_open()
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            for reference in list(self._kept):
                self._drop(reference)
            try:
                self._root.rmdir()
            except OSError:
                raise SpillError("cleanup-failed") from None

    def _require_open(self) -> None:
        if self._closed:
            raise SpillError("closed")
        if not _is_private_directory(self._root):
            raise SpillError("unsafe-root")

    def _write_file(self, name: str, data: bytes) -> None:
        partial = self._root / f"{secrets.token_hex(_TOKEN_BYTES)}.partial"
        file = os.open(partial, _CREATE, 0o600)
        try:
            with os.fdopen(file, "wb") as stream:
                os.fchmod(file, 0o600)
                stream.write(data)
                stream.flush()
                os.fsync(file)
            os.link(partial, self._root / name, follow_symlinks=False)
        finally:
            partial.unlink()

    def _sweep(self) -> None:
        now = self._clock()
        for reference in [r for r, kept in self._kept.items() if now >= kept.expires]:
            self._drop(reference)

    def _drop(self, reference: str) -> None:
        with suppress(OSError):
            (self._root / self._kept.pop(reference).name).unlink()

    def _watch(self) -> None:
        """An idle store sweeps too: one timer, for the first that expires."""
        if self._timer is not None or not self._kept:
            return
        wait = min(kept.expires for kept in self._kept.values()) - self._clock()
        self._timer = threading.Timer(max(wait, 0.0), self._on_timer)
        self._timer.daemon = True
        self._timer.start()

    def _on_timer(self) -> None:
        with self._lock:
            self._timer = None
            if not self._closed:
                self._sweep()
                self._watch()


def _well_formed(text: str) -> str:
    """The text with U+FFFD for surrogates that have no partner: UTF-8 cannot hold them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _new_root(parent: Path) -> Path:
    try:
        found = parent.stat(follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode):
            raise SpillError("unsafe-root")
        root = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        root.chmod(0o700)
    except OSError:
        raise SpillError("unsafe-root") from None
    return root


def _is_private_directory(path: Path) -> bool:
    try:
        found = path.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and not found.st_mode & _OTHERS

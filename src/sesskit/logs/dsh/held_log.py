"""A log while a backend writes it: where it is, how far it goes, and when its lock may go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sesskit.logs.dsh.errors import SessionPersistenceError
from sesskit.records.files import Lock

NOT_OPEN = "create or load the session first"


@dataclass(slots=True)
class HeldLog:
    """A log that this backend writes: where it is, and how far it goes."""

    path: Path
    header: dict[str, Any]
    next_seq: int = 0
    length: int = 0
    exists: bool = False
    lock: Lock | None = None
    kept: bool = False
    """Whether a live session writes here."""
    busy: threading.Lock = field(default_factory=threading.Lock)
    released: bool = False
    """Nothing is written any more; the lock goes as soon as the write that is under way is over."""

    def settle(self) -> None:
        """Let the lock go if nobody needs it any more."""
        if self.released and self.busy.acquire(blocking=False):
            try:
                lock, self.lock = self.lock, None
                if lock is not None:
                    lock.__exit__(None, None, None)
            finally:
                self.busy.release()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """For one thread at a time. Raises `SessionPersistenceError` when it was released."""
        try:
            with self.busy:
                if self.released:
                    raise SessionPersistenceError("not-open", NOT_OPEN)
                yield
        finally:
            self.settle()

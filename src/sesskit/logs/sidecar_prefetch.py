"""Sidecars read ahead on other threads: digest and read of large ones while others are decoded.

What was read ahead is given out once and only if it is asked for; limits and faults stay those of
the directory. A guess too many costs a read, never an answer. Small ones are read when they are
asked for: handing the interpreter from thread to thread would cost more than their digest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Final

from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import PayloadFault

AHEAD_BYTES: Final = 16 * 1024 * 1024
"""How much may wait to be asked for."""

LARGE_BYTES: Final = 128 * 1024
"""From here on a sidecar is read ahead."""

_REFERENCE: Final = re.compile(
    rb'"byteLength":([0-9]{1,9}),"relativePath":"([A-Za-z0-9._/-]{1,400})"'
)

Answer = PayloadBytes | PayloadFault


class PrefetchedPayloads:
    """A `PayloadSource` over a directory; a context manager. ``workers`` read ahead."""

    def __init__(self, directory: PayloadDirectory, *, workers: int | None = None) -> None:
        self._directory = directory
        self._workers = workers or min(8, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="sidecars")
        self._waiting: dict[str, Future[Answer]] = {}

    def __enter__(self) -> PrefetchedPayloads:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def announce(self, lines: Iterable[bytes]) -> None:
        """Lines that will be read next: the sidecars they seem to refer to are read ahead."""
        self._drop()
        left = AHEAD_BYTES
        for line in lines:
            for found in _REFERENCE.finditer(line):
                size, path = int(found[1]), found[2].decode()
                if size >= LARGE_BYTES and path not in self._waiting and size <= left:
                    left -= size
                    self._waiting[path] = self._pool.submit(self._directory.read, path, size)

    def _drop(self) -> None:
        for job in self._waiting.values():
            job.cancel()
        self._waiting.clear()

    def read(self, relative_path: str, budget: int) -> Answer:
        """The sidecar, read ahead or now; larger ones and those over budget are read now."""
        job = self._waiting.pop(relative_path, None)
        if job is not None:
            answer = job.result()
            if isinstance(answer, PayloadBytes) and len(answer.data) <= budget:
                return answer
        return self._directory.read(relative_path, budget)

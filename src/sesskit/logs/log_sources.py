"""Where a log is read from: a file with its sidecars beside it, or bytes that have no place."""

from __future__ import annotations

import io
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from sesskit.logs.line_blocks import BUFFER_BYTES
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory, PayloadSource
from sesskit.logs.sidecar_references import PayloadFault
from sesskit.records.reading import unreadable_kind

_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class LogBytes(NamedTuple):
    """A log in memory, of standard input say; ``base`` is the directory its sidecars lie in.

    Without a base a reference to a sidecar cannot be resolved, which is a fault of its own.
    """

    data: bytes
    base: Path | None = None


LogPlace = Path | LogBytes
"""The path of a log, or the log itself."""


def homeless(place: LogPlace) -> bool:
    """Whether sidecars of a log cannot be had: it is in memory, and has no base."""
    return isinstance(place, LogBytes) and place.base is None


class NoPayloads:
    """A `PayloadSource` for a log whose sidecars cannot be had."""

    def read(self, relative_path: str, budget: int) -> PayloadBytes | PayloadFault:
        return PayloadFault("UNRESOLVED_REFERENCE")


def payloads_of(place: LogPlace) -> AbstractContextManager[PayloadSource]:
    """The sidecars of a log, as a context manager."""
    if isinstance(place, Path):
        return PayloadDirectory(place.parent)
    return nullcontext(NoPayloads()) if place.base is None else PayloadDirectory(place.base)


def open_place(place: LogPlace) -> io.BufferedReader:
    """A log as a stream of bytes, wherever it is. Raises OSError."""
    if isinstance(place, LogBytes):
        return io.BufferedReader(io.BytesIO(place.data), BUFFER_BYTES)
    return open_log(place)


def open_log(path: Path) -> io.BufferedReader:
    """The log as a stream of bytes. Raises OSError, also for what is no regular file."""
    kind = unreadable_kind(path.stat().st_mode)
    if kind is not None:
        raise OSError(None, kind)
    return io.BufferedReader(io.FileIO(os.open(path, _OPEN), "r"), BUFFER_BYTES)

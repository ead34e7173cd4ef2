"""A stored log read to go on with it: what a load keeps, cuts and adds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sesskit.logs.dsh.decode import Log, log_of, open_log
from sesskit.logs.dsh.errors import (
    SessionFormatUnsupportedError,
    SessionPersistenceCorruptionError,
    SessionPersistenceError,
)
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.stored import Stored

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Resumed:
    """``cut`` is where the file is cut, None where it is not; ``added`` is then put behind."""

    log: Log
    cut: int | None
    added: tuple[Json, ...]


def read_to_go_on(path: Path) -> Resumed:
    """A session as the original would load it; changes nothing.

    Raises `SessionPersistenceError`; for a log that the original refuses
    `SessionPersistenceCorruptionError` or `SessionFormatUnsupportedError`, with the code of the
    first error.
    """
    descriptor = opened(path)
    if not isinstance(descriptor, int):
        reason = getattr(descriptor, "reason", "it is gone")
        raise SessionPersistenceError("unreadable", f"the log cannot be read: {reason}")
    with os.fdopen(descriptor, "rb") as source:
        reader = open_log(source, path.absolute())
        stored = list(reader)
    original = reader.ruling.original
    if original.verdict in ("reject", "unsupported"):
        issues = [i for s in stored for i in s.issues] + reader.issues
        first = next((i for i in issues if i.severity == "error"), None)
        code = first.code if first is not None else "corrupt"
        if original.verdict == "unsupported":
            raise SessionFormatUnsupportedError(code, "written for another program version")
        line, message = (first.line, first.message) if first is not None else (1, "")
        raise SessionPersistenceCorruptionError(code, f"line {line}: {message}")
    log = log_of(reader)
    if log is None:
        raise SessionPersistenceCorruptionError("header-missing", "the file holds no session")
    return _resumed(reader, stored, log)


def _resumed(reader: LogReader, stored: Sequence[Stored], log: Log) -> Resumed:
    kept: list[Json] = []
    cut = reader.text.cut_at
    if cut is None and reader.broken_at is not None:
        ended = [s.line for s in stored if s.accepted and s.line.ended]
        cut = ended[-1].offset + len(ended[-1].data) + 1 if ended else None
    elif cut is not None:
        count = sum(s.events for s in stored if s.line.torn and s.accepted)
        kept = list(log.events[len(log.events) - count :]) if count else []
    return Resumed(log, cut, (*kept, *log.closers))


def header_of(path: Path) -> Json | None:
    """The header line of a log, without looking any further; None where there is none."""
    descriptor = opened(path)
    if not isinstance(descriptor, int):
        return None
    with os.fdopen(descriptor, "rb") as source:
        reader = open_log(source, path, keep=False)
        next(iter(reader), None)
    return reader.header

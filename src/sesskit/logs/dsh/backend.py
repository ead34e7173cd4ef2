"""Persistence: sessions as files below a root, written as the original writes them.

One backend owns a session's log while it writes it: a lock keeps a second writer out, so that two
of them never number events twice. Nothing is ever deleted, and committed lines never change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sesskit.logs.dsh.decode import Log, log_of, open_log
from sesskit.logs.dsh.envelopes import check_envelope
from sesskit.logs.dsh.errors import (
    SessionFormatUnsupportedError,
    SessionPersistenceCorruptionError,
    SessionPersistenceError,
)
from sesskit.logs.dsh.header import SessionHeader
from sesskit.logs.dsh.paths import log_path, place_of
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.roots import survey
from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.writing import append, encoded, header_line, publish, stored_records
from sesskit.records.files import Lock
from sesskit.records.locks import LOCK_SECONDS
from sesskit.schemas.dsh_values import is_json_value

Json = dict[str, Any]
WRITTEN_VERSIONS = (0, 3)


@dataclass(slots=True)
class _Open:
    """A log that this backend writes: where it is, and how far it goes."""

    path: Path
    header: Json
    next_seq: int = 0
    length: int = 0
    exists: bool = False
    lock: Lock | None = None


@dataclass(slots=True)
class Persistence:
    """The logs below ``root``, in one encoding and one format version.

    ``compressed`` writes zstd frames, ``packed`` chunk rows (v0 only). Use it as a context, or
    call `close`: it holds a lock for every session that it wrote.
    """

    root: Path
    compressed: bool = True
    version: int = 0
    packed: bool = True
    lock_seconds: float = LOCK_SECONDS
    _open: dict[str, _Open] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.version not in WRITTEN_VERSIONS:
            raise ValueError("logs are written in version 0 or 3")

    def path(self, header: SessionHeader | Mapping[str, Any]) -> Path:
        """Where the log of a session lies; looks at nothing. `ValueError` if it can lie nowhere."""
        members = _members(header)
        place = log_path(
            members["id"], members.get("cwd"), version=self.version, compressed=self.compressed
        )
        return self.root / place

    def create(self, header: SessionHeader | Mapping[str, Any]) -> None:
        """Take in a new session; writes nothing before its first events.

        Raises `SessionPersistenceError` where this backend has the session already.
        """
        members = _members(header)
        if members["id"] in self._open:
            raise SessionPersistenceError("session-exists", "the session is being written already")
        self._open[members["id"]] = _Open(self.path(members), members)

    def append(self, session_id: str, events: Iterable[Mapping[str, Any]]) -> None:
        """Make a batch of events durable: all of them, or none.

        The first seq must be the next one of the log. Raises `SessionPersistenceError`; then the
        file is what it was.
        """
        log = self._open.get(session_id)
        if log is None:
            raise SessionPersistenceError("not-open", "create or load the session first")
        batch = [dict(event) for event in events]
        self._refuse_wrong(log, batch)
        if not batch:
            return
        data = self._encoded(batch)
        try:
            if log.exists:
                log.length = append(log.path, data, log.length)
            else:
                self._publish(log, data)
        except FileExistsError:
            message = "there is a log of that session already"
            raise SessionPersistenceError("session-exists", message) from None
        except BlockingIOError:
            message = "another writer has changed the log"
            raise SessionPersistenceError("second-writer", message) from None
        except OSError as error:
            message = f"the events could not be written: {error.strerror}"
            raise SessionPersistenceError("append-failed", message) from error
        log.exists = True
        log.next_seq += len(batch)

    def inspect(self, session_id: str) -> Log:
        """A session as the original would load it, closers included; changes nothing.

        Raises `SessionPersistenceCorruptionError` or `SessionFormatUnsupportedError`, whose code
        is that of the first error.
        """
        return self._read(self._find(session_id))[0]

    def load(self, session_id: str) -> Log:
        """The same, for going on with it: a torn tail is cut, an open turn closed, on the disk.

        The session is then this backend's to append to. Raises also `LockTimeout`.
        """
        if session_id in self._open:
            message = "the session is being written here; it is never repaired under its writer"
            raise SessionPersistenceError("session-open", message)
        path = self._find(session_id)
        lock = Lock(path, timeout=self.lock_seconds)
        lock.__enter__()
        try:
            log, repair = self._read(path)
            length = path.stat().st_size
            if repair.cut is not None or repair.data:
                length = append(path, repair.data, length, cut=repair.cut)
        except BaseException:
            lock.__exit__(None, None, None)
            raise
        count = len(log.all_events)
        self._open[session_id] = _Open(path, log.header, count, length, exists=True, lock=lock)
        return log

    def list(self) -> list[Json]:
        """The stored headers of all sessions, from their first lines alone.

        A file whose first line is no header is passed by. Raises
        `SessionPersistenceCorruptionError` for what makes the original list nothing at all: a
        header that belongs elsewhere, retired members, another encoding, one id in two projects.
        """
        try:
            root = survey(self.root, compressed=self.compressed)
        except FileNotFoundError:
            return []
        fault = root.fatal(self.version)
        if fault is not None:
            raise SessionPersistenceCorruptionError(fault.code, fault.message)
        return [log.header for log in root.listed(self.version) if log.header is not None]

    def stored_events(self, session_id: str) -> int | None:
        """How many events the log of a session has that this backend writes; None of others."""
        log = self._open.get(session_id)
        return None if log is None else log.next_seq

    def release(self, session_id: str) -> None:
        """Stop writing a session: its lock goes, and it may be loaded again."""
        log = self._open.pop(session_id, None)
        if log is not None and log.lock is not None:
            log.lock.__exit__(None, None, None)

    def close(self) -> None:
        """Stop writing every session."""
        for session_id in tuple(self._open):
            self.release(session_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Inside.

    def _publish(self, log: _Open, data: bytes) -> None:
        header = {**header_line(log.header), "version": self.version}
        log.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = Lock(log.path, timeout=self.lock_seconds)
        lock.__enter__()
        try:
            first = encoded([header], compressed=self.compressed)
            log.length = publish(log.path, (first, data))
        except BaseException:
            lock.__exit__(None, None, None)
            raise
        log.lock = lock

    def _encoded(self, batch: Iterable[Json]) -> bytes:
        records = stored_records(batch, self.version, packed=self.packed)
        return encoded(records, compressed=self.compressed)

    def _refuse_wrong(self, log: _Open, batch: Iterable[Json]) -> None:
        for seq, event in enumerate(batch, log.next_seq):
            if event.get("seq") != seq:
                message = f"expected event {seq}; the events of a log have no gap"
                raise SessionPersistenceError("seq-gap", message)
            if next(check_envelope(event), None) is not None:
                raise SessionPersistenceError("invalid-envelope", "not the envelope of an event")
            if not is_json_value(event.get("data")):
                message = "the event holds what JSON cannot"
                raise SessionPersistenceError("data-not-json-value", message)

    def _logs(self) -> Iterator[Path]:
        for path in sorted(self.root.glob("*/*/session*.jsonl*")):
            place = place_of(path)
            if place.layout != "session" or place.generation != self.version:
                continue
            if place.compressed != self.compressed:
                message = "a root holds logs of one encoding; others make every operation fail"
                raise SessionPersistenceCorruptionError("layout-other-encoding", message)
            yield path

    def _find(self, session_id: str) -> Path:
        found = [
            path
            for path in self._logs()
            if (header := _header_of(path)) is not None and header.get("id") == session_id
        ]
        if len(found) > 1:
            message = "two project folders hold a session of that id"
            raise SessionPersistenceCorruptionError("layout-duplicate-id", message)
        if not found:
            raise SessionPersistenceError("not-found", "there is no log of that session")
        return found[0]

    def _read(self, path: Path) -> tuple[Log, _Repair]:
        with path.open("rb") as source:
            reader = open_log(source, path.absolute())
            stored = list(reader)
        original = reader.ruling.original
        if original.verdict in ("reject", "unsupported"):
            issues = [i for s in stored for i in s.issues] + reader.issues
            first = next((i for i in issues if i.severity == "error"), None)
            code = first.code if first is not None else "corrupt"
            kind = SessionPersistenceCorruptionError
            if original.verdict == "unsupported":
                raise SessionFormatUnsupportedError(code, "written for another program version")
            raise kind(code, f"line {first.line if first else 1}: {first.message if first else ''}")
        log = log_of(reader)
        if log is None:
            raise SessionPersistenceCorruptionError("header-missing", "the file holds no session")
        return log, self._repair(reader, stored, log)

    def _repair(self, reader: LogReader, stored: Sequence[Stored], log: Log) -> _Repair:
        """What a load writes: what is cut, and what stands there instead."""
        kept: list[Json] = []
        cut = reader.text.cut_at
        if cut is None and reader.broken_at is not None:
            ended = [s.line for s in stored if s.accepted and s.line.ended]
            cut = ended[-1].offset + len(ended[-1].data) + 1 if ended else None
        elif cut is not None:
            count = sum(s.events for s in stored if s.line.torn and s.accepted)
            kept = list(log.events[len(log.events) - count :]) if count else []
        return _Repair(cut, self._encoded([*kept, *log.closers]))


@dataclass(frozen=True, slots=True)
class _Repair:
    """``cut`` is where the file is cut, None where it is not; ``data`` is put behind."""

    cut: int | None
    data: bytes


def _members(header: SessionHeader | Mapping[str, Any]) -> Json:
    return header.to_json() if isinstance(header, SessionHeader) else dict(header)


def _header_of(path: Path) -> Json | None:
    """The header line of a log, without looking any further; None where there is none."""
    with path.open("rb") as source:
        reader = open_log(source, path, keep=False)
        next(iter(reader), None)
    return reader.header

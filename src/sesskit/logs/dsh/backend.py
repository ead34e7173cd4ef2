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

from sesskit.logs.dsh.decode import Log
from sesskit.logs.dsh.envelopes import check_envelope
from sesskit.logs.dsh.errors import (
    SessionPersistenceCorruptionError,
    SessionPersistenceError,
)
from sesskit.logs.dsh.generations import V0, V3, check_header
from sesskit.logs.dsh.header import SessionHeader
from sesskit.logs.dsh.held_log import NOT_OPEN, HeldLog
from sesskit.logs.dsh.paths import log_path, place_of
from sesskit.logs.dsh.placing import EXISTS, obstacle
from sesskit.logs.dsh.resuming import header_of, read_to_go_on
from sesskit.logs.dsh.roots import survey
from sesskit.logs.dsh.writing import append, encoded, header_line, publish, stored_records
from sesskit.records.files import Lock, owner_only_directory
from sesskit.records.locks import LOCK_SECONDS
from sesskit.schemas.dsh_values import is_json_value

Json = dict[str, Any]
_GENERATIONS = {0: V0, 3: V3}
WRITTEN_VERSIONS = tuple(_GENERATIONS)


@dataclass(slots=True)
class Persistence:
    """The logs below ``root``, in one encoding and one format version.

    ``compressed`` writes zstd frames, ``packed`` chunk rows (v0 only). Use it as a context, or
    call `close`: it holds a lock for every session that it wrote. Threads may share it.
    """

    root: Path
    compressed: bool = True
    version: int = 0
    packed: bool = True
    lock_seconds: float = LOCK_SECONDS
    _open: dict[str, HeldLog] = field(default_factory=dict)

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

        Raises `SessionPersistenceError` where this backend has the session already, where the root
        holds it or could not be listed any more with it, and for a header that no program reads.
        """
        members = _members(header)
        self._refuse_header(members)
        if members["id"] in self._open:
            raise SessionPersistenceError("session-exists", "the session is being written already")
        path = self.path(members)
        self._refuse_place(path)
        self._open[members["id"]] = HeldLog(path, members)

    def append(self, session_id: str, events: Iterable[Mapping[str, Any]]) -> None:
        """Make a batch of events durable: all of them, or none.

        The first seq must be the next one of the log. Raises `SessionPersistenceError`; then the
        file is what it was.
        """
        log = self._held(session_id)
        with log.writing():
            self._append(log, [dict(event) for event in events])

    def keep(self, session_id: str, events: Sequence[Mapping[str, Any]]) -> int:
        """Make those events of a whole session durable that its log lacks; gives how many.

        Raises `SessionPersistenceError`; then the file is what it was.
        """
        log = self._held(session_id)
        with log.writing():
            batch = [dict(event) for event in events[log.next_seq :]]
            self._append(log, batch)
            return len(batch)

    def take_over(self, session_id: str) -> bool:
        """Let a live session write the log that was loaded for it; False where none is open.

        Raises `SessionPersistenceError` where another live session writes it.
        """
        log = self._open.get(session_id)
        if log is None:
            return False
        if log.kept:
            raise SessionPersistenceError("session-exists", "the session is being written already")
        log.kept = True
        return True

    def inspect(self, session_id: str) -> Log:
        """A session as the original would load it, closers included; changes nothing.

        Raises `SessionPersistenceCorruptionError` or `SessionFormatUnsupportedError`, whose code
        is that of the first error.
        """
        return read_to_go_on(self._find(session_id)).log

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
            found = read_to_go_on(path)
            length, data = path.stat().st_size, self._encoded(found.added)
            if found.cut is not None or data:
                length = append(path, data, length, cut=found.cut)
        except BaseException:
            lock.__exit__(None, None, None)
            raise
        log = found.log
        count = len(log.all_events)
        self._open[session_id] = HeldLog(path, log.header, count, length, exists=True, lock=lock)
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
        """Stop writing a session: its lock goes, and it may be loaded again.

        Does not wait: what another thread is writing is written to its end, and then the lock goes.
        """
        log = self._open.pop(session_id, None)
        if log is not None:
            log.released = True
            log.settle()

    def close(self) -> None:
        """Stop writing every session, and wait for what is being written."""
        logs = tuple(self._open.values())
        for session_id in tuple(self._open):
            self.release(session_id)
        for log in logs:
            with log.busy:
                pass
            log.settle()

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

    def _held(self, session_id: str) -> HeldLog:
        log = self._open.get(session_id)
        if log is None:
            raise SessionPersistenceError("not-open", NOT_OPEN)
        return log

    def _append(self, log: HeldLog, batch: Sequence[Json]) -> None:
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
            raise SessionPersistenceError("session-exists", EXISTS) from None
        except BlockingIOError:
            message = "another writer has changed the log"
            raise SessionPersistenceError("second-writer", message) from None
        except OSError as error:
            message = f"the events could not be written: {error.strerror}"
            raise SessionPersistenceError("append-failed", message) from error
        log.exists = True
        log.next_seq += len(batch)

    def _refuse_header(self, members: Json) -> None:
        """A header that no program would read back is not written."""
        generation = _GENERATIONS[self.version]
        whole = {**header_line(members), "version": self.version}
        if not is_json_value(whole):
            raise SessionPersistenceError("header-not-json-value", "it holds what JSON cannot")
        for issue in check_header(generation, whole):
            if issue.severity == "error":
                raise SessionPersistenceError(issue.code, f"{issue.path}: {issue.message}")

    def _refuse_place(self, path: Path) -> None:
        found = obstacle(self.root, path)
        if found is not None:
            raise SessionPersistenceError(found.code, found.message)

    def _publish(self, log: HeldLog, data: bytes) -> None:
        header = {**header_line(log.header), "version": self.version}
        self._refuse_place(log.path)
        owner_only_directory(log.path.parent, owned_root=log.path.parent.parent)
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

    def _refuse_wrong(self, log: HeldLog, batch: Iterable[Json]) -> None:
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
            if any(at.is_symlink() for at in (path, path.parent, path.parent.parent)):
                continue  # it leads elsewhere; nothing is read or written through it
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
            if (header := header_of(path)) is not None and header.get("id") == session_id
        ]
        if len(found) > 1:
            message = "two project folders hold a session of that id"
            raise SessionPersistenceCorruptionError("layout-duplicate-id", message)
        if not found:
            raise SessionPersistenceError("not-found", "there is no log of that session")
        return found[0]


def _members(header: SessionHeader | Mapping[str, Any]) -> Json:
    return header.to_json() if isinstance(header, SessionHeader) else dict(header)

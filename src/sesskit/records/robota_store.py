"""The store of Robota session records: a folder with a file for each session (section 6).

`RobotaStore.put` and `RobotaStore.update` are the safe ways to write. They never write over a file
that cannot be read in full, because that would turn damage into loss.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from sesskit.records.folders import owner_only_directory
from sesskit.records.locks import LOCK_SECONDS, Lock
from sesskit.records.reading import Document, StrPath, ZeroFilled, read_document
from sesskit.records.robota_writing import AnyRecord, encode_record, told_overflows
from sesskit.records.session_ids import checked_session_id, safe_segment, why_unsafe
from sesskit.records.writing import remove_leftovers, sync_folder, write_atomic
from sesskit.schemas.instants import Instant, parse_instant
from sesskit.schemas.items import parse
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid
from sesskit.schemas.robota_decode import decode_envelope
from sesskit.schemas.robota_record import Record

SUFFIX = ".json"
_EPOCH = Instant(0)
_NOWHERE = "it is a symbolic link that leads nowhere"


class Entry(msgspec.Struct, frozen=True):
    """One file of a store. ``updated`` and ``record_id`` are what a valid record says."""

    id: str
    path: Path
    outcome: Outcome
    updated: Instant | None = None
    record_id: str | None = None


class Put(msgspec.Struct, frozen=True):
    """What became of a write.

    ``outcome`` is about the record that was written or ``refused_by`` itself ("record": it is not
    valid), or about the file that stands in the way ("file": it is damaged, of another version,
    unreadable, or valid and not to be replaced; for `RobotaStore.update` also missing) and was left
    as it is, byte for byte.
    """

    written: bool
    outcome: Outcome
    refused_by: Literal["record", "file"] | None = None


Entries = list[Entry]


class RobotaStore:
    """Session records under ``base_dir``; every folder from ``owned_root`` down is kept private.

    Every method that takes an id raises `InvalidSessionId` if it is not one safe path segment.
    Methods that write raise `OSError` for what the system refuses, and `LockTimeout` if another
    process holds a session for longer than ``lock_seconds``. Instants of messages and history that
    name no zone are read in ``zone``.
    """

    def __init__(
        self,
        base_dir: StrPath,
        *,
        owned_root: StrPath | None = None,
        lock_seconds: float = LOCK_SECONDS,
        zone: tzinfo = UTC,
    ) -> None:
        self.base_dir = Path(base_dir)
        self.owned_root = None if owned_root is None else Path(owned_root)
        self.lock_seconds = lock_seconds
        self.zone = zone

    def path(self, session_id: str) -> Path:
        """Where the session is, or would be, stored."""
        return self.base_dir / f"{checked_session_id(session_id)}{SUFFIX}"

    def load(self, session_id: str) -> Outcome:
        """What the store holds for a session; `Missing` only if there is nothing of that name.

        The id inside the record is not compared with the name of the file.
        """
        return self._decoded(_found(self.path(session_id)))

    def list(self, *, keep: bool = False) -> Entries:
        """Every file of the store whose name ends in ``.json``, newest update first.

        Files that are not valid are listed too, as if they were of 1970; a file whose name is no
        safe id is not opened. Equal instants are in the order of their names. Without ``keep`` the
        outcomes hold no records, so that a large store fits in memory. A store that does not
        exist is empty; raises `OSError` for one that cannot be read.
        """
        try:
            names = sorted(file.name for file in self.base_dir.iterdir())
        except FileNotFoundError:
            return []
        entries = [self._entry(name, keep) for name in names if name.endswith(SUFFIX)]
        present = [entry for entry in entries if not isinstance(entry.outcome, Missing)]
        return sorted(present, key=lambda entry: entry.updated or _EPOCH, reverse=True)

    def save(self, record: AnyRecord) -> None:
        """Write a record as it is, whatever was there before: the primitive below `put`.

        Nothing is validated but the id, and that, like in the system that owns the format, when
        the folder has been made.
        """
        owner_only_directory(self.base_dir, owned_root=self.owned_root)
        path = self.path(_id_of(record))
        with self._lock(path):
            self._write(path, encode_record(record))

    def put(self, record: AnyRecord, *, overwrite: bool = True) -> Put:
        """Write a record if it is valid and if what is there is valid or missing.

        It is written in canonical form, so that equal records are equal bytes. Without
        ``overwrite`` only where nothing is there; nobody else writes it between look and write.
        """
        path = self.path(_id_of(record))
        data, outcome = self._canonical(record)
        if data is None:
            return Put(False, outcome, "record")
        owner_only_directory(self.base_dir, owned_root=self.owned_root)
        with self._lock(path):
            existing = self._decoded(_found(path), keep=False)
            if not isinstance(existing, Valid | Missing if overwrite else Missing):
                return Put(False, existing, "file")
            self._write(path, data)
        return Put(True, outcome)

    def update(self, session_id: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Put:
        """Read a session, change it, write it back; nobody else writes it meanwhile.

        ``change`` gets the record as plain JSON values, every member of it, and gives back the
        record to be written, so what it does not touch is kept. Only a valid session is changed.
        Raises what ``change`` raises; then nothing is written.
        """
        path = self.path(session_id)
        if not self.base_dir.is_dir():
            return Put(False, self.load(session_id), "file")
        with self._lock(path):
            found = _found(path)
            existing = self._decoded(found, keep=False)
            if not (isinstance(existing, Valid) and isinstance(found, bytes)):
                return Put(False, existing, "file")
            data, outcome = self._canonical(change(parse(found)[0]["record"]))
            if data is None:
                return Put(False, outcome, "record")
            owner_only_directory(self.base_dir, owned_root=self.owned_root)
            self._write(path, data)
        return Put(True, outcome)

    def delete(self, session_id: str) -> bool:
        """Remove a session, whatever is in its file; False if there was none."""
        path = self.path(session_id)
        if not self.base_dir.is_dir():
            return False
        with self._lock(path):
            remove_leftovers(path)
            try:
                path.unlink()
            except FileNotFoundError:
                return False
            sync_folder(self.base_dir)
        return True

    def _lock(self, path: Path) -> contextlib.AbstractContextManager[object]:
        return Lock(path, timeout=self.lock_seconds)

    def _write(self, path: Path, data: bytes) -> None:
        remove_leftovers(path)
        write_atomic(path, data)

    def _entry(self, name: str, keep: bool) -> Entry:
        path = self.base_dir / name
        session_id = name.removesuffix(SUFFIX)
        if not safe_segment(session_id):
            reason = f"its name is not that of a session: {why_unsafe(session_id)}"
            return Entry(session_id, path, Unreadable(reason))
        outcome = self._decoded(_found(path))
        if not isinstance(outcome, Valid):
            return Entry(session_id, path, outcome)
        record: Record = outcome.value
        updated = parse_instant(record.updated_at, self.zone)
        shown = outcome if keep else replace(outcome, value=None)
        return Entry(session_id, path, shown, updated, record.id)

    def _decoded(self, found: Document, *, keep: bool = True) -> Outcome:
        if isinstance(found, Missing | Unreadable):
            return found
        data = found.sample() if isinstance(found, ZeroFilled) else found
        return decode_envelope(data, keep=keep, zone=self.zone)

    def _canonical(self, record: AnyRecord) -> tuple[bytes | None, Outcome]:
        """The bytes to be written, if what would be written decodes as valid."""
        outcome = decode_envelope(encode_record(record), zone=self.zone)
        if not isinstance(outcome, Valid):
            return None, replace(outcome, issues=told_overflows(record, outcome.issues))
        return encode_record(outcome.value), outcome


def _found(path: Path) -> Document:
    """A document of the store. A link that leads nowhere is something that cannot be read."""
    found = read_document(path)
    return Unreadable(_NOWHERE) if isinstance(found, Missing) and path.is_symlink() else found


def _id_of(record: AnyRecord) -> str:
    return checked_session_id(record.id if isinstance(record, Record) else record.get("id"))

"""ochat: the store of sessions: a folder for each, with ``snapshot.bin`` in it.

    ROOT/ID/snapshot.bin                              the session
    ROOT/ID/snapshot.bin.lock                         while it is saved
    ROOT/ID/prompt.chatmd                             a copy of the prompt
    ROOT/ID/archive/YYYYMMDD-HHMM.snapshot.bin        what a reset or an upgrade replaced

A save replaces the whole file in one step and only if the file is still the one that was read:
the format merges nothing, so of two changes the second is refused. Where the original moves the
old snapshot away before it writes the new one, here a copy is archived first, under the lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from sesskit.records.folders import owner_only_directory
from sesskit.records.locks import LOCK_SECONDS
from sesskit.records.ochat_locks import SnapshotLock
from sesskit.records.ochat_reading import read_snapshot
from sesskit.records.ochat_recognition import is_archived_name
from sesskit.records.ochat_session import create, reset, store_id_for
from sesskit.records.ochat_snapshot import Snapshot, encode
from sesskit.records.ochat_upgrade import upgrade
from sesskit.records.reading import Document, StrPath, ZeroFilled, read_document
from sesskit.records.session_ids import checked_session_id, safe_segment, why_unsafe
from sesskit.records.writing import remove_leftovers, sync_folder, write_atomic
from sesskit.schemas.ochat_sessions import LATEST, SessionV5
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid

SNAPSHOT = "snapshot.bin"
PROMPT_COPY = "prompt.chatmd"
ARCHIVE = "archive"
_CACHE = (".chatmd", "cache.bin")

Change = Callable[[SessionV5], SessionV5]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a store holds: the outcome, and the fingerprint of exactly these bytes.

    ``fingerprint`` is None where there are no bytes.
    """

    outcome: Outcome
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class OchatEntry:
    """One folder of a store. ``record_id`` is the id that a valid record says."""

    id: str
    path: Path
    outcome: Outcome
    record_id: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a write.

    ``refused_by`` is "record" (what was to be written breaks the rules; ``outcome`` says how),
    "file" (what is there cannot be read or upgraded, or is not there) or "changed" (it is no
    longer what was read). Then nothing was written. ``archived`` is where the old bytes were kept.
    ``prompt_copied`` is False where a prompt was given that could not be copied.
    """

    written: bool
    outcome: Outcome
    refused_by: Literal["record", "file", "changed"] | None = None
    fingerprint: str | None = None
    archived: Path | None = None
    prompt_copied: bool | None = None


class OchatStore:
    """Sessions under ``root`` (ochat's own is ``~/.ochat/sessions``).

    Every method that takes an id raises `InvalidSessionId` if it is not one safe path segment.
    Methods that write raise `OSError` for what the system refuses, and `LockTimeout` if another
    process holds the session for longer than ``lock_seconds``.
    """

    def __init__(self, root: StrPath, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self.root = Path(root)
        self.lock_seconds = lock_seconds

    def path(self, session_id: str) -> Path:
        """Where the snapshot of a session is, or would be."""
        return self.root / checked_session_id(session_id) / SNAPSHOT

    def load(self, session_id: str) -> Loaded:
        """What the store holds for a session; `Missing` only if there is no such file."""
        return _loaded(read_document(self.path(session_id)))

    def list(self) -> list[OchatEntry]:
        """Every folder of the store that holds a snapshot, by name; none is passed over.

        A folder whose name is no safe id is listed as unreadable. The outcomes hold no records.
        Raises `OSError` for a store that cannot be read.
        """
        try:
            names = sorted(folder.name for folder in self.root.iterdir())
        except FileNotFoundError:
            return []
        return [self._entry(name) for name in names if (self.root / name / SNAPSHOT).is_file()]

    def create(self, prompt_file: str, *, session_id: str | None = None) -> Saved:
        """A new session for a prompt, under the id that the original would choose by default.

        Refused ("changed") where the store has that session already.
        """
        name = store_id_for(prompt_file) if session_id is None else session_id
        return self.save(create(prompt_file, session_id=checked_session_id(name)), seen=None)

    def save(self, session: SessionV5, *, seen: str | None) -> Saved:
        """Write a session under its own id, if the store still holds what ``seen`` is of.

        ``seen`` is the fingerprint of the bytes that the session was made from, None if there
        were none.
        """
        name = checked_session_id(session.id)
        data = encode(session)
        outcome = read_snapshot(data, LATEST)
        if not isinstance(outcome, Valid):
            return Saved(False, outcome, "record")
        path = self.path(name)
        owner_only_directory(path.parent)
        with SnapshotLock(path, timeout=self.lock_seconds):
            there = _loaded(read_document(path))
            if there.fingerprint != seen or isinstance(there.outcome, Unreadable):
                return Saved(False, there.outcome, "changed")
            return self._write(path, data, there, outcome)

    def update(self, session_id: str, change: Change, *, seen: str | None = None) -> Saved:
        """Read a session, change it, write it back; none of ours writes it meanwhile.

        An older version is upgraded, its bytes archived. With ``seen`` the file must still be the
        one of that fingerprint. Raises what ``change`` raises; then nothing is written.
        """
        return self._changed(session_id, change, seen=seen, archive=False)

    def reset(
        self, session_id: str, *, keep_history: bool = False, prompt_file: str | None = None
    ) -> Saved:
        """Take a session back to its beginning (`ochat_session.reset`), its old bytes archived.

        A given prompt is copied into the session's folder if it can be read, else only recorded.
        Unless the history is kept, the cache that ochat made of it is removed.
        """
        prompt = None if prompt_file is None else read_document(prompt_file)
        copied = isinstance(prompt, bytes)

        def change(session: SessionV5) -> SessionV5:
            made = reset(session, keep_history=keep_history, prompt_file=prompt_file)
            return replace(made, local_prompt_copy=PROMPT_COPY) if copied else made

        copy = prompt if isinstance(prompt, bytes) else None
        saved = self._changed(session_id, change, archive=True, prompt=copy)
        if saved.written and not keep_history:
            _remove_cache(self.path(session_id).parent)
        return _with_copy(saved, None if prompt_file is None else copied)

    def delete(self, session_id: str) -> bool:
        """Remove a session, whatever is in its snapshot; False if there was none.

        Its archive, the copy of its prompt and ochat's cache go too. Anything else in its folder
        stays, and the folder with it.
        """
        path = self.path(session_id)
        if not path.parent.is_dir() or not os.path.lexists(path):
            return False
        with SnapshotLock(path, timeout=self.lock_seconds):
            remove_leftovers(path)
            try:
                path.unlink()
            except FileNotFoundError:
                return False
            _remove_belongings(path.parent)
            sync_folder(path.parent)
        with contextlib.suppress(OSError):  # something else is in it
            path.parent.rmdir()
        return True

    def _changed(
        self,
        session_id: str,
        change: Change,
        *,
        archive: bool,
        seen: str | None = None,
        prompt: bytes | None = None,
    ) -> Saved:
        path = self.path(session_id)
        if not path.parent.is_dir():
            return Saved(False, Missing(), "file")
        with SnapshotLock(path, timeout=self.lock_seconds):
            there = _loaded(read_document(path))
            if seen is not None and there.fingerprint != seen:
                return Saved(False, there.outcome, "changed")
            outcome = there.outcome
            snapshot = outcome.value if isinstance(outcome, Valid) else None
            if not isinstance(snapshot, Snapshot) or snapshot.refusal is not None:
                return Saved(False, outcome, "file")
            data = encode(change(upgrade(snapshot.session)))
            checked = read_snapshot(data, LATEST)
            if not isinstance(checked, Valid):
                return Saved(False, checked, "record")
            owner_only_directory(path.parent)
            return self._write(path, data, there, checked, archive=archive, prompt=prompt)

    def _write(
        self,
        path: Path,
        data: bytes,
        there: Loaded,
        outcome: Valid,
        *,
        archive: bool = False,
        prompt: bytes | None = None,
    ) -> Saved:
        """Under the lock: archive, prompt, snapshot; whatever stops it leaves a whole snapshot."""
        old = there.outcome.value if isinstance(there.outcome, Valid) else None
        older = isinstance(old, Snapshot) and old.version < LATEST
        archived = _archived(path) if archive or older else None
        if prompt is not None:
            write_atomic(path.with_name(PROMPT_COPY), prompt)
        remove_leftovers(path)
        write_atomic(path, data)
        return Saved(True, outcome, None, fingerprint_of(data), archived)

    def _entry(self, name: str) -> OchatEntry:
        path = self.root / name / SNAPSHOT
        if not safe_segment(name):
            reason = f"its name is not that of a session: {why_unsafe(name)}"
            return OchatEntry(name, path, Unreadable(reason))
        outcome = _loaded(read_document(path)).outcome
        if not isinstance(outcome, Valid):
            return OchatEntry(name, path, outcome)
        said = outcome.value.session.id
        shown = Valid(None, outcome.issues, outcome.version, original=outcome.original)
        return OchatEntry(name, path, shown, said if isinstance(said, str) else None)


def fingerprint_of(data: bytes) -> str:
    """What tells these bytes from any others: their SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _loaded(found: Document) -> Loaded:
    if isinstance(found, Missing | Unreadable):
        return Loaded(found)
    if isinstance(found, ZeroFilled):
        return Loaded(read_snapshot(found.sample()), f"zeros-{found.size}")
    return Loaded(read_snapshot(found), fingerprint_of(found))


def _archived(path: Path) -> Path:
    """A copy of the snapshot in the archive, under a name of this minute that is still free."""
    folder = path.with_name(ARCHIVE)
    owner_only_directory(folder)
    data = path.read_bytes()
    minute = time.strftime("%Y%m%d-%H%M")
    for number in count(1):
        name = minute if number == 1 else f"{minute}-{number}"
        copy = folder / f"{name}.{SNAPSHOT}"
        with contextlib.suppress(FileExistsError):
            write_atomic(copy, data, overwrite=False)
            return copy
    raise AssertionError


def _remove_cache(folder: Path) -> None:
    cache = folder.joinpath(*_CACHE)
    # A link in place of the folder may lead anywhere.
    if not cache.parent.is_symlink():
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            cache.unlink()


def _remove_belongings(folder: Path) -> None:
    """What a session has beside its snapshot, as far as it is known to be that."""
    _remove_cache(folder)
    archive = folder / ARCHIVE
    archived = [] if archive.is_symlink() or not archive.is_dir() else [*archive.iterdir()]
    copies = [path for path in archived if is_archived_name(path.name)]
    for path in (*copies, folder / PROMPT_COPY):
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            path.unlink()
    for inner in (archive, folder / _CACHE[0]):
        with contextlib.suppress(OSError):
            inner.rmdir()


def _with_copy(saved: Saved, copied: bool | None) -> Saved:
    return Saved(
        saved.written,
        saved.outcome,
        saved.refused_by,
        saved.fingerprint,
        saved.archived,
        copied if saved.written else None,
    )

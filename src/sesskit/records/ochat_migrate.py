"""ochat: snapshots of any version to version 5, as they are or reset; as bytes and as files.

What the original upgrades is upgraded as it does, byte for byte; files of the older layouts, which
it cannot read, are lifted first. What it refuses by design stays refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from sesskit.records.locks import LOCK_SECONDS
from sesskit.records.ochat_differences import Difference, differences
from sesskit.records.ochat_locks import SnapshotLock
from sesskit.records.ochat_reading import read_snapshot
from sesskit.records.ochat_session import reset
from sesskit.records.ochat_snapshot import Snapshot, encode
from sesskit.records.ochat_upgrade import upgrade
from sesskit.records.reading import Document, StrPath, ZeroFilled, read_document
from sesskit.records.writing import replace_in_place, write_atomic
from sesskit.schemas.ochat_sessions import LATEST, SessionV5
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid

Change = Callable[[SessionV5], SessionV5]


@dataclass(frozen=True, slots=True)
class OchatMigration:
    """``data`` is the new file and ``session`` its record; or both are None.

    ``outcome`` is what decoding the old file answered. Where it is valid and there is no data, its
    issue ``upgrade-refused`` says why. ``same`` where the file is of the latest version already.
    ``changes`` says in what the record differs.
    """

    outcome: Outcome
    data: bytes | None = None
    session: SessionV5 | None = None
    changes: tuple[Difference, ...] = ()
    same: bool = False
    written: Path | None = None
    backup: Path | None = None


class Target(TypedDict, total=False):
    """Where a new file goes.

    A ``target`` that exists stays unless ``overwrite``. ``in_place`` makes a backup first, under
    the lock of a save, and leaves a file alone that would not change. With neither nothing is
    written (a dry run).
    """

    target: StrPath | None
    overwrite: bool
    in_place: bool
    lock_seconds: float


def migrate_snapshot(data: bytes, *, version: int | None = None) -> OchatMigration:
    """The version 5 file of a snapshot. Total and pure: the same bytes give the same answer.

    ``version`` forces the version that the old file is read as.
    """
    return _changed(data, _unchanged, version)


def reset_snapshot(
    data: bytes, *, keep_history: bool = False, prompt_file: str | None = None
) -> OchatMigration:
    """The version 5 file of a snapshot after a `ochat_session.reset`. Total and pure."""
    return _changed(data, partial(reset, keep_history=keep_history, prompt_file=prompt_file))


def migrate_snapshot_file(
    source: StrPath, *, version: int | None = None, **where: Unpack[Target]
) -> OchatMigration:
    """Read, migrate and write one file.

    What cannot be read or migrated is an answer; what cannot be written raises `OSError`, a lock
    that is held `LockTimeout`.
    """
    return _file(source, partial(migrate_snapshot, version=version), **where)


def reset_snapshot_file(
    source: StrPath,
    *,
    keep_history: bool = False,
    prompt_file: str | None = None,
    **where: Unpack[Target],
) -> OchatMigration:
    """Read, reset and write one file, like `migrate_snapshot_file`. A store archives as well."""
    how = partial(reset_snapshot, keep_history=keep_history, prompt_file=prompt_file)
    return _file(source, how, **where)


def _unchanged(session: SessionV5) -> SessionV5:
    return session


def _changed(data: bytes, change: Change, version: int | None = None) -> OchatMigration:
    outcome = read_snapshot(data, version)
    if not isinstance(outcome, Valid):
        return OchatMigration(outcome)
    snapshot: Snapshot = outcome.value
    if snapshot.refusal is not None:
        return OchatMigration(outcome)
    session = change(upgrade(snapshot.session))
    same = snapshot.version == LATEST
    return OchatMigration(outcome, encode(session), session, differences(snapshot, session), same)


def _file(
    source: StrPath,
    make: Callable[[bytes], OchatMigration],
    *,
    target: StrPath | None = None,
    overwrite: bool = False,
    in_place: bool = False,
    lock_seconds: float = LOCK_SECONDS,
) -> OchatMigration:
    if in_place and Path(source).is_file():
        with SnapshotLock(source, timeout=lock_seconds):
            return _in_place(Path(source), make)
    _, migration = _made(source, make)
    if migration.data is None or target is None or in_place:
        return migration
    write_atomic(target, migration.data, overwrite=overwrite)
    return replace(migration, written=Path(target))


def _in_place(source: Path, make: Callable[[bytes], OchatMigration]) -> OchatMigration:
    found, migration = _made(source, make)
    if migration.data is None or migration.data == found:
        return migration
    backup = replace_in_place(source, migration.data)
    return replace(migration, written=source, backup=backup)


def _made(
    source: StrPath, make: Callable[[bytes], OchatMigration]
) -> tuple[Document, OchatMigration]:
    found = read_document(source)
    if isinstance(found, Missing | Unreadable):
        return found, OchatMigration(found)
    return found, make(found.sample() if isinstance(found, ZeroFilled) else found)

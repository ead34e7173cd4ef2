"""ochat: snapshots of any version to version 5, as bytes and as files.

What the original upgrades is upgraded as it does, byte for byte; files of the older layouts, which
it cannot read, are lifted first. What it refuses by design stays refused, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sesskit.records.locks import LOCK_SECONDS
from sesskit.records.ochat_differences import Difference, differences
from sesskit.records.ochat_locks import SnapshotLock
from sesskit.records.ochat_reading import read_snapshot
from sesskit.records.ochat_snapshot import Snapshot, encode
from sesskit.records.ochat_upgrade import upgrade
from sesskit.records.reading import Document, StrPath, ZeroFilled, read_document
from sesskit.records.writing import replace_in_place, write_atomic
from sesskit.schemas.ochat_sessions import LATEST, SessionV5
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid


@dataclass(frozen=True, slots=True)
class OchatMigration:
    """``data`` is the new file and ``session`` its record; or both are None.

    ``outcome`` is what decoding the old file answered. Where it is valid and there is no data, its
    issue ``upgrade-refused`` says why. ``same`` where the file is of the latest version already:
    then the data are its record, written in its shortest form. ``changes`` says what differs.
    """

    outcome: Outcome
    data: bytes | None = None
    session: SessionV5 | None = None
    changes: tuple[Difference, ...] = ()
    same: bool = False
    written: Path | None = None
    backup: Path | None = None


def migrate_snapshot(data: bytes, *, version: int | None = None) -> OchatMigration:
    """The version 5 file of a snapshot. Total and pure: the same bytes give the same answer.

    ``version`` forces the version that the old file is read as.
    """
    outcome = read_snapshot(data, version)
    if not isinstance(outcome, Valid):
        return OchatMigration(outcome)
    snapshot: Snapshot = outcome.value
    if snapshot.refusal is not None:
        return OchatMigration(outcome)
    session = upgrade(snapshot.session)
    return OchatMigration(
        outcome,
        encode(session),
        session,
        differences(snapshot, session),
        snapshot.version == LATEST,
    )


def migrate_snapshot_file(
    source: StrPath,
    target: StrPath | None = None,
    *,
    overwrite: bool = False,
    in_place: bool = False,
    version: int | None = None,
    lock_seconds: float = LOCK_SECONDS,
) -> OchatMigration:
    """Read, migrate and write one file; a target that exists stays unless ``overwrite``.

    With neither ``target`` nor ``in_place`` nothing is written (a dry run). ``in_place`` makes a
    backup first, under the lock of a save, and leaves a file alone that would not change. What
    cannot be read or migrated is an answer; what cannot be written raises `OSError`, a lock that
    is held `LockTimeout`.
    """
    if in_place and Path(source).is_file():
        with SnapshotLock(source, timeout=lock_seconds):
            return _in_place(Path(source), version)
    _, migration = _migrated(source, version)
    if migration.data is None or target is None or in_place:
        return migration
    write_atomic(target, migration.data, overwrite=overwrite)
    return replace(migration, written=Path(target))


def _in_place(source: Path, version: int | None) -> OchatMigration:
    found, migration = _migrated(source, version)
    if migration.data is None or migration.data == found:
        return migration
    backup = replace_in_place(source, migration.data)
    return replace(migration, written=source, backup=backup)


def _migrated(source: StrPath, version: int | None) -> tuple[Document, OchatMigration]:
    found = read_document(source)
    if isinstance(found, Missing | Unreadable):
        return found, OchatMigration(found)
    data = found.sample() if isinstance(found, ZeroFilled) else found
    return found, migrate_snapshot(data, version=version)

"""ochat snapshots for `sesskit migrate`: any version becomes version 5."""

from __future__ import annotations

from pathlib import Path

from sesskit.cli.changes import change_members, change_rows
from sesskit.cli.migrating import Migrated, Wishes
from sesskit.records.ochat_migrate import migrate_snapshot, migrate_snapshot_file
from sesskit.records.ochat_snapshot import Snapshot
from sesskit.schemas.outcomes import Valid


def migrated(data: bytes, wishes: Wishes) -> Migrated:
    """The version 5 file of a snapshot, and in what it differs."""
    made = migrate_snapshot(data)
    if made.data is None:
        return Migrated(made.outcome, refused=_reason(made.outcome))
    rows = change_rows(made.changes)
    if made.same:
        said = "it was version 5 already"
        same = "the bytes are the same" if made.data == data else "numbers and end in their form"
        rows = (("kept", f"{said}; {same}"), *rows)
    member = {
        "from": getattr(made.outcome, "version", None),
        "changes": change_members(made.changes),
    }
    return Migrated(made.outcome, made.data, rows, member)


def replaced(path: str, data: bytes) -> Path | None:
    """Migrate a file in place, under the lock of a save; gives the copy of the old one."""
    return migrate_snapshot_file(path, in_place=True).backup


def _reason(outcome: object) -> str:
    snapshot = outcome.value if isinstance(outcome, Valid) else None
    broken = snapshot.refusal if isinstance(snapshot, Snapshot) else None
    return "" if broken is None else broken.message

"""Robota records for `sesskit migrate`: bare ones get their envelope."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sesskit.cli.migrating import Migrated, Wishes
from sesskit.cli.rows import Row
from sesskit.records.files import replace_in_place
from sesskit.records.robota_migrate import Note, migrate_bare


def migrated(data: bytes, wishes: Wishes) -> Migrated:
    """The enveloped form of a bare record, and what had to be made up."""
    made = migrate_bare(
        data,
        backfill_history=wishes.backfill_history,
        strict=wishes.no_fill,
        zone=wishes.zone,
    )
    member = {"notes": [_member(note) for note in made.notes]}
    return Migrated(made.outcome, made.data, tuple(map(_row, made.notes)), member)


def replaced(path: str, data: bytes) -> Path:
    """Replace a file; gives the copy of the old one."""
    return replace_in_place(path, data)


def _row(note: Note) -> Row:
    if note.count == 1:
        return note.kind, f"{note.first}: {note.message}"
    return note.kind, f"{note.path}, {note.count:,} times from {note.first}: {note.message}"


def _member(note: Note) -> dict[str, Any]:
    return {
        "kind": note.kind,
        "code": note.code,
        "path": note.path,
        "first": note.first,
        "count": note.count,
        "message": note.message,
    }

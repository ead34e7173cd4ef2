"""`sesskit migrate`: old session records in the current form, and what had to be made up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.inspect import data_of
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.targets import make_folder, targets_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN, Finding
from sesskit.records.files import replace_in_place, write_atomic
from sesskit.records.robota_migrate import How, Migration, Note, migrate_bare
from sesskit.schemas.outcomes import Valid

BARE, ENVELOPED = "robota-record-bare", "robota-record"
VERSIONS = ("1", "v1")

To = Annotated[str, typer.Option("--to", metavar="VERSION", help="The version to reach: 1.")]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE|DIR", help="Where to write. Existing files are refused."),
]
Replace = Annotated[bool, typer.Option("--force", help="Let --out replace existing files.")]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Replace the files themselves; each leaves a .bak.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]
Backfill = Annotated[
    bool,
    typer.Option("--backfill-history", help="Make a history of the messages where there is none."),
]
NoFill = Annotated[
    bool, typer.Option("--no-fill", help="Refuse records with gaps; do not fill any.")
]


def migrate(
    paths: o.Paths = None,
    to: To = "1",
    out: Out = None,
    force: Replace = False,
    in_place: InPlace = False,
    dry_run: DryRun = False,
    backfill_history: Backfill = False,
    no_fill: NoFill = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
    zone: o.Zone = "UTC",
) -> None:
    """Bring old session records (without envelope) to the current form.

    Says what was filled and what could not be carried as it was. The old files stay as they are
    unless --in-place is given. Every result is decoded before it is written. Exits 1 if any file
    cannot be migrated.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    rules = o.rules_of(exit_zero=exit_zero)
    if to not in VERSIONS:
        raise BadUsage("--to takes 1 (or v1); there is no other version yet")
    if (out is not None) == in_place and not (dry_run and not in_place):
        raise BadUsage("say where to: --out FILE|DIR or --in-place; --dry-run writes nothing")
    wanted = gather(paths)
    if in_place and any(one.path == STDIN for one in wanted):
        raise BadUsage("standard input cannot be replaced in place; use --out FILE")
    report = check(wanted, o.reading_of(None, rules, zone=zone), rules, quiet=quiet)
    old = [entry.finding.path for entry in report.entries if _is_old(entry.finding)]
    targets = {} if out is None else targets_of(wanted, old, out, force=force)
    plan = Plan(targets, force, in_place, dry_run)
    how = How(backfill_history=backfill_history, strict=no_fill, zone=o.zone_of(zone))
    entries = tuple(_done(entry, plan, how, rules, display.screen) for entry in report.entries)
    report = report._replace(entries=entries)
    hint = None if report.exit_code else ""
    raise typer.Exit(show(report._replace(hint=hint), display))


class Plan(NamedTuple):
    """Where new files go: ``targets`` by old path, or ``in_place``; nowhere in a ``dry`` run."""

    targets: dict[str, str]
    force: bool
    in_place: bool
    dry: bool


class Written(NamedTuple):
    """A new file, or one that would be written, and the copy of the old one, if there is one."""

    path: str | None
    backup: str | None = None


def _is_old(finding: Finding) -> bool:
    return finding.format == BARE and finding.status in ("valid", "corrupt")


def _done(entry: Entry, plan: Plan, how: How, rules: Rules, screen: Screen) -> Entry:
    """Migrate one file and write the result; the entry says what was done, or why nothing."""
    finding = entry.finding
    if not _is_old(finding):
        return _passed_by(entry, screen)
    migration = migrate_bare(data_of(finding), **how)
    if migration.data is None:
        outcome = migration.outcome
        refused = entry_of(finding._replace(outcome=outcome), rules)
        return told(refused, [("refused", "nothing was written")], _member(migration), screen)
    written = _write(finding.path, migration.data, plan)
    outcome = Valid(None, original=finding.original)
    fresh = Entry(finding._replace(outcome=outcome), (), members=entry.members)
    rows = [_row(written, len(migration.data), plan), *map(_note, migration.notes)]
    return told(fresh, rows, _member(migration, written, dry=plan.dry), screen)


def _write(path: str, data: bytes, plan: Plan) -> Written:
    if plan.in_place:
        if plan.dry:
            return Written(path)
        with writing(path):
            return Written(path, _named_as(path, replace_in_place(path, data)))
    target = plan.targets.get(path)
    if target is not None and not plan.dry:
        with writing(target):
            make_folder(target)
            write_atomic(target, data, overwrite=plan.force)
    return Written(target)


def _named_as(path: str, copy: Path) -> str:
    """The copy beside a file, named the way the file was; elsewhere (behind a link) in full."""
    beside = Path(path).with_name(copy.name)
    return str(beside if os.path.realpath(beside) == os.path.realpath(copy) else copy)


def _passed_by(entry: Entry, screen: Screen) -> Entry:
    """A file that is left alone, with the reason."""
    if entry.finding.format == ENVELOPED:
        text = "nothing to do: it has its envelope"
    elif entry.finding.status in ("missing", "unreadable", "unrecognized"):
        return entry
    else:
        text = f"nothing to do: only {BARE} is migrated"
    return told(entry, [("kept", text)], {"migration": None}, screen)


def _row(written: Written, size: int, plan: Plan) -> Row:
    place = f" to {written.path}" if written.path else ""
    if plan.dry:
        return "would be", f"migrated{place} ({size:,} bytes, version 1)"
    copy = f"; the old file is {written.backup}" if written.backup else ""
    return "migrated", f"{place.lstrip()} ({size:,} bytes, version 1){copy}"


def _note(note: Note) -> Row:
    if note.count == 1:
        return note.kind, f"{note.first}: {note.message}"
    return note.kind, f"{note.path}, {note.count:,} times from {note.first}: {note.message}"


def _member(
    migration: Migration, written: Written | None = None, *, dry: bool = False
) -> dict[str, Any]:
    if written is None:
        return {"migration": None}
    return {
        "migration": {
            "version": 1,
            "path": written.path,
            "backup": written.backup,
            "written": written.path is not None and not dry,
            "notes": [
                {
                    "kind": note.kind,
                    "code": note.code,
                    "path": note.path,
                    "first": note.first,
                    "count": note.count,
                    "message": note.message,
                }
                for note in migration.notes
            ],
        }
    }

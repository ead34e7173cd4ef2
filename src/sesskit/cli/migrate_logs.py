"""Logs from before lines had a version, migrated: what `sesskit migrate` does with them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sesskit.cli.migrating import Target, Wishes
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.targets import make_folder
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN, Finding
from sesskit.logs.log_sources import LogBytes, LogPlace
from sesskit.logs.robota_log_migration import LogMigration, migrate_log, plan_migration
from sesskit.records.files import backup
from sesskit.records.reading import reason_for
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Original, Valid

LOG = "robota-log"
_VERSION = ("schemaVersion",)
_SHOWN = 8


def is_old_log(finding: Finding) -> bool:
    """Whether a file is a log with lines that have no version."""
    if finding.format != LOG:
        return False
    lacks = (i.code == "member-missing" and i.keys == _VERSION for i in finding.issues)
    return any(lacks)


def migrated_log(
    entry: Entry, target: Target, wishes: Wishes, rules: Rules, screen: Screen
) -> Entry:
    """Migrate one log; the entry says what was done, what was not carried, or why nothing.

    With ``no_fill`` a log of which a line cannot be carried is left as it is.
    """
    finding = entry.finding
    source: LogPlace = Path(finding.path)
    if finding.path == STDIN:
        source = LogBytes(finding.source or b"")
    with writing(finding.path):
        plan = plan_migration(source)
    if any(issue.code == "payload-unresolved" for issue in plan.issues):
        why = "it refers to sidecars, and standard input has none beside it; name its file"
        return told(entry._replace(issues=()), [("refused", why)], _nothing(), screen)
    nothing = plan.changed + plan.kept == 0
    if (wishes.no_fill and not plan.whole) or nothing:
        why = "no line of it can be carried" if nothing else "not every line of it can be carried"
        shown = _entry(finding, plan, rules)
        return told(shown, [("refused", f"{why}; nothing was written")], _nothing(), screen)
    copy = None if target.dry else _write(source, target)
    path = finding.path if target.in_place else target.path
    rows = [_row(path, copy, dry=target.dry), *_rows(plan)]
    member = {
        "version": 1,
        "path": path,
        "backup": copy,
        "written": path is not None and not target.dry,
        "notes": list(_notes(plan)),
    }
    return told(_entry(finding, plan, rules), rows, {"migration": member}, screen)


def _write(source: LogPlace, target: Target) -> str | None:
    """Write the new log; gives the copy of the old one, if there is one."""
    if target.in_place and isinstance(source, Path):
        with writing(str(source)):
            copy = backup(source)
            migrate_log(source, source, overwrite=True)
        return str(source.with_name(copy.name))
    if target.path is not None:
        with writing(target.path), naming_sidecars(target.path):
            make_folder(target.path)
            migrate_log(source, Path(target.path), overwrite=target.force)
    return None


@contextlib.contextmanager
def naming_sidecars(log: str) -> Iterator[None]:
    """Names a sidecar that is in the way; the log was not written then."""
    try:
        yield
    except OSError as error:
        name = error.filename
        if not isinstance(name, str) or ".payloads" not in name:
            raise
        why = reason_for(error)
        if isinstance(error, FileExistsError):
            why = "other bytes have that name already"
        raise BadUsage(f"{log} is not written: its sidecar {name} cannot be: {why}") from error


def _nothing() -> dict[str, Any]:
    return {"migration": None}


def _entry(finding: Finding, plan: LogMigration, rules: Rules) -> Entry:
    """The file as it is now: valid, or with the issues of the lines that were not carried."""
    original = Original("accept")
    outcome: Valid | Corrupt = Valid(None, version=1, original=original)
    if plan.issues:
        outcome = Corrupt(tuple(plan.issues), version=1, original=finding.original)
    return entry_of(finding._replace(outcome=outcome), rules)


def _row(path: str | None, copy: str | None, *, dry: bool) -> Row:
    place = f" to {path}" if path else ""
    if dry:
        return "would be", f"migrated{place} (version 1)"
    kept = f"; the old file is {copy}" if copy else ""
    return "migrated", f"{place.lstrip()} (version 1){kept}"


def _rows(plan: LogMigration) -> Iterator[Row]:
    yield "changed", f"{_lines(plan.changed)} got a schemaVersion"
    if plan.marked:
        yield "removed", "the byte order mark before line 1"
    if plan.kept:
        yield "kept", f"{_lines(plan.kept)} had one"
    if plan.sidecars:
        yield "sidecars", f"{len(plan.sidecars):,} checked, their bytes as they were"
    if plan.lost:
        listed = ", ".join(f"{number:,}" for number in plan.lost[:_SHOWN])
        more = f" and {len(plan.lost) - _SHOWN:,} more" if len(plan.lost) > _SHOWN else ""
        unit = "line" if len(plan.lost) == 1 else "lines"
        yield "not carried", f"{unit} {listed}{more}"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


def _notes(plan: LogMigration) -> Iterator[dict[str, Any]]:
    if plan.changed:
        yield {
            "kind": "filled",
            "code": "version-added",
            "path": "schemaVersion",
            "first": "schemaVersion",
            "count": plan.changed,
            "message": "the line got a schemaVersion",
        }
    for number in plan.lost:
        first = next((issue for issue in plan.issues if issue.line == number), _UNKNOWN)
        yield {
            "kind": "lost",
            "code": first.code,
            "path": first.path,
            "first": f"line {number}",
            "count": 1,
            "message": "the line is no event of version 1 and was not carried",
        }


_UNKNOWN = Issue("json-syntax", "the line cannot be read")

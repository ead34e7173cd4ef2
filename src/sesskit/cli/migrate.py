"""`sesskit migrate`: old sessions in the current form, and what had to be changed or made up."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import Wanted, check, gather
from sesskit.cli.looking import data_of
from sesskit.cli.migrating import (
    MIGRATIONS,
    Migrated,
    Target,
    Wishes,
    function_of,
    refuse_version,
    version_of,
    versions,
)
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.targets import make_folder, targets_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import refuse_both, refuse_stdout, told, unwritten, writing
from sesskit.logs.formats import STDIN, Finding
from sesskit.records.files import write_atomic
from sesskit.schemas.outcomes import Valid

To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="VERSION",
        help="The version to reach; the latest if not given.",
        autocompletion=versions,
    ),
]
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
    bool, typer.Option("--no-fill", help="Refuse what has gaps; fill none, leave out no line.")
]

Tolerant = Annotated[
    bool,
    typer.Option(
        "--tolerant", help="Of dsh logs: change what the released steps refuse, and say what."
    ),
]

_COPY = re.compile(r"(\.bak(\.[0-9]+)?|\.tmp)\Z")


def migrate(
    paths: o.Paths = None,
    to: To = None,
    out: Out = None,
    force: Replace = False,
    in_place: InPlace = False,
    dry_run: DryRun = False,
    backfill_history: Backfill = False,
    no_fill: NoFill = False,
    tolerant: Tolerant = False,
    format: o.FormatName = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
    zone: o.Zone = "UTC",
) -> None:
    """Bring old sessions to the current form: robota-record and -log to 1, ochat-record to 5,
    dsh-log to 3, with --to 0, 1 and 2 as well.

    Says what was changed, filled, and what could not be carried as it was. The old files stay as
    they are unless --in-place is given; a dsh log stays even then, its new version lies beside it.
    Every result is decoded before it is written; the sidecars of a log go with it. Exits 1 if any
    file, or any line of a log, cannot be migrated.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    rules = o.rules_of(exit_zero=exit_zero)
    version = None if to is None else version_of(to)
    refuse_both(out, in_place, "--in-place")
    refuse_stdout(out)
    if out is None and not (in_place or dry_run):
        raise BadUsage("say where to: --out FILE|DIR or --in-place; --dry-run writes nothing")
    wanted = [_without_copies(one) for one in gather(paths)]
    if in_place and any(one.path == STDIN for one in wanted):
        raise BadUsage("standard input cannot be replaced in place; use --out FILE")
    report = check(wanted, o.reading_of(format, rules, zone=zone), rules, quiet=quiet)
    if version is not None:
        refuse_version(version, {entry.finding.format or "" for entry in report.entries})
    formats = {e.finding.path: e.finding.format or "" for e in report.entries}
    left = frozenset(p for p, name in formats.items() if _superseded(p, name, formats, version))
    old = [e.finding.path for e in report.entries if _is_old(e.finding, version)]
    named = partial(_named, formats, version)
    old = [path for path in old if path not in left]
    targets = {} if out is None else targets_of(wanted, old, out, force=force, named=named)
    plan = Plan(targets, force, in_place, dry_run, version, left)
    wishes = Wishes(backfill_history, no_fill, o.zone_of(zone), tolerant)
    done = [_done(entry, plan, wishes, rules, display.screen) for entry in report.entries]
    report = report._replace(entries=tuple(entry for entry, _ in done))
    failed = not exit_zero and any(refused for _, refused in done)
    hint = None if report.exit_code else ""
    code = show(report._replace(hint=hint), display)
    raise typer.Exit(code or int(failed))


def _without_copies(wanted: Wanted) -> Wanted:
    """Without what our own writes leave in folders: to migrate a copy would lose the original."""
    kept = (one for one in wanted.sources if not (one.walked and _COPY.search(one.path)))
    return wanted._replace(sources=tuple(kept))


class Plan(NamedTuple):
    """Where new files go: ``targets`` by old path, or ``in_place``; nowhere in a ``dry`` run."""

    targets: dict[str, str]
    force: bool
    in_place: bool
    dry: bool
    version: int | None = None
    left: frozenset[str] = frozenset()
    """Files of which there is a later version among the others."""


class Written(NamedTuple):
    """A new file, or one that would be written, and the copy of the old one, if there is one."""

    path: str | None
    backup: str | None = None


def _named(formats: dict[str, str], version: int | None, path: str, below: str) -> str:
    """Where below a folder the new file of ``path`` goes."""
    line = MIGRATIONS.get(formats.get(path, ""))
    return function_of(line.place)(path, below, version) if line and line.place else below


def _superseded(path: str, format: str, among: dict[str, str], version: int | None) -> bool:
    line = MIGRATIONS.get(format)
    return bool(line and line.superseded and function_of(line.superseded)(path, among, version))


def _is_old(finding: Finding, version: int | None) -> bool:
    """Whether a file is to be migrated."""
    line = MIGRATIONS.get(finding.format or "")
    if line is None or version not in (None, *line.versions):
        return False
    fits = bool(function_of(line.old)(finding)) if line.old else bool(line.migrate)
    # A log of which a line, or all, is too new for its program may still be migrated.
    too_new = finding.status == "unsupported" and bool(line.stream or line.place)
    return fits and (too_new or finding.status in ("valid", "corrupt"))


def _done(
    entry: Entry, plan: Plan, wishes: Wishes, rules: Rules, screen: Screen
) -> tuple[Entry, bool]:
    """Migrate one file and write the result; the entry says what was done, or why nothing.

    True where the migration was refused.
    """
    finding = entry.finding
    if finding.path in plan.left:
        row = ("kept", "nothing to do: a later version of it lies beside it")
        return told(entry, [row], {"migration": None}, screen), False
    if not _is_old(finding, plan.version):
        return _passed_by(entry, plan.version, screen), False
    line = MIGRATIONS[finding.format or ""]
    if line.stream:
        place = plan.targets.get(finding.path)
        target = Target(place, plan.in_place, plan.force, plan.dry, plan.version)
        entry = function_of(line.stream)(entry, target, wishes, rules, screen)
        stays = "refusal" in (entry.members or {})
        return entry, stays or entry.finding.status != "valid"
    old = data_of(finding)
    made: Migrated = function_of(line.migrate)(old, wishes)
    if made.data is None:
        if isinstance(finding.outcome, Valid) and made.outcome.issues and not made.refused:
            # It is what it was; only its new form cannot be written.
            row = ("refused", unwritten(made.outcome.issues, finding.issues))
            return told(entry, [row], {"migration": None}, screen), True
        refused = entry_of(finding._replace(outcome=made.outcome), rules)
        row = ("refused", made.refused or "nothing was written")
        return told(refused, [row], {"migration": None}, screen), True
    reached = plan.version or line.versions[-1]
    if plan.in_place and made.data == old:
        row = ("kept", f"nothing to do: it is of version {reached} already")
        return told(entry, [row], {"migration": None}, screen), False
    written = _write(finding, made.data, plan, line.replace)
    outcome = Valid(None, original=finding.original)
    fresh = Entry(finding._replace(outcome=outcome), (), members=entry.members)
    rows = [_row(written, len(made.data), reached, plan), *made.rows]
    member = {**_member(written, reached, plan), **made.member}
    return told(fresh, rows, {"migration": member}, screen), False


def _write(finding: Finding, data: bytes, plan: Plan, replace: str) -> Written:
    path = finding.path
    if plan.in_place:
        if plan.dry:
            return Written(path)
        with writing(path):
            copy = function_of(replace)(path, data)
            return Written(path, None if copy is None else _named_as(path, copy))
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


def _passed_by(entry: Entry, version: int | None, screen: Screen) -> Entry:
    """A file that is left alone, with the reason."""
    finding = entry.finding
    line = MIGRATIONS.get(finding.format or "")
    if finding.status in ("missing", "unreadable", "unrecognized"):
        return entry
    if line is None:
        text = "there is no migration of this format yet"
    elif line.kept:
        text = line.kept
    elif finding.status == "unsupported":
        text = "this version is not known here"
    else:
        text = f"its format does not reach version {version}"
    return told(entry, [("kept", f"nothing to do: {text}")], {"migration": None}, screen)


def _row(written: Written, size: int, version: int, plan: Plan) -> Row:
    place = f" to {written.path}" if written.path else ""
    if plan.dry:
        return "would be", f"migrated{place} ({size:,} bytes, version {version})"
    copy = f"; the old file is {written.backup}" if written.backup else ""
    return "migrated", f"{place.lstrip()} ({size:,} bytes, version {version}){copy}"


def _member(written: Written, version: int, plan: Plan) -> dict[str, Any]:
    return {
        "version": version,
        "path": written.path,
        "backup": written.backup,
        "written": written.path is not None and not plan.dry,
    }

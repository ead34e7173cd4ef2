"""`sesskit repair`: what can be saved of a damaged log, in new files beside it."""

from __future__ import annotations

from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import Wanted, check, gather
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.repair_places import MADE, Where, lost_of, refuse_taken, target_of, where
from sesskit.cli.report import Entry, Report
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import refuse_stdout, told

LOG = "dsh-log"
INSTEAD = {
    "dsh-sqlite": "a database is only read; sqlite3 has .recover for a damaged one",
    "robota-log": "sesskit validate says which lines are damaged",
    "robota-record": "sesskit store rebuild makes a record anew from its log",
    "robota-record-bare": "sesskit migrate gives an old record its envelope",
    "ochat-record": "sesskit inspect shows what can still be read",
}
"""What helps with a damaged file of a format that has no repair."""

Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FILE|DIR",
        help="Where to write; else beside each log, as NAME.repaired. Existing files are refused.",
    ),
]
Replace = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]


def repair(
    paths: o.Paths = None,
    out: Out = None,
    force: Replace = False,
    dry_run: DryRun = False,
    format: o.FormatName = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
    store: o.Store = None,
) -> None:
    """Save what can be saved of damaged dsh logs, in new files; the logs stay as they are.

    Says what dsh would do with a log, and what is done here: whole events kept, open turns closed,
    the lines of a second writer as a log of their own (NAME.branch-1). Every byte that is in no log
    is told and kept in NAME.lost+found. Every result is decoded before it is written, and loads in
    dsh. Below a folder of --out the folders of a root of dsh are kept. A log that is not damaged
    needs nothing. Exits 1 if a log cannot be repaired.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    rules = o.rules_of(exit_zero=exit_zero)
    refuse_stdout(out)
    wanted = [_without_made(one) for one in gather(paths, store, format)]
    chosen = None if dry_run and out is None else where(wanted, out)
    report = check(wanted, o.reading_of(format, rules, store=store), rules, quiet=quiet)
    _refuse_formats(report)
    if chosen is not None and not dry_run:
        _refuse_places(report, wanted, chosen, force=force)
    done = [_done(entry, chosen, display, force=force, dry=dry_run) for entry in report.entries]
    entries = tuple(entry for entry, _ in done)
    failed = any(lost for _, lost in done) and not exit_zero
    shown = report._replace(entries=entries, hint=_hint(entries))
    code = show(shown, display)
    raise typer.Exit(int(failed) if entries else code)


def _without_made(wanted: Wanted) -> Wanted:
    """Without what an earlier repair left in a folder."""
    kept = (one for one in wanted.sources if not (one.walked and MADE.search(one.path)))
    return wanted._replace(sources=tuple(kept))


def _refuse_formats(report: Report) -> None:
    """Raise `BadUsage` where nothing is there that a repair exists for."""
    others = [e.finding for e in report.entries if e.finding.format in INSTEAD]
    damaged = [finding for finding in others if finding.status != "valid"]
    if damaged and len(others) == len(report.entries):
        name = str(damaged[0].format)
        raise BadUsage(f"repair is for logs of dsh, not for {name}: {INSTEAD[name]}")


def _refuse_places(report: Report, wanted: list[Wanted], chosen: Where, *, force: bool) -> None:
    """Raise `BadUsage` before anything is written where something stands in the way."""
    inputs = [source.path for one in wanted for source in one.sources]
    damaged = [e.finding.path for e in report.entries if _may_be_repaired(e)]
    targets: dict[str, str] = {}
    for path in damaged:
        target = target_of(path, path.rpartition("/")[2], chosen)
        if target in targets:
            raise BadUsage(f"{targets[target]} and {path} would both become {target}")
        targets[target] = path
    refuse_taken([*targets, *map(lost_of, targets)], inputs, force=force)


def _may_be_repaired(entry: Entry) -> bool:
    finding = entry.finding
    if finding.format != LOG or finding.status in ("missing", "unreadable"):
        return False
    original = finding.original
    return finding.status != "valid" or original is None or original.verdict != "accept"


def _done(
    entry: Entry, chosen: Where | None, display: Display, *, force: bool, dry: bool
) -> tuple[Entry, bool]:
    """Repair one log; True where it is damaged and stays so."""
    if entry.finding.status in ("missing", "unreadable", "unrecognized"):
        return entry, True
    if entry.finding.format != LOG:
        valid = entry.finding.status == "valid"
        why = "nothing to repair" if valid else INSTEAD.get(entry.finding.format or "", "")
        row = ("kept", why or "there is no repair of this format")
        return told(entry, [row], {"repair": None}, display.screen), not valid
    if not _may_be_repaired(entry):
        from sesskit.cli.repair_report import nothing

        return told(entry, [("kept", "nothing to repair")], nothing(), display.screen), False
    from sesskit.cli import repair_report, repairing

    made = repairing.planned(entry.finding, chosen)
    made = made._replace(refused=made.refused or repairing.verified(made))
    if not (made.refused or dry):
        repairing.publish(made, entry.finding, force=force)
    rows = repair_report.rows(made, dry=dry)
    shown = told(entry, rows, repair_report.member(made, dry=dry), display.screen)
    if display.output == "text":
        shown = shown._replace(issues=())  # what is wrong is what validate is for
    return shown, bool(made.refused)


def _hint(entries: tuple[Entry, ...]) -> str:
    """The next useful command: to look at the first result, or to make it."""
    from sesskit.cli.repair_report import next_step

    return next(filter(None, map(next_step, entries)), "")

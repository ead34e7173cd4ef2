"""`sesskit validate`: is every file a sound session file, and if not, what is wrong and where."""

from __future__ import annotations

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.report import Entry, Report
from sesskit.cli.report_text import next_command
from sesskit.cli.rows import rows_of

LOG = "dsh-log"
MOST = 20
"""Of more files it is not said whether they migrate: that takes longer than to check them."""


def validate(
    paths: o.Paths = None,
    format: o.FormatName = None,
    output: o.Output = None,
    out: o.Out = None,
    force: o.Force = False,
    jobs: o.Jobs = 0,
    strict: o.Strict = False,
    fail_on: o.FailOn = None,
    ignore: o.Ignore = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
    zone: o.Zone = "UTC",
    no_sidecars: o.NoSidecars = False,
    store: o.Store = None,
) -> None:
    """Check session files and show every fault with its place.

    A folder is walked: what is recognised as a session file is checked, the rest is counted.
    Exits 1 if any file is not valid.
    """
    display = o.display_of(
        output,
        out=out,
        force=force,
        quiet=quiet,
        max_issues=max_issues,
        no_color=no_color,
        inputs=paths,
    )
    rules = o.rules_of(strict=strict, fail_on=fail_on, ignore=ignore, exit_zero=exit_zero)
    reading = o.reading_of(format, rules, zone=zone, store=store, sidecars=not no_sidecars)
    wanted = gather(paths, store, format)
    report = check(wanted, reading, rules, jobs=jobs, quiet=quiet)
    raise typer.Exit(show(_with_answers(report, display), display))


def _with_answers(report: Report, display: Display) -> Report:
    """Of a few small dsh logs it is also said whether they migrate; in text of a single one."""
    logs = [entry for entry in report.entries if entry.finding.format == LOG]
    if not logs or len(report.entries) > MOST:
        return report
    single = len(report.entries) == 1 and not display.quiet
    entries = tuple(_answered(entry, display, single=single) for entry in report.entries)
    return report._replace(entries=entries, hint=next_command(report))


def _answered(entry: Entry, display: Display, *, single: bool) -> Entry:
    from sesskit.cli.dsh_migrates import MOST_VALIDATED, answers, member, row

    found = answers(entry.finding, MOST_VALIDATED)
    if found is None:
        return entry
    body = ("", *rows_of([row(found)], display.screen)) if single else ()
    return entry._replace(members=member(found), body=body)

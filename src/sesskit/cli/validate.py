"""`sesskit validate`: is every file a sound session file, and if not, what is wrong and where."""

from __future__ import annotations

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import LOG, check, gather, is_one_log
from sesskit.cli.dsh_layout import with_layout
from sesskit.cli.looking import Reading
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.report import Entry, Report, Rules
from sesskit.cli.report_text import next_command
from sesskit.cli.rows import rows_of
from sesskit.cli.screen import note
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN

DSH = "dsh-log"
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
    follow: o.Follow = False,
) -> None:
    """Check session files and show every fault with its place.

    A folder is walked: what is recognised as a session file is checked, the rest is counted.
    Exits 1 if any file is not valid. With --follow the faults of one log are shown as they come.
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
    if follow and store is None and is_one_log(paths, format):
        raise typer.Exit(_followed((paths or [""])[0], display, rules, reading))
    if follow and store is None and is_one_log(paths, format, DSH):
        raise typer.Exit(_followed((paths or [""])[0], display, rules, reading, DSH))
    if follow and STDIN in (paths or ()):
        raise BadUsage(o.NOT_FOLLOWED)
    wanted = gather(paths, store, format)
    report = with_layout(check(wanted, reading, rules, jobs=jobs, quiet=quiet))
    if follow and any(entry.finding.format is not None for entry in report.entries):
        raise BadUsage(f"--follow is for one {LOG} or {DSH}")
    code = show(_with_answers(report, display), display)
    if STDIN in (paths or ()) and not quiet:
        from sesskit.cli.standard_input import UNLOOKED, unlooked  # only here: it costs start-up

        if unlooked(report):
            note(UNLOOKED)
    raise typer.Exit(code)


def _with_answers(report: Report, display: Display) -> Report:
    """Of a few small dsh logs it is also said whether they migrate; in text of a single one."""
    logs = [entry for entry in report.entries if entry.finding.format == DSH]
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


def _followed(
    path: str, display: Display, rules: Rules, reading: Reading, format: str = LOG
) -> int:
    """The exit code of following one log."""
    if display.output != "text" or display.out is not None:
        raise BadUsage("--follow has no end, and a report in JSON or a file needs one")
    if not reading.options.sidecars:
        raise BadUsage("--follow looks at the sidecars too; leave out --no-sidecars")
    from sesskit.cli.validate_follow import follow, follow_dsh  # only now: they bring decoders

    if format == DSH:
        return follow_dsh(path, display, rules)
    return follow(path, display, rules, reading.options)

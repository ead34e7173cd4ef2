"""`sesskit validate`: is every file a sound session file, and if not, what is wrong and where."""

from __future__ import annotations

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.screen import note
from sesskit.logs.formats import STDIN


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
    code = show(report, display)
    if STDIN in (paths or ()) and not quiet:
        from sesskit.cli.standard_input import UNLOOKED, unlooked  # only here: it costs start-up

        if unlooked(report):
            note(UNLOOKED)
    raise typer.Exit(code)

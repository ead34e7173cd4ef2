"""`sesskit inspect`: what a file is, what is in it, what takes the space, and what is wrong."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import LOG, check, gather, is_one_log
from sesskit.cli.details import Details, details_of, streamed_of
from sesskit.cli.dsh_layout import with_layout
from sesskit.cli.looking import NO_MEMORY, Reading, data_of
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.overview_json import overview_member, recognition_member
from sesskit.cli.overview_text import body_of
from sesskit.cli.progress import Progress
from sesskit.cli.report import Entry, Report, Rules, entry_of, fails, told
from sesskit.cli.value import Looked, as_body, as_member, look_in_log, look_up
from sesskit.logs.formats import Finding, by_name
from sesskit.records.format import Options
from sesskit.records.overview import Overview, overview
from sesskit.schemas.outcomes import Unreadable

if TYPE_CHECKING:
    from sesskit.cli.log_details import LogInspections


DSH = "dsh-log"


class _Looking(NamedTuple):
    """How files are looked into once they were checked."""

    options: Options
    logs: LogInspections | None


At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="WHERE",
        help="Show one value: record.messages[0] or /record/id; of a log 12:message.content.",
    ),
]
Full = Annotated[bool, typer.Option("--full", help="With --at: show all of a long value.")]


def inspect(
    paths: o.Paths = None,
    at: At = None,
    full: Full = False,
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
    """Show at one look what a session file holds.

    What it is and how sure that is, its version and state, what its owner would say, what is in it
    and what takes the space; then every fault with its place. Secrets are masked. Exits 1 if any
    file is not valid, or has nothing at --at.
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
    reading = thorough(reading)
    wanted = gather(paths, store, format)
    logs = by = None
    if at is None and store is None and is_one_log(paths, format):
        from sesskit.cli.log_details import LogInspections  # only now: it brings the decoder

        logs = LogInspections()
        by = logs.look
    elif at is None and store is None and is_one_log(paths, format, DSH):
        from sesskit.cli.dsh_details import look  # only now: it brings the decoder

        by = look
    report = with_layout(check(wanted, reading, rules, jobs=jobs, quiet=quiet, by=by))
    raise typer.Exit(show_inspected(report, display, reading, logs, at=at, full=full))


def thorough(reading: Reading) -> Reading:
    """The same reading, that also finds what costs time to find."""
    return reading._replace(options=reading.options._replace(thorough=True))


def show_inspected(
    report: Report,
    display: Display,
    reading: Reading,
    logs: LogInspections | None = None,
    *,
    at: str | None = None,
    full: bool = False,
) -> int:
    """Show a report with what is in its files, or with one value of each; the exit code."""
    if at is None:
        looking = _Looking(reading.options, logs)
        with Progress(len(report.entries), "looking", quiet=display.quiet) as progress:
            entries = tuple(
                _seen(entry, report.rules, display, progress, looking) for entry in report.entries
            )
        return show(report._replace(entries=entries), display)
    looked = [_at(entry.finding, at) for entry in report.entries]
    entries = tuple(
        entry._replace(
            members={**recognition_member(entry.finding), "value": as_member(one)},
            body=as_body(one, display.screen, full=full),
        )
        for entry, one in zip(report.entries, looked, strict=True)
    )
    code = show(report._replace(entries=entries), display)
    return code or (1 if _lost(looked) and not report.rules.exit_zero else 0)


def _lost(looked: list[Looked]) -> bool:
    return any(one.trouble is not None for one in looked)


def _at(finding: Finding, at: str) -> Looked:
    return (
        look_in_log(finding, at)
        if finding.format in (LOG, DSH) and finding.status not in ("missing", "unreadable")
        else look_up(finding, data_of(finding), at)
    )


def _seen(
    entry: Entry, rules: Rules, display: Display, progress: Progress, looking: _Looking
) -> Entry:
    progress.step(1)
    if display.quiet and display.output == "text" and not (told(entry) or fails(entry, rules)):
        return entry
    finding = entry.finding
    members = recognition_member(finding)
    try:
        seen, details = _looked_at(finding, looking)
    except (MemoryError, SystemError):
        return entry_of(finding._replace(outcome=Unreadable(NO_MEMORY)), rules, members=members)
    if seen is not None:
        members["overview"] = overview_member(seen)
    members |= details.members
    return entry._replace(members=members, body=body_of(finding, seen, details, display.screen))


def _looked_at(finding: Finding, looking: _Looking) -> tuple[Overview | None, Details]:
    """The session in numbers, and what there is to tell of its format; None for what has no view.

    No garbage is made meanwhile.
    """
    if finding.format is None or finding.status in ("missing", "unreadable"):
        return None, Details()
    if finding.format == LOG:
        from sesskit.cli.log_details import LogInspections

        return (looking.logs or LogInspections()).of(finding, looking.options)
    streamed = streamed_of(finding)
    if streamed is not None:
        return streamed
    resting = gc.isenabled()
    gc.disable()
    try:
        data = data_of(finding)
        entry, zone = by_name(finding.format), looking.options.zone
        session = entry.view(data, zone) if data.strip(b"\0") else None
        if session is None:
            return None, Details()
        return overview(session), details_of(finding, data)
    finally:
        if resting:
            gc.enable()

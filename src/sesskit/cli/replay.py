"""`sesskit replay`: a session as a conversation to read, or in a form for programs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.output import MAX_ISSUES, Display, show, write_out
from sesskit.cli.replay_logs import (
    Events,
    From,
    Idle,
    Ranged,
    Speed,
    Subagents,
    To,
    one_log,
    ranged,
)
from sesskit.cli.replaying import FORMS, LOG, Wishes, form_of, loss_words, made_in, seen_in
from sesskit.cli.report import Entry, Report
from sesskit.cli.screen import note, one_line, write
from sesskit.cli.usage import BadUsage

Full = Annotated[bool, typer.Option("--full", help="Shorten no text.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="|".join(FORMS), help="Give one session in this form instead."),
]
FillResults = Annotated[
    bool,
    typer.Option("--fill-results", help="With --as: a result that says so for calls without one."),
]
Unmasked = Annotated[
    bool, typer.Option("--unmasked", help="With --as: leave secrets in the texts as they are.")
]


def replay(
    paths: o.Paths = None,
    as_: As = None,
    full: Full = False,
    from_: From = None,
    to: To = None,
    events: Events = False,
    with_subagents: Subagents = False,
    speed: Speed = None,
    idle: Idle = None,
    fill_results: FillResults = False,
    unmasked: Unmasked = False,
    format: o.FormatName = None,
    output: o.Output = None,
    out: o.Out = None,
    force: o.Force = False,
    strict: o.Strict = False,
    ignore: o.Ignore = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
    zone: o.Zone = "UTC",
    store: o.Store = None,
) -> None:
    """Show what was said in a session: turns, messages, calls and their results.

    Of a damaged file what lies before the damage. --as messages gives a list of messages that a
    provider takes (OpenAI chat form); what that form cannot hold is told on standard error, and
    exits 1 with --strict. Secrets are masked, but in --as transcript. Exits 1 if any file is not
    valid. Of a robota-log nothing is shown unless all of it is valid, with its sidecars; one log
    can be shown in part, as a timeline of events, and at its own pace.
    """
    if as_ is not None:
        form_of(as_)
        if output is not None:
            raise BadUsage("--as is a form of its own; leave out --output")
    elif fill_results:
        raise BadUsage("--fill-results and --unmasked go with --as")
    part = ranged(from_, to, events=events, subagents=with_subagents, speed=speed, idle=idle)
    display = o.display_of(
        output,
        out=out,
        force=force,
        quiet=quiet,
        max_issues=max_issues,
        no_color=no_color,
        inputs=paths,
    )
    rules = o.rules_of(strict=strict, ignore=ignore, exit_zero=exit_zero)
    reading = o.reading_of(format, rules, zone=zone, store=store)
    log = None if store is not None else one_log(paths, format)
    if log is not None:
        from sesskit.cli.replay_log import replay_log  # only now: it brings the decoder

        wishes = Wishes(full, unmasked, fill_results)
        raise typer.Exit(replay_log(log, as_, part, wishes, display, rules, reading.options))
    if part != Ranged():
        raise BadUsage(f"parts, --events, --with-subagents and --speed are for one {LOG}")
    if unmasked and as_ is None:
        raise BadUsage("--fill-results and --unmasked go with --as")
    report = check(gather(paths, store, format), reading, rules, quiet=quiet)
    if as_ is not None:
        wishes = Wishes(full, unmasked, fill_results)
        raise typer.Exit(_in_form(as_, report, display, wishes, strict=strict))
    entries = tuple(_told(entry, display, full=full) for entry in report.entries)
    raise typer.Exit(show(report._replace(entries=entries), display))


def _told(entry: Entry, display: Display, *, full: bool) -> Entry:
    """The entry with the session in it, as lines or as a member of its JSON."""
    if entry.finding.format == LOG and entry.finding.source is None:
        from sesskit.cli.replay_log import told_log

        return told_log(entry, display, full=full)
    with _resting():
        seen = seen_in(entry.finding)
        if seen is None:
            return entry
        if display.output == "json":
            from sesskit.cli.replay_json import replay_member

            return entry._replace(members={"replay": replay_member(seen)})
        from sesskit.cli.replay_text import conversation

        return entry._replace(body=tuple(conversation(seen, display.screen, full=full)))


def _in_form(word: str, report: Report, display: Display, wishes: Wishes, *, strict: bool) -> int:
    """Write one session in a form; only a valid one, because what takes it in trusts it."""
    if len(report.entries) != 1:
        raise BadUsage(f"--as {word} takes one session; name a file, not a folder")
    (entry,) = report.entries
    if entry.finding.status != "valid":
        path = one_line(entry.finding.path)
        note(f"{path} is {entry.finding.status}: nothing was written; sesskit validate {path}")
        return 0 if report.rules.exit_zero else 1
    with _resting():
        seen = seen_in(entry.finding)
        if seen is None:
            raise BadUsage(f"{entry.finding.format} has no session view to be replayed")
        made = made_in(word, seen, wishes)
    if display.out is None:
        write(made.text)
    else:
        write_out(display.out, made.text, force=display.force)
    if made.losses and not display.quiet:
        note(f"--as {word}: {loss_words(made.losses)}")
    failed = report.exit_code or int(strict and bool(made.losses))
    return 0 if report.rules.exit_zero else failed


@contextmanager
def _resting() -> Iterator[None]:
    """No garbage is looked for meanwhile: a view makes none."""
    resting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if resting:
            gc.enable()

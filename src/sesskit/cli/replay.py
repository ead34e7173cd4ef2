"""`sesskit replay`: a session as a conversation to read, or in a form for programs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather, is_one_log
from sesskit.cli.output import MAX_ISSUES, Display, show, write_out
from sesskit.cli.replay_logs import (
    Events,
    From,
    Idle,
    Ranged,
    Speed,
    Subagents,
    To,
    ranged,
    refuse_together,
)
from sesskit.cli.replaying import FORMS, LOG, Seen, Wishes, form_of, loss_words, made_in, seen_in
from sesskit.cli.report import Entry, Report, Rules
from sesskit.cli.screen import note, one_line, write
from sesskit.cli.standard_input import Base, base_of, place_of
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN, Finding
from sesskit.records.format import Options

if TYPE_CHECKING:
    from sesskit.cli.replay_log import Job

Full = Annotated[bool, typer.Option("--full", help="Shorten no text.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="|".join(FORMS), help="Give one session in this form instead."),
]
DSH, DATABASE = "dsh-log", "dsh-sqlite"
ONLY_ROBOTA = f"--with-subagents is for one {LOG}"
FOR_ONE_LOG = f"parts, --events, --speed and --follow are for one {LOG} or {DSH}, and {ONLY_ROBOTA}"
FillResults = Annotated[
    bool,
    typer.Option("--fill-results", help="With --as: a result that says so for calls without one."),
]
Unmasked = Annotated[bool, typer.Option("--unmasked", help="Leave secrets as they are.")]


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
    follow: o.Follow = False,
    base: Base = None,
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
    can be shown in part, as a timeline of events, at its own pace, and while it grows; so can one
    dsh-log, damaged or not.
    """
    if as_ is not None:
        form_of(as_)
        if output is not None:
            raise BadUsage("--as is a form of its own; leave out --output")
    elif fill_results:
        raise BadUsage("--fill-results goes with --as")
    base = base_of(base, paths)
    part = ranged(
        from_,
        to,
        events=events,
        subagents=with_subagents,
        speed=speed,
        idle=idle,
        follow=follow,
        zone=zone,
    )
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
    how = Wishes(full, unmasked, fill_results)
    telling = _Telling(as_, part, how, display, rules, base, reading.options)
    if store is None and is_one_log(paths, format):
        raise typer.Exit(telling.log((paths or [""])[0]))
    if part.follow and STDIN in (paths or ()):
        raise BadUsage(o.NOT_FOLLOWED)
    if part.follow and store is None and is_one_log(paths, format, DSH):
        from sesskit.cli.replay_dsh import follow as follow_dsh  # only now: most runs end

        refuse_together(as_, part, how, display)
        raise typer.Exit(follow_dsh((paths or [""])[0], as_, part, how, display, rules))
    report = check(gather(paths, store, format), reading, rules, quiet=quiet)
    single = telling.one(report, paths)
    if single is not None:
        raise typer.Exit(telling.log(single.finding.path, single.finding.source))
    report = _sessions_apart(report)
    nothing = all(entry.finding.format is None for entry in report.entries)
    if part != Ranged() and not nothing:
        _refuse_part(report, telling)
    if part.events and not nothing:
        from sesskit.cli.replay_dsh import events as timeline

        raise typer.Exit(timeline(report, part, how, display))
    if as_ is not None:
        raise typer.Exit(_in_form(as_, report, telling, strict=strict))
    if part.speed is not None and not nothing:
        raise typer.Exit(_paced(report, telling))
    entries = tuple(_told(entry, telling) for entry in report.entries)
    raise typer.Exit(show(report._replace(entries=entries), display))


def _sessions_apart(report: Report) -> Report:
    """The report with each session of a database by itself."""
    if all(entry.finding.format != DATABASE for entry in report.entries):
        return report
    from sesskit.cli.database import apart

    found = [one for entry in report.entries for one in apart(entry, report.rules)]
    return report._replace(entries=tuple(found))


class _Telling(NamedTuple):
    """How files are to be replayed."""

    form: str | None
    part: Ranged
    how: Wishes
    display: Display
    rules: Rules
    base: str | None
    options: Options

    def log(self, path: str, data: bytes | None = None) -> int:
        """Replay one log, that of ``data`` if it came from standard input; the exit code."""
        from sesskit.cli.replay_log import replay_log  # only now: it brings the decoder

        if self.part.follow:
            from sesskit.cli.replay_follow import follow

            return replay_log(self.job(path, data), follow)
        return replay_log(self.job(path, data))

    def job(self, path: str, data: bytes | None) -> Job:
        from sesskit.cli.replay_log import Job

        place = place_of(path, data, self.base)
        form, part, how, display, rules, _, options = self
        return Job(place, path, form, part, how, display, rules, options)

    def one(self, report: Report, paths: list[str] | None) -> Entry | None:
        """The one log of a report that is replayed as such: of standard input, or in a folder
        where it is asked for what only one log has."""
        wanted = paths == [STDIN] or self.form is not None or self.part != Ranged()
        if not wanted or len(report.entries) != 1:
            return None
        (entry,) = report.entries
        return entry if entry.finding.format == LOG else None


def _refuse_part(report: Report, telling: _Telling) -> None:
    """Raise `BadUsage` where a part, or a pace, is asked for that there is not."""
    if [entry.finding.format for entry in report.entries] != [DSH]:
        raise BadUsage(FOR_ONE_LOG)
    if telling.part.subagents:
        raise BadUsage(ONLY_ROBOTA)
    if telling.part.follow:
        raise BadUsage("--follow takes the file of a log; what is inside of one does not grow")
    refuse_together(telling.form, telling.part, telling.how, telling.display)
    if telling.part.speed is not None and telling.display.out is not None:
        raise BadUsage("--speed is for people; leave out --out")


def _paced(report: Report, telling: _Telling) -> int:
    """Show the one session of a report at its pace."""
    from sesskit.cli.replay_parts import tell

    (entry,) = report.entries
    seen = _seen(entry, telling)
    if seen is None:
        return show(report, telling.display)
    tell(seen, telling.part, telling.display.screen, telling.how)
    return report.exit_code


def _seen(entry: Entry, telling: _Telling) -> Seen | None:
    """The session of a file, or the part of it that is asked for."""
    seen = seen_in(entry.finding, telling.options.zone)
    if seen is None or telling.part == Ranged():
        return seen
    from sesskit.cli.replay_parts import part_of

    return seen._replace(session=part_of(seen.session, telling.part))


def _told(entry: Entry, telling: _Telling) -> Entry:
    """The entry with the session in it, as lines or as a member of its JSON."""
    if entry.finding.format == LOG:
        from sesskit.cli.replay_log import told_log

        job = telling.job(entry.finding.path, entry.finding.source)
        return told_log(entry, job)
    with _resting():
        seen = _seen(entry, telling)
        if seen is None:
            return entry
        if telling.display.output == "json":
            from sesskit.cli.replay_json import replay_member

            return entry._replace(members={"replay": replay_member(seen, telling.how)})
        from sesskit.cli.replay_text import conversation

        lines = conversation(seen, telling.display.screen, telling.how)
        return entry._replace(body=tuple(lines))


def _loadable(entry: Entry, display: Display) -> Finding:
    """A file as its program would have it in memory."""
    finding = entry.finding
    if finding.format != DSH:
        return finding
    from sesskit.cli.replay_loaded import as_loaded

    finding, words = as_loaded(finding)
    if words and not display.quiet:
        note(f"{one_line(finding.path)}: {words}")
    return finding


def _in_form(word: str, report: Report, telling: _Telling, *, strict: bool) -> int:
    """Write one session in a form, if its program would load it: what takes it in trusts it."""
    display = telling.display
    if len(report.entries) != 1:
        raise BadUsage(f"--as {word} takes one session; name a file, not a folder, or DATABASE#ID")
    (entry,) = report.entries
    finding = _loadable(entry, display)
    if finding.status != "valid":
        path = one_line(finding.path)
        note(f"{path} is {finding.status}: nothing was written; sesskit validate {path}")
        return 0 if report.rules.exit_zero else 1
    with _resting():
        seen = _seen(entry._replace(finding=finding), telling)
        if seen is None:
            raise BadUsage(f"{finding.format} has no session view to be replayed")
        made = made_in(word, seen, telling.how)
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

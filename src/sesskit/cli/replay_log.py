"""`sesskit replay` of a log: checked as a whole first, then told in flat memory; or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from sesskit.cli.output import Display, render, show, write_out
from sesskit.cli.pacing import paced
from sesskit.cli.replay_log_json import events_of, record_of, spooled, subagents_of
from sesskit.cli.replay_log_text import Timeline
from sesskit.cli.replay_logs import Bound as Given
from sesskit.cli.replay_logs import Ranged, refuse_together
from sesskit.cli.replay_tree import Bad, Conversation, Part, Tree, checked_tree
from sesskit.cli.replaying import LOG, Wishes
from sesskit.cli.report import Entry as FileEntry
from sesskit.cli.report import Report, Rules, entry_of
from sesskit.cli.screen import note, one_line, pause, stream
from sesskit.cli.spooled import Spools, list_text
from sesskit.cli.standard_input import NO_BASE
from sesskit.logs.formats import Finding
from sesskit.logs.log_sources import LogPlace, homeless
from sesskit.logs.robota_chat import Losses, with_results
from sesskit.logs.robota_masking import masked_message
from sesskit.logs.robota_moments import Bound, Moment, Range
from sesskit.logs.robota_replay import provider_messages
from sesskit.logs.robota_stream import LogChanged
from sesskit.logs.robota_timeline import timeline
from sesskit.logs.robota_verify import apart
from sesskit.logs.transcript import transcript_entry
from sesskit.records.format import Options
from sesskit.records.reading import reason_for
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue
from sesskit.schemas.masking import printable
from sesskit.schemas.outcomes import Outcome
from sesskit.schemas.robota_log_turns import HistoryMutation
from sesskit.schemas.robota_messages import Message

LEFT_OUT_TOLD = 8
"""Logs of subagents that are left out are told one by one up to so many."""
NOTHING = "nothing is replayed of a log that is not valid, with all its sidecars"


class Job(NamedTuple):
    """One log to be replayed: what of it, in which form (a word of ``--as``), and how."""

    place: LogPlace
    path: str
    form: str | None = None
    part: Ranged = Ranged()
    how: Wishes = Wishes()
    display: Display = Display()
    rules: Rules = Rules()
    options: Options = Options()

    @property
    def range(self) -> Range:
        return Range(_bound(self.part.first), _bound(self.part.last))


def replay_log(job: Job, by: Callable[[Job], int] | None = None) -> int:
    """Replay one log; the exit code. Of a log that is not valid nothing is shown.

    ``by`` replays in another way than as a whole: one that goes on as the log grows.
    """
    refuse_together(job.form, job.part, job.how, job.display)
    job = job._replace(options=job.options._replace(keep=False))
    try:
        return (by or _replayed)(job)
    except LogChanged as error:
        note(f"{one_line(job.path)} was changed while it was replayed: {error}")
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        note(f"{one_line(job.path)} cannot be read any more: {reason_for(error)}")
    return 1


def told_log(entry: FileEntry, job: Job) -> FileEntry:
    """A log of several files in a report: its conversation, or its record; nothing if damaged."""
    tree = checked_tree(job.place, job.path, job.options._replace(keep=False), subagents=False)
    if not isinstance(tree, Tree):
        return entry
    try:
        if job.display.output == "json":
            return entry._replace(members={"replay": record_of(Part(tree.log, Range()), job.how)})
        pieces = "".join(_conversation(tree, job))
    except (LogChanged, OSError):
        note(f"{one_line(job.path)} was changed while it was replayed")
        return entry
    return entry._replace(body=tuple(pieces.splitlines()))


def _replayed(job: Job) -> int:
    tree = checked_tree(job.place, job.path, job.options, subagents=job.part.subagents)
    if not isinstance(tree, Tree):
        return refused(job, tree)
    if not job.display.quiet:
        _tell_left_out(tree)
    if job.form is None and job.display.output == "json":
        return _as_json(tree, job)
    lost = 0
    if job.form == "messages":
        lost = _as_messages(tree, job)
    else:
        some = give(_pieces(tree, job), job)
        if not some and job.form is None:
            note(f"there is nothing to show of {one_line(job.path)}")
    entry = entry_of(Finding(job.path, tree.log.outcome, LOG), job.rules)
    report = Report((entry,), job.rules)
    if entry.issues and not job.display.quiet:
        count = "1 issue" if len(entry.issues) == 1 else f"{len(entry.issues):,} issues"
        note(f"{one_line(job.path)} has {count}; sesskit validate shows what it is")
    strict = bool(lost) and job.rules.fail_on != "error" and not job.rules.exit_zero
    return report.exit_code or int(strict)


def _tell_left_out(tree: Tree) -> None:
    """Say which logs of subagents are not shown: the first ones, and how many more there are."""
    for path, reason in tree.left_out[:LEFT_OUT_TOLD]:
        note(f"{one_line(str(path))} is left out: {reason}")
    if (more := len(tree.left_out) - LEFT_OUT_TOLD) > 0:
        note(f"{more:,} more of the subagents are left out")


def give(pieces: Iterable[str], job: Job) -> bool:
    """Write pieces as they come, harmless on a terminal; or all of them to ``--out``.

    Says whether there were any.
    """
    if job.display.out is not None:
        given = _Counted(pieces)
        write_out(job.display.out, given, force=job.display.force)
        return given.some
    harmless, some = job.form is None or not sys.stdout.isatty(), False
    for piece in pieces:
        some = True
        stream(piece if harmless else printable_lines(piece))
    return some


class _Counted:
    """Pieces, and whether there were any."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces, self.some = pieces, False

    def __iter__(self) -> Iterator[str]:
        for piece in self._pieces:
            self.some = True
            yield piece


def refused(job: Job, bad: Bad, what: str = NOTHING) -> int:
    """Say what is wrong with a log of which nothing is shown; the exit code."""
    outcome: Outcome = bad.outcome
    unresolved: tuple[Issue, ...] = ()
    if homeless(job.place):
        outcome, unresolved = apart(outcome)
    known = outcome.status in ("valid", "corrupt", "unsupported")
    entry = entry_of(Finding(bad.path, outcome, LOG if known else None), job.rules)
    entry = entry._replace(issues=(*entry.issues, *unresolved))
    report = Report((entry,), job.rules)
    if job.display.output == "json":
        return show(report, job.display)
    sys.stderr.write(render(report, job.display))
    if unresolved:
        note(NO_BASE)
    note(what)
    return report.exit_code


def printable_lines(text: str) -> str:
    """Lines for a terminal, without anything that could take it over."""
    return "".join(f"{printable(line)}\n" for line in text.split("\n")[:-1])


def entries_of(moments: Iterable[Moment]) -> Iterator[str]:
    """To the byte what the owner of the format hands to a model: nothing is masked."""
    return (f"{transcript_entry(message)}\n" for message in _messages(moments))


def timeline_of(moments: Iterable[Moment], job: Job) -> Iterator[str]:
    """The timeline, at its pace."""
    shown = Timeline(job.display.screen, job.how)
    for entry in paced(timeline(moments), job.part.speed, job.part.idle, pause):
        yield "".join(f"{line}\n" for line in shown.lines(entry))


def _bound(given: Given | None) -> Bound | None:
    return None if given is None else Bound(given.kind, given.value)


def _messages(moments: Iterable[Moment]) -> Iterator[Message]:
    for moment in moments:
        if isinstance(moment.event, HistoryMutation):
            yield moment.event.message


def _pieces(tree: Tree, job: Job) -> Iterator[str]:
    if job.form is None and not job.part.events:
        return _conversation(tree, job)
    part = Part(tree.log, job.range, job.options.zone)
    return part.checked(
        entries_of(part.moments()) if job.form else timeline_of(part.moments(), job)
    )


def _conversation(tree: Tree, job: Job) -> Iterator[str]:
    shown = Conversation(job.display.screen, job.how, job.options.zone).of(tree, job.range)
    for telling, item in paced(shown, job.part.speed, job.part.idle, pause):
        yield "".join(f"{line}\n" for line in telling.lines(item))


def _as_messages(tree: Tree, job: Job) -> int:
    """The list for a provider, and a word on what it has no place for; how much that is."""
    part = Part(tree.log, job.range, job.options.zone)
    found = part.checked(_messages(part.moments()))
    listed = found if job.how.unmasked else map(masked_message, found)
    listed = with_results(listed) if job.how.fill_results else listed
    losses = Losses()
    made = losses.made(provider_messages(losses.taken(listed)))
    _write(chain(list_text(json.loads(dumps(chat)) for chat in made), "\n"), job.display)
    lost = [f"{word} {count:,}" for word, count in losses.found().items() if count]
    if lost and not job.display.quiet:
        note(f"--as messages: left out {', '.join(lost)}")
    return len(lost)


def _as_json(tree: Tree, job: Job) -> int:
    part = Part(tree.log, job.range, job.options.zone)
    held = 0
    with Spools() as spools:
        if job.part.events:
            events = spools.new()
            for event in events_of(part.moments(), job.how):
                events.add(event)
            members: dict[str, Any] = {"events": spools.place(events)}
        else:
            members = {"replay": spooled(part, job.how, spools)}
            if job.part.subagents:
                members["subagents"] = [
                    *subagents_of(tree, job.range, job.how, job.options.zone, spools)
                ]
                held = len(members["subagents"])
        if not held:
            part.refuse_nothing()
        entry = entry_of(Finding(job.path, tree.log.outcome, LOG), job.rules, members=members)
        report = Report((entry,), job.rules)
        _write(spools.expanded(render(report, job.display)), job.display)
    return report.exit_code


def _write(pieces: Iterable[str], display: Display) -> None:
    if display.out is not None:
        write_out(display.out, pieces, force=display.force)
        return
    for piece in pieces:
        stream(piece)

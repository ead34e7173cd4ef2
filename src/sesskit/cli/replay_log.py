"""`sesskit replay` of a log: checked as a whole first, then told in flat memory; or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sesskit.cli.output import Display, render, show, write_out
from sesskit.cli.pacing import paced
from sesskit.cli.replay_log_text import Telling, Timeline
from sesskit.cli.replay_logs import IDLE_SECONDS, Ranged
from sesskit.cli.replay_logs import Bound as Given
from sesskit.cli.replaying import Wishes
from sesskit.cli.report import Entry as FileEntry
from sesskit.cli.report import Report, Rules, entry_of
from sesskit.cli.report_json import json_text
from sesskit.cli.screen import note, one_line, write
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import Finding
from sesskit.logs.robota_chat import lost_in, with_results
from sesskit.logs.robota_masking import masked_message
from sesskit.logs.robota_moments import Bound, Moment, Range, moments, subagent_logs
from sesskit.logs.robota_replay import provider_messages, replay_events
from sesskit.logs.robota_stream import CheckedLog, LogChanged, checked_log
from sesskit.logs.robota_talk import Helper, Item, talk_of
from sesskit.logs.robota_timeline import timeline
from sesskit.logs.transcript import transcript_entry
from sesskit.records.format import Options
from sesskit.records.reading import reason_for
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.masking import mask_text, mask_tree, printable
from sesskit.schemas.outcomes import Outcome
from sesskit.schemas.robota_log_turns import HistoryMutation
from sesskit.schemas.robota_messages import Message

LOG = "robota-log"
MOST_NESTED = 8
"""Logs of subagents of subagents are followed so deep."""


class LogWishes(NamedTuple):
    """What of a log is to be shown, and how; ``form`` is the word of ``--as``."""

    form: str | None = None
    range: Range = Range()
    events: bool = False
    speed: float | None = None
    idle: float = IDLE_SECONDS
    subagents: bool = False
    full: bool = False
    unmasked: bool = False
    fill: bool = False


@dataclass(slots=True)
class _Tree:
    """A log that was checked, and those of its subagents."""

    log: CheckedLog
    name: str
    children: list[_Tree] = field(default_factory=list)


def replay_log(
    path: str,
    form: str | None,
    part: Ranged,
    how: Wishes,
    display: Display,
    rules: Rules,
    options: Options,
) -> int:
    """Replay the log at a path; the exit code. Of a log that is not valid nothing is shown."""
    if form is not None and (part.events or part.subagents or part.speed is not None):
        raise BadUsage("--events, --with-subagents and --speed are for people; leave out --as")
    if form == "transcript" and how.fill_results:
        raise BadUsage("--fill-results goes with --as messages")
    if display.output == "json" and part.speed is not None:
        raise BadUsage("--speed is for people; leave out --output json")
    wishes = LogWishes(
        form,
        Range(_bound(part.first), _bound(part.last)),
        part.events,
        part.speed,
        part.idle,
        part.subagents,
        how.full,
        how.unmasked,
        how.fill_results,
    )
    tree = _checked(Path(path), wishes, options._replace(keep=False), 0)
    if not isinstance(tree, _Tree):
        return _refused(path, tree, display, rules)
    try:
        if form is None and display.output == "json":
            return _as_json(path, tree, wishes, display, rules)
        if form == "messages":
            return _as_messages(tree, wishes, display, rules)
        pieces = _FORMS[form](tree, wishes, display)
        if display.out is None:
            harmless = form is None or not sys.stdout.isatty()
            for piece in pieces:
                write(piece if harmless else printable_lines(piece))
        else:
            write_out(display.out, "".join(pieces), force=display.force)
    except LogChanged as error:
        note(f"{one_line(path)} was changed while it was replayed: {error}")
        return 1
    except OSError as error:
        note(f"{one_line(path)} cannot be read any more: {reason_for(error)}")
        return 1
    return 0


def told_log(entry: FileEntry, display: Display, *, full: bool) -> FileEntry:
    """A log of several files in a report: its conversation, or its record; nothing if damaged."""
    path = Path(entry.finding.path)
    tree = _checked(path, LogWishes(), Options(keep=False), 0)
    if not isinstance(tree, _Tree):
        return entry
    wishes = LogWishes(full=full)
    try:
        if display.output == "json":
            return entry._replace(members={"replay": _record(tree.log, wishes)})
        pieces = "".join(_told(tree, wishes, display))
    except (LogChanged, OSError):
        note(f"{one_line(str(path))} was changed while it was replayed")
        return entry
    return entry._replace(body=tuple(pieces.splitlines()))


def _bound(given: Given | None) -> Bound | None:
    return None if given is None else Bound(given.kind, given.value)


def printable_lines(text: str) -> str:
    """Lines for a terminal, without anything that could take it over."""
    return "".join(f"{printable(line)}\n" for line in text.split("\n")[:-1])


class _Bad(NamedTuple):
    path: str
    outcome: Outcome


def _checked(path: Path, wishes: LogWishes, options: Options, depth: int) -> _Tree | _Bad:
    """A log and the logs of its subagents, all checked; or the first that is not valid."""
    found = checked_log(path, options)
    if not isinstance(found, CheckedLog):
        return _Bad(str(path), found)
    tree = _Tree(found, path.name)
    if wishes.subagents and depth < MOST_NESTED:
        for child in subagent_logs(path, path.name.removesuffix(".jsonl")):
            below = _checked(child, wishes, options, depth + 1)
            if not isinstance(below, _Tree):
                return below
            tree.children.append(below)
    return tree


def _refused(path: str, bad: _Bad, display: Display, rules: Rules) -> int:
    shown = path if bad.path == str(Path(path)) else bad.path
    known = bad.outcome.status in ("valid", "corrupt", "unsupported")
    finding = Finding(shown, bad.outcome, LOG if known else None)
    report = Report((entry_of(finding, rules),), rules)
    if display.output == "json":
        return show(report, display)
    sys.stderr.write(render(report, display))
    note("nothing is replayed of a log that is not valid")
    return report.exit_code


def _selected(log: CheckedLog, wishes: LogWishes) -> Iterator[Moment]:
    return (moment for moment in moments(log.lines()) if wishes.range.holds(moment))


def _messages(log: CheckedLog, wishes: LogWishes) -> Iterator[Message]:
    for moment in _selected(log, wishes):
        if isinstance(moment.event, HistoryMutation):
            yield moment.event.message


def _transcript(tree: _Tree, wishes: LogWishes, display: Display) -> Iterator[str]:
    """To the byte what the owner of the format hands to a model: nothing is masked."""
    for message in _messages(tree.log, wishes):
        yield f"{transcript_entry(message)}\n"


def _as_messages(tree: _Tree, wishes: LogWishes, display: Display, rules: Rules) -> int:
    """The list for a provider, and a word on what it has no place for."""
    found = list(_messages(tree.log, wishes))
    listed = found if wishes.unmasked else list(map(masked_message, found))
    listed = list(with_results(listed)) if wishes.fill else listed
    made = list(provider_messages(listed))
    text = json_text(json.loads(dumps(made)))
    if display.out is None:
        write(text)
    else:
        write_out(display.out, text, force=display.force)
    lost = [f"{word} {count:,}" for word, count in lost_in(listed, made).items() if count]
    if lost and not display.quiet:
        note(f"--as messages: left out {', '.join(lost)}")
    return int(bool(lost) and rules.fail_on != "error" and not rules.exit_zero)


def _told(tree: _Tree, wishes: LogWishes, display: Display) -> Iterator[str]:
    """The conversation, or the timeline, at its pace."""
    if wishes.events:
        shown = Timeline(display.screen, full=wishes.full)
        for entry in paced(timeline(_selected(tree.log, wishes)), wishes.speed, wishes.idle):
            yield "".join(f"{line}\n" for line in shown.lines(entry))
        return
    for telling, item in _conversation(tree, wishes, display, 0):
        yield "".join(f"{line}\n" for line in telling.lines(item))


def _conversation(
    tree: _Tree, wishes: LogWishes, display: Display, depth: int
) -> Iterator[tuple[Telling, Item]]:
    telling = Telling(display.screen, full=wishes.full, depth=depth)
    left = {child.name: child for child in tree.children}
    items = (item for item in _items(tree.log) if wishes.range.holds(item.moment))
    last: Item | None = None
    for item in paced(items, wishes.speed, wishes.idle):
        yield telling, item
        last = item
        child = left.pop(Path(item.path).name, None) if isinstance(item, Helper) else None
        if child is not None:
            yield from _conversation(child, _whole(wishes), display, depth + 1)
    for name, child in left.items():
        if last is not None:
            yield telling, Helper(last.moment, name.removesuffix(".jsonl"), name)
        yield from _conversation(child, _whole(wishes), display, depth + 1)


def _whole(wishes: LogWishes) -> LogWishes:
    """Of a subagent all is shown: lines and turns of its parent mean nothing there."""
    return wishes._replace(range=Range())


def _items(log: CheckedLog) -> Iterator[Item]:
    return talk_of(moments(log.lines()))


_FORMS = {None: _told, "transcript": _transcript}


def _as_json(path: str, tree: _Tree, wishes: LogWishes, display: Display, rules: Rules) -> int:
    outcome = tree.log.outcome
    if wishes.events:
        members: dict[str, Any] = {"events": [*_events(_selected(tree.log, wishes))]}
    else:
        members = {"replay": _record(tree.log, wishes)}
        if wishes.subagents:
            members["subagents"] = [*_subagents(tree, _whole(wishes))]
    finding = Finding(path, outcome, LOG)
    entry = entry_of(finding, rules, members=members)
    return show(Report((entry,), rules), display)


def _record(log: CheckedLog, wishes: LogWishes) -> dict[str, Any]:
    """The replay record as plain JSON."""
    replay = replay_events(moment.event for moment in _selected(log, wishes))
    record: dict[str, Any] = json.loads(dumps(replay.record()))
    if wishes.unmasked:
        return record
    masked: dict[str, Any] = mask_tree(record)
    return masked


def _subagents(tree: _Tree, wishes: LogWishes) -> Iterator[dict[str, Any]]:
    """The replay records of all subagents, those of subagents behind their own."""
    for child in tree.children:
        yield {
            "path": str(child.log.path),
            "replay": _record(child.log, wishes),
        }
        yield from _subagents(child, wishes)


def _events(found: Iterable[Moment]) -> Iterator[dict[str, Any]]:
    for entry in timeline(found):
        moment = entry.moment
        yield {
            "line": moment.line,
            "turn": moment.turn,
            "time": None if moment.time is None else str(moment.time),
            "kind": entry.kind,
            "words": mask_text(entry.words),
            **({"figures": dict(entry.figures)} if entry.figures else {}),
        }

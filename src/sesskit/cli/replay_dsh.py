"""dsh: `sesskit replay --events` and `--follow` of one log, told event by event as a stream."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sesskit.cli.output import Display, render, show, write_out
from sesskit.cli.pacing import paced
from sesskit.cli.replay_log_json import event_member
from sesskit.cli.replay_log_text import Telling, Timeline
from sesskit.cli.replay_logs import Ranged
from sesskit.cli.replaying import Wishes
from sesskit.cli.report import Report, Rules, entry_of
from sesskit.cli.screen import note, one_line, pause, stream
from sesskit.cli.spooled import Spools
from sesskit.cli.usage import BadUsage
from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.following import followed
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.timeline import Happened, blocks_of, happenings, result_of, texts_of
from sesskit.logs.formats import Finding
from sesskit.logs.robota_moments import Bound, Range
from sesskit.logs.robota_stream import LogChanged
from sesskit.logs.robota_talk import Answered, Called, Said, TurnBegan, TurnEnded
from sesskit.records.reading import reason_for
from sesskit.schemas.outcomes import Missing, Unreadable

LOG = "dsh-log"
Json = Mapping[str, Any]


def events(report: Report, part: Ranged, how: Wishes, display: Display) -> int:
    """Show the timeline of the one log of a report; its exit code."""
    (entry,) = report.entries
    with _lines(entry.finding) as lines:
        if lines is None:
            return show(report, display)
        found = _wanted(happenings(lines), part)
        if display.output == "json":
            _as_json(found, report, how, display)
        else:
            pieces = _timeline(found, part, how, display)
            if display.out is not None:
                write_out(display.out, pieces, force=display.force)
            else:
                for piece in pieces:
                    stream(piece)
    if entry.issues and display.output != "json" and not display.quiet:
        count = "1 issue" if len(entry.issues) == 1 else f"{len(entry.issues):,} issues"
        note(f"{one_line(entry.finding.path)} has {count}; sesskit validate shows what it is")
    return report.exit_code


@contextmanager
def _lines(finding: Finding) -> Iterator[Iterable[Stored] | None]:
    """The lines of a log that was examined, as a stream; None where there are none."""
    if finding.source is not None:
        yield open_log(io.BytesIO(finding.source), keep=False)
        return
    descriptor = opened(Path(finding.path))
    if not isinstance(descriptor, int):
        yield None
        return
    with os.fdopen(descriptor, "rb") as source:
        yield open_log(source, Path(finding.path).absolute(), keep=False)


def _wanted(found: Iterable[Happened], part: Ranged) -> Iterator[Happened]:
    """What happened in a part; what lies behind it ends the reading."""
    ends = [None if one is None else Bound(one.kind, one.value) for one in (part.first, part.last)]
    chosen = Range(*ends)
    for one in found:
        moment: Any = one.moment
        if chosen.is_over(moment):
            return
        if chosen.holds(moment):
            yield one


def _timeline(
    found: Iterable[Happened], part: Ranged, how: Wishes, display: Display
) -> Iterator[str]:
    shown = Timeline(display.screen, how)
    for one in paced(found, part.speed, part.idle, pause):
        yield "".join(f"{line}\n" for line in shown.lines(one))


def _as_json(found: Iterable[Happened], report: Report, how: Wishes, display: Display) -> None:
    (entry,) = report.entries
    with Spools() as spools:
        listed = spools.new()
        for one in found:
            listed.add(event_member(one, how))
        members = {**(entry.members or {}), "events": spools.place(listed)}
        told = report._replace(entries=(entry._replace(members=members),))
        pieces = spools.expanded(render(told, display))
        if display.out is not None:
            write_out(display.out, pieces, force=display.force)
            return
        for piece in pieces:
            stream(piece)


def follow(
    path: str, form: str | None, part: Ranged, how: Wishes, display: Display, rules: Rules
) -> int:
    """Show a log and go on as it grows, until the end of the part; the exit code.

    What comes is shown once its line, or its frame, is whole. Raises `BadUsage`.
    """
    if form is not None:
        raise BadUsage(f"--as {form} is no form of a {LOG} that grows")
    try:
        with followed(Path(path), pause) as reader:
            found = _wanted(happenings(reader), part)
            pieces = (
                _timeline(found, part, how, display) if part.events else _talk(found, how, display)
            )
            for piece in pieces:
                stream(piece)
    except LogChanged as error:
        note(f"{one_line(path)} was changed while it was replayed: {error}")
        return 1
    except FileNotFoundError:
        return _unopened(Finding(path, Missing()), display, rules)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _unopened(Finding(path, Unreadable(reason_for(error))), display, rules)
    return 0


def _unopened(finding: Finding, display: Display, rules: Rules) -> int:
    return show(Report((entry_of(finding, rules),), rules), display)


def _talk(found: Iterable[Happened], how: Wishes, display: Display) -> Iterator[str]:
    """The talk, message by message."""
    telling = Telling(display.screen, how)
    names: dict[str, str] = {}
    for one in found:
        items = _items(one, names)
        yield "".join(f"{line}\n" for item in items for line in telling.lines(item))


def _items(one: Happened, names: dict[str, str]) -> Iterator[Any]:
    moment: Any = one.moment
    event = one.event or {}
    data = event.get("data")
    said: Json = data if isinstance(data, dict) else {}
    kind = event.get("type")
    if kind == "turn/start":
        names.clear()
        yield TurnBegan(moment, one.moment.turn)
    elif kind == "turn/end":
        yield _ended(moment, said, names)
    elif one.kind == "damaged":
        yield Said(moment, "damaged line", one.words)
    elif event.get("surfaceOp", "append") != "append":
        return  # what hides others changes the next request, not what was said
    elif kind in ("user/message", "context/message", "steering/message", "system/message"):
        yield Said(moment, str(kind).partition("/")[0], texts_of(blocks_of(said)), _peer(said))
    elif kind == "assistant/message":
        yield from _answer(moment, said, names)
    elif kind == "tool/result":
        call, failed = result_of(said)
        state = "error" if failed else "answered"
        yield Answered(moment, call, names.pop(call, ""), state, texts_of(blocks_of(said)))


def _ended(moment: Any, said: Json, names: dict[str, str]) -> TurnEnded:
    reason = said.get("reason")
    how = reason.get("kind") if isinstance(reason, dict) else None
    state = "complete" if how == "completed" else "interrupted"
    number = said.get("turn")
    turn = number if isinstance(number, int) else moment.turn
    why = None if state == "complete" or not isinstance(how, str) else how
    return TurnEnded(moment, turn, state, why, tuple(names.values()))


def _peer(said: Json) -> str | None:
    source = said.get("source")
    kind = source.get("kind") if isinstance(source, dict) else None
    return kind if isinstance(kind, str) and kind != "user" else None


def _answer(moment: Any, said: Json, names: dict[str, str]) -> Iterator[Any]:
    blocks = blocks_of(said)
    text = texts_of(blocks)
    if text:
        yield Said(moment, "assistant", text, interrupted=said.get("interrupted") is True)
    for block in blocks:
        if block.get("type") == "tool-call":
            call, name, given = (str(block.get(key, "")) for key in ("id", "name", "arguments"))
            names[call] = name
            yield Called(moment, call, name, given)

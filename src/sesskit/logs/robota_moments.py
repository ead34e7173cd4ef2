"""Moments of a log: each line with its turn, and ranges of them.

A turn begins where a message of the user is committed by another execution, or after the last one
ended; number 0 is what stands before the first. The view counts turns in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo
from typing import NamedTuple

from msgspec import UNSET

from sesskit.logs.robota_log import LogLine
from sesskit.schemas.instants import Instant, parse_instant
from sesskit.schemas.robota_log import (
    BackgroundJobGroupEvent,
    BackgroundTaskEvent,
    MemoryLine,
    ServerTool,
)
from sesskit.schemas.robota_log_envelope import LogEvent
from sesskit.schemas.robota_log_turns import Assistant, Error, HistoryMutation, PreRun, User
from sesskit.schemas.robota_tasks import TaskEvent

_AFTER_INPUT = (PreRun, BackgroundTaskEvent, BackgroundJobGroupEvent, MemoryLine, ServerTool)
"""What may stand between an input and its commit; so many lines are held to see whether it does."""
_MOST_HELD = 64


class Moment(NamedTuple):
    """One line: its number, its turn, its time if that can be read, and its event."""

    line: int
    turn: int
    time: Instant | None
    event: LogEvent


class Bound(NamedTuple):
    """An end of a range, itself inside it: a line, a turn, or milliseconds of a time."""

    kind: str
    value: float

    def of(self, moment: Moment) -> float | None:
        """What of a moment is compared; None where it has no time."""
        if self.kind == "line":
            return moment.line
        if self.kind == "turn":
            return moment.turn
        return None if moment.time is None else moment.time.ms


class Range(NamedTuple):
    """From and to, both inside; None is the end of the log. What has no time fits no time."""

    first: Bound | None = None
    last: Bound | None = None

    def holds(self, moment: Moment) -> bool:
        """Whether a moment lies in the range."""
        if self.first is not None:
            place = self.first.of(moment)
            if place is None or place < self.first.value:
                return False
        if self.last is not None:
            place = self.last.of(moment)
            return place is not None and place <= self.last.value
        return True

    def is_over(self, moment: Moment) -> bool:
        """Whether a moment lies behind the range."""
        place = None if self.last is None else self.last.of(moment)
        return place is not None and self.last is not None and place > self.last.value

    def below(self, began: Moment | None) -> Range | None:
        """The range as it holds for the log of a subagent that began at a moment of its parent.

        Times mean the same there; lines and turns are those of the parent, so that all of the
        subagent lies inside or, None, outside.
        """
        times = Range(*(end if end is None or end.kind == "time" else None for end in self))
        places = Range(*(None if end is None or end.kind == "time" else end for end in self))
        if places != Range() and (began is None or not places.holds(began)):
            return None
        return times


def moments(lines: Iterable[LogLine], zone: tzinfo = UTC) -> Iterator[Moment]:
    """The lines of a log that was checked, each with its turn.

    What is logged of an input before it is committed belongs to the turn that it begins. ``zone``
    is that of times without one.
    """
    turns, held = _Turns(), list[tuple[int, LogEvent]]()
    for line in lines:
        event = line.event
        if event is None:
            continue
        if isinstance(event, _AFTER_INPUT) and held and len(held) < _MOST_HELD:
            held.append((line.number, event))
            continue
        number = turns.number if isinstance(event, User) else turns.of(event)
        yield from (_moment(*before, number, zone) for before in held)
        held.clear()
        if isinstance(event, User):
            held.append((line.number, event))
        else:
            yield _moment(line.number, event, number, zone)
    yield from (_moment(*before, turns.number, zone) for before in held)


class _Turns:
    """Counts turns."""

    def __init__(self) -> None:
        self.number, self._execution, self._running = 0, "", False

    def of(self, event: LogEvent) -> int:
        """The turn that an event belongs to."""
        if isinstance(event, HistoryMutation) and event.message.role == "user":
            mine = "" if event.execution_id is UNSET else event.execution_id
            if mine != self._execution or not self._running:
                self.number, self._execution, self._running = self.number + 1, mine, True
        if isinstance(event, Assistant | Error):
            self._running = False
        return self.number


def _moment(line: int, event: LogEvent, turn: int, zone: tzinfo) -> Moment:
    return Moment(line, turn, parse_instant(event.timestamp, zone), event)


def task_event(event: BackgroundTaskEvent) -> TaskEvent:
    """What happened to a background task: the one payload or the other."""
    primary, other = event.background_event, event.data
    if primary is not UNSET:
        return primary
    if other is UNSET:
        raise ValueError("a checked event has one of both")
    return other

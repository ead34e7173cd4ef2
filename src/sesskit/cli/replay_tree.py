"""A log that is to be replayed, with those of its subagents, and the part that is wanted of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import NamedTuple, TypeVar

from sesskit.cli.replay_log_text import Telling
from sesskit.cli.replaying import Wishes
from sesskit.cli.screen import Screen
from sesskit.cli.usage import BadUsage
from sesskit.logs.log_sources import LogPlace
from sesskit.logs.robota_moments import Moment, Range, moments
from sesskit.logs.robota_stream import CheckedLog, checked_log
from sesskit.logs.robota_subagents import (
    UNPLACED,
    SubagentLogs,
    in_order,
    subagent_logs,
    subagent_places,
)
from sesskit.logs.robota_talk import Helper, Item, talk_of
from sesskit.records.format import Options
from sesskit.schemas.instants import Instant
from sesskit.schemas.outcomes import Outcome

Made = TypeVar("Made")

MOST_NESTED = 8
"""Logs of subagents of subagents are followed so deep."""


@dataclass(slots=True)
class Tree:
    """A log that was checked, and those of its subagents; ``name`` is that of its file.

    ``left_out`` are those that were not read, its own and those of its subagents, with the reason.
    """

    log: CheckedLog
    name: str
    children: list[Tree] = field(default_factory=list)
    left_out: list[tuple[Path, str]] = field(default_factory=list)


class Bad(NamedTuple):
    """The first log that is not valid."""

    path: str
    outcome: Outcome


def checked_tree(
    place: LogPlace, name: str, options: Options, *, subagents: bool, depth: int = 0
) -> Tree | Bad:
    """A log and the logs of its subagents, all checked; or the first that is not valid."""
    found = checked_log(place, options)
    if not isinstance(found, CheckedLog):
        return Bad(name if depth == 0 else str(place), found)
    tree = Tree(found, name)
    if not subagents:
        return tree
    logs, left_out = _children(place, found)
    tree.left_out += left_out
    if depth == MOST_NESTED:
        tree.left_out += ((child, f"below level {MOST_NESTED}") for child in logs)
        return tree
    for child in logs:
        below = checked_tree(child, child.name, options, subagents=True, depth=depth + 1)
        if not isinstance(below, Tree):
            return below
        tree.children.append(below)
        tree.left_out += below.left_out
    return tree


def _children(place: LogPlace, log: CheckedLog) -> SubagentLogs:
    """The logs of the subagents of a log; one in memory would be called after its session."""
    if isinstance(place, Path):
        return subagent_logs(place, place.name.removesuffix(".jsonl"))
    if place.base is None:
        raise BadUsage(
            "--with-subagents: where they lie is not known of standard input; give --base"
        )
    first = next(log.lines(), None)
    event = None if first is None else first.event
    return subagent_logs(place.base / "-", None if event is None else event.session_id)


class Part:
    """The part of one log that lies in a range; ``held`` counts the lines that did."""

    def __init__(self, log: CheckedLog, range: Range, zone: tzinfo = UTC) -> None:
        self._log, self._range, self._zone = log, range, zone
        self.held = 0
        self._first: Moment | None = None
        self._last: Moment | None = None

    def every(self) -> Iterator[Moment]:
        """All moments of the log; those in the range are counted."""
        for moment in moments(self._log.lines(), self._zone):
            self._first, self._last = self._first or moment, moment
            self.held += self._range.holds(moment)
            yield moment

    def moments(self) -> Iterator[Moment]:
        """The moments in the range."""
        return (moment for moment in self.every() if self._range.holds(moment))

    def checked(self, made: Iterable[Made]) -> Iterator[Made]:
        """What was made of the moments in the range; raises `BadUsage` if there were none."""
        yield from made
        self.refuse_nothing()

    def refuse_nothing(self) -> None:
        """Raise `BadUsage` if nothing of the log was in the range, once it was read."""
        if self._range == Range() or self.held:
            return
        if self._first is None or self._last is None:
            raise BadUsage("nothing lies between --from and --to: the log has no lines")
        turns = f"{self._last.turn} {'turn' if self._last.turn == 1 else 'turns'}"
        times = [str(at.time) for at in (self._first, self._last) if at.time is not None]
        span = f", {' to '.join(times)}" if times else ""
        raise BadUsage(
            f"nothing lies between --from and --to: the log has {self._last.line:,} lines in "
            f"{turns}{span}"
        )


class Shown(NamedTuple):
    """An item of a conversation, and who tells it."""

    telling: Telling
    item: Item

    @property
    def moment(self) -> Moment:
        return self.item.moment


class Conversation:
    """The conversation of a log with those of its subagents folded in where they began."""

    def __init__(self, screen: Screen, how: Wishes, zone: tzinfo) -> None:
        self.screen, self.how, self.zone = screen, how, zone

    def of(self, tree: Tree, range: Range, depth: int = 0) -> Iterator[Shown]:
        """What is shown of a log. Raises `BadUsage` where there is nothing at all."""
        folding = _Folding(self, tree, range, depth)
        part = Part(tree.log, range, self.zone)
        for item in talk_of(part.every()):
            yield from folding.before(item.moment.line)
            inside = range.holds(item.moment)
            if inside:
                yield Shown(folding.telling, item)
            if isinstance(item, Helper):
                yield from folding.child(Path(item.path).name, told=inside)
        yield from folding.before(UNPLACED + 1)
        if depth == 0 and not folding.shown:
            part.refuse_nothing()


class _Folding:
    """The subagents of one log, each to be folded in once."""

    def __init__(self, whole: Conversation, tree: Tree, range: Range, depth: int) -> None:
        self._whole, self._range, self._depth = whole, range, depth
        self._places = places_in(tree, whole.zone)
        self._left = {child.name: child for child in tree.children}
        self._waiting = deque(in_order(self._left, self._places))
        self.telling = Telling(whole.screen, whole.how, depth=depth)
        self.shown = 0

    def before(self, line: int) -> Iterator[Shown]:
        """Those that began before a line of the log."""
        while self._waiting and self._waiting[0][0] < line:
            yield from self.child(self._waiting.popleft()[1])

    def child(self, name: str, *, told: bool = False) -> Iterator[Shown]:
        """The conversation of a subagent; ``told`` if what it is was shown already."""
        child = self._left.pop(name, None)
        below = self._range.below(self._places.get(name))
        if child is None or below is None:
            return
        items = self._whole.of(child, below, self._depth + 1)
        first = next(items, None)
        if first is None:
            return
        self.shown += 1
        if not told:
            yield Shown(self.telling, Helper(first.moment, name.removesuffix(".jsonl"), name))
        yield first
        yield from items


def places_in(tree: Tree, zone: tzinfo) -> dict[str, Moment]:
    """Where in a log its subagents began; read anew, and only where there are any."""
    if not tree.children:
        return {}
    starts = {child.name: _start(child.log, zone) for child in tree.children}
    return subagent_places(moments(tree.log.lines(), zone), starts)


def _start(log: CheckedLog, zone: tzinfo) -> Instant | None:
    first = next(moments(log.lines(), zone), None)
    return None if first is None else first.time

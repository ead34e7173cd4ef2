"""Overviews of the parts of a session added up to one, without holding the parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from sesskit.logs.dsh.quick_turns import PlainTurn
from sesskit.records.elements import Elements
from sesskit.records.overview import ROLES, TROUBLED, Group, Overview, Part, overview
from sesskit.records.view import Call, Session, Usage
from sesskit.schemas.instants import Instant


@dataclass(slots=True)
class Tally:
    """Feed it the parts of a session in file order, then ask for the overview of the whole."""

    _messages: Counter[str] = field(default_factory=Counter)
    _turns: Counter[str] = field(default_factory=Counter)
    _calls: Counter[str] = field(default_factory=Counter)
    _troubled: list[Call] = field(default_factory=list)
    _marks: Counter[str] = field(default_factory=Counter)
    _states: dict[str, Counter[str]] = field(default_factory=dict)
    _first: Instant | None = None
    _last: Instant | None = None
    _usage: Usage | None = None
    _unknown: int = 0
    _elements: Elements = field(default_factory=Elements)

    def add(self, part: Session) -> None:
        """A part of the session: some of its turns, and the marks beside them."""
        seen = overview(part)
        self._messages.update(seen.messages)
        self._turns.update(seen.turns)
        self._calls.update(seen.calls)
        # What they were asked and said was not placed.
        bare = [replace(call, input=None, result=None) for call in seen.troubled]
        self._troubled = [*self._troubled, *bare][:TROUBLED]
        for name, group in seen.marks.items():
            self._marks[name] += group.total
            self._states.setdefault(name, Counter()).update(group.states)
        times = [time for time in (self._first, seen.first) if time is not None]
        self._first = min(times, default=None)
        times = [time for time in (self._last, seen.last) if time is not None]
        self._last = max(times, default=None)
        self._unknown += seen.unknown
        if seen.usage is not None:
            self._usage = _sum(self._usage, seen.usage)
        for element in _outermost(part):
            self._elements.add(element)

    @property
    def used(self) -> bool:
        """Whether tokens were counted."""
        return self._usage is not None

    def turn(self, turn: PlainTurn) -> None:
        """A turn that was counted by its events, behind one with tokens."""
        self._messages.update(turn.messages)
        self._turns[turn.state or ""] += 1
        self._calls.update(str(state) for _, state in turn.calls.values())
        for name, total in turn.marks.items():
            self._marks[name] += total
            self._states.setdefault(name, Counter())
        for (name, state), total in turn.named.items():
            self._states[name][state] += total
        if turn.first is not None and turn.last is not None:
            times = (Instant(turn.first), Instant(turn.last))
            self._first = min(times if self._first is None else (*times, self._first))
            self._last = max(times if self._last is None else (*times, self._last))
        self._unknown += turn.unknown
        if self._usage is not None and turn.usage:
            sums = map(sum, zip(*turn.usage.values(), strict=True))
            prompt, output, cached = sums
            self._usage = _sum(self._usage, Usage("", prompt, output, self._usage.ref, cached))
        for name, line in turn.elements:
            self._elements.count(name, len(line.data), line.offset, line.number)

    def stream(self, name: str, size: int, offset: int, number: int) -> None:
        """A line of a stream, a mark without time or state."""
        self._marks[name] += 1
        if name not in self._states:
            self._states[name] = Counter()
        self._elements.count(name, size, offset, number)

    def overview(self, session: Session) -> Overview:
        """All parts together; ``session`` says what belongs to no part."""
        parts = self._elements.parts()
        return Overview(
            session,
            {role: self._messages[role] for role in ROLES if self._messages[role]},
            dict(self._turns),
            dict(self._calls),
            tuple(self._troubled),
            {name: Group(total, dict(self._states[name])) for name, total in self._marks.items()},
            self._first,
            self._last,
            self._usage,
            parts,
            self._elements.largest(),
            session.total.length - sum(part.size for part in parts),
            all(loss.kind != "unread" for loss in session.losses),
            self._unknown,
        )


def _sum(known: Usage | None, more: Usage) -> Usage:
    if known is None:
        return more
    return Usage(
        "",
        known.prompt + more.prompt,
        known.output + more.output,
        known.ref,
        cached=known.cached + more.cached,
    )


def _outermost(part: Session) -> Iterator[Part]:
    """The lines that are something, without what lies inside them."""
    end = -1
    for name, ref in part.in_file_order():
        if ref.offset >= end:
            yield Part(name, name, ref.length, ref)
            end = ref.end

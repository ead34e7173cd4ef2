"""A talk that is only counted: the rules of `Talk`, without holding what was said.

For sessions too long for a view. What it keeps is the turn under way, the calls that still wait
for a result, and of all other calls a number each, to know a second result from an orphan. The
counts are those that `sesskit.records.overview` makes of the turns of a `Talk`; a test holds the
two together.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Final

from sesskit.records.overview import TROUBLED
from sesskit.records.talk import BROKEN, Asked
from sesskit.records.view import (
    Block,
    Call,
    CallRefs,
    CallState,
    Message,
    Ref,
    Result,
    TurnState,
)
from sesskit.schemas.instants import Instant

MOST_WAITING: Final = 50_000
"""Calls that may wait for their result; the oldest beyond are taken for unanswered."""
MOST_KNOWN: Final = 1_000_000
"""Answered calls that are known by their number; from then on it begins anew."""

_WELL: Final[tuple[CallState, ...]] = ("answered", "failed")


@dataclass(slots=True, eq=False)
class _Turn:
    state: TurnState | None = None
    first: Instant | None = None
    last: Instant | None = None
    person: bool | None = None
    """Whether the last voice is a person's; None while there is none."""

    def at(self, time: Instant | None) -> None:
        if time is not None:
            self.first, self.last = self.first or time, time


@dataclass(slots=True, eq=False)
class _Waiting:
    """A call without a result, its place in the row of all calls, and its turn."""

    asked: Asked
    place: int
    turn: _Turn
    silent: bool = True
    broken: bool = False


class CountedTalk:
    """Takes what a format reads, like `Talk`; then ask for the counts, once."""

    def __init__(self, *, marked: bool = False) -> None:
        self._marked = marked
        self.messages: Counter[str] = Counter()
        self.states: Counter[str] = Counter()
        """Turns by their state."""
        self.calls: Counter[str] = Counter()
        self.tools: dict[str, Counter[str]] = {}
        """Calls by the name of the tool, and by state."""
        self.first: Instant | None = None
        self.last: Instant | None = None
        self._turn: _Turn | None = None
        self._going = False
        self._made = 0
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._count = 0
        self._known: set[int] = set()
        self._silent: list[_Waiting] = []
        self._trouble: list[tuple[int, Asked, CallState]] = []

    def begin(self, turn_id: str | None = None) -> None:
        """A turn starts here, because the format says so."""
        self._open()

    def end(self, state: TurnState | None = None, reason: str | None = None) -> None:
        """The turn ends here; ``state`` is the format's own word for how."""
        if self._turn is not None:
            self._turn.state = state or self._turn.state
        if state in BROKEN:
            self._hush(broken=True)
        self._going = False

    def say(self, message: Message, blocks: Sequence[Block | Asked] = ()) -> None:
        """A message with its blocks; each `Asked` among them is a call made here."""
        turn = self._turn
        if turn is None or not self._going or (message.by == "person" and not self._marked):
            turn = self._open()
        if message.by in ("person", "model"):
            self._hush()
        if message.by != "machine":
            turn.person = message.by == "person"
        turn.at(message.time)
        self.messages[message.role] += 1
        for asked in blocks:
            if isinstance(asked, Asked):
                self._ask(asked, turn)

    def answer(
        self,
        call_id: str | None,
        result: Result,
        ref: Ref,
        *,
        state: CallState = "answered",
        name: str | None = None,
        time: Instant | None = None,
    ) -> None:
        """A result; ``state`` is what it says about its call (answered, failed, denied ...)."""
        self.messages["tool"] += 1
        waiting = None if call_id is None else self._waiting.get(call_id)
        if waiting:
            one = waiting.popleft()
            self._count -= 1
            if not waiting:
                del self._waiting[one.asked.id or ""]
            self._know(call_id)
            one.asked.result = result
            one.asked.results.append(ref)
            self._settle(one, one.asked.state or state)
        elif call_id is None or hash(call_id) not in self._known:
            if not self._going:
                self._open()
            orphan = Asked(call_id, name or "", ref, state="orphan", results=[ref])
            self._settled(orphan, self._number(), "orphan")
        if self._turn is not None:
            self._turn.at(time)

    def finish(self) -> None:
        """The talk ends here: what waits for a result now gets the state of a call without one."""
        turn = self._turn
        waiting = [one for row in self._waiting.values() for one in row]
        waiting += [one for one in self._silent if one.asked.id is None]
        opened = turn is not None and any(
            one.turn is turn and self._without(one) == "open" for one in waiting
        )
        for one in waiting:
            self._settled(one.asked, one.place, self._without(one))
        if turn is not None and turn.state is None:
            unfinished = turn.person is not None and (turn.person or opened)
            turn.state = "open" if unfinished else "complete"
        self._close()

    def troubled(self) -> tuple[Call, ...]:
        """The first calls that were not answered."""
        return tuple(
            Call(
                one.id,
                one.name,
                state,
                CallRefs(None if state == "orphan" else one.ref, tuple(one.results)),
                input=one.input,
                result=one.result,
            )
            for _, one, state in sorted(self._trouble, key=lambda row: -row[0])
        )

    def _open(self) -> _Turn:
        self._close()
        self._turn, self._going = _Turn(), True
        return self._turn

    def _close(self) -> None:
        turn = self._turn
        if turn is None:
            return
        self.states[turn.state or "complete"] += 1
        times = [time for time in (self.first, turn.first, turn.last) if time is not None]
        self.first = min(times, default=None)
        times = [time for time in (self.last, turn.first, turn.last) if time is not None]
        self.last = max(times, default=None)
        self._turn = None

    def _number(self) -> int:
        self._made += 1
        return self._made

    def _ask(self, asked: Asked, turn: _Turn) -> None:
        one = _Waiting(asked, self._number(), turn)
        self._silent.append(one)
        if asked.id is not None:
            self._waiting.setdefault(asked.id, deque()).append(one)
            self._count += 1
            if self._count > MOST_WAITING:
                self._forget()

    def _forget(self) -> None:
        """Too many wait: the oldest is given up."""
        name, row = next(iter(self._waiting.items()))
        one = row.popleft()
        self._count -= 1
        if not row:
            del self._waiting[name]
        self._settle(one, self._without(one))

    def _hush(self, *, broken: bool = False) -> None:
        """Nobody answers the calls at once any more: somebody spoke, or the turn broke."""
        for one in self._silent:
            one.silent, one.broken = False, one.broken or broken
            if one.asked.id is None:
                self._settle(one, self._without(one))
        self._silent.clear()

    def _without(self, one: _Waiting) -> CallState:
        if one.asked.state is not None:
            return one.asked.state
        if one.broken:
            return "interrupted"
        return "open" if one.silent else "unanswered"

    def _settle(self, one: _Waiting, state: CallState) -> None:
        self._settled(one.asked, one.place, state)

    def _settled(self, asked: Asked, place: int, state: CallState) -> None:
        self.calls[state] += 1
        tool = self.tools.get(asked.name)
        if tool is None:
            tool = self.tools[asked.name] = Counter()
        tool[state] += 1
        if state not in _WELL:
            row = (-place, asked, state)
            if len(self._trouble) < TROUBLED:
                heappush(self._trouble, row)
            else:
                heappushpop(self._trouble, row)

    def _know(self, call_id: str | None) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known.add(hash(call_id))

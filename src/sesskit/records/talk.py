"""The rules that turn a row of messages, calls and results into turns, once for every format.

A format says what it reads, in order, to a `Talk`; the pairing of calls with results, the
boundaries of turns and the states of both are decided here and nowhere else:

* each message by a person opens a turn, unless the format marks its turns itself (`begin`);
* a result belongs to the oldest call of its id that has none yet; one more for an answered call
  joins that call; one without any call is an orphan where it stands;
* a call without a result is `interrupted` where its turn broke before anybody spoke again, `open`
  where the talk ends so, `unanswered` elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from msgspec.structs import replace

from sesskit.records.view import (
    Block,
    Call,
    CallKind,
    CallRefs,
    CallState,
    Input,
    Message,
    Ref,
    Result,
    ToolCall,
    Turn,
    TurnState,
)
from sesskit.schemas.instants import Instant

BROKEN: tuple[TurnState, ...] = ("interrupted", "error")


@dataclass(slots=True, eq=False)
class Asked:
    """A call as its format reads it; its results are still to come."""

    id: str | None
    name: str
    ref: Ref
    input: Input | None = None
    kind: CallKind = "function"
    namespace: str | None = None
    child: str | None = None
    state: CallState | None = None
    """What the format itself says; the rules fill it otherwise."""
    result: Result | None = None
    results: list[Ref] = field(default_factory=list)


@dataclass(slots=True)
class _Turn:
    opened: bool
    id: str | None = None
    state: TurnState | None = None
    reason: str | None = None
    said: list[tuple[Message, list[Block | Asked]]] = field(default_factory=list)
    times: list[Instant] = field(default_factory=list)

    def at(self, time: Instant | None) -> None:
        if time is not None:
            self.times = [*self.times[:1], time]


class Talking(Protocol):
    """What a format reads goes to one of these: a `Talk`, or a talk that is only counted."""

    def begin(self, turn_id: str | None = None) -> None: ...

    def end(self, state: TurnState | None = None, reason: str | None = None) -> None: ...

    def say(self, message: Message, blocks: Sequence[Block | Asked] = ()) -> None: ...

    def answer(
        self,
        call_id: str | None,
        result: Result,
        ref: Ref,
        *,
        state: CallState = "answered",
        name: str | None = None,
        time: Instant | None = None,
    ) -> None: ...


class Talk:
    """Collects what a format reads, in order; `turns` gives the finished talk.

    ``marked``: the format marks its turns with `begin` and `end`, persons open none.
    ``without``: the state of every call without a result, where that is known beforehand
    (`unrecorded` where the format keeps none, `abandoned` on a branch that is not active).
    """

    def __init__(self, *, marked: bool = False, without: CallState | None = None) -> None:
        self._marked = marked
        self._without = without
        self._turns: list[_Turn] = []
        self._current: _Turn | None = None
        self._waiting: dict[str, deque[Asked]] = {}
        self._answered: dict[str, Asked] = {}
        self._silent: set[int] = set()
        """Calls after which nobody spoke yet, by identity."""
        self._broken: set[int] = set()

    def begin(self, turn_id: str | None = None) -> None:
        """A turn starts here, because the format says so."""
        self._current = _Turn(opened=True, id=turn_id)
        self._turns.append(self._current)

    def end(self, state: TurnState | None = None, reason: str | None = None) -> None:
        """The turn ends here; ``state`` is the format's own word for how, if it has one."""
        turn = self._current or (self._turns[-1] if self._turns else None)
        if turn is not None:
            turn.state, turn.reason = state or turn.state, reason or turn.reason
        if state in BROKEN:
            self._broken |= self._silent
            self._silent.clear()
        self._current = None

    def say(self, message: Message, blocks: Sequence[Block | Asked] = ()) -> None:
        """A message with its blocks; each `Asked` among them is a call made here."""
        opens = message.by == "person" and not self._marked
        if opens or self._current is None:
            self._open(opened=opens)
        if message.by in ("person", "model"):
            self._silent.clear()
        self._add(message, list(blocks))
        for asked in (block for block in blocks if isinstance(block, Asked)):
            self._silent.add(id(asked))
            if asked.id is not None:
                self._waiting.setdefault(asked.id, deque()).append(asked)

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
        asked = self._asked(call_id)
        if asked is None:
            self._orphan(call_id, result, ref, name or "", time)
            return
        asked.result = asked.result or result
        asked.state = asked.state or state
        asked.results.append(ref)
        self._turns[-1].at(time)

    def turns(self) -> tuple[Turn, ...]:
        """The talk so far. What waits for a result now gets the state of a call without one."""
        first = 1 if self._turns and self._turns[0].opened else 0
        last = len(self._turns) - 1
        return tuple(
            self._finished(turn, first + n, last=n == last) for n, turn in enumerate(self._turns)
        )

    def _open(self, *, opened: bool) -> None:
        self._current = _Turn(opened=opened)
        self._turns.append(self._current)

    def _add(self, message: Message, blocks: list[Block | Asked]) -> None:
        if self._current is None:
            self._open(opened=False)
        turn = self._turns[-1]
        turn.said.append((message, blocks))
        turn.at(message.time)

    def _asked(self, call_id: str | None) -> Asked | None:
        if call_id is None:
            return None
        waiting = self._waiting.get(call_id)
        if waiting:
            self._answered[call_id] = waiting.popleft()
        return self._answered.get(call_id)

    def _orphan(
        self, call_id: str | None, result: Result, ref: Ref, name: str, time: Instant | None
    ) -> None:
        call = Call(call_id, name, "orphan", CallRefs(None, (ref,)), result=result)
        self._add(Message("user", "machine", (), (ref,), time=time), [ToolCall(call)])

    def _finished(self, turn: _Turn, number: int, *, last: bool) -> Turn:
        messages = tuple(
            replace(message, blocks=tuple(self._block(block) for block in blocks))
            for message, blocks in turn.said
        )
        return Turn(
            number,
            messages,
            turn.state or ("open" if last and _unfinished(messages) else "complete"),
            id=turn.id,
            started=turn.times[0] if turn.times else None,
            ended=turn.times[-1] if turn.times else None,
            reason=turn.reason,
        )

    def _block(self, block: Block | Asked) -> Block:
        if not isinstance(block, Asked):
            return block
        return ToolCall(
            Call(
                block.id,
                block.name,
                block.state or self._without_result(block),
                CallRefs(block.ref, tuple(block.results)),
                kind=block.kind,
                input=block.input,
                result=block.result,
                namespace=block.namespace,
                child=block.child,
            )
        )

    def _without_result(self, asked: Asked) -> CallState:
        if self._without is not None:
            return self._without
        if id(asked) in self._broken:
            return "interrupted"
        return "open" if id(asked) in self._silent else "unanswered"


def _unfinished(messages: Sequence[Message]) -> bool:
    """Whether a talk that ends with these messages waits for something."""
    voices = [message for message in messages if message.by != "machine"]
    calls = (
        block.call
        for message in messages
        for block in message.blocks
        if isinstance(block, ToolCall)
    )
    return bool(voices) and (
        voices[-1].by == "person" or any(call.state == "open" for call in calls)
    )

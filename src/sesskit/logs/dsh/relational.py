"""Rules between events: turns, steps, calls and their results. Each has a name.

dsh does not look at them when it loads v0 and v1; from v2 on they decide whether a log loads. One
pass; after a violation the walk goes on from what the log says, so that one slip is one issue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.closers import NOT_STARTED
from sesskit.schemas.dsh_values import is_count
from sesskit.schemas.issues import Issue, Keys

Json = Mapping[str, Any]

RULES: dict[str, str] = {
    "turn-nested": "a turn starts only when no turn is open",
    "turn-number": "turns are numbered 1, 2, 3 and so on",
    "turn-end-mismatch": "a turn end names the open turn",
    "turn-end-open-step": "a turn ends only when no step is open",
    "step-outside-turn": "a step starts in the open turn and names it",
    "step-nested": "a step starts only when no step is open",
    "step-number": "the steps of a turn are numbered 1, 2, 3 and so on",
    "step-end-mismatch": "a step end names the open turn and step",
    "not-the-open-step": "what a model or tool did names the open turn and step",
    "result-without-call": "a tool result follows a recorded call of its id in the same step",
    "replacement-outside-turn": "a tool result is rewritten only inside a turn",
    "not-in-a-turn": "this event stands only inside a turn",
    "call-unanswered": "every call of a closed step has a result",
}
"""What each rule asks for. Violations are issues with the rule's name as their code."""

NOT_ASKED_BY_DSH = frozenset(["call-unanswered"])
"""Rules that the original's own checker does not have: providers refuse such a history."""

_IN_STEP = frozenset(["assistant/chunk", "assistant/message", "assistant/attempt", "tool/call"])
IN_TURN = frozenset(["todo/write", "request/header", "request/context"])


class Relations(Struct):
    """The rules for one log, fed event by event; ``rules`` are the names of those asked for."""

    rules: Iterable[str] = tuple(RULES)
    turns: int = 0
    steps: int = 0
    turn: int | None = None
    step: int | None = None
    _asked: dict[str, int] = field(default_factory=dict)
    _called: set[str] = field(default_factory=set)

    def see(self, event: Json) -> list[Issue]:
        """The violations that this event commits; keys lead from the event."""
        data = event["data"]
        check = _CHECKS.get(event["type"])
        if check is None or not isinstance(data, Mapping):
            return []
        wanted = self.rules
        found = check(self, event, data)
        return [i for i in found if i.code in wanted and i.code in RULES]

    # What sound events do, one by one.

    def begin_turn(self, turn: int) -> None:
        """A turn starts."""
        self.turns = self.turn = turn
        self.steps, self.step = 0, None
        self._clear()

    def begin_step(self, step: int) -> None:
        """A step starts."""
        self.steps = self.step = step
        self._clear()

    def end_step(self) -> None:
        """The step ends."""
        self.step = None
        self._clear()

    # What is believed where damage hides the truth.

    def expect_turn(self, turn: int) -> None:
        """No turn is open, and this one comes next."""
        self.turns, self.turn, self.step = turn - 1, None, None
        self._clear()

    def expect_step(self, turn: int, step: int) -> None:
        """This turn is open, and this step comes next."""
        self.turns = self.turn = turn
        self.steps, self.step = step - 1, None
        self._clear()

    def enter(self, turn: int, step: int) -> None:
        """This step is open."""
        self.turns = self.turn = turn
        self.steps = self.step = step

    def is_at(self, turn: int, step: int) -> bool:
        """Whether this step is open."""
        return self.step is not None and step == self.step and turn == self.turn

    def is_quiet(self, turn: int, step: int) -> bool:
        """Whether this step is open and waits for no answer."""
        return not self._asked and self.is_at(turn, step)

    def ask(self, calls: Iterable[str], seq: int) -> None:
        """A model asks for calls."""
        for call in calls:
            self._asked.setdefault(call, seq)

    def record(self, call: str) -> None:
        """A call is about to run."""
        self._called.add(call)

    def answer(self, call: str) -> bool:
        """Whether a tool that is done was called; then that is settled."""
        if call not in self._called:
            return False
        self._called.discard(call)
        self._asked.pop(call, None)
        return True

    def _clear(self) -> None:
        self._asked.clear()
        self._called.clear()

    # The rules.

    def _turn_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self.turn is not None:
            yield _broken("turn-nested")
        if data.get("turn") != self.turns + 1:
            yield _broken("turn-number", "data", "turn")
        named = data.get("turn")
        self.begin_turn(int(named) if is_count(named) else self.turns + 1)

    def _turn_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self.turn is None or data.get("turn") != self.turn:
            yield _broken("turn-end-mismatch", "data", "turn")
        if self.step is not None:
            yield _broken("turn-end-open-step")
        self.turn = self.step = None

    def _step_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self.turn is None or data.get("turn") != self.turn:
            yield _broken("step-outside-turn", "data", "turn")
        if self.step is not None:
            yield _broken("step-nested")
        if data.get("step") != self.steps + 1:
            yield _broken("step-number", "data", "step")
        named = data.get("step")
        self.begin_step(int(named) if is_count(named) else self.steps + 1)

    def _step_end(self, event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield _broken("step-end-mismatch", "data")
        if self._asked:
            count = len(self._asked)
            calls = "a call" if count == 1 else f"{count} calls"
            yield Issue("call-unanswered", f"the step ends with {calls} unanswered")
        self.end_step()

    def _in_step(self, event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield _broken("not-the-open-step", "data")
        if event["type"] == "tool/call" and isinstance(data.get("callId"), str):
            self.record(data["callId"])
        if event["type"] == "assistant/message" and event.get("surfaceOp") == "append":
            self.ask(_calls_of(data), int(event["seq"]))

    def _result(self, event: Json, data: Json) -> Iterator[Issue]:
        if event.get("surfaceOp") != "append":
            if self.turn is None:
                yield _broken("replacement-outside-turn")
            return
        if self._elsewhere(data):
            yield _broken("not-the-open-step", "data")
        call = _call_of(data)
        self._asked.pop(call, None)
        if call not in self._called and data.get("error") != NOT_STARTED:
            yield _broken("result-without-call", "data", "message", "source", "callId")
        self._called.discard(call)

    def _in_turn(self, _event: Json, _data: Json) -> Iterator[Issue]:
        if self.turn is None:
            yield _broken("not-in-a-turn")

    def _elsewhere(self, data: Json) -> bool:
        """Whether an event names another step than the open one."""
        return self.step is None or (data.get("turn"), data.get("step")) != (self.turn, self.step)


_Check = Callable[[Relations, Json, Json], Iterator[Issue]]
_CHECKS: dict[str, _Check] = {
    "turn/start": Relations._turn_start,
    "turn/end": Relations._turn_end,
    "step/start": Relations._step_start,
    "step/end": Relations._step_end,
    "tool/result": Relations._result,
    **dict.fromkeys(_IN_STEP, Relations._in_step),
    **dict.fromkeys(IN_TURN, Relations._in_turn),
}


def _broken(rule: str, *keys: str) -> Issue:
    at: Keys = keys
    return Issue(rule, RULES[rule], keys=at)


def _calls_of(data: Json) -> Iterator[str]:
    message = data.get("message")
    blocks = message.get("content") if isinstance(message, Mapping) else None
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, Mapping) and block.get("type") == "tool-call":
            call = block.get("id")
            if isinstance(call, str):
                yield call


def _call_of(data: Json) -> str:
    message = data.get("message")
    source = message.get("source") if isinstance(message, Mapping) else None
    call = source.get("callId") if isinstance(source, Mapping) else None
    return call if isinstance(call, str) else ""


RELATED = frozenset(_CHECKS)
"""The types that a rule looks at."""

"""The rules between events that decide from v2 on whether a log loads.

Those of the released program: every call is answered, retries and compactions pair up, titles cite
what people said. It does not look at payloads when it loads, so values of any kind are compared as
it compares them, and what it dies of is said to make it die. One pass; the state grows with ids
that are open or must not come again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.calls import Calls
from sesskit.logs.dsh.compactions import Compactions, Span
from sesskit.logs.dsh.pairs import Commands, Deliveries, Dispatches, Retries, Titles
from sesskit.logs.dsh.places import Places
from sesskit.logs.dsh.script_values import UNDEFINED, broken, crash, member, same
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]


@dataclass(slots=True, eq=False, repr=False)
class Released(Places):
    """The rules for one log of v2 or v3, fed event by event.

    ``is_span`` says whether event numbers are a span of the surface as it is with the event.
    """

    is_span: Span
    version: int = 2
    header: Json = field(default_factory=dict)
    _provider: Any = UNDEFINED
    _retries: Retries = field(default_factory=Retries)
    _commands: Commands = field(default_factory=Commands)
    _dispatches: Dispatches = field(default_factory=Dispatches)
    _titles: Titles = field(default_factory=Titles)
    _deliveries: Deliveries = field(init=False)

    def __post_init__(self) -> None:
        self.calls = Calls(self.version)
        self._compactions = Compactions(self.is_span)
        forked = "parentSession" in self.header
        self._deliveries = Deliveries(member(self.header, "id"), forked)

    def see(self, event: Json) -> list[Issue]:
        """The rules that this event breaks; keys lead from the event."""
        check = _CHECKS.get(event["type"])
        data = event["data"]
        if check is None or not isinstance(data, Mapping):
            return []
        return list(check(self, event, data))

    def finish(self, inherited: int = 0) -> list[Issue]:
        """What is known only at the end; ``inherited`` events came from a seed."""
        settled = self._compactions.finish() + self._titles.finish()
        return settled + self._deliveries.finish(inherited)

    def abandon(self, kind: str) -> None:
        """An event of a type that was seen is not in the log after all."""
        if kind == "compaction/start":
            self._compactions.abandon()

    def person_said(self, seq: int) -> None:
        """A person said something that a title may cite."""
        self._titles.heard(seq, sound=True)

    def _turn_start(self, event: Json, data: Json) -> Iterator[Issue]:
        self._compactions.boundary(event["seq"])
        named = member(data, "turn")
        if self.turn is not None or not same(named, self._next_turn):
            message = "turns follow each other and count from 1"
            yield broken("turn-not-next", message, "data", "turn")
            self._next_turn = int(named) if is_index(named) else self._next_turn
        self.begin_turn(named)

    def _turn_end(self, event: Json, data: Json) -> Iterator[Issue]:
        self._compactions.boundary(event["seq"])
        if not same(self.turn, member(data, "turn")):
            yield broken("turn-end-mismatch", "a turn end names the open turn", "data", "turn")
        yield from self.calls.unanswered("turn")
        if self.step is not None:
            yield broken("turn-end-open-step", "a turn ends only when no step is open")
        self.end_turn()

    def _step_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        named = member(data, "step")
        here = self.step is None and same(self.turn, member(data, "turn"))
        if not here or not same(named, self._next_step):
            message = "steps stand in the open turn, follow each other and count from 1"
            yield broken("step-order", message, "data")
            self._next_step = int(named) if is_index(named) else self._next_step
        self.step = named

    def _step_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield broken("step-order", "a step end names the open turn and step", "data")
        yield from self.calls.unanswered("step")
        self.end_step()

    def _elsewhere(self, data: Json) -> bool:
        here = same(member(data, "turn"), self.turn) and same(member(data, "step"), self.step)
        return not here or self.turn is None or self.step is None

    def _in_step(self, event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            message = f"{event['type']} names the open turn and step"
            yield broken("not-the-open-step", message, "data")

    # Calls.

    def _assistant(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_step(event, data)
        yield from self.calls.asked(member(data, "message"))

    def _tool_call(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_step(event, data)
        yield from self.calls.recorded(data)

    def _result(self, event: Json, data: Json) -> Iterator[Issue]:
        if event.get("surfaceOp") == "append":
            yield from self._in_step(event, data)
            yield from self.calls.answered(event, data)
        elif self.turn is None:
            yield broken("not-in-a-turn", "a tool result is rewritten only inside a turn")

    def _in_turn(self, event: Json, _data: Json) -> Iterator[Issue]:
        if self.turn is None:
            yield broken("not-in-a-turn", f"{event['type']} stands only inside a turn")

    def _header(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        config = member(member(data, "header"), "config")
        if config in (None, UNDEFINED):
            yield crash("data", "header")
        self._provider = member(config, "provider")

    def _retry(self, _event: Json, data: Json) -> Iterator[Issue]:
        step = self._next_step - 1 if self.step is None else self.step
        here = same(self.turn, member(data, "turn")) and same(member(data, "step"), step)
        if not here or self.turn is None:
            yield broken("retry-place", "a retry names the open turn and step", "data")
        if not same(member(data, "provider"), self._provider):
            message = "the provider is that of the open request header"
            yield broken("retry-provider", message, "data", "provider")
        yield from self._retries.schedule(data)

    def _retry_started(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._retries.start(data)

    def _compaction_start(self, event: Json, data: Json) -> Iterator[Issue]:
        return self._compactions.start(event["seq"], data, self.turn)

    def _summary(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._compactions.summary(data, self.turn)

    def _prune(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._compactions.span(data)

    def _compaction_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._compactions.end(data, self.turn)

    def _end_seed(self, _event: Json, _data: Json) -> Iterator[Issue]:
        self._compactions.end_seed()
        return iter(())

    # Messages, commands, titles, programs that call tools, deliveries.

    def _user(self, event: Json, data: Json) -> Iterator[Issue]:
        source = member(data, "source")
        if not isinstance(source, Mapping):
            yield broken("message-no-source", "a message needs a source", "data", "source")
            return
        if member(source, "kind") == "user":
            self._titles.said(event["seq"], data)
        by_plugin = member(source, "kind") == "plugin" and member(source, "plugin") == "compact"
        if by_plugin and event.get("surfaceOp") != "append":
            yield from self._compactions.owned(source, "source")

    def _command(self, event: Json, data: Json) -> Iterator[Issue]:
        return self._commands.run(event["seq"], data)

    def _command_done(self, event: Json, data: Json) -> Iterator[Issue]:
        return self._commands.done(event["seq"], data)

    def _title(self, event: Json, data: Json) -> Iterator[Issue]:
        return self._titles.given(event["seq"], data)

    def _title_request(self, event: Json, data: Json) -> Iterator[Issue]:
        return self._titles.asked(event["seq"], data)

    def _dispatch_start(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        yield from self._dispatches.start(data)

    def _dispatch(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        yield from self._dispatches.end(data)

    def _delivered(self, event: Json, data: Json) -> Iterator[Issue]:
        self._deliveries.accepted(event["seq"], data)
        return iter(())


_Check = Callable[[Released, Json, Json], Iterator[Issue]]
_CHECKS: dict[str, _Check] = {
    "turn/start": Released._turn_start,
    "turn/end": Released._turn_end,
    "step/start": Released._step_start,
    "step/end": Released._step_end,
    "user/message": Released._user,
    "assistant/message": Released._assistant,
    "assistant/attempt": Released._in_step,
    "assistant/chunk": Released._in_step,
    "tool/call": Released._tool_call,
    "tool/result": Released._result,
    "request/header": Released._header,
    "request/context": Released._in_turn,
    "llm/retry": Released._retry,
    "llm/retry-started": Released._retry_started,
    "compaction/start": Released._compaction_start,
    "compaction/summary": Released._summary,
    "compaction/prune": Released._prune,
    "compaction/end": Released._compaction_end,
    "command/run": Released._command,
    "command/done": Released._command_done,
    "session/title": Released._title,
    "session/title-llm-request": Released._title_request,
    "session/end-seed": Released._end_seed,
    "tool/code-dispatch-start": Released._dispatch_start,
    "tool/code-dispatch": Released._dispatch,
    "tool/ptc-dispatch-start": Released._dispatch_start,
    "tool/ptc-dispatch": Released._dispatch,
    "session-log-deepseek/delivery-accepted": Released._delivered,
}
"""By type; a title of v3 never cites a system message, so those are not looked at here."""

RELATED = frozenset(_CHECKS)
"""The types that a rule looks at."""

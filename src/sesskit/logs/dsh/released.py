"""The rules between events that decide from v2 on whether a log loads.

They are those of the released program, so they are stricter than `sesskit.logs.dsh.relational`:
every call is answered, retries and compactions pair up, titles cite what people said. One pass;
the state grows with ids that are open or must not come again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.closers import is_not_started
from sesskit.logs.dsh.pairs import Commands, Dispatches, Retries, Titles, as_key, broken
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]


@dataclass(slots=True)
class _Call:
    """A call that a model asked for in the open step."""

    name: Any
    arguments: Any
    recorded: bool = False


@dataclass(slots=True)
class _Compaction:
    """The compaction that is open."""

    id: Any
    turn: Any
    command: Any
    summarised: bool = False


@dataclass(slots=True)
class Released:
    """The rules for one log, fed event by event, chunks left out.

    ``is_span`` says whether event numbers are a span of the surface as it is before the event.
    """

    is_span: Callable[[list[Any]], bool]
    turn: int | None = None
    step: int | None = None
    _turns: int = 0
    _steps: int = 0
    _calls: dict[Any, _Call] = field(default_factory=dict)
    _retries: Retries = field(default_factory=Retries)
    _provider: Any = None
    _compaction: _Compaction | None = None
    _commands: Commands = field(default_factory=Commands)
    _dispatches: Dispatches = field(default_factory=Dispatches)
    _titles: Titles = field(default_factory=Titles)

    def see(self, event: Json) -> list[Issue]:
        """The rules that this event breaks; keys lead from the event."""
        data = event["data"]
        check = _CHECKS.get(event["type"])
        if check is None or not isinstance(data, Mapping):
            return []
        return list(check(self, event, data))

    # Turns and steps.

    def _turn_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._compaction is not None:
            yield broken("compaction-open", "a turn cannot start while a compaction is open")
        if self.turn is not None or data.get("turn") != self._turns + 1:
            yield broken(
                "turn-not-next", "turns follow each other and count from 1", "data", "turn"
            )
        self._turns += 1
        self.turn, self.step, self._steps = data.get("turn"), None, 0

    def _turn_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._compaction is not None:
            yield broken("compaction-open", "a turn cannot end while a compaction is open")
        yield from self._unanswered("turn")
        if self.turn is None or data.get("turn") != self.turn:
            yield broken("turn-end-mismatch", "a turn end names the open turn", "data", "turn")
        elif self.step is not None:
            yield broken("turn-end-open-step", "a turn ends only when no step is open")
        self.turn = self.step = None

    def _step_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        here = self.turn is not None and self.step is None and data.get("turn") == self.turn
        if not here or data.get("step") != self._steps + 1:
            message = "steps stand in the open turn, follow each other and count from 1"
            yield broken("step-order", message, "data")
        self._steps += 1
        self.step = data.get("step")
        self._calls.clear()

    def _step_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield broken("step-order", "a step end names the open turn and step", "data")
        yield from self._unanswered("step")
        self.step = None

    def _unanswered(self, what: str) -> Iterator[Issue]:
        if self._calls:
            message = f"the {what} ends while a call is unanswered"
            yield broken("unresolved-tool-call", message)
        self._calls.clear()

    def _elsewhere(self, data: Json) -> bool:
        return self.step is None or (data.get("turn"), data.get("step")) != (self.turn, self.step)

    def _in_step(self, event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield broken(
                "not-the-open-step", f"{event['type']} names the open turn and step", "data"
            )

    # Calls.

    def _assistant(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_step(event, data)
        if event.get("surfaceOp") != "append":
            return
        for block in _blocks(data):
            if isinstance(block, Mapping) and block.get("type") == "tool-call":
                call = as_key(block.get("id"))
                if call in self._calls:
                    yield broken("call-repeated", "the same call is asked for again", "data")
                self._calls[call] = _Call(block.get("name"), block.get("arguments"))

    def _tool_call(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_step(event, data)
        call = self._calls.get(as_key(data.get("callId")))
        same = call and (call.name, call.arguments) == (data.get("name"), data.get("arguments"))
        if call is None or call.recorded or not same:
            message = "matches no call that a model asked for in this step"
            yield broken("call-unasked", message, "data", "callId")
        else:
            call.recorded = True

    def _result(self, event: Json, data: Json) -> Iterator[Issue]:
        if event.get("surfaceOp") != "append":
            if self.turn is None:
                yield broken("not-in-a-turn", "a tool result is rewritten only inside a turn")
            return
        yield from self._in_step(event, data)
        message = data.get("message")
        source = message.get("source") if isinstance(message, Mapping) else None
        name = as_key(source.get("callId") if isinstance(source, Mapping) else None)
        call = self._calls.pop(name, None)
        if call is None:
            text = "answers no call that a model asked for in this step"
            yield broken("result-without-call", text, "data", "message", "source", "callId")
        elif not call.recorded and not is_not_started(name, data):
            text = "a call without record is answered only by the exact repair"
            yield broken("result-without-call", text, "data", "message", "source", "callId")

    # Requests.

    def _in_turn(self, event: Json, _data: Json) -> Iterator[Issue]:
        if self.turn is None:
            yield broken("not-in-a-turn", f"{event['type']} stands only inside a turn")

    def _header(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        header = data.get("header")
        config = header.get("config") if isinstance(header, Mapping) else None
        self._provider = config.get("provider") if isinstance(config, Mapping) else None

    def _retry(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield broken("retry-place", "a retry names the open turn and step", "data")
        if self._provider is None or data.get("provider") != self._provider:
            message = "the provider is that of the open request header"
            yield broken("retry-provider", message, "data", "provider")
        yield from self._retries.schedule(data)

    def _retry_started(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._retries.start(data)

    # Compaction.

    def _compaction_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._compaction is not None:
            yield broken("compaction-open", "a compaction is open already")
        if data.get("turn") != self.turn:
            yield broken("compaction-turn", "a compaction names the open turn", "data", "turn")
        command = as_key(data.get("sourceCommandId"))
        self._compaction = _Compaction(as_key(data.get("compactionId")), data.get("turn"), command)

    def _summary(self, _event: Json, data: Json) -> Iterator[Issue]:
        if not self._is_open(data):
            yield broken("compaction-unknown", "no compaction of this id is open", "data")
        elif self._compaction is not None:
            if self._compaction.summarised:
                yield broken("compaction-repeated", "the compaction has a summary already")
            self._compaction.summarised = True
        yield from self._span(_event, data)

    def _span(self, _event: Json, data: Json) -> Iterator[Issue]:
        """The list of hidden events is a span of the surface."""
        seqs = data.get("shadowedSeqs")
        if not isinstance(seqs, list) or not seqs:
            return
        if not self.is_span(seqs):
            message = "must name a span of the surface, whole and in order"
            yield broken("compaction-span", message, "data", "shadowedSeqs")

    def _compaction_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        opened = self._compaction
        if opened is None or not self._is_open(data):
            yield broken("compaction-unknown", "no compaction of this id is open", "data")
            return
        if data.get("turn") != opened.turn:
            message = "a compaction ends in the turn that it began in"
            yield broken("compaction-turn", message, "data", "turn")
        if "error" not in data and not opened.summarised:
            message = "a compaction without summary ends with an error"
            yield broken("compaction-end-without-summary", message)
        self._compaction = None

    def _is_open(self, data: Json) -> bool:
        opened = self._compaction
        named = (as_key(data.get("compactionId")), as_key(data.get("sourceCommandId")))
        return opened is not None and named == (opened.id, opened.command)

    # Commands, titles, programs that call tools.

    def _user(self, event: Json, data: Json) -> Iterator[Issue]:
        source = data.get("source")
        if not isinstance(source, Mapping):
            return
        if source.get("kind") == "user":
            self._titles.said.add(int(event["seq"]))
        compact = source.get("kind") == "plugin" and source.get("plugin") == "compact"
        opened = self._compaction.id if self._compaction is not None else object()
        if compact and opened != as_key(source.get("compactionId")):
            message = "the summary of a compaction that is not open"
            yield broken("compaction-unknown", message, "data", "source")

    def _command(self, event: Json, data: Json) -> Iterator[Issue]:
        return self._commands.run(int(event["seq"]), data)

    def _command_done(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._commands.done(data)

    def _title(self, _event: Json, data: Json) -> Iterator[Issue]:
        return self._titles.given(data)

    def _dispatch_start(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        yield from self._dispatches.start(data)

    def _dispatch(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        yield from self._dispatches.end(data)


_Check = Callable[[Released, Json, Json], Iterator[Issue]]
_CHECKS: dict[str, _Check] = {
    "turn/start": Released._turn_start,
    "turn/end": Released._turn_end,
    "step/start": Released._step_start,
    "step/end": Released._step_end,
    "user/message": Released._user,
    "assistant/message": Released._assistant,
    "assistant/attempt": Released._in_step,
    "tool/call": Released._tool_call,
    "tool/result": Released._result,
    "request/header": Released._header,
    "request/context": Released._in_turn,
    "llm/retry": Released._retry,
    "llm/retry-started": Released._retry_started,
    "compaction/start": Released._compaction_start,
    "compaction/summary": Released._summary,
    "compaction/prune": Released._span,
    "compaction/end": Released._compaction_end,
    "command/run": Released._command,
    "command/done": Released._command_done,
    "session/title": Released._title,
    "session/title-llm-request": Released._title,
    "tool/code-dispatch-start": Released._dispatch_start,
    "tool/code-dispatch": Released._dispatch,
    "tool/ptc-dispatch-start": Released._dispatch_start,
    "tool/ptc-dispatch": Released._dispatch,
}


def _blocks(data: Json) -> list[Any]:
    message = data.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, list) else []

"""The rules between events that decide from v2 on whether a log loads.

They are those of the released program, so they are stricter than `sesskit.logs.dsh.relational`:
every call is answered, retries and compactions pair up, titles cite what people said. One pass;
the state grows with ids that are open or must not come again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.closers import NOT_STARTED, NOT_STARTED_TEXT
from sesskit.schemas.dsh_values import digest
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]


@dataclass(slots=True)
class _Call:
    """A call that a model asked for in the open step."""

    name: Any
    arguments: Any
    recorded: bool = False


@dataclass(slots=True)
class _Retries:
    """One chain of retries."""

    id: Any
    last: int = 0
    scheduled: dict[int, bool] = field(default_factory=dict)


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
    _chains: dict[tuple[Any, ...], _Retries] = field(default_factory=dict)
    _retries: dict[Any, _Retries] = field(default_factory=dict)
    _provider: Any = None
    _compaction: _Compaction | None = None
    _commands: dict[Any, int] = field(default_factory=dict)
    _dispatches: dict[Any, tuple[Any, bytes | None]] = field(default_factory=dict)
    _human: set[int] = field(default_factory=set)

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
            yield _broken("compaction-open", "a turn cannot start while a compaction is open")
        if self.turn is not None or data.get("turn") != self._turns + 1:
            yield _broken("turn-order", "turns follow each other and count from 1", "data", "turn")
        self._turns += 1
        self.turn, self.step, self._steps = data.get("turn"), None, 0

    def _turn_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._compaction is not None:
            yield _broken("compaction-open", "a turn cannot end while a compaction is open")
        yield from self._unanswered("turn")
        if self.turn is None or data.get("turn") != self.turn:
            yield _broken("turn-end-mismatch", "a turn end names the open turn", "data", "turn")
        elif self.step is not None:
            yield _broken("turn-end-open-step", "a turn ends only when no step is open")
        self.turn = self.step = None

    def _step_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        here = self.turn is not None and self.step is None and data.get("turn") == self.turn
        if not here or data.get("step") != self._steps + 1:
            message = "steps stand in the open turn, follow each other and count from 1"
            yield _broken("step-order", message, "data")
        self._steps += 1
        self.step = data.get("step")
        self._calls.clear()

    def _step_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield _broken("step-order", "a step end names the open turn and step", "data")
        yield from self._unanswered("step")
        self.step = None

    def _unanswered(self, what: str) -> Iterator[Issue]:
        if self._calls:
            message = f"the {what} ends while a call is unanswered"
            yield _broken("unresolved-tool-call", message)
        self._calls.clear()

    def _elsewhere(self, data: Json) -> bool:
        return self.step is None or (data.get("turn"), data.get("step")) != (self.turn, self.step)

    def _in_step(self, event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield _broken(
                "not-the-open-step", f"{event['type']} names the open turn and step", "data"
            )

    # Calls.

    def _assistant(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_step(event, data)
        if event.get("surfaceOp") != "append":
            return
        for block in _blocks(data):
            if isinstance(block, Mapping) and block.get("type") == "tool-call":
                call = _key(block.get("id"))
                if call in self._calls:
                    yield _broken("call-repeated", "the same call is asked for again", "data")
                self._calls[call] = _Call(block.get("name"), block.get("arguments"))

    def _tool_call(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_step(event, data)
        call = self._calls.get(_key(data.get("callId")))
        same = call and (call.name, call.arguments) == (data.get("name"), data.get("arguments"))
        if call is None or call.recorded or not same:
            message = "matches no call that a model asked for in this step"
            yield _broken("call-unasked", message, "data", "callId")
        else:
            call.recorded = True

    def _result(self, event: Json, data: Json) -> Iterator[Issue]:
        if event.get("surfaceOp") != "append":
            if self.turn is None:
                yield _broken("not-in-a-turn", "a tool result is rewritten only inside a turn")
            return
        yield from self._in_step(event, data)
        message = data.get("message")
        source = message.get("source") if isinstance(message, Mapping) else None
        name = _key(source.get("callId") if isinstance(source, Mapping) else None)
        call = self._calls.pop(name, None)
        if call is None:
            text = "answers no call that a model asked for in this step"
            yield _broken("result-without-call", text, "data", "message", "source", "callId")
        elif not call.recorded and not _is_not_started(name, data):
            text = "a call without record is answered only by the exact repair"
            yield _broken("result-without-call", text, "data", "message", "source", "callId")

    # Requests.

    def _in_turn(self, event: Json, _data: Json) -> Iterator[Issue]:
        if self.turn is None:
            yield _broken("not-in-a-turn", f"{event['type']} stands only inside a turn")

    def _header(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        header = data.get("header")
        config = header.get("config") if isinstance(header, Mapping) else None
        self._provider = config.get("provider") if isinstance(config, Mapping) else None

    def _retry(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._elsewhere(data):
            yield _broken("retry-place", "a retry names the open turn and step", "data")
        if self._provider is None or data.get("provider") != self._provider:
            message = "the provider is that of the open request header"
            yield _broken("retry-provider", message, "data", "provider")
        place = tuple(_key(data.get(n)) for n in ("turn", "step", "provider", "policyKey"))
        retry_id = _key(data.get("retryId"))
        chain = self._chains.get(place)
        if chain is None:
            if retry_id in self._retries:
                yield _broken("retry-id", "the id belongs to other retries", "data", "retryId")
            chain = self._chains[place] = self._retries[retry_id] = _Retries(retry_id)
        elif chain.id != retry_id and data.get("retry") == chain.last + 1:
            yield _broken("retry-id", "retries of one kind keep their id", "data", "retryId")
        if data.get("retry") != chain.last + 1:
            yield _broken("retry-number", "retries count from 1", "data", "retry")
        limit = data.get("maxRetries")
        if isinstance(limit, int | float) and chain.last + 1 > limit:
            yield _broken("retry-number", "more retries than there may be", "data", "retry")
        chain.last += 1
        chain.scheduled[chain.last] = False

    def _retry_started(self, _event: Json, data: Json) -> Iterator[Issue]:
        chain = self._retries.get(_key(data.get("retryId")))
        number = data.get("retry")
        if chain is None or not isinstance(number, int) or number not in chain.scheduled:
            yield _broken("retry-unscheduled", "no such retry was scheduled", "data", "retry")
        elif chain.scheduled[number]:
            yield _broken("retry-repeated", "this retry was started before", "data", "retry")
        else:
            chain.scheduled[number] = True

    # Compaction.

    def _compaction_start(self, _event: Json, data: Json) -> Iterator[Issue]:
        if self._compaction is not None:
            yield _broken("compaction-open", "a compaction is open already")
        if data.get("turn") != self.turn:
            yield _broken("compaction-turn", "a compaction names the open turn", "data", "turn")
        command = _key(data.get("sourceCommandId"))
        self._compaction = _Compaction(_key(data.get("compactionId")), data.get("turn"), command)

    def _summary(self, _event: Json, data: Json) -> Iterator[Issue]:
        if not self._is_open(data):
            yield _broken("compaction-unknown", "no compaction of this id is open", "data")
        elif self._compaction is not None:
            if self._compaction.summarised:
                yield _broken("compaction-repeated", "the compaction has a summary already")
            self._compaction.summarised = True
        yield from self._span(_event, data)

    def _span(self, _event: Json, data: Json) -> Iterator[Issue]:
        """The list of hidden events is a span of the surface."""
        seqs = data.get("shadowedSeqs")
        if not isinstance(seqs, list) or not seqs:
            return
        if not self.is_span(seqs):
            message = "must name a span of the surface, whole and in order"
            yield _broken("compaction-span", message, "data", "shadowedSeqs")

    def _compaction_end(self, _event: Json, data: Json) -> Iterator[Issue]:
        opened = self._compaction
        if opened is None or not self._is_open(data):
            yield _broken("compaction-unknown", "no compaction of this id is open", "data")
            return
        if data.get("turn") != opened.turn:
            message = "a compaction ends in the turn that it began in"
            yield _broken("compaction-turn", message, "data", "turn")
        if "error" not in data and not opened.summarised:
            message = "a compaction without summary ends with an error"
            yield _broken("compaction-end-without-summary", message)
        self._compaction = None

    def _is_open(self, data: Json) -> bool:
        opened = self._compaction
        named = (_key(data.get("compactionId")), _key(data.get("sourceCommandId")))
        return opened is not None and named == (opened.id, opened.command)

    # Commands, titles, programs that call tools.

    def _user(self, event: Json, data: Json) -> Iterator[Issue]:
        source = data.get("source")
        if not isinstance(source, Mapping):
            return
        if source.get("kind") == "user":
            self._human.add(int(event["seq"]))
        compact = source.get("kind") == "plugin" and source.get("plugin") == "compact"
        opened = self._compaction.id if self._compaction is not None else object()
        if compact and opened != _key(source.get("compactionId")):
            message = "the summary of a compaction that is not open"
            yield _broken("compaction-unknown", message, "data", "source")

    def _command(self, event: Json, data: Json) -> Iterator[Issue]:
        command = _key(data.get("commandId"))
        if command in self._commands:
            yield _broken("command-repeated", "a command of this id was run before", "data")
        self._commands.setdefault(command, int(event["seq"]))

    def _command_done(self, _event: Json, data: Json) -> Iterator[Issue]:
        ran = self._commands.get(_key(data.get("commandId")))
        if ran is None:
            yield _broken("command-unknown", "no command of this id was run", "data")
        elif data.get("sourceEventSeq") == ran:
            message = "must name the event that the command made, not the command"
            yield _broken("reference", message, "data", "sourceEventSeq")

    def _title(self, _event: Json, data: Json) -> Iterator[Issue]:
        source, seqs = data.get("source"), data.get("messageSeqs")
        if not isinstance(seqs, list):
            return
        kind = source.get("kind") if isinstance(source, Mapping) else None
        if kind is not None and (kind == "user") != (not seqs):
            message = "must be empty exactly for a title that a person gave"
            yield _broken("title-messages", message, "data", "messageSeqs")
        if any(_key(seq) not in self._human for seq in seqs):
            message = "must name messages of a person"
            yield _broken("title-messages", message, "data", "messageSeqs")

    def _dispatch_start(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        root, parent, sub = (_key(data.get(n)) for n in ("rootCallId", "parentCallId", "subCallId"))
        known = self._dispatches.get(sub)
        if known is not None:
            code, text = "dispatch-root", "the call belongs to another root call"
            if known[0] == root:
                code, text = "dispatch-repeated", "a call of this id was started before"
            yield _broken(code, text, "data", "subCallId")
            return
        if parent != root and self._dispatches.get(parent, (None, None))[0] != root:
            message = "the parent does not belong to the root call"
            yield _broken("dispatch-parent", message, "data", "parentCallId")
        self._dispatches[sub] = (root, _identity(data))

    def _dispatch(self, event: Json, data: Json) -> Iterator[Issue]:
        yield from self._in_turn(event, data)
        root, sub = _key(data.get("rootCallId")), _key(data.get("subCallId"))
        started = self._dispatches.get(sub)
        if started is None or started[1] is None:
            yield _broken("dispatch-unknown", "no call of this id is open", "data", "subCallId")
            return
        if started[0] != root:
            yield _broken("dispatch-root", "the call belongs to another root call", "data")
        elif started[1] != _identity(data):
            yield _broken("dispatch-differs", "differs from how the call was started", "data")
        self._dispatches[sub] = (started[0], None)


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


def _broken(code: str, message: str, *keys: str) -> Issue:
    return Issue(code, message, keys=keys)


def _key(value: Any) -> Any:
    """A value that a dict takes as key: ids are text, whatever else stands there is a mark."""
    return value if isinstance(value, str | int | float) or value is None else repr(type(value))


def _identity(data: Json) -> bytes:
    """What a call and its end have in common."""
    return digest([data.get("parentCallId"), data.get("name"), data.get("arguments")])


def _blocks(data: Json) -> list[Any]:
    message = data.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, list) else []


def _is_not_started(call: Any, data: Json) -> bool:
    """Whether a result is the repair for a call that was never recorded, letter for letter."""
    message = data["message"]
    blocks = _blocks(data)
    text = [{"type": "text", "text": NOT_STARTED_TEXT}]
    block = {"type": "tool-result", "toolCallId": call, "isError": True, "content": text}
    stem = f"interrupted-tool-result-{call}-"
    own = str(message.get("id", ""))
    exact = own.startswith(stem) and own.removeprefix(stem).isdecimal()
    return exact and blocks == [block] and data.get("error") == NOT_STARTED

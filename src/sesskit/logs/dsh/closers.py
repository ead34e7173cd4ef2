"""Crash closers: the events that end a turn which the log leaves open.

The tool texts are constants of the format: dsh writes them into logs, and its later steps compare
them letter for letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

Json = dict[str, Any]

NOT_STARTED_TEXT = (
    "The tool call was interrupted before the Harness recorded it as started."
    " Retry it if it is still needed."
)
OUTCOME_UNKNOWN_TEXT = (
    "The tool call was interrupted after it was recorded, but no result was durably recorded."
    " Its outcome is unknown. Decide whether to retry from the tool semantics: retry only if the"
    " operation is read-only or idempotent; if it may have side effects, first verify external"
    " state or ask the user. Do not retry blindly."
)
SEED_TEXT = "Tool call interrupted by a crash; no result was recorded."

NOT_STARTED: Json = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
OUTCOME_UNKNOWN: Json = {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
SEED_ERROR: Json = {"name": "InterruptedError", "code": "interrupted"}


class _Call(Struct):
    """A call that has no result: where it was asked for, and the seq that recorded it."""

    where: Json
    recorded: int | None = None


class OpenTurn(Struct):
    """What is open at the end of the events seen so far: turn, step, unanswered calls.

    ``turn`` and ``step`` are the members that name them, empty where the opening event has none.
    ``seed`` writes the closers of June 2026.
    """

    seed: bool = False
    turn: Json = field(default_factory=dict)
    step: Json = field(default_factory=dict)
    in_turn: bool = False
    in_step: bool = False
    time: int = 0
    next_seq: int = 0
    nameless: bool = False
    """Whether a call without an id waits for its result: its closer could not be read back."""
    doubtful: bool = False
    """Whether an event was lost since the last turn began: it may have ended the turn."""
    _calls: dict[str, _Call] = field(default_factory=dict)

    def see(self, event: Mapping[str, Any]) -> None:
        """Take in one event; members that are not what they should be are passed over."""
        self.next_seq = int(event["seq"]) + 1
        self.time = int(event["time"])
        kind, data = event["type"], event["data"]
        if kind in BOUNDARIES:
            self._boundary(kind, data if isinstance(data, Mapping) else {})
        elif isinstance(data, Mapping):
            self._work(kind, data, int(event["seq"]))

    def pending(self) -> dict[str, int | None]:
        """The calls without result, in order of appearance, with the seq that recorded each."""
        return {call: asked.recorded for call, asked in self._calls.items()}

    def closers(self) -> list[Json]:
        """The events that close the open turn; none where no turn is open."""
        if not self.in_turn:
            return []
        made = [self._result(n, call, asked) for n, (call, asked) in enumerate(self._calls.items())]
        if self.in_step:
            made.append(self._event(len(made), "step/end", {**self.turn, **self.step}))
        end = {**self.turn, "reason": {"kind": "interrupted"}}
        made.append(self._event(len(made), "turn/end", end))
        return made

    def _boundary(self, kind: str, data: Mapping[str, Any]) -> None:
        # A null name opens nothing: the original keeps the name itself as its mark of "open".
        if kind == "step/start":
            self.in_step = data.get("step", 0) is not None
            self.step = _named(data, "step") if self.in_step else {}
        elif kind == "step/end":
            self.end_step()
        else:
            self.end_turn()
            if kind == "turn/start":
                self.in_turn, self.turn = data.get("turn", 0) is not None, _named(data, "turn")
                self.doubtful = False

    def copy(self) -> OpenTurn:
        """What is open now, whatever comes."""
        return replace(self, _calls={call: replace(c) for call, c in self._calls.items()})

    def restore(self, kept: OpenTurn) -> None:
        """Be again what was open when the copy was made."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(kept, name))

    # What sound events do, one by one.

    def begin_turn(self, turn: int) -> None:
        """A turn starts."""
        self.end_turn()
        self.in_turn, self.turn, self.doubtful = True, {"turn": turn}, False

    def end_turn(self) -> None:
        """The turn ends."""
        self.end_step()
        self.in_turn, self.turn = False, {}

    def begin_step(self, step: int) -> None:
        """A step starts."""
        self.in_step, self.step = True, {"step": step}

    def end_step(self) -> None:
        """The step ends."""
        self._calls.clear()
        self.nameless = self.in_step = False
        self.step = {}

    def ask(self, calls: Iterable[str], step: int) -> None:
        """A model asks for calls."""
        for call in calls:
            self._calls[call] = _Call({**self.turn, "step": step})

    def record(self, call: str, seq: int) -> None:
        """A call is about to run."""
        if call in self._calls:
            self._calls[call].recorded = seq

    def answer(self, call: str) -> None:
        """A tool is done."""
        self._calls.pop(call, None)

    def _work(self, kind: str, data: Mapping[str, Any], seq: int) -> None:
        if kind == "assistant/message":
            for block in _blocks(data):
                if isinstance(block, Mapping) and block.get("type") == "tool-call":
                    call = block.get("id")
                    if not isinstance(call, str):
                        self.nameless = True
                    else:
                        self._calls[call] = _Call({**self.turn, **_named(data, "step")})
        elif kind == "tool/call":
            call = data.get("callId")
            if isinstance(call, str):
                self.record(call, seq)
        elif kind == "tool/result":
            call = _answered(data)
            if isinstance(call, str):
                self.answer(call)

    def _event(self, place: int, kind: str, data: Json, **more: Any) -> Json:
        seq = self.next_seq + place
        return {"type": kind, "seq": seq, "time": self.time, "data": data, **more}

    def _result(self, place: int, call: str, asked: _Call) -> Json:
        where, recorded = asked.where, asked.recorded
        if self.seed:
            said = {"content": [_text(SEED_TEXT)], "isError": True, "error": dict(SEED_ERROR)}
            return self._event(place, "tool/result", {**where, "callId": call, **said})
        text = NOT_STARTED_TEXT if recorded is None else OUTCOME_UNKNOWN_TEXT
        block = {"type": "tool-result", "toolCallId": call, "isError": True}
        message = {
            "id": f"interrupted-tool-result-{call}-{self.next_seq + place}",
            "role": "user",
            "source": {"kind": "tool", "callId": call},
            "content": [{**block, "content": [_text(text)]}],
        }
        error = NOT_STARTED if recorded is None else OUTCOME_UNKNOWN
        more: Json = {"surfaceOp": "append"}
        if recorded is not None:
            more["sourceEventSeqs"] = [recorded]
        data = {**where, "message": message, "error": dict(error)}
        return self._event(place, "tool/result", data, **more)


BOUNDARIES = frozenset(["turn/start", "turn/end", "step/start", "step/end"])


def _named(data: Mapping[str, Any], name: str) -> Json:
    return {name: data[name]} if name in data else {}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _blocks(data: Mapping[str, Any]) -> list[Any]:
    """The blocks of an assistant message, wrapped as today or bare as in June 2026."""
    message = data.get("message")
    blocks = (message if isinstance(message, Mapping) else data).get("content")
    return blocks if isinstance(blocks, list) else []


def _answered(data: Mapping[str, Any]) -> Any:
    message = data.get("message")
    if not isinstance(message, Mapping):
        return data.get("callId")
    source = message.get("source")
    return source.get("callId") if isinstance(source, Mapping) else None


def is_not_started(event: Mapping[str, Any], call: Any, version: int) -> bool:
    """Whether a result is the repair for a call that was never recorded, letter for letter.

    Its id ends in its own number in v2; from v3 on in any, because earlier steps moved it.
    """
    data = event["data"]
    message, error = data.get("message"), data.get("error")
    blocks = message.get("content") if isinstance(message, Mapping) else None
    block = blocks[0] if isinstance(blocks, list) and blocks else None
    if not (isinstance(block, Mapping) and isinstance(error, Mapping) and message):
        return False
    said = block.get("content")
    exact = said[0] if isinstance(said, list) and len(said) == 1 else None
    named = {name: error.get(name) for name in NOT_STARTED} == NOT_STARTED
    worded = isinstance(exact, Mapping) and exact.get("text") == NOT_STARTED_TEXT
    worded = worded and exact is not None and exact.get("type") == "text"
    own = _repairs(message.get("id"), call, None if version >= 3 else int(event["seq"]))
    return named and worded and own and block.get("isError") is True and _unsourced(event)


def _repairs(own: Any, call: Any, seq: int | None) -> bool:
    stem = f"interrupted-tool-result-{call}-"
    if not isinstance(own, str) or not own.startswith(stem):
        return False
    number = own.removeprefix(stem)
    if seq is not None:
        return number == str(seq)
    canonical = number.isascii() and number.isdecimal() and (number == "0" or number[0] != "0")
    return canonical and len(number) < 17 and isinstance(call, str)


def _unsourced(event: Mapping[str, Any]) -> bool:
    return "sourceEventSeqs" not in event

"""What each event of a dsh log adds to the session view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.closers import NOT_STARTED, OUTCOME_UNKNOWN, SEED_ERROR
from sesskit.logs.dsh.marks import MARKS
from sesskit.logs.dsh.rows import is_row
from sesskit.logs.dsh.view_lines import EventLine, block_at, text_or_none, usage_of
from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    Block,
    By,
    CallState,
    Child,
    Compaction,
    Mark,
    Message,
    Ref,
    Result,
    Text,
    ToolCall,
    TurnState,
    Usage,
)
from sesskit.schemas.dsh_values import is_safe_integer
from sesskit.schemas.instants import MAX_MS, Instant
from sesskit.schemas.issues import Keys

TURN_STATES: dict[str, TurnState] = {
    "completed": "complete",
    "error": "error",
    "interrupted": "interrupted",
    "aborted": "interrupted",
}
BROKEN_OFF = (NOT_STARTED, OUTCOME_UNKNOWN, SEED_ERROR)
_SUMMARIES = (("plugin", "compact"), ("compact-checkpoint", None))
"""Sources of a summary, up to v3 and in v4."""


@dataclass(slots=True)
class Gathered:
    """What the events of a log have added so far."""

    talk: Talk = field(default_factory=lambda: Talk(marked=True))
    marks: list[Mark] = field(default_factory=list)
    usage: list[Usage] = field(default_factory=list)
    models: dict[str, None] = field(default_factory=dict)
    system: list[Ref] = field(default_factory=list)
    tools: list[Ref] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)
    said: dict[int, Message] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)
    results: dict[int, int] = field(default_factory=dict)
    """By the number of a result, or of one that stands for it: where the first of them lies."""
    pruned: dict[int, tuple[int, Result]] = field(default_factory=dict)
    """By the number of a result that stands for another one: where that lies, and what it says."""
    counted: bool = False
    """Whether tokens were counted before, so that the place of these is of no use."""
    title: str | None = None
    ended: Instant | None = None
    _approvals: dict[str, str] = field(default_factory=dict)

    def mark(self, kind: str, ref: Ref, time: Instant | None, state: str | None = None) -> None:
        """A moment beside the talk."""
        self.marks.append(Mark(kind, MARKS.get(kind, "unknown"), ref, time, state))

    def event(self, line: EventLine) -> None:
        """One event."""
        time = instant(line.value.get("time"))
        self.ended = time or self.ended
        step = None if is_row(line.value) else _STEPS.get(line.kind)
        if step is None or not isinstance(line.data, dict):
            # A row stands for pieces of a stream, whatever it is called.
            kind = "assistant/chunk" if is_row(line.value) else line.kind
            self.mark(kind, line.ref, time)
        else:
            step(self, line, time)

    # Turns.

    def _turn_start(self, line: EventLine, time: Instant | None) -> None:
        self.talk.begin(str(line.data.get("turn")))
        self.mark(line.kind, line.ref, time)

    def _turn_end(self, line: EventLine, time: Instant | None) -> None:
        reason = line.data.get("reason")
        kind = reason.get("kind") if isinstance(reason, dict) else None
        self.talk.end(TURN_STATES.get(str(kind), "complete"), text_or_none(kind))
        self.mark(line.kind, line.ref, time, text_or_none(kind))

    # Messages.

    def _user(self, line: EventLine, time: Instant | None) -> None:
        source = line.data.get("source")
        kind = source.get("kind") if isinstance(source, dict) else None
        by: By = "person" if kind == "user" and line.kind != "context/message" else "machine"
        said, at = line.message()
        message = Message("user", by, (), (line.ref,), id=text_or_none(said.get("id")), time=time)
        shown = self._blocks(line, said.get("content"), (*at, "content"))
        if line.replaces:
            self._replaced(line, message, source, shown)
        else:
            self._say(line, message, shown)

    def _assistant(self, line: EventLine, time: Instant | None) -> None:
        said, keys = line.message()
        source = said.get("source")
        model = text_or_none(source.get("model")) if isinstance(source, dict) else None
        if model is not None:
            self.models.setdefault(model)
        usage = usage_of(line, text_or_none(said.get("id")), placed=not self.counted)
        if usage is not None:
            self.counted = line.rough
            self.usage.append(usage)
        message = Message(
            "assistant",
            "model",
            (),
            (line.ref,),
            id=text_or_none(said.get("id")),
            time=time,
            model=model,
            usage=usage,
        )
        shown = self._blocks(line, said.get("content"), (*keys, "content"))
        if line.replaces:
            self._replaced(line, message, source, shown)
        else:
            self._say(line, message, shown)

    def _say(self, line: EventLine, message: Message, blocks: list[Block | Asked]) -> None:
        self.talk.say(message, blocks)
        plain = tuple(block for block in blocks if not isinstance(block, Asked))
        if line.seq is not None:
            self.said[line.seq] = Message(
                message.role, message.by, plain, message.refs, id=message.id, time=message.time
            )

    def _replaced(
        self, line: EventLine, message: Message, source: Any, blocks: list[Block | Asked]
    ) -> None:
        """A message that stands for others in the next request only."""
        named = (source.get("kind"), source.get("plugin")) if isinstance(source, dict) else None
        summary = named in _SUMMARIES
        plain = (block for block in blocks if not isinstance(block, Asked))
        shown = (Compaction(b.ref) if summary and isinstance(b, Text) else b for b in plain)
        if line.seq is not None:
            self.said[line.seq] = Message(
                message.role,
                message.by,
                tuple(shown),
                message.refs,
                id=message.id,
                time=message.time,
            )
            self.replaced.add(line.seq)
        self.mark(line.kind, line.ref, message.time, "replacement")

    def _result(self, line: EventLine, time: Instant | None) -> None:
        block, at = line.result()
        call = block.get("toolCallId", block.get("callId"))
        shown = self._blocks(line, block.get("content"), (*at, "content"))
        plain = tuple(b for b in shown if not isinstance(b, Asked))
        meta = line.inner(("data", "meta")) if "meta" in line.data else None
        if line.replaces:
            self._pruned(line, Result(plain, structured=meta))
            self.mark(line.kind, line.ref, time, "replacement")
            return
        if line.seq is not None:
            self.results[line.seq] = line.ref.offset
        error = line.data.get("error")
        state: CallState = "failed" if block.get("isError") is True else "answered"
        if error in BROKEN_OFF:
            state = "interrupted"
        elif isinstance(call, str) and self._approvals.get(call) == "rejected":
            state = "denied"
        self.talk.answer(
            text_or_none(call),
            Result(plain, structured=meta),
            line.ref,
            state=state,
            time=time,
        )

    def _pruned(self, line: EventLine, result: Result) -> None:
        """A result that says less than the one that it stands for."""
        operation = line.value["surfaceOp"]
        target = operation.get("start", operation.get("startSeq"))
        first = self.results.get(int(target)) if is_safe_integer(target) else None
        if line.seq is not None and first is not None:
            self.results[line.seq] = first
            self.pruned[line.seq] = first, result

    def for_model(self, nodes: list[int]) -> tuple[Message, ...] | None:
        """What the next request would hold, by the numbers on the surface; None for the talk."""
        said = [seq for seq in nodes if seq in self.said]
        shorter = dict(self.pruned[seq] for seq in nodes if seq in self.pruned)
        if not shorter and said == [seq for seq in self.said if seq not in self.replaced]:
            return None
        talk = {m.refs[0].offset: m for turn in self.talk.turns() for m in turn.messages if m.refs}
        found = []
        for seq in said:
            message = self.said[seq]
            if seq not in self.replaced:
                message = talk.get(message.refs[0].offset, message)
            found.append(_with_results(message, shorter) if shorter else message)
        return tuple(found)

    def _blocks(self, line: EventLine, content: Any, keys: Keys) -> list[Block | Asked]:
        return [
            block_at(line, block, (*keys, index))
            for index, block in enumerate(content if isinstance(content, list) else ())
        ]

    # Beside the talk.

    def _header(self, line: EventLine, time: Instant | None) -> None:
        header = line.data.get("header")
        if isinstance(header, dict):
            for name, refs in (("system", self.system), ("tools", self.tools)):
                if name in header:
                    refs.append(line.at(("data", "header", name)))
        self.mark(line.kind, line.ref, time)

    def _system(self, line: EventLine, time: Instant | None) -> None:
        said, at = line.message()
        content = said.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and block.get("type") == "text":
                self.system.append(line.at((*at, "content", index, "text")))
        self.mark(line.kind, line.ref, time)

    def _titled(self, line: EventLine, time: Instant | None) -> None:
        self.title = text_or_none(line.data.get("title")) or self.title
        self.mark(line.kind, line.ref, time)

    def _asked(self, line: EventLine, time: Instant | None) -> None:
        asked, call = line.data.get("id"), line.data.get("callId")
        if isinstance(asked, str) and isinstance(call, str):
            self._approvals[asked] = call
        self.mark(line.kind, line.ref, time)

    def _decided(self, line: EventLine, time: Instant | None) -> None:
        outcome = text_or_none(line.data.get("outcome"))
        call = self._approvals.get(str(line.data.get("id")))
        if call is not None and outcome is not None:
            self._approvals[call] = outcome
        self.mark(line.kind, line.ref, time, outcome)

    def _child(self, line: EventLine, time: Instant | None) -> None:
        child = text_or_none(line.data.get("childId"))
        if child is not None:
            self.children.append(Child(child, line.ref))
        self.mark(line.kind, line.ref, time)


def _with_results(message: Message, results: dict[int, Result]) -> Message:
    """The message with the results of its calls as the model would see them, by where they lie."""
    blocks: list[Block] = []
    for block in message.blocks:
        changed = block
        if isinstance(block, ToolCall):
            here = (results[r.offset] for r in block.call.refs.results if r.offset in results)
            result = next(here, None)
            if result is not None:
                changed = ToolCall(replace(block.call, result=result))
        blocks.append(changed)
    return replace(message, blocks=tuple(blocks))


def instant(value: object) -> Instant | None:
    """A time of a log, where it is one."""
    if not is_safe_integer(value) or not -MAX_MS <= value <= MAX_MS:
        return None
    return Instant(int(value))


_STEPS = {
    "turn/start": Gathered._turn_start,
    "turn/end": Gathered._turn_end,
    "user/message": Gathered._user,
    "steering/message": Gathered._user,
    "context/message": Gathered._user,
    "assistant/message": Gathered._assistant,
    "tool/result": Gathered._result,
    "request/header": Gathered._header,
    "system/message": Gathered._system,
    "session/title": Gathered._titled,
    "approval/asked": Gathered._asked,
    "approval/decided": Gathered._decided,
    "tool-workflow/agent-start": Gathered._child,
}
SHOWN = frozenset(_STEPS)
"""The types that are more than a mark."""

"""A look at a Robota log, line by line: who said what, which calls were made and how they ended.

What is found goes to a `Gathering`: held for a session view, or only counted.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, tzinfo
from typing import Any, Final

from msgspec.structs import replace

from sesskit.logs.robota_gathering import Gathering
from sesskit.logs.robota_view_lines import LineParts
from sesskit.logs.robota_view_marks import CLASSES, SPEAKERS, STEPS
from sesskit.logs.robota_view_messages import blocks_of, calls_of, ref_of, usage_of
from sesskit.records.outline import Span
from sesskit.records.overview import message_element
from sesskit.records.view import (
    Agent,
    CallState,
    Child,
    FamilyFile,
    Loss,
    Mark,
    Message,
    Opaque,
    Ref,
    Result,
    Session,
    Text,
    TurnState,
    Version,
)
from sesskit.schemas.instants import Instant, parse_instant

AGENT: Final = Agent("Robota")
MOST_RESULTS: Final = 10_000
"""Results that may wait for their messages; then they count without."""

_ABORTED: Final = "Aborted"


class LogLook:
    """One log being looked at, line by line; what is found goes to ``into``."""

    def __init__(self, into: Gathering, zone: tzinfo = UTC) -> None:
        self.into = into
        self._zone = zone
        self.committed = 0
        self._children: dict[str, Child] = {}
        self.requests: Counter[tuple[str, str]] = Counter()
        """Requests by provider and model."""
        self.retries = 0
        self._asked: tuple[str | None, set[Any]] = (None, set())
        self._execution: str | None = None
        self._running = False
        self.refusals: Counter[str] = Counter()
        self._results: dict[str, tuple[CallState, Ref, Ref | None]] = {}
        self._found = Session("robota-log", Ref(0, 0), agent=AGENT)
        self._started: Instant | None = None
        self._ended: Instant | None = None
        self._unread: Loss | None = None
        self._late = b""
        """The instant of the last line that was passed by, if it is later than ``_ended``."""

    def look(self, line: LineParts) -> None:
        """The next line."""
        if line.event is None:
            self._lost(line.ref)
        elif self._started is None:
            self._started = line.time
            self._found = replace(self._found, id=line.word("sessionId"))
        if line.time is not None:
            self._ended, self._late = line.time, b""
        if line.event == "history_mutation" and "message" in line.parts:
            self._message(line)
            return
        step = getattr(self, f"_{line.event}", None) if line.event in STEPS else None
        placed = step is not None and step(line)
        kind = CLASSES.get(line.event or "", "unknown")
        self._mark(Mark(line.event or "bytes", kind, line.ref, line.time), placed=bool(placed))

    def passed(self, name: str, ref: Ref, time: bytes) -> bool:
        """A sound line of an event that is nothing but a mark; False where it must be looked at."""
        if self._started is None or name in STEPS or name not in CLASSES:
            return False
        self._late = time
        self._mark(Mark(name, CLASSES[name], ref))
        return True

    def session(self, total: Ref) -> Session:
        """What is known of the session beside what went ``into``; ``total`` is the whole log."""
        self._settle()
        late = self._late.decode("utf-8", "replace")
        return replace(
            self._found,
            total=total,
            started=self._started,
            ended=parse_instant(late, self._zone) or self._ended,
            models=tuple(dict.fromkeys(model for _, model in self.requests if model)),
            children=tuple(self._children.values()),
            losses=() if self._unread is None else (self._unread,),
        )

    def _mark(self, mark: Mark, *, placed: bool = False) -> None:
        self.into.mark(mark)
        if not placed:
            self.into.placed(mark.type, mark.ref)

    def _lost(self, ref: Ref) -> None:
        known = self._unread
        if known is None:
            self._unread = Loss("unread", 1, ref)
        else:
            self._unread = replace(known, count=known.count + 1)

    def _session_init(self, line: LineParts) -> None:
        version = line.scalar("schemaVersion")
        prompt, tools = line.parts.get("systemPrompt"), line.parts.get("toolSchemas")
        self._found = replace(
            self._found,
            cwd=line.word("cwd") or self._found.cwd,
            version=None if version is None else Version(str(version), "certain", line.ref),
            system=(line.at(prompt, "systemPrompt"),) if prompt else (),
            tools=tuple(line.at(s, "toolSchemas", s.key) for s in line.children(tools)),
        )

    def _provider_request(self, line: LineParts) -> None:
        self.requests[line.word("provider") or "", line.word("model") or ""] += 1
        forced = line.scalar("forcedSummary") is True
        self.requested(line.word("executionId"), line.scalar("round"), forced=forced)

    def requested(self, execution: str | None, number: Any, *, forced: bool) -> None:
        """A request of a round; a second one for the same round tries again."""
        if self._asked[0] != execution:
            self._asked = execution, set()
        if number in self._asked[1] and not forced:
            self.retries += 1
        self._asked[1].add(number)

    def _user(self, line: LineParts) -> None:
        self._speak(line)

    def _assistant(self, line: LineParts) -> None:
        self._speak(line)
        self.ended("complete")

    def ended(self, state: TurnState, reason: str | None = None) -> None:
        """The turn is over."""
        self._settle()
        self.into.talk.end(state, reason)
        self._running = False

    def _error(self, line: LineParts) -> None:
        message = line.word("message")
        self.ended("interrupted" if message == _ABORTED else "error", message)

    def _tool_batch_started(self, line: LineParts) -> None:
        self.refusals.clear()

    def _tool_denied(self, line: LineParts) -> None:
        self.refusals[line.word("tool") or ""] += 1

    _tool_blocked = _tool_denied

    def _tool_execution_result(self, line: LineParts) -> bool:
        """Whether the line is the result of a call will be seen: it has no place until then."""
        name, call = line.word("toolName") or "", line.word("toolCallId")
        if call is None:
            return False
        value = line.parts.get("result")
        structured = line.at(value, "result") if value else None
        self.executed(name, call, line.ref, structured, well=line.scalar("success") is True)
        return True

    def executed(
        self, name: str, call: str, ref: Ref, structured: Ref | None, *, well: bool
    ) -> None:
        """The gate logs names only: of failed results of a tool, the first ones were refused."""
        state: CallState = "answered" if well else "failed"
        if not well and self.refusals[name] > 0:
            self.refusals[name] -= 1
            state = "denied"
        self._replaced(self._results.pop(call, None))
        if len(self._results) >= MOST_RESULTS:
            self._settle()
        self._results[call] = (state, ref, structured)

    def _replaced(self, known: tuple[CallState, Ref, Ref | None] | None) -> None:
        if known is not None:
            self.into.placed("tool_execution_result", known[1])

    def _background_task_event(self, line: LineParts) -> None:
        parts, event = line.into(line.parts.get("backgroundEvent") or line.parts.get("data"))
        parts, task = parts.into(event.get("task"))
        name = parts.text(task.get("id"))
        if name is None or parts.text(task.get("kind")) != "agent":
            return
        old = self._children.get(name)
        path = parts.text(task.get("transcriptPath")) or (old.path if old else None)
        call = line.word("originToolCallId") or (old.call if old else None)
        self._children[name] = Child(name, line.ref, parts.text(task.get("status")), path, call)
        if path:
            self.into.belongs(FamilyFile("log", path))

    def _message(self, line: LineParts) -> None:
        parts, found = line.into(line.parts["message"])
        if parts is not line:
            self.into.belongs(FamilyFile("sidecar", parts.file))
        role = parts.text(found.get("role"))
        self.commit(role, line.word("executionId"))
        if role == "tool":
            self._answer(line, parts, found)
        elif role in SPEAKERS:
            self._say(line, parts, found, role)
        else:
            self._lost(line.ref)
            self._mark(Mark("history_mutation", "unknown", line.ref, line.time))

    def commit(self, role: str | None, execution: str | None) -> None:
        """A message of that role is committed; that of a person may open a turn."""
        self.committed += 1
        if role == "user" and (execution != self._execution or not self._running):
            self._settle()
            self.into.talk.begin(execution)
            self._execution, self._running = execution, True

    def _say(self, line: LineParts, parts: LineParts, found: dict[str, Span], role: str) -> None:
        name = parts.text(found.get("id"))
        holder, metadata = parts.into(found.get("metadata"))
        usage = usage_of(holder, metadata, name)
        if usage is not None:
            self.into.use(usage)
        message = Message(
            *SPEAKERS[role],
            (),
            (line.ref,),
            id=name,
            ids=() if name is None else (name,),
            time=parts.instant(found.get("timestamp")),
            model=line.word("modelId") or holder.text(metadata.get("modelId")),
            usage=usage,
        )
        blocks = blocks_of(parts, found, self.into.belongs)
        self.into.talk.say(message, [*blocks, *calls_of(parts, found)])
        self.into.placed(message_element(role), line.ref)

    def _answer(self, line: LineParts, parts: LineParts, found: dict[str, Span]) -> None:
        call = parts.text(found.get("toolCallId"))
        holder, metadata = parts.into(found.get("metadata"))
        state, structured = self.outcome_of(call, holder.scalar_at(metadata.get("success")))
        result = Result(tuple(blocks_of(parts, found, self.into.belongs)), structured)
        name = parts.text(found.get("name"))
        time = parts.instant(found.get("timestamp"))
        self.into.talk.answer(call, result, line.ref, state=state, name=name, time=time)
        self.into.placed(message_element("tool"), line.ref)

    def outcome_of(self, call: str | None, success: Any) -> tuple[CallState, Ref | None]:
        """How a call ended whose answer is committed, and where its result is as a value."""
        known = self._results.pop(call or "", None)
        self._replaced(known)
        state, _, structured = known or ("answered", None, None)
        return ("failed" if success is False and state == "answered" else state), structured

    def _settle(self) -> None:
        """Results that never became messages: the turn ended before."""
        for call, (state, ref, structured) in self._results.items():
            self.into.talk.answer(call, Result((), structured), ref, state=state)
            self.into.placed("tool_execution_result", ref)
        self._results.clear()

    def _speak(self, line: LineParts) -> None:
        span = line.parts.get("content")
        if span is None or self.committed:
            return
        if line.event == "user":
            self.into.spoken.begin()
        ref = ref_of(line, span, ("content",), self.into.belongs)
        is_text = ref.file or line.data[span.start : span.start + 1] == b'"'
        block = Text(ref) if is_text else Opaque("content", ref)
        message = Message(*SPEAKERS[str(line.event)], (), (line.ref,), time=line.time)
        self.into.spoken.say(message, [block])

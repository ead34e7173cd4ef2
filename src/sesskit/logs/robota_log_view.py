"""The session view of a Robota session log, from its bytes (robota-log sections 3, 4 and 8).

Messages are those of ``history_mutation``, turns are executions, calls end as the log says. It is
total: damaged lines are marks, a log without committed messages shows what its ``user`` and
``assistant`` lines say. Every line is in the talk or a mark.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec.structs import replace

from sesskit.logs.robota_view_lines import LineParts, log_lines
from sesskit.logs.robota_view_marks import CLASSES, SPEAKERS, STEPS
from sesskit.logs.robota_view_messages import blocks_of, ref_of, usage_of
from sesskit.records.outline import Span
from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    Agent,
    CallState,
    Child,
    FamilyFile,
    Input,
    Loss,
    Mark,
    Message,
    Opaque,
    Ref,
    Result,
    Session,
    Text,
    Usage,
    Version,
)

AGENT: Final = Agent("Robota")
_ABORTED: Final = "Aborted"


def view(data: bytes) -> Session:
    """The view of a log with these bytes; its sidecars are refs into files of the family."""
    looking = _Log(data)
    for line in log_lines(data):
        looking.look(line)
    return looking.session()


class _Log:
    """One log being looked at."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.talk = Talk(marked=True)
        self.marks: list[Mark] = []
        self.usage: dict[str, Usage] = {}
        self.children: dict[str, Child] = {}
        self.family = {FamilyFile("log", ""): None}
        self.models: dict[str, None] = {}
        self.spoken: list[LineParts] = []
        self.committed = 0
        self.execution: str | None = None
        self.running = False
        self.refusals: Counter[str] = Counter()
        self.results: dict[str, tuple[CallState, Ref, Ref | None]] = {}
        self.found = Session("robota-log", Ref(0, len(data), 1, ""), agent=AGENT)
        self.unread: list[Ref] = []

    def look(self, line: LineParts) -> None:
        found = self.found
        if line.event is None:
            self.unread.append(line.ref)
        elif found.started is None:
            self.found = found = replace(found, started=line.time, id=line.word("sessionId"))
        if line.time is not None:
            self.found = replace(found, ended=line.time)
        if line.event == "history_mutation" and "message" in line.parts:
            self._message(line)
            return
        step = getattr(self, f"_{line.event}", None) if line.event in STEPS else None
        if step is not None:
            step(line)
        kind = CLASSES.get(line.event or "", "unknown")
        self.marks.append(Mark(line.event or "bytes", kind, line.ref, line.time))

    def _session_init(self, line: LineParts) -> None:
        version = line.scalar("schemaVersion")
        prompt, tools = line.parts.get("systemPrompt"), line.parts.get("toolSchemas")
        self.found = replace(
            self.found,
            cwd=line.word("cwd") or self.found.cwd,
            version=None if version is None else Version(str(version), "certain", line.ref),
            system=(line.at(prompt, "systemPrompt"),) if prompt else (),
            tools=tuple(line.at(s, "toolSchemas", s.key) for s in line.children(tools)),
        )

    def _provider_request(self, line: LineParts) -> None:
        model = line.word("model")
        if model is not None:
            self.models[model] = None

    def _user(self, line: LineParts) -> None:
        self.spoken.append(line)

    def _assistant(self, line: LineParts) -> None:
        self.spoken.append(line)
        self._settle()
        self.talk.end("complete")
        self.running = False

    def _error(self, line: LineParts) -> None:
        self._settle()
        message = line.word("message")
        self.talk.end("interrupted" if message == _ABORTED else "error", message)
        self.running = False

    def _tool_batch_started(self, line: LineParts) -> None:
        self.refusals.clear()

    def _tool_denied(self, line: LineParts) -> None:
        self.refusals[line.word("tool") or ""] += 1

    _tool_blocked = _tool_denied

    def _tool_execution_result(self, line: LineParts) -> None:
        """The gate logs names only: of failed results of a tool, the first ones were refused."""
        name, call = line.word("toolName") or "", line.word("toolCallId")
        if call is None:
            return
        state: CallState = "answered" if line.scalar("success") is True else "failed"
        if state == "failed" and self.refusals[name] > 0:
            self.refusals[name] -= 1
            state = "denied"
        value = line.parts.get("result")
        self.results[call] = (state, line.ref, line.at(value, "result") if value else None)

    def _background_task_event(self, line: LineParts) -> None:
        event = line.members("backgroundEvent") or line.members("data")
        task = line.inside(event.get("task"))
        name = line.text(task.get("id"))
        if name is None or line.text(task.get("kind")) != "agent":
            return
        old = self.children.get(name)
        path = line.text(task.get("transcriptPath")) or (old.path if old else None)
        call = line.word("originToolCallId") or (old.call if old else None)
        self.children[name] = Child(name, line.ref, line.text(task.get("status")), path, call)
        if path:
            self.family[FamilyFile("log", path)] = None

    def _message(self, line: LineParts) -> None:
        self.committed += 1
        span = line.parts["message"]
        found = line.inside(span)
        role, execution = line.text(found.get("role")), line.word("executionId")
        if role == "user" and (execution != self.execution or not self.running):
            self._settle()
            self.talk.begin(execution)
            self.execution, self.running = execution, True
        if role == "tool":
            self._answer(line, found)
        elif role in SPEAKERS:
            self._say(line, found, role)
        else:
            self.unread.append(line.ref)
            self.marks.append(Mark("history_mutation", "unknown", line.ref, line.time))

    def _say(self, line: LineParts, found: dict[str, Span], role: str) -> None:
        name = line.text(found.get("id"))
        usage = usage_of(line, found, name)
        if usage is not None:
            self.usage[usage.key] = usage
        message = Message(
            *SPEAKERS[role],
            (),
            (line.ref,),
            id=name,
            ids=() if name is None else (name,),
            time=line.instant(found.get("timestamp")),
            model=line.word("modelId")
            or line.text(line.inside(found.get("metadata")).get("modelId")),
            usage=usage,
        )
        self.talk.say(message, [*blocks_of(line, found, self.family), *self._calls(line, found)])

    def _calls(self, line: LineParts, found: dict[str, Span]) -> list[Asked]:
        asked = []
        for span in line.children(found.get("toolCalls")):
            call = line.inside(span)
            function = line.inside(call.get("function"))
            place = ("message", "toolCalls", span.key)
            given = function.get("arguments")
            ref = line.at(given, *place, "function", "arguments") if given else None
            asked.append(
                Asked(
                    line.text(call.get("id")),
                    line.text(function.get("name")) or "",
                    line.at(span, *place),
                    None if ref is None else Input(ref, as_text=True),
                )
            )
        return asked

    def _answer(self, line: LineParts, found: dict[str, Span]) -> None:
        call = line.text(found.get("toolCallId"))
        success = line.scalar_at(line.inside(found.get("metadata")).get("success"))
        state, _, structured = self.results.pop(call or "", ("answered", line.ref, None))
        if success is False and state == "answered":
            state = "failed"
        result = Result(tuple(blocks_of(line, found, self.family)), structured)
        name = line.text(found.get("name"))
        time = line.instant(found.get("timestamp"))
        self.talk.answer(call, result, line.ref, state=state, name=name, time=time)

    def _settle(self) -> None:
        """Results that never became messages: the turn ended before."""
        for call, (state, ref, structured) in self.results.items():
            self.talk.answer(call, Result((), structured), ref, state=state)
        self.results.clear()

    def _fallback(self) -> None:
        """Without committed messages: what the user and assistant lines say."""
        for line in self.spoken:
            span = line.parts.get("content")
            if span is None:
                continue
            if line.event == "user":
                self.talk.begin()
            ref = ref_of(line, span, ("content",), self.family)
            block = (
                Text(ref)
                if ref.file or self.data[span.start : span.start + 1] == b'"'
                else Opaque("content", ref)
            )
            message = Message(*SPEAKERS[str(line.event)], (), (line.ref,), time=line.time)
            self.talk.say(message, [block])

    def session(self) -> Session:
        """What was seen."""
        self._settle()
        if not self.committed:
            self._fallback()
        losses = (Loss("unread", len(self.unread), self.unread[0]),) if self.unread else ()
        return replace(
            self.found,
            models=tuple(self.models),
            turns=self.talk.turns(),
            marks=tuple(self.marks),
            children=tuple(self.children.values()),
            family=tuple(self.family),
            usage=tuple(self.usage.values()),
            losses=losses,
        )

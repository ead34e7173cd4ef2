"""Replay of a Robota log: the conversation and the host's events, in file order, all or nothing.

Source: robota-log section 8. A replay is made from checked events only; one line that is wrong and
there is no replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import UNSET

from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogReading,
    SidecarOptions,
    open_payloads,
)
from sesskit.logs.robota_origins import marked
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Decoded, Missing, Outcome, Valid
from sesskit.schemas.robota_log import BackgroundJobGroupEvent, BackgroundTaskEvent, MemoryLine
from sesskit.schemas.robota_log_envelope import LogEvent
from sesskit.schemas.robota_log_turns import HistoryMutation, SessionInit
from sesskit.schemas.robota_messages import AssistantMessage, Message, ToolCall, ToolMessage
from sesskit.schemas.robota_session import MemoryEvent
from sesskit.schemas.robota_tasks import GroupEvent, TaskEvent


@dataclass(slots=True)
class Replay:
    """What a log replays to. Scalars are None where the log is empty.

    ``cwd`` is that of the last start of the session; times are those of the first and last line.
    """

    session_id: str | None = None
    cwd: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    messages: list[Message] = field(default_factory=list)
    background_task_events: list[TaskEvent] = field(default_factory=list)
    background_job_group_events: list[GroupEvent] = field(default_factory=list)
    memory_events: list[MemoryEvent] = field(default_factory=list)

    def add(self, event: LogEvent) -> None:
        """Take in the next event."""
        if self.session_id is None:
            self.session_id, self.created_at = event.session_id, event.timestamp
        self.updated_at = event.timestamp
        if isinstance(event, HistoryMutation):
            self.messages.append(event.message)
        elif isinstance(event, SessionInit):
            self.cwd = event.cwd
        elif isinstance(event, BackgroundTaskEvent):
            self.background_task_events.append(_first(event.background_event, event.data))
        elif isinstance(event, BackgroundJobGroupEvent):
            group = _first(event.background_job_group_event, event.data)
            self.background_job_group_events.append(group)
        elif isinstance(event, MemoryLine):
            self.memory_events.append(_first(event.memory_event, event.data))

    def lists(self) -> dict[str, list[Any]]:
        """Its lists by the names they have in the record, but for the history."""
        return {
            "messages": self.messages,
            "backgroundTaskEvents": self.background_task_events,
            "backgroundJobGroupEvents": self.background_job_group_events,
            "memoryEvents": self.memory_events,
        }

    def record(self) -> dict[str, Any]:
        """The replay record, ready for `ecmascript.dumps`; absent scalars are left out."""
        scalars = {
            "sessionId": self.session_id,
            "cwd": self.cwd,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        }
        return {
            **{name: value for name, value in scalars.items() if value is not None},
            "messages": self.messages,
            "history": [history_entry(message) for message in self.messages],
            **self.lists(),
        }


def _first(primary: Any, other: Any) -> Any:
    return other if primary is UNSET else primary


def history_entry(message: Message) -> dict[str, Any]:
    """The chat entry that a message makes in the history of a record."""
    return {
        "id": message.id,
        "timestamp": message.timestamp,
        "category": "chat",
        "type": message.role,
        "data": message,
    }


def replay_events(events: Iterable[LogEvent]) -> Replay:
    """The replay of events that were checked."""
    replay = Replay()
    for event in events:
        replay.add(event)
    return replay


def replay_log(
    path: Path,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> Outcome:
    """The replay of the log at a path, as the value of a `Valid` outcome; nothing partial.

    A log that is not there replays to nothing. Memory holds the conversation, not the log.
    """
    replay = Replay()

    def read(reading: LogReading) -> Decoded:
        for line in reading:
            if line.event is not None and not reading.verdict.errors:
                replay.add(line.event)
        return reading.outcome(None if reading.verdict.unresolved else replay)

    outcome = open_payloads(path, options, sidecars, read)
    return Valid(Replay()) if isinstance(outcome, Missing) else outcome


def provider_messages(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """A conversation as the list of chat messages a provider takes.

    Peers are marked. A call whose answer does not follow it, and an answer without its call, are
    left out, as is an assistant message that then holds nothing: providers refuse them. What is
    held meanwhile is one message and the answers right behind it.
    """
    last: Message | None = None
    behind: list[ToolMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            behind.append(message)
            continue
        yield from _with_answers(last, behind)
        last, behind = message, []
    yield from _with_answers(last, behind)


def _with_answers(message: Message | None, behind: list[ToolMessage]) -> Iterator[dict[str, Any]]:
    if not isinstance(message, AssistantMessage):
        if message is not None:
            yield _chat(message)
        return
    chat = _assistant(message, {answer.tool_call_id for answer in behind})
    if chat is not None:
        yield chat
    waiting = {call.id for call in _calls_of(message)}
    for answer in behind:
        if answer.tool_call_id in waiting:
            waiting.discard(answer.tool_call_id)
            yield _chat(answer) | {"tool_call_id": answer.tool_call_id}


def _chat(message: Message) -> dict[str, Any]:
    metadata = {} if message.metadata is UNSET else message.metadata
    content = marked(message.role, message.content or "", metadata)
    return {"role": message.role, "content": content}


def _assistant(message: AssistantMessage, answered: set[str]) -> dict[str, Any] | None:
    kept = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in _calls_of(message)
        if call.id in answered
    ]
    if not kept and not message.content:
        return None
    chat: dict[str, Any] = {"role": "assistant", "content": message.content or None}
    return chat | {"tool_calls": kept} if kept else chat


def _calls_of(message: AssistantMessage) -> Sequence[ToolCall]:
    return () if message.tool_calls is UNSET else message.tool_calls

"""What a log gives back where other files are lost: the session record, and the prompt history.

A log holds the conversation, not the whole record: what does not come back is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType

from sesskit.logs.prompt_history import Prompt
from sesskit.logs.robota_log import DEFAULT_OPTIONS, DEFAULT_SIDECARS, LogReading, open_payloads
from sesskit.logs.robota_origins import PEER
from sesskit.logs.robota_replay import Replay
from sesskit.records.format import Options
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Decoded, Outcome, Valid
from sesskit.schemas.robota_log_envelope import LogEvent
from sesskit.schemas.robota_log_turns import ContextCompact, HistoryMutation, SessionInit, User
from sesskit.schemas.robota_messages import HistoryEntry, Message, ToolSchema
from sesskit.schemas.robota_record import Record
from sesskit.schemas.robota_tasks import JobGroup, Task

NOT_IN_A_LOG = (
    "name",
    "sandboxSnapshotId",
    "sessionLoops",
    "skillActivationEvents",
    "usedMemoryReferences",
    "contextReferences",
    "goal",
    "plan",
    "activeBranch",
)
"""Members of a record that no line of a log holds."""


@dataclass(slots=True)
class Rebuilt:
    """A record made from a log, and in ``losses`` what it lacks or may have otherwise."""

    record: Record
    losses: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    replay: Replay = field(default_factory=Replay)
    init: SessionInit | None = None
    compactions: int = 0
    tasks: dict[str, Task] = field(default_factory=dict)
    groups: dict[str, JobGroup] = field(default_factory=dict)

    def add(self, event: LogEvent) -> None:
        self.replay.add(event)
        if isinstance(event, SessionInit):
            self.init = event
        elif isinstance(event, ContextCompact):
            self.compactions += 1

    def record(self) -> Rebuilt | None:
        replay = self.replay
        if replay.session_id is None or not replay.messages:
            return None  # for the original that is no session either
        for task_event in replay.background_task_events:
            task = getattr(task_event, "task", None)
            if task is not None:
                self.tasks[task.id] = task
        for group_event in replay.background_job_group_events:
            self.groups[group_event.group.id] = group_event.group
        record = Record(
            id=replay.session_id,
            cwd=replay.cwd or "",
            created_at=replay.created_at or "",
            updated_at=replay.updated_at or "",
            messages=replay.messages,
            system_prompt=self._prompt(),
            history=[_entry(message) for message in replay.messages],
            tool_schemas=self._tools(),
            background_tasks=_or_unset(list(self.tasks.values())),
            background_task_events=_or_unset(replay.background_task_events),
            background_job_groups=_or_unset(list(self.groups.values())),
            background_job_group_events=_or_unset(replay.background_job_group_events),
            memory_events=_or_unset(replay.memory_events),
        )
        return Rebuilt(record, list(self._losses()))

    def _prompt(self) -> str | UnsetType:
        return self.init.system_prompt if self.init is not None else UNSET

    def _tools(self) -> list[ToolSchema] | UnsetType:
        return self.init.tool_schemas if self.init is not None else UNSET

    def _losses(self) -> Iterator[str]:
        yield f"not in a log: {', '.join(NOT_IN_A_LOG)}"
        if self.init is None:
            yield "the log does not hold the start of the session: no prompt, tools or directory"
        if self.compactions:
            yield (
                f"{self.compactions} compactions replaced messages; the record has all of them, "
                "not the summaries"
            )
        yield "history holds the messages only; entries the host added are not in a log"


def _entry(message: Message) -> HistoryEntry:
    """The chat entry of a message; its data is plain JSON, as a record's is."""
    return HistoryEntry(
        id=message.id,
        timestamp=message.timestamp,
        category="chat",
        type=message.role,
        data=json.loads(dumps(message)),
    )


def _or_unset(items: list[Any]) -> Any:
    return items or UNSET


def rebuild_record(path: Path, options: Options = DEFAULT_OPTIONS) -> Rebuilt | Outcome | None:
    """A record from the log at a path; the outcome if the log is not valid, None if it holds no
    session (no message was ever committed)."""
    builder = _Builder()

    def read(reading: LogReading) -> Decoded:
        for line in reading:
            if line.event is not None and not reading.verdict.errors:
                builder.add(line.event)
        return reading.outcome()

    outcome = open_payloads(path, options, DEFAULT_SIDECARS, read)
    return builder.record() if isinstance(outcome, Valid) else outcome


def prompts_of(events: Iterable[LogEvent]) -> Iterator[Prompt]:
    """The prompts a person typed, as the history file holds them.

    A prompt is a user line whose turn commits a message that no peer session sent.
    """
    project, waiting = "", None
    for event in events:
        if isinstance(event, SessionInit):
            project = event.cwd
        elif isinstance(event, User):
            if waiting is not None:
                yield waiting
            text = event.content.strip()
            waiting = Prompt(event.timestamp, event.session_id, project, text) if text else None
        elif isinstance(event, HistoryMutation) and event.message.role == "user":
            metadata = event.message.metadata
            driver = None if metadata is UNSET else metadata.get("driverId")
            if waiting is not None and not (isinstance(driver, str) and driver.startswith(PEER)):
                yield waiting
            waiting = None
    if waiting is not None:
        yield waiting


def prompts_of_log(path: Path, options: Options = DEFAULT_OPTIONS) -> list[Prompt] | Outcome:
    """The prompts of the log at a path, or its outcome where it is not valid.

    Sidecars are read; a damaged log gives nothing, so that a rebuilt history misses no prompt in
    silence.
    """
    prompts: list[Prompt] = []

    def read(reading: LogReading) -> Decoded:
        prompts.extend(prompts_of(line.event for line in reading if line.event is not None))
        return reading.outcome()

    outcome = open_payloads(path, options, DEFAULT_SIDECARS, read)
    return prompts if isinstance(outcome, Valid) else outcome

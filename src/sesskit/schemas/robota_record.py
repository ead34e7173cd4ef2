"""The Robota session record: its typed model (robota-record section 4).

`sesskit.schemas.robota_decode` decodes it.
"""

# Annotations are not postponed: as texts, msgspec would compile each at start-up.

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Closed
from sesskit.schemas.robota_messages import HistoryEntry, Message, ToolSchema
from sesskit.schemas.robota_scalars import TextInstant
from sesskit.schemas.robota_session import (
    ActiveBranch,
    ContextReference,
    Goal,
    MemoryEvent,
    MemoryReference,
    Plan,
    SessionLoop,
    SkillActivation,
)
from sesskit.schemas.robota_tasks import GroupEvent, JobGroup, Task, TaskEvent


class Record(Closed):
    """One session, in the order in which it is written."""

    id: str
    cwd: str
    created_at: TextInstant
    updated_at: TextInstant
    messages: list[Message]
    name: str | UnsetType = UNSET
    system_prompt: str | UnsetType = UNSET
    sandbox_snapshot_id: str | UnsetType = UNSET
    history: list[HistoryEntry] | UnsetType = UNSET
    tool_schemas: list[ToolSchema] | UnsetType = UNSET
    background_tasks: list[Task] | UnsetType = UNSET
    background_task_events: list[TaskEvent] | UnsetType = UNSET
    background_job_groups: list[JobGroup] | UnsetType = UNSET
    background_job_group_events: list[GroupEvent] | UnsetType = UNSET
    session_loops: list[SessionLoop] | UnsetType = UNSET
    skill_activation_events: list[SkillActivation] | UnsetType = UNSET
    memory_events: list[MemoryEvent] | UnsetType = UNSET
    used_memory_references: list[MemoryReference] | UnsetType = UNSET
    context_references: list[ContextReference] | UnsetType = UNSET
    goal: Goal | UnsetType = UNSET
    plan: Plan | UnsetType = UNSET
    active_branch: ActiveBranch | UnsetType = UNSET


class Envelope(Closed):
    """What a stored file and an artifact hold."""

    schema_version: Annotated[int, Meta(ge=1, le=1)]
    record: Record

"""Background tasks and job groups, shared by Robota records and logs (robota-record 4.5 to 4.7)."""

# Annotations are not postponed: as texts, msgspec would compile each at start-up.

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, get_args

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Broken, Closed
from sesskit.schemas.robota_scalars import Primitives, TextInstant, Whole

TaskKind = Literal["agent", "process", "scheduled", "tool-invocation"]
TaskStatus = Literal[
    "queued",
    "running",
    "waiting_permission",
    "sleeping",
    "paused",
    "completed",
    "failed",
    "cancelled",
]
FOREIGN_TO = {
    "exitCode": "process",
    "signalCode": "process",
    "usage": "agent",
    "deniedToolCalls": "agent",
}
"""Members of a result that belong to one kind of task only."""


class TaskUsage(Closed):
    prompt_tokens: Whole
    completion_tokens: Whole
    total_tokens: Whole


class DeniedByReason(Closed, rename="kebab"):
    denied_by_person: Whole
    no_approver: Whole
    approver_error: Whole
    cancelled: Whole


class DeniedToolCalls(Closed):
    total: Whole
    by_reason: DeniedByReason


def only_members_of_its_kind(
    sound: Mapping[str, Any], every: Mapping[str, Any]
) -> Iterator[Broken]:
    """exitCode and signalCode belong to processes, usage and deniedToolCalls to agents."""
    kind = sound.get("kind")
    for name, owner in FOREIGN_TO.items():
        if kind is not None and name in sound and kind != owner:
            message = f"only the result of a task of kind {owner} has this member"
            yield Broken((name,), "member-foreign", message, f"kind {owner}", "other kind")


class TaskResult(Closed):
    __rules__ = (only_members_of_its_kind,)
    __schema__: ClassVar[dict[str, Any]] = {
        "allOf": [
            {
                "if": {"required": [name]},
                "then": {"properties": {"kind": {"const": owner}}},
            }
            for name, owner in FOREIGN_TO.items()
        ]
    }
    task_id: str
    kind: TaskKind
    output: str
    exit_code: Whole | UnsetType = UNSET
    signal_code: str | UnsetType = UNSET
    metadata: Primitives | UnsetType = UNSET
    usage: TaskUsage | UnsetType = UNSET
    denied_tool_calls: DeniedToolCalls | UnsetType = UNSET

    def __post_init__(self) -> None:
        process = self.exit_code is not UNSET or self.signal_code is not UNSET
        agent = self.usage is not UNSET or self.denied_tool_calls is not UNSET
        if (process and self.kind != "process") or (agent and self.kind != "agent"):
            raise ValueError("the collecting decoder says why")


class TaskError(Closed):
    category: Literal[
        "validation",
        "capacity",
        "permission",
        "timeout",
        "runner",
        "crash",
        "provider",
        "process",
    ]
    message: str
    recoverable: bool


class Schedule(Closed):
    cron_expression: str
    agent_instruction: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    shell: str | UnsetType = UNSET
    env: dict[str, str] | UnsetType = UNSET


def result_belongs_to_task(sound: Mapping[str, Any], every: Mapping[str, Any]) -> Iterator[Broken]:
    """The result names the same task and the same kind as the task that holds it."""
    result = sound.get("result")
    if result is None:
        return
    for inner, outer in (("taskId", "id"), ("kind", "kind")):
        theirs, ours = result.get(inner), sound.get(outer)
        if type(theirs) is str and type(ours) is str and theirs != ours:
            if inner == "kind" and theirs not in get_args(TaskKind):
                continue
            message = f"differs from the {outer} of its task"
            yield Broken(("result", inner), "mismatch", message, f"the task's {outer}", "another")


class Task(Closed):
    """The full state of one background task."""

    __rules__ = (result_belongs_to_task,)
    id: str
    kind: TaskKind
    label: str
    status: TaskStatus
    mode: Literal["foreground", "background"]
    parent_session_id: str
    depth: Whole
    cwd: str
    updated_at: TextInstant
    unread: bool
    agent_type: str | UnsetType = UNSET
    parent_task_id: str | UnsetType = UNSET
    resume_session_id: str | UnsetType = UNSET
    prompt_preview: str | UnsetType = UNSET
    command_preview: str | UnsetType = UNSET
    current_action: str | UnsetType = UNSET
    log_path: str | UnsetType = UNSET
    transcript_path: str | UnsetType = UNSET
    worktree_path: str | UnsetType = UNSET
    branch_name: str | UnsetType = UNSET
    worktree_status: str | UnsetType = UNSET
    worktree_next_action: str | UnsetType = UNSET
    worktree_base_revision: str | UnsetType = UNSET
    parent_worktree_status: str | UnsetType = UNSET
    started_at: TextInstant | UnsetType = UNSET
    last_activity_at: TextInstant | UnsetType = UNSET
    completed_at: TextInstant | UnsetType = UNSET
    next_fire_at: TextInstant | UnsetType = UNSET
    pid: Whole | UnsetType = UNSET
    isolation: Literal["none", "worktree"] | UnsetType = UNSET
    timeout_reason: (
        Literal["idle", "max_runtime", "output_limit", "repetition", "stale_worker"] | UnsetType
    ) = UNSET
    result: TaskResult | UnsetType = UNSET
    error: TaskError | UnsetType = UNSET
    schedule: Schedule | UnsetType = UNSET
    metadata: Primitives | UnsetType = UNSET

    def __post_init__(self) -> None:
        result = self.result
        if result is not UNSET and (result.task_id != self.id or result.kind != self.kind):
            raise ValueError("the collecting decoder says why")


def _event_tag(prefix: str, class_name: str) -> str:
    stem = class_name.removeprefix("Task").removeprefix("Group")
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in stem).lstrip("_")
    return prefix + words


class _TaskEvent(Closed, tag_field="type", tag=lambda name: _event_tag("background_task_", name)):
    """The base of the events of one task."""


class TaskCreated(_TaskEvent):
    task: Task


class TaskStarted(_TaskEvent):
    task: Task


class TaskUpdated(_TaskEvent):
    task: Task


class TaskCompleted(_TaskEvent):
    task: Task


class TaskFailed(_TaskEvent):
    task: Task


class TaskCancelled(_TaskEvent):
    task: Task


class TaskTextDelta(_TaskEvent):
    task_id: str
    delta: str


class TaskToolStart(_TaskEvent):
    task_id: str
    tool_name: str
    first_arg: str | UnsetType = UNSET


class TaskToolEnd(_TaskEvent):
    task_id: str
    tool_name: str
    success: bool
    error: str | UnsetType = UNSET


class TaskPermissionRequest(_TaskEvent):
    task_id: str
    request_id: str
    tool_name: str
    tool_args: Primitives


class TaskClosed(_TaskEvent):
    task_id: str


class TaskWaking(_TaskEvent):
    task_id: str
    instruction: str | UnsetType = UNSET


TaskEvent = (
    TaskCreated
    | TaskStarted
    | TaskUpdated
    | TaskCompleted
    | TaskFailed
    | TaskCancelled
    | TaskTextDelta
    | TaskToolStart
    | TaskToolEnd
    | TaskPermissionRequest
    | TaskClosed
    | TaskWaking
)


class GroupResult(Closed):
    task_id: str
    label: str
    status: TaskStatus
    summary: str | UnsetType = UNSET
    output_ref: str | UnsetType = UNSET
    started_at: TextInstant | UnsetType = UNSET
    completed_at: TextInstant | UnsetType = UNSET
    error: TaskError | UnsetType = UNSET


class JobGroup(Closed):
    id: str
    parent_session_id: str
    wait_policy: Literal["detached", "wait_all", "wait_any", "manual"]
    task_ids: list[str]
    status: Literal["running", "completed"]
    created_at: TextInstant
    updated_at: TextInstant
    results: list[GroupResult]
    label: str | UnsetType = UNSET
    completed_at: TextInstant | UnsetType = UNSET


class _GroupEvent(
    Closed, tag_field="type", tag=lambda name: _event_tag("background_job_group_", name)
):
    """The base of the events of one job group."""


class GroupCreated(_GroupEvent):
    group: JobGroup


class GroupUpdated(_GroupEvent):
    group: JobGroup


class GroupCompleted(_GroupEvent):
    group: JobGroup


GroupEvent = GroupCreated | GroupUpdated | GroupCompleted

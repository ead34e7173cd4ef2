"""Loops, skills, memory, context, goal, plan, branch (robota-record 4.8 to 4.10)."""

# Annotations are not postponed: as texts, msgspec would compile each at start-up.

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed
from sesskit.schemas.robota_scalars import Counter, JsonMap, NotBlank, TextInstant, Whole


def waiting_names_its_time(sound: Mapping[str, Any], every: Mapping[str, Any]) -> Iterator[Broken]:
    """A loop that waits says until when."""
    if sound.get("phase") == "waiting" and "nextAllowedAt" not in every:
        message = "missing; a loop in phase waiting says when it may go on"
        yield Broken(("nextAllowedAt",), "member-missing", message, "date-time", "nothing")


class SessionLoop(Closed):
    __rules__ = (waiting_names_its_time,)
    __schema__: ClassVar[dict[str, Any]] = {
        "if": {"properties": {"phase": {"const": "waiting"}}},
        "then": {"required": ["nextAllowedAt"]},
    }
    loop_id: NotBlank
    instruction: NotBlank
    created_at: TextInstant
    expires_at: TextInstant
    revision: Counter
    generation: Counter
    phase: Literal["waiting", "pending", "running", "stopped", "expired"]
    fallback_used: bool
    use_default_prompt: bool | UnsetType = UNSET
    next_allowed_at: TextInstant | UnsetType = UNSET
    delay_seconds: Annotated[int, Meta(ge=60, le=3600)] | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    terminal_reason: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.phase == "waiting" and self.next_allowed_at is UNSET:
            raise ValueError("the collecting decoder says why")


class SkillActivation(Closed):
    type: Literal["skill-activation"]
    skill_name: str
    source: Literal["skill", "plugin"]
    invocation: Literal["user-slash", "model-tool"]
    mode: Literal["inject", "fork"]
    status: Literal["started", "completed", "failed"]
    timestamp: TextInstant
    qualified_name: str | UnsetType = UNSET
    error: str | UnsetType = UNSET


class MemoryEvent(Closed):
    type: Literal[
        "memory_candidate_extracted",
        "memory_candidate_queued",
        "memory_candidate_saved",
        "memory_candidate_skipped",
        "memory_candidate_approved",
        "memory_candidate_rejected",
        "memory_retrieved",
    ]
    at: TextInstant
    candidate_id: str | UnsetType = UNSET
    topic: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    data: JsonMap | UnsetType = UNSET


class MemoryReference(Closed):
    topic: str
    path: str
    score: int | float
    truncated: bool


class ContextReference(Closed):
    id: str
    source_path: str
    relative_path: str
    original_reference: str
    load_type: Literal["manual", "prompt-reference", "system"]
    status: Literal["active", "observed"]
    byte_length: Whole
    loaded_at: TextInstant
    last_used_at: TextInstant | UnsetType = UNSET


class GoalProgress(Closed):
    iteration: Whole
    signal: Literal["continue", "satisfied"]
    reason: str


class Goal(Closed):
    id: str
    objective: str
    status: Literal["active", "satisfied", "stopped"]
    iterations: Whole
    max_iterations: Whole
    started_at: TextInstant
    progress: list[GoalProgress]
    stop_reason: Literal["satisfied", "max-iterations", "cancelled", "no-progress"] | UnsetType = (
        UNSET
    )


class PlanStep(Closed):
    id: str
    description: str
    status: Literal["pending", "in-progress", "done"]


class Plan(Closed):
    id: str
    objective: str
    steps: list[PlanStep]
    phase: Literal["planning", "awaiting-approval", "executing", "completed"]
    created_at: TextInstant
    approved_at: TextInstant | UnsetType = UNSET


class ActiveBranch(Closed):
    branch_id: str
    checkpoint_id: str

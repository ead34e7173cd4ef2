"""Payloads of dsh events beside the talk: titles, permissions, compaction, goals, hooks."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed, Rule
from sesskit.schemas.dsh_content import (
    Block,
    Count,
    Failure,
    Members,
    Only1,
    Positive,
    Ruled,
    Safe,
    Usage,
    Word,
    missing,
    not_empty,
    not_negative,
    only_true,
    unexpected,
)
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.dsh_sources import Message
from sesskit.schemas.dsh_values import is_count

LONGEST_TIMER = 2**31 - 1
"""Milliseconds."""

_CANONICAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def canonical_instant(name: str) -> Rule:
    """The rule that text is a UTC instant with milliseconds, as ECMAScript writes it."""

    def rule(sound: Members, _members: Members) -> Iterator[Broken]:
        text = sound.get(name)
        if isinstance(text, str) and not _CANONICAL.fullmatch(text):
            message = "expected a date-time in UTC with milliseconds"
            yield Broken((name,), "instant", message, "date-time", "other text")

    return rule


class Route(Closed):
    """A provider and one of its models."""

    provider: Word
    model: Word


class FallbackTitle(Closed, tag="fallback", tag_field="kind"):
    """Made from the first messages."""


class PersonTitle(Closed, tag="user", tag_field="kind"):
    """Given by a person."""


class ProviderTitle(Closed, tag="provider", tag_field="kind"):
    """Made by a model or another service."""

    provider: Word
    model: Route | UnsetType = UNSET


class Title(Closed):
    """The session has a title."""

    title: Word
    message_seqs: list[Count]
    source: FallbackTitle | PersonTitle | ProviderTitle


class TitleRequest(Ruled):
    """What was sent to make a title."""

    __rules__ = (not_empty("messageSeqs"),)

    title_provider: Word
    message_seqs: list[Count]
    route: Route
    system: str
    messages: list[Message]
    max_tokens: Positive


class Inbox(Closed):
    """Messages came into the inbox, or left it."""

    target: Literal["next-turn", "next-step"]
    start: Count
    inserted: list[Message]
    removed_count: Count | UnsetType = UNSET
    outcome: Literal["canceled"] | UnsetType = UNSET


class PresetSelected(Closed):
    """The agent preset."""

    agent_preset: str


class ApprovalAsked(Closed):
    """A person is asked whether a tool may run."""

    id: Word
    tool_name: Word
    call_id: Word | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ApprovalDecided(Closed):
    """The answer."""

    id: Word
    outcome: Literal["allowed-once", "rejected", "cancelled", "unavailable"]


class ApprovalPolicy(Closed):
    """Whether people are asked."""

    policy: Literal["ask", "never"]
    source: Literal["delegation"] | UnsetType = UNSET


class SandboxMode(Closed):
    """What tools may touch."""

    mode: Literal["read-only", "workspace-write", "danger-full-access"]
    source: Literal["delegation"] | UnsetType = UNSET


class PermissionPreset(Closed):
    """A named set of permissions."""

    preset: Word


class PlanMode(Closed):
    """Planning is on or off."""

    active: bool


class CommandSource(Closed):
    """A person."""

    kind: Literal["user"]


class CommandRun(Closed):
    """A command was typed; ``args`` is what stood behind it."""

    command_id: Word
    name: Word
    source: CommandSource
    args: str | UnsetType = UNSET


class CommandDone(Closed):
    """A command is done."""

    command_id: Word
    kind: Literal["success", "error"]
    text: str | UnsetType = UNSET
    source_event_seq: Count | UnsetType = UNSET


def turn_or_null(sound: Members, members: Members) -> Iterator[Broken]:
    """The turn is a count, or null between turns."""
    turn = members.get("turn")
    if isinstance(turn, int | float) and not is_count(turn):
        yield Broken(("turn",), "range", "expected a count or null", "count or null", "number")


class CompactionStart(Ruled):
    """The talk is being summarised."""

    __rules__ = (turn_or_null,)

    compaction_id: Word
    turn: Count | None
    source_command_id: Word | UnsetType = UNSET


class CompactionEnd(Ruled):
    """The summarising is over."""

    __rules__ = (turn_or_null,)

    compaction_id: Word
    turn: Count | None
    source_command_id: Word | UnsetType = UNSET
    error: str | UnsetType = UNSET


class Range(Closed):
    """From one event to another."""

    start: Count
    end: Count


def range_of_the_list(sound: Members, _members: Members) -> Iterator[Broken]:
    """The range goes from the first event of the list to the last."""
    seqs, span = sound.get("shadowedSeqs"), sound.get("shadowedRange")
    if isinstance(seqs, list) and seqs and span is not None:
        ends = [_end(span, "start"), _end(span, "end")]
        if all(isinstance(e, int | float) for e in ends) and ends != [seqs[0], seqs[-1]]:
            message = "must go from the first event of the list to the last"
            yield Broken(("shadowedRange",), "range-of-list", message)


def _end(span: Any, name: str) -> Any:
    return span.get(name) if isinstance(span, dict) else getattr(span, name)


_SHADOWED = (not_empty("shadowedSeqs"), range_of_the_list)


def raw_output_of_the_call(sound: Members, members: Members) -> Iterator[Broken]:
    """A summary that came by a streamed call keeps what the call gave."""
    if "llmStreamCall" in members and "rawOutput" not in members:
        yield missing("rawOutput", "with llmStreamCall")


class CompactionSummary(Ruled):
    """A summary, and the events that it stands for."""

    __rules__ = (only_true("llmStreamCall"), raw_output_of_the_call, *_SHADOWED)

    compaction_id: Word
    summary: list[Block]
    shadowed_range: Range
    shadowed_seqs: list[Count]
    shadowed_token_count: Count
    provider: Word
    model: Word
    source_command_id: Word | UnsetType = UNSET
    max_tokens: Count | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    raw_output: list[Block] | UnsetType = UNSET
    llm_stream_call: bool | UnsetType = UNSET


class CompactionPrune(Ruled):
    """Tool results were shortened."""

    __rules__ = _SHADOWED

    shadowed_range: Range
    shadowed_seqs: list[Count]
    shadowed_token_count: Count


class Feedback(Closed):
    """What a person thinks of the session."""

    text: Word


class BlockedReason(Closed):
    """Why a goal is blocked."""

    code: Word
    message: Word


def blocked_and_its_reason(sound: Members, members: Members) -> Iterator[Broken]:
    """A blocked goal has a reason, and no other."""
    phase = sound.get("phase")
    if phase == "blocked" and "blockedReason" not in members:
        yield missing("blockedReason", "by a blocked goal")
    elif phase is not None and phase != "blocked" and "blockedReason" in members:
        yield unexpected("blockedReason", "for a goal that is not blocked")


class Goal(Ruled):
    """What the session is to reach."""

    __rules__ = (blocked_and_its_reason,)

    id: Word
    revision: Positive
    objective: Word
    phase: Literal["active", "paused", "blocked", "complete"]
    max_goal_rounds: Positive
    blocked_reason: BlockedReason | UnsetType = UNSET


class ClearedGoal(Closed):
    """The goal that went."""

    id: Word
    revision: Positive


_SET = {"goal", "roundsStarted", "createdAt", "updatedAt"}
_CLEARED = {"cleared", "clearedAt"}


def goal_members(sound: Members, members: Members) -> Iterator[Broken]:
    """A goal that is cleared has other members than one that is set."""
    operation = sound.get("operation")
    if operation is None:
        return
    needed, other = (_CLEARED, _SET) if operation == "clear" else (_SET, _CLEARED)
    for name in sorted(needed - members.keys()):
        yield missing(name, "for this operation")
    for name in sorted(other & members.keys()):
        yield unexpected(name, "for this operation")


class GoalChange(Ruled):
    """The goal changes."""

    __rules__ = (goal_members,)

    kind: Literal["goal/change"]
    version: Only1
    operation: Literal["create", "edit", "pause", "resume", "complete", "block", "clear"]
    goal: Goal | UnsetType = UNSET
    rounds_started: Count | UnsetType = UNSET
    created_at: Count | UnsetType = UNSET
    updated_at: Count | UnsetType = UNSET
    cleared: ClearedGoal | UnsetType = UNSET
    cleared_at: Count | UnsetType = UNSET


class HookInvoked(Closed):
    """A hook of the user runs."""

    turn: Count
    point: Word
    dialect: Literal["claude-code", "codex"]
    handler_id: Word
    matcher: str | UnsetType = UNSET


class HookResult(Ruled):
    """A hook is done."""

    __rules__ = (not_negative("durationMs"),)

    turn: Count
    point: Word
    handler_id: Word
    decision: Word
    duration_ms: float
    exit_code: Safe | UnsetType = UNSET
    stderr_summary: str | UnsetType = UNSET


def retries_and_their_limit(sound: Members, members: Members) -> Iterator[Broken]:
    """Normal retries have a limit; those without end have none."""
    mode = sound.get("mode")
    if mode == "normal" and "maxRetries" not in members:
        yield missing("maxRetries", "in this mode")
    elif mode == "always" and "maxRetries" in members:
        yield unexpected("maxRetries", "in this mode")


def within_timers(name: str) -> Rule:
    """The rule that a delay is one that a timer can have."""

    def rule(sound: Members, _members: Members) -> Iterator[Broken]:
        if isinstance(sound.get(name), int | float) and sound[name] > LONGEST_TIMER:
            message = f"expected at most {LONGEST_TIMER}"
            yield Broken((name,), "range", message, str(LONGEST_TIMER), "larger number")

    return rule


class Retry(Ruled):
    """A failed request will be sent again."""

    __rules__ = (retries_and_their_limit, not_negative("delayMs"), within_timers("delayMs"))

    retry_id: Word
    turn: Count
    step: Count
    provider: Word
    mode: Literal["normal", "always"]
    policy_key: Word
    retry: Positive
    delay_ms: float
    failure: Failure
    max_retries: Positive | UnsetType = UNSET


class RetryStarted(Closed):
    """A failed request is sent again."""

    retry_id: Word
    turn: Count
    step: Count
    retry: Positive


class ScheduleAfter(Ruled, tag="after", tag_field="kind"):
    """Once, some time from then."""

    __rules__ = (canonical_instant("scheduledAt"),)

    id: Word
    prompt: Word
    scheduled_at: str
    after_seconds: Positive


class ScheduleAt(Ruled, tag="at", tag_field="kind"):
    """Once, at a time."""

    __rules__ = (canonical_instant("scheduledAt"),)

    id: Word
    prompt: Word
    scheduled_at: str


class ScheduleEvery(Ruled, tag="every", tag_field="kind"):
    """Again and again."""

    __rules__ = (canonical_instant("scheduledAt"),)

    id: Word
    prompt: Word
    scheduled_at: str
    every_seconds: Annotated[int, Meta(ge=300, le=MAX_SAFE_INTEGER)]


class ScheduleCreate(Closed, tag="create", tag_field="operation"):
    """A prompt is put on the schedule."""

    version: Only1
    schedule: ScheduleAfter | ScheduleAt | ScheduleEvery


class ScheduleDelete(Closed, tag="delete", tag_field="operation"):
    """A prompt is taken off the schedule."""

    version: Only1
    id: Word


class ScheduleDispatch(Ruled, tag="dispatch", tag_field="operation"):
    """A prompt of the schedule is sent."""

    __rules__ = (canonical_instant("acceptedAt"),)

    version: Only1
    id: Word
    accepted_at: str | UnsetType = UNSET


ScheduleChange = ScheduleCreate | ScheduleDelete | ScheduleDispatch

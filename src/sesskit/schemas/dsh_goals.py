"""Payloads of dsh events about goals, hooks, retries and schedules."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed, Rule
from sesskit.schemas.dsh_content import (
    Count,
    Failure,
    Members,
    Only1,
    Positive,
    Ruled,
    Safe,
    Word,
    missing,
    not_negative,
    unexpected,
)
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER

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

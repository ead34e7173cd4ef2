"""Payloads of dsh events beside the talk: titles, inbox, permissions, commands."""

from typing import Literal

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_content import (
    Count,
    Positive,
    Ruled,
    Word,
    not_empty,
)
from sesskit.schemas.dsh_sources import Message


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

"""Payloads of dsh events about helpers, teams, to-do lists and programs that call tools."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed
from sesskit.schemas.dsh_content import (
    Block,
    Count,
    Members,
    Only1,
    Positive,
    Ruled,
    Word,
    missing,
    not_empty,
)

Only3 = Annotated[int, Meta(ge=3, le=3)]


def allow_or_deny(_sound: Members, members: Members) -> Iterator[Broken]:
    """A filter says at least one of the two."""
    if not members:
        yield missing("allow", "where there is no deny")


class ToolFilter(Ruled):
    """Which tools a helper may use."""

    __rules__ = (allow_or_deny,)

    allow: list[Word] | UnsetType = UNSET
    deny: list[Word] | UnsetType = UNSET


class OneShot(Closed, tag="one-shot", tag_field="mode"):
    """A helper that answers once."""

    version: Only3
    provider: Word
    label: str | UnsetType = UNSET


def provider_and_model(_sound: Members, members: Members) -> Iterator[Broken]:
    """A model is named with its provider."""
    pair = ("agentProvider", "agentModel")
    for name, other in (pair, pair[::-1]):
        if other in members and name not in members:
            yield missing(name, f"with {other}")


class Continuable(Ruled, tag="continuable", tag_field="mode"):
    """A helper that can be asked again."""

    __rules__ = (provider_and_model,)

    version: Only3
    provider: Word
    label: Word
    agent_provider: Word | UnsetType = UNSET
    agent_model: Word | UnsetType = UNSET
    agent_reasoning_effort: Word | UnsetType = UNSET
    persona: Word | UnsetType = UNSET
    tool_filter: ToolFilter | UnsetType = UNSET


SubagentDescriptor = OneShot | Continuable


class Member(Closed):
    """A member of a team."""

    id: Word
    name: str
    description: str
    provider: str
    context: Literal["fresh", "fork"]
    phase: Literal["provisioning", "active", "failed"]


class TeamMember(Closed):
    """A member joins, changes or leaves."""

    version: Only1
    team_id: Word
    member: Member


class Task(Closed):
    """A task of a team."""

    id: Word
    revision: Positive
    subject: str
    description: str
    status: Literal["pending", "in_progress", "completed"]
    blocked_by: list[Word]
    write_scopes: list[str]
    owner_id: Word | UnsetType = UNSET


class TeamTask(Closed):
    """A task comes or changes."""

    version: Only1
    team_id: Word
    task: Task


class QueuedMessage(Closed):
    """A message between members."""

    id: Word
    sender_id: Word
    sender_name: str
    target_id: Word
    delivery: Literal["quiet", "wakeup"]
    content: list[Block]


class TeamMessageQueued(Closed):
    """A message waits."""

    version: Only1
    team_id: Word
    message: QueuedMessage


class TeamMessageDelivered(Closed):
    """A message arrived."""

    version: Only1
    team_id: Word
    message_id: Word
    target_id: Word


class Todo(Closed):
    """One thing to do."""

    content: str
    status: Literal["pending", "in_progress", "completed"]


class TodoWrite(Closed):
    """The whole list of things to do."""

    todos: list[Todo]


class DispatchStart(Closed):
    """A program that the model wrote calls a tool."""

    root_call_id: Word
    parent_call_id: Word
    sub_call_id: Word
    name: Word
    arguments: Any


class Dispatch(Closed):
    """What the tool said to that program."""

    root_call_id: Word
    parent_call_id: Word
    sub_call_id: Word
    name: Word
    arguments: Any
    is_error: bool
    content: list[Block]


class RunStart(Closed):
    """A workflow begins."""

    run_id: Word
    name: Word


class RunEnd(Closed):
    """A workflow ends."""

    run_id: Word
    stop_reason: Literal["completed", "cancelled", "error"]


class AgentStart(Closed):
    """An agent of a workflow begins; ``seq`` counts within the workflow."""

    run_id: Word
    seq: Positive
    label: str
    child_id: Word
    phase: str | UnsetType = UNSET


class AgentEnd(Closed):
    """An agent of a workflow ends."""

    run_id: Word
    seq: Positive
    outcome: Literal["completed", "failed", "cancelled"]


class SearchText(Closed, rename=None):
    """A question for the service."""

    type: Literal["text"]
    text: str


def one_text(sound: Members, _members: Members) -> Iterator[Broken]:
    """One block of text."""
    if isinstance(sound.get("content"), list) and len(sound["content"]) != 1:
        yield Broken(("content",), "not-one", "expected exactly one", "one element")


class SearchMessage(Ruled, rename=None):
    """What is asked."""

    __rules__ = (one_text,)

    role: Literal["user"]
    content: list[SearchText]


class SearchTool(Closed, rename=None):
    """The tool of the service that searches."""

    type: Literal["web_search_20250305"]
    name: Literal["web_search"]
    max_uses: Positive


def one_of_each(sound: Members, _members: Members) -> Iterator[Broken]:
    """One question by one message, and one tool."""
    for name in ("messages", "tools"):
        if isinstance(sound.get(name), list) and len(sound[name]) != 1:
            yield Broken((name,), "not-one", "expected exactly one", "one element")


class SearchBody(Ruled, rename=None):
    """The request as the service reads it, so with its own spelling of names."""

    __rules__ = (one_of_each,)

    model: Word
    max_tokens: Positive
    messages: list[SearchMessage]
    tools: list[SearchTool]


class SearchRequest(Closed):
    """What was sent to search the web."""

    endpoint: Word
    api_version: Word
    body: SearchBody


class ModelSelection(Closed):
    """A person chose a model (0.1.2 and later)."""

    provider: Word
    model: Word
    reasoning_effort: Word | UnsetType = UNSET


class AllowedModel(Closed):
    """A model that helpers may use."""

    provider: Word
    model: Word


class ModelPolicy(Ruled):
    """Which models helpers may use (0.1.2 and later)."""

    __rules__ = (not_empty("allowedModels"),)

    allowed_models: list[AllowedModel]


class DeliveryAccepted(Closed):
    """A service has taken the log up to an event (0.1.2 and later)."""

    session_id: Word
    through_seq: Count
    session_format_version: Count | UnsetType = UNSET

"""Where a message of a dsh log comes from, and the message itself."""

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
    only_true,
    unexpected,
)

Form = Literal["instructions", "catalog", "snapshot", "notice", "relay", "recall"]

_NEEDED = {"snapshot": "sections", "notice": "summary"}


def form_and_its_member(sound: Members, members: Members) -> Iterator[Broken]:
    """A snapshot has sections and a notice has a summary; no other form has them."""
    form = sound.get("form")
    for owner, name in _NEEDED.items():
        if form == owner and name not in members:
            yield missing(name, f"in a {owner}")
        elif form is not None and form != owner and name in members:
            yield unexpected(name, f"outside a {owner}")


def compaction_and_its_id(sound: Members, members: Members) -> Iterator[Broken]:
    """Messages of the plugin `compact` name their compaction; no other plugin's do."""
    plugin = sound.get("plugin")
    if plugin == "compact" and "compactionId" not in members:
        yield missing("compactionId", "by the plugin compact")
    for name in ("compactionId", "sourceCommandId"):
        if plugin is not None and plugin != "compact" and name in members:
            yield unexpected(name, "for this plugin")


class Section(Closed):
    """One part of a snapshot."""

    name: Word
    text: str


class UserSource(Closed, tag="user", tag_field="kind"):
    """A person."""

    rpc_id: Word | UnsetType = UNSET
    client_time_zone: Word | UnsetType = UNSET


class ModelSource(Closed, tag="model", tag_field="kind"):
    """A model; ``replayState`` belongs to the adapter and is not looked into."""

    provider: Word
    model: Word
    replay_state: Any = UNSET


class ToolSource(Closed, tag="tool", tag_field="kind"):
    """A tool that answered a call."""

    call_id: Word


class TheModel(Closed):
    """A model, where nothing else can be the source."""

    kind: Literal["model"]
    provider: Word
    model: Word
    replay_state: Any = UNSET


class TheTool(Closed):
    """A tool, where nothing else can be the source."""

    kind: Literal["tool"]
    call_id: Word


class PluginSource(Ruled, tag="plugin", tag_field="kind"):
    """A plugin of the program."""

    __rules__ = (form_and_its_member, compaction_and_its_id)

    plugin: Word
    form: Form | UnsetType = UNSET
    sections: list[Section] | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    compaction_id: Word | UnsetType = UNSET
    source_command_id: Word | UnsetType = UNSET


class ThePlugin(Ruled):
    """A plugin, where nothing else can be the source."""

    __rules__ = (form_and_its_member, compaction_and_its_id)

    kind: Literal["plugin"]
    plugin: Word
    form: Form | UnsetType = UNSET
    sections: list[Section] | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    compaction_id: Word | UnsetType = UNSET
    source_command_id: Word | UnsetType = UNSET


class InstructionChange(Closed):
    """One file of instructions that came, changed or went."""

    action: Literal["set", "replace", "remove"]
    scope: str
    path: str
    digest: str | UnsetType = UNSET


class InstructionsSource(Ruled, tag="agent-instructions", tag_field="kind"):
    """Instruction files of the project."""

    __rules__ = (only_true("baseline"),)

    form: Literal["instructions"]
    changes: list[InstructionChange]
    baseline: bool | UnsetType = UNSET
    baseline_identity: Word | UnsetType = UNSET


def all_messages_counted(sound: Members, _members: Members) -> Iterator[Broken]:
    """What was kept and what was left out are all there was."""
    kept, left, total = "retainedMessages", "omittedMessages", "originalMessages"
    if {kept, left, total} <= sound.keys() and sound[kept] + sound[left] != sound[total]:
        message = "kept and left out must make all messages"
        yield Broken(("originalMessages",), "count-differs", message)


class ReferencedSession(Ruled):
    """One other session that was brought to mind, and how much of it."""

    __rules__ = (all_messages_counted,)

    session_id: Word
    captured_through_seq: Count
    label: Word
    compacted: bool
    original_messages: Count
    retained_messages: Count
    omitted_messages: Count
    omitted_bytes: Count
    truncated: bool
    input_index: Count
    captured_format_version: Count | UnsetType = UNSET


class ReferenceSource(Ruled, tag="session-reference", tag_field="kind"):
    """Other sessions."""

    __rules__ = (not_empty("references"),)

    form: Literal["recall"]
    version: Only1
    references: list[ReferencedSession]


class TeamSource(Closed, tag="team-message", tag_field="kind"):
    """A member of a team of agents."""

    team_id: Word
    message_id: Word
    sender_id: Word
    sender_name: str


class SkillSource(Closed, tag="skill-invocation", tag_field="kind"):
    """A skill that was called."""

    name: Word
    form: Literal["instructions"]


class CatalogEntry(Closed):
    """One skill."""

    name: Word
    description: str


class SkillCatalogSource(Ruled, tag="skill-catalog", tag_field="kind"):
    """The skills there are."""

    __rules__ = (only_true("update"),)

    form: Literal["catalog"]
    entries: list[CatalogEntry]
    update: bool | UnsetType = UNSET


class GoalSource(Closed, tag="goal", tag_field="kind"):
    """A round of work on a goal."""

    goal_id: Word
    revision: Positive
    round: Positive


class CoordinatorSource(Closed, tag="coordinator", tag_field="kind"):
    """The session that started this one."""

    form: Literal["relay"]
    sender_session_id: Word


class ReportSource(Closed, tag="subagent-report", tag_field="kind"):
    """A session that this one started, still at work."""

    form: Literal["relay"]
    sender_session_id: Word


class SettledSource(Closed, tag="subagent-settled", tag_field="kind"):
    """A session that this one started, at its end."""

    form: Literal["notice"]
    summary: str
    sender_session_id: Word


class WebhookSource(Closed, tag="webhook", tag_field="kind"):
    """A call from outside."""

    provider: Word
    source: Word
    delivery_id: Word
    rule_id: Word
    form: Literal["notice"]
    summary: str


Source = Annotated[
    UserSource
    | ModelSource
    | ToolSource
    | PluginSource
    | InstructionsSource
    | ReferenceSource
    | TeamSource
    | SkillSource
    | SkillCatalogSource
    | GoalSource
    | CoordinatorSource
    | ReportSource
    | SettledSource
    | WebhookSource,
    Meta(extra={"rule": "open"}),
]


class Message(Closed):
    """One message for or from a model."""

    id: Word
    role: Literal["user", "assistant", "system"]
    content: list[Block]
    source: Source

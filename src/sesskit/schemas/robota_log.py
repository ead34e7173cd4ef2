"""The lines of a Robota session log: 31 events under one envelope (robota-log sections 3 and 4).

Messages, tool schemas, tasks, groups and memory events are those of the record: one definition.
Every class is one event; ``event`` is its tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Broken, Rule
from sesskit.schemas.robota_log_envelope import ENVELOPE, NAMED, LogEvent, session_is_named
from sesskit.schemas.robota_log_turns import (
    Assistant,
    AssistantMessageCommitted,
    Context,
    ContextCompact,
    Error,
    HistoryMutation,
    PreRun,
    ProviderFallback,
    ProviderNativeRawPayload,
    ProviderRequest,
    ProviderResponseNormalized,
    ProviderResponseRaw,
    ProviderStreamRawDelta,
    SessionInit,
    SessionShutdown,
    SessionShutdownStepError,
    StructuredOutputTransport,
    TextDelta,
    ToolBatchStarted,
    ToolBlocked,
    ToolCallLine,
    ToolDenied,
    ToolExecutionRequest,
    ToolExecutionResult,
    ToolMessageCommitted,
    ToolResultLine,
    User,
)
from sesskit.schemas.robota_session import MemoryEvent
from sesskit.schemas.robota_tasks import GroupEvent, TaskEvent


def payload_is_there(name: str) -> tuple[Rule, dict[str, Any]]:
    """The rule, and its words in JSON Schema, that the payload or ``data`` is there."""

    def rule(sound: Mapping[str, Any], every: Mapping[str, Any]) -> Iterator[Broken]:
        if name not in every and "data" not in every:
            message = f"neither {name} nor data is there"
            yield Broken((), "member-missing", message, f"{name} or data", "nothing")

    return rule, {"anyOf": [{"required": [name]}, {"required": ["data"]}]}


_TASK_RULE, _TASK_SCHEMA = payload_is_there("backgroundEvent")
_GROUP_RULE, _GROUP_SCHEMA = payload_is_there("backgroundJobGroupEvent")
_MEMORY_RULE, _MEMORY_SCHEMA = payload_is_there("memoryEvent")


class BackgroundTaskEvent(LogEvent, tag="background_task_event"):
    __rules__ = (session_is_named, _TASK_RULE)
    __schema__: ClassVar[dict[str, Any]] = {"allOf": [NAMED, _TASK_SCHEMA]}
    background_event_type: str | UnsetType = UNSET
    background_event: TaskEvent | UnsetType = UNSET
    data: TaskEvent | UnsetType = UNSET
    task_id: str | UnsetType = UNSET
    origin_tool_call_id: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.background_event is UNSET and self.data is UNSET:
            raise ValueError("the collecting decoder says why")


class BackgroundJobGroupEvent(LogEvent, tag="background_job_group_event"):
    __rules__ = (session_is_named, _GROUP_RULE)
    __schema__: ClassVar[dict[str, Any]] = {"allOf": [NAMED, _GROUP_SCHEMA]}
    background_job_group_event: GroupEvent | UnsetType = UNSET
    data: GroupEvent | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.background_job_group_event is UNSET and self.data is UNSET:
            raise ValueError("the collecting decoder says why")


class MemoryLine(LogEvent, tag="memory_event"):
    __rules__ = (session_is_named, _MEMORY_RULE)
    __schema__: ClassVar[dict[str, Any]] = {"allOf": [NAMED, _MEMORY_SCHEMA]}
    memory_event: MemoryEvent | UnsetType = UNSET
    data: MemoryEvent | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.memory_event is UNSET and self.data is UNSET:
            raise ValueError("the collecting decoder says why")


class ServerTool(LogEvent, tag="server_tool", forbid_unknown_fields=False, dict=True, gc=True):
    """The one open event; its other members stand in ``members_of``."""

    __schema__: ClassVar[dict[str, Any]] = {"allOf": [NAMED], "additionalProperties": True}
    tool: str


Event = (
    SessionInit
    | SessionShutdown
    | SessionShutdownStepError
    | Context
    | ContextCompact
    | Error
    | HistoryMutation
    | ProviderRequest
    | ProviderNativeRawPayload
    | ProviderStreamRawDelta
    | ProviderResponseRaw
    | ProviderResponseNormalized
    | StructuredOutputTransport
    | ProviderFallback
    | AssistantMessageCommitted
    | ToolExecutionRequest
    | ToolExecutionResult
    | ToolBatchStarted
    | ToolMessageCommitted
    | BackgroundTaskEvent
    | BackgroundJobGroupEvent
    | MemoryLine
    | User
    | PreRun
    | TextDelta
    | Assistant
    | ToolCallLine
    | ToolResultLine
    | ToolBlocked
    | ToolDenied
    | ServerTool
)
EVENTS: dict[str, type[LogEvent]] = {}
"""The class of each event name."""


def _name_events() -> None:
    """Give each class its event name and the order its members are written in."""
    for cls in Event.__args__:
        cls.event = cls.__struct_config__.tag
        own = [name for name in cls.__struct_encode_fields__ if name not in ENVELOPE]
        cls.__encode_order__ = (*ENVELOPE, *own)
        EVENTS[cls.event] = cls


_name_events()


def members_of(event: ServerTool) -> dict[str, Any]:
    """The members of a ``server_tool`` line that no shape names, as plain JSON."""
    found: dict[str, Any] = vars(event).get("members", {})
    return found


OPEN_EVENTS = frozenset(
    {
        Assistant,
        MemoryLine,
        ProviderNativeRawPayload,
        ServerTool,
        ToolCallLine,
        ToolExecutionRequest,
        ToolExecutionResult,
    }
)
"""Events with a member that holds any JSON, and so nests without end."""

SCHEMA_EVENTS = frozenset({ProviderRequest, SessionInit})
"""Events with tool schemas, which hold schemas without end; each level opens an object."""

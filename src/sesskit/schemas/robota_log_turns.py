"""The events of sessions, turns, rounds and tool calls in a Robota log (robota-log section 4)."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from sesskit.schemas.robota_log_envelope import (
    ContextState,
    Count,
    Figure,
    LogEvent,
    Owner,
    RoundEvent,
    StructureItem,
)
from sesskit.schemas.robota_messages import Message, ToolSchema
from sesskit.schemas.robota_scalars import JsonMap


class SessionInit(LogEvent, tag="session_init"):
    cwd: str
    system_prompt_length: Count
    system_prompt: str
    tool_schemas: list[ToolSchema]
    model: str
    provider: str


class SessionShutdown(LogEvent, tag="session_shutdown"):
    reason: str


class SessionShutdownStepError(LogEvent, tag="session_shutdown_step_error"):
    step: str
    error: str


class Context(LogEvent, tag="context"):
    max_tokens: Figure
    used_tokens: Figure
    used_percentage: Figure
    remaining_percentage: Figure


class ContextCompact(LogEvent, tag="context_compact"):
    trigger: str
    before: ContextState
    after: ContextState


class Error(LogEvent, tag="error"):
    message: str
    stack: str
    history_length: Count


class HistoryMutation(LogEvent, tag="history_mutation", kw_only=True):
    execution_id: str | UnsetType = UNSET
    conversation_id: str | UnsetType = UNSET
    round: Count | UnsetType = UNSET
    batch_id: str | UnsetType = UNSET
    usage_observation_id: str | UnsetType = UNSET
    provider_id: str | UnsetType = UNSET
    model_id: str | UnsetType = UNSET
    provider_error: bool | UnsetType = UNSET
    context_overflow: bool | UnsetType = UNSET
    mutation: Literal["append_message"]
    index: Count
    message: Message


class ProviderRequest(RoundEvent, tag="provider_request", kw_only=True):
    provider: str
    model: str
    effort: str | UnsetType = UNSET
    forced_summary: bool | UnsetType = UNSET
    messages: list[Message]
    tools: list[ToolSchema] | UnsetType = UNSET


class ProviderNativeRawPayload(RoundEvent, tag="provider_native_raw_payload", kw_only=True):
    provider: str
    api_surface: str | UnsetType = UNSET
    payload_kind: Literal["request", "response", "stream_event"]
    sequence: Count
    payload: Any = UNSET
    metadata: JsonMap | UnsetType = UNSET


class ProviderStreamRawDelta(RoundEvent, tag="provider_stream_raw_delta", kw_only=True):
    sequence: Count
    delta: str


class ProviderResponseRaw(RoundEvent, tag="provider_response_raw", kw_only=True):
    effort: str | UnsetType = UNSET
    response: Message
    response_kind: str


class ProviderResponseNormalized(RoundEvent, tag="provider_response_normalized", kw_only=True):
    response: Message
    tool_calls_count: Count | UnsetType = UNSET


class StructuredOutputTransport(RoundEvent, tag="structured_output_transport", kw_only=True):
    provider: str
    model: str
    mechanism: Literal["response_schema", "json_object", "none"]
    provenance: Literal["catalog", "vendor-default", "undeclared", "unverified-endpoint"]
    sent: bool
    schema_in_prompt: bool
    reason: str | UnsetType = UNSET


class ProviderFallback(RoundEvent, tag="provider_fallback", kw_only=True):
    from_provider: str
    from_model: str
    to_provider: str
    to_model: str
    reason: str


class AssistantMessageCommitted(RoundEvent, tag="assistant_message_committed", kw_only=True):
    message: Message | str
    """The message, or the bare text of a forced summary."""


class ToolExecutionRequest(RoundEvent, tag="tool_execution_request", kw_only=True):
    batch_id: str | UnsetType = UNSET
    index: Count | UnsetType = UNSET
    tool_name: str
    tool_call_id: str
    parameters: JsonMap
    owner_path: list[Owner] | UnsetType = UNSET


class ToolExecutionResult(RoundEvent, tag="tool_execution_result", kw_only=True):
    batch_id: str | UnsetType = UNSET
    index: Count | UnsetType = UNSET
    tool_name: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    success: bool
    result: Any = UNSET
    error: str | UnsetType = UNSET
    metadata: JsonMap | UnsetType = UNSET


class ToolBatchStarted(RoundEvent, tag="tool_batch_started", kw_only=True):
    batch_id: str | UnsetType = UNSET
    mode: Literal["parallel", "sequential"]
    max_concurrency: Count
    request_count: Count
    tools: list[str]


class ToolMessageCommitted(RoundEvent, tag="tool_message_committed", kw_only=True):
    batch_id: str | UnsetType = UNSET
    index: Count | UnsetType = UNSET
    message: Message


class User(LogEvent, tag="user"):
    content: str


class PreRun(LogEvent, tag="pre_run"):
    history_length: Count
    history_chars: Count
    history_est_tokens: Count
    input: str
    history: list[Message]
    model: str
    provider: str
    max_tokens: Figure
    native_web_search_supported: bool
    native_web_search_enabled: bool
    native_web_fetch_supported: bool
    native_web_fetch_enabled: bool


class TextDelta(LogEvent, tag="text_delta"):
    delta: str


class Assistant(LogEvent, tag="assistant"):
    content: str
    history_length: Count
    estimated_chars: Count
    history: list[Message]
    history_structure: list[StructureItem]


class ToolCallLine(LogEvent, tag="tool_call"):
    tool: str
    args: JsonMap


class ToolResultLine(LogEvent, tag="tool_result"):
    tool: str
    success: bool
    data_chars: Count
    truncated: bool


class ToolBlocked(LogEvent, tag="tool_blocked"):
    tool: str
    reason: str


class ToolDenied(LogEvent, tag="tool_denied"):
    tool: str
    reason: str

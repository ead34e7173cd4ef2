"""Payloads of dsh events about turns, steps, what models and tools said, and requests."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Broken, Closed
from sesskit.schemas.dsh_content import (
    Block,
    Count,
    Failure,
    Members,
    Open,
    Positive,
    Ruled,
    Usage,
    Word,
    only_true,
)
from sesskit.schemas.dsh_sources import Message, TheModel, TheTool


class TurnStart(Closed):
    """A turn begins."""

    turn: Count


class Completed(Closed, tag="completed", tag_field="kind"):
    """The turn came to its end."""


class Blocked(Closed, tag="blocked", tag_field="kind"):
    """Something kept the turn from going on."""


class MaxTokens(Closed, tag="max-tokens", tag_field="kind"):
    """The model ran out of tokens."""


class Interrupted(Closed, tag="interrupted", tag_field="kind"):
    """The program died; written when the log is repaired."""


class Failed(Closed, tag="error", tag_field="kind"):
    """A request failed for good."""

    error: Failure


class ByUser(Closed, tag="user", tag_field="kind"):
    """Stopped by a person."""


class ByParent(Closed, tag="parent", tag_field="kind"):
    """Stopped by the session that started this one."""


class ByDisposal(Closed, tag="disposed", tag_field="kind"):
    """Stopped because the session was taken down."""


class ByLegacy(Closed, tag="legacy", tag_field="kind"):
    """Stopped by something that an old build did not record."""


class ByHook(Closed, tag="hook", tag_field="kind"):
    """Stopped by a hook."""

    reason: str


class Aborted(Closed, tag="aborted", tag_field="kind"):
    """The turn was stopped."""

    reason: ByUser | ByParent | ByDisposal | ByLegacy | ByHook


class TurnEnd(Closed):
    """A turn ends."""

    turn: Count
    reason: Annotated[Completed | Blocked | MaxTokens | Interrupted | Failed | Aborted, Open]


class StepMark(Closed):
    """A step begins or ends."""

    turn: Count
    step: Count


class ModelMessage(Closed):
    """What a model said."""

    id: Word
    role: Literal["assistant"]
    content: list[Block]
    source: TheModel


class AssistantMessage(Ruled):
    """The answer of a model, whole."""

    __rules__ = (only_true("interrupted"),)

    turn: Count
    step: Count
    message: ModelMessage
    usage: Usage | UnsetType = UNSET
    interrupted: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.interrupted is False:
            super().__post_init__()


class ToolCall(Closed):
    """A call is about to run; ``arguments`` is the raw text of the model."""

    turn: Count
    step: Count
    call_id: Word
    name: Word
    arguments: str


def one_result_of_its_call(sound: Members, _members: Members) -> Iterator[Broken]:
    """A tool message has exactly one block, for the call that its source names."""
    content, source = sound.get("content"), sound.get("source")
    if isinstance(content, list) and len(content) != 1:
        message = "expected exactly one tool-result block"
        yield Broken(("content",), "not-one-tool-result-block", message)
    elif isinstance(content, list):
        call, named = _member(content[0], "toolCallId"), _member(source, "callId")
        if isinstance(call, str) and isinstance(named, str) and call != named:
            message = "must name the same call as the source of the message"
            yield Broken(("content", 0, "toolCallId"), "tool-call-id-mismatch", message)


def _member(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    return getattr(value, {"toolCallId": "tool_call_id", "callId": "call_id"}[name], None)


class OneResult(Closed):
    """What a tool said, where no other block can stand."""

    type: Literal["tool-result"]
    tool_call_id: Word
    content: list[Block]
    is_error: bool | UnsetType = UNSET


class ToolMessage(Ruled):
    """What a tool said, as a message."""

    __rules__ = (one_result_of_its_call,)

    id: Word
    role: Literal["user"]
    content: list[OneResult]
    source: TheTool

    def __post_init__(self) -> None:
        content = self.content
        if len(content) != 1 or content[0].tool_call_id != self.source.call_id:
            super().__post_init__()


class ToolError(Closed):
    """What went wrong in a tool, for programs."""

    name: Word
    code: Word


class ToolResult(Closed):
    """A tool is done; ``meta`` belongs to the tool and is not looked into."""

    turn: Count
    step: Count
    message: ToolMessage
    error: ToolError | UnsetType = UNSET
    meta: Any = UNSET


class Config(Closed):
    """Which model answers, and how."""

    provider: Word
    model: Word
    reasoning_effort: Word | UnsetType = UNSET
    temperature: float | UnsetType = UNSET
    max_tokens: Positive | UnsetType = UNSET
    stop: list[str] | UnsetType = UNSET


class AdapterDefaults(Ruled):
    """Which members of the configuration the adapter filled in."""

    __rules__ = (only_true("reasoningEffort"), only_true("maxTokens"))

    reasoning_effort: bool | UnsetType = UNSET
    max_tokens: bool | UnsetType = UNSET


class ToolDefinition(Closed):
    """A tool that the model may call; ``parameters`` is a JSON Schema and not looked into."""

    name: Word
    description: str
    parameters: dict[str, Any]


def defaults_of_the_config(sound: Members, _members: Members) -> Iterator[Broken]:
    """What the adapter filled in is there."""
    config, defaults = sound.get("config"), sound.get("adapterDefaults")
    for name, attribute in (("reasoningEffort", "reasoning_effort"), ("maxTokens", "max_tokens")):
        if _is_set(defaults, name, attribute) and not _is_set(config, name, attribute):
            message = "marks a member that the configuration does not have"
            yield Broken(("adapterDefaults", name), "request-header-bad-defaults", message)


def _is_set(value: Any, name: str, attribute: str) -> bool:
    if isinstance(value, dict):
        return name in value
    return getattr(value, attribute, UNSET) is not UNSET


class Header(Ruled):
    """Everything of a request but its messages."""

    __rules__ = (defaults_of_the_config,)

    config: Config
    adapter_defaults: AdapterDefaults | UnsetType = UNSET
    system: str | UnsetType = UNSET
    tools: list[ToolDefinition] | UnsetType = UNSET


class RequestHeader(Ruled):
    """The header of the requests that follow."""

    __rules__ = (only_true("startsSeries"),)

    header: Header
    reason: Literal["initial", "resume", "change", "series"]
    starts_series: bool | UnsetType = UNSET


class RequestContext(Closed):
    """The model that the requests that follow go to."""

    provider: Word
    model: Word
    context_window: Positive | UnsetType = UNSET


class UserMessage(Message):
    """What a person or the program said to the model."""

    role: Literal["user"]


class Nothing(Closed):
    """No member at all."""

"""Messages, history and tool schemas, for Robota records and logs (robota-record 4.2 to 4.4)."""

# Annotations are not postponed: as texts, msgspec would compile each at start-up.

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed
from sesskit.schemas.robota_scalars import Instant

if TYPE_CHECKING:
    MetadataValue = str | int | float | bool | list[str] | list[float] | dict[str, float]
else:
    # msgspec takes one array kind in a union; arrays of numbers go the collecting way.
    MetadataValue = str | int | float | bool | list[str] | dict[str, int | float]

Metadata = Annotated[dict[str, MetadataValue], Meta(extra={"rule": "message-metadata"})]
State = Literal["complete", "interrupted"]


class TextPart(Closed, tag_field="type", tag="text"):
    text: str


class InlineImagePart(Closed, tag_field="type", tag="image_inline"):
    mime_type: str
    data: str


class ImageUriPart(Closed, tag_field="type", tag="image_uri"):
    uri: str
    mime_type: str | UnsetType = UNSET


Part = TextPart | InlineImagePart | ImageUriPart


class CalledFunction(Closed):
    name: str
    arguments: str
    """JSON text as the model wrote it; never parsed by the record."""


class ToolCall(Closed):
    id: str
    type: Literal["function"]
    function: CalledFunction


_HEAD = ("id", "timestamp", "state", "role", "content")


class _Message(Closed, tag_field="role", kw_only=True):
    """What every message has; ``content`` and the rest depend on the role."""

    __encode_order__: ClassVar[tuple[str, ...]] = (*_HEAD, "metadata", "parts", "name")
    id: str
    timestamp: Instant
    state: State
    metadata: Metadata | UnsetType = UNSET
    parts: list[Part] | UnsetType = UNSET


class UserMessage(_Message, tag="user", kw_only=True):
    role: ClassVar[str] = "user"
    content: str
    name: str | UnsetType = UNSET


class SystemMessage(_Message, tag="system", kw_only=True):
    role: ClassVar[str] = "system"
    content: str
    name: str | UnsetType = UNSET


class AssistantMessage(_Message, tag="assistant", kw_only=True):
    role: ClassVar[str] = "assistant"
    __encode_order__: ClassVar[tuple[str, ...]] = (*_HEAD, "metadata", "parts", "toolCalls")
    content: str | None
    tool_calls: list[ToolCall] | UnsetType = UNSET


class ToolMessage(_Message, tag="tool", kw_only=True):
    role: ClassVar[str] = "tool"
    __encode_order__: ClassVar[tuple[str, ...]] = (
        *_HEAD,
        "toolCallId",
        "metadata",
        "parts",
        "name",
    )
    content: str
    tool_call_id: str
    name: str | UnsetType = UNSET


Message = UserMessage | AssistantMessage | SystemMessage | ToolMessage


class HistoryEntry(Closed):
    id: str
    timestamp: Instant
    category: str
    type: str
    data: Any = UNSET


SchemaType = Literal["string", "number", "integer", "boolean", "array", "object", "null"]


class ParameterSchema(Closed):
    """A node of a tool's parameter schema; every member is optional."""

    type: SchemaType | UnsetType = UNSET
    description: str | UnsetType = UNSET
    enum: list[str | int | float | bool] | UnsetType = UNSET
    items: "ParameterSchema | UnsetType" = UNSET
    properties: "dict[str, ParameterSchema] | UnsetType" = UNSET
    required: list[str] | UnsetType = UNSET
    any_of: "list[ParameterSchema] | UnsetType" = UNSET
    additional_properties: "bool | ParameterSchema | UnsetType" = UNSET
    minimum: int | float | UnsetType = UNSET
    maximum: int | float | UnsetType = UNSET
    pattern: str | UnsetType = UNSET
    format: str | UnsetType = UNSET
    default: str | int | float | bool | UnsetType | None = UNSET


def parameters_are_an_object(
    sound: Mapping[str, Any], every: Mapping[str, Any]
) -> Iterator[Broken]:
    """Root rule of ``parameters``: its type is object, and it names its properties."""
    parameters = sound.get("parameters")
    if parameters is None:
        return
    kind = parameters.get("type")
    if "type" not in parameters:
        message = "missing; the parameters of a tool are an object"
        yield Broken(("parameters", "type"), "member-missing", message, "object", "nothing")
    elif kind in get_args(SchemaType) and kind != "object":
        message = "expected object, the only type that a tool's parameters can have"
        yield Broken(("parameters", "type"), "choice", message, "object", "other word")
    if "properties" not in parameters:
        message = "missing; the parameters of a tool name their properties"
        yield Broken(("parameters", "properties"), "member-missing", message, "object", "nothing")


class ToolSchema(Closed):
    __rules__ = (parameters_are_an_object,)
    __schema__: ClassVar[dict[str, Any]] = {
        "allOf": [
            {
                "properties": {
                    "parameters": {
                        "required": ["type", "properties"],
                        "properties": {"type": {"const": "object"}},
                    }
                }
            }
        ]
    }
    name: str
    description: str
    parameters: ParameterSchema
    output_schema: ParameterSchema | UnsetType = UNSET

    def __post_init__(self) -> None:
        parameters = self.parameters
        if parameters.type != "object" or parameters.properties is UNSET:
            raise ValueError("the collecting decoder says why")

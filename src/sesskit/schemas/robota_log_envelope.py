"""The envelope of a Robota log line, and the shapes that several events share (robota-log 3, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Broken, Closed, Rule
from sesskit.schemas.robota_scalars import JsonMap, TextInstant

VERSION = 1
ENVELOPE = ("schemaVersion", "timestamp", "sessionId", "event")

Count = Annotated[int, Meta(ge=0)]
Figure = int | float
NotEmpty = Annotated[str, Meta(min_length=1)]


def session_is_named(sound: Mapping[str, Any], every: Mapping[str, Any]) -> Iterator[Broken]:
    """The session id holds something."""
    if sound.get("sessionId") == "":
        yield Broken(("sessionId",), "empty", "must not be empty", "text", "empty string")


NAMED: dict[str, Any] = {"properties": {"sessionId": {"minLength": 1}}}


class LogEvent(Closed, tag_field="event"):
    """The envelope that the logger owns."""

    __rules__: ClassVar[tuple[Rule, ...]] = (session_is_named,)
    __schema__: ClassVar[dict[str, Any]] = {"allOf": [NAMED]}
    event: ClassVar[str] = ""
    schema_version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    timestamp: TextInstant
    session_id: NotEmpty


class RoundEvent(LogEvent, kw_only=True):
    """The envelope and the key of one round of one execution."""

    execution_id: str
    conversation_id: str | UnsetType = UNSET
    round: Count


class ContextState(Closed):
    """How full a model's window is; percentages count to 100."""

    max_tokens: Figure
    used_tokens: Figure
    used_percentage: Figure
    remaining_percentage: Figure


class Owner(Closed):
    type: str
    id: str


class StructureItem(Closed):
    """What one message of a history looks like, without its content."""

    role: Literal["user", "assistant", "system", "tool"]
    content_length: Count
    has_tool_calls: bool
    tool_call_names: list[str]
    metadata: JsonMap | UnsetType = UNSET

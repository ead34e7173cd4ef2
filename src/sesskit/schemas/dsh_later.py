"""Payloads that v2 and v3 have and v1 has not, or has in another form."""

from typing import Literal

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_content import Block, Count, Positive, Ruled, Safe, Usage, Word, only_true
from sesskit.schemas.dsh_sources import ThePlugin
from sesskit.schemas.dsh_streams import Chunk
from sesskit.schemas.dsh_turns import (
    AdapterDefaults,
    Config,
    ModelMessage,
    ToolDefinition,
    defaults_of_the_config,
)


class TextRun(Closed, tag="text-chunks", tag_field="type"):
    """Pieces of text that came one after the other."""

    time0: Safe
    index: Count
    dt: list[Safe]
    texts: list[str]


class ReasoningRun(Closed, tag="reasoning-chunks", tag_field="type"):
    """Pieces of reasoning that came one after the other."""

    time0: Safe
    index: Count
    dt: list[Safe]
    texts: list[str]


class ToolCallRun(Closed, tag="tool-call-chunks", tag_field="type"):
    """Pieces of the arguments of one call that came one after the other."""

    time0: Safe
    index: Count
    dt: list[Safe]
    id: Word
    args: list[str]
    name: str | UnsetType = UNSET


class OneChunk(Closed, tag="chunk", tag_field="type"):
    """Any other piece of a stream."""

    time: Safe
    chunk: Chunk


Stream = list[TextRun | ReasoningRun | ToolCallRun | OneChunk]


class StreamedMessage(Ruled):
    """The answer of a model, with the stream that it came by."""

    __rules__ = (only_true("interrupted"),)

    turn: Count
    step: Count
    message: ModelMessage
    stream: Stream
    usage: Usage | UnsetType = UNSET
    interrupted: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.interrupted is False:
            super().__post_init__()


class Attempt(Closed):
    """A stream that gave no message."""

    turn: Count
    step: Count
    stream: Stream


class EndSeed(Ruled):
    """Where a lifetime of the session begins; ``inherited`` marks the end of what was copied."""

    __rules__ = (only_true("inherited"),)

    inherited: bool | UnsetType = UNSET


class Rating(Closed):
    """What a person thinks of a message."""

    message_id: Word
    rating: Literal["positive", "negative"]
    version: Positive
    created_at: Count
    updated_at: Count
    note: str | UnsetType = UNSET


class FeedbackPut(Closed):
    """A rating is given or changed."""

    session_id: Word
    item: Rating


class FeedbackDelete(Closed):
    """A rating is taken back."""

    session_id: Word
    message_id: Word


class V3Header(Ruled):
    """Everything of a request but its messages; in v3 the system prompt is one of them."""

    __rules__ = (defaults_of_the_config,)

    config: Config
    adapter_defaults: AdapterDefaults | UnsetType = UNSET
    tools: list[ToolDefinition] | UnsetType = UNSET


class V3RequestHeader(Ruled):
    """The header of the requests that follow."""

    __rules__ = (only_true("startsSeries"),)

    header: V3Header
    reason: Literal["initial", "resume", "change", "series"]
    starts_series: bool | UnsetType = UNSET


class SystemPrompt(Closed):
    """A system prompt as a message."""

    id: Word
    role: Literal["system"]
    content: list[Block]
    source: ThePlugin


class SystemMessage(Closed):
    """The system prompt of the requests that follow."""

    turn: Count
    step: Count
    message: SystemPrompt

"""Pieces of what a model streams, as dsh keeps them in events."""

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_content import Block, Count, Failure, Open, Usage, Word


class BlockStart(Closed, tag="block-start", tag_field="type"):
    """A block begins to stream."""

    index: Count
    block_type: Word


class TextDelta(Closed, tag="text-delta", tag_field="type"):
    """A piece of text."""

    index: Count
    text: str


class ReasoningDelta(Closed, tag="reasoning-delta", tag_field="type"):
    """A piece of reasoning."""

    index: Count
    text: str


class ToolCallDelta(Closed, tag="tool-call-delta", tag_field="type"):
    """A piece of the arguments of a call."""

    index: Count
    id: Word
    arguments_delta: str
    name: str | UnsetType = UNSET


class BlockEnd(Closed, tag="block-end", tag_field="type"):
    """A block is complete."""

    index: Count
    block: Block


class UsageChunk(Closed, tag="usage", tag_field="type"):
    """Tokens so far."""

    usage: Usage


class Stop(Closed, tag="stop", tag_field="kind"):
    """The model was done."""


class ToolCalls(Closed, tag="tool-calls", tag_field="kind"):
    """The model waits for tools."""


class OutOfTokens(Closed, tag="max-tokens", tag_field="kind"):
    """The answer was cut."""


class StreamAborted(Closed, tag="aborted", tag_field="kind"):
    """The stream was stopped."""

    failure: Failure


class StreamFailed(Closed, tag="error", tag_field="kind"):
    """The stream broke."""

    failure: Failure


class ReplayState(Closed):
    """What the adapter wants to see again; its own business."""

    response: Any
    blocks: list[Any] | UnsetType = UNSET


class Finish(Closed, tag="finish", tag_field="type"):
    """The stream ends."""

    reason: Annotated[Stop | ToolCalls | OutOfTokens | StreamAborted | StreamFailed, Open]
    replay_state: ReplayState | UnsetType = UNSET


Chunk = BlockStart | TextDelta | ReasoningDelta | ToolCallDelta | BlockEnd | UsageChunk | Finish


class ChunkEvent(Closed):
    """One piece of a streamed answer (v0 and v1)."""

    turn: Count
    step: Count
    chunk: Chunk

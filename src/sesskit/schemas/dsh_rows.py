"""Rows of packed chunks, as logs of v0 and v1 hold them."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_content import Count, Safe, Word

Texts = Annotated[list[str], Meta(min_length=1)]


class RunData(Closed):
    """Several deltas of text."""

    turn: Count
    step: Count
    index: Count
    dt: list[int]
    texts: Texts


class CallRunData(Closed):
    """Several deltas of the arguments of a call."""

    turn: Count
    step: Count
    index: Count
    dt: list[int]
    id: Word
    args: Texts
    name: str | UnsetType = UNSET


class TextLine(Closed, tag="text-chunks", tag_field="type"):
    """A row of text."""

    seq0: Count
    time0: Safe
    data: RunData


class ReasoningLine(Closed, tag="reasoning-chunks", tag_field="type"):
    """A row of reasoning."""

    seq0: Count
    time0: Safe
    data: RunData


class CallLine(Closed, tag="tool-call-chunks", tag_field="type"):
    """A row of arguments."""

    seq0: Count
    time0: Safe
    data: CallRunData

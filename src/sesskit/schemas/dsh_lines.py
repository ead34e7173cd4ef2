"""Whole lines of dsh logs, decoded straight into classes.

Most lines of a v0 or v1 log are pieces of streams, packed or not; they have a decoder of their
own. What does not fit is no fault by that: the careful way decides.
"""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Union

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_content import Count, Safe, Word
from sesskit.schemas.dsh_payloads import PAYLOADS
from sesskit.schemas.dsh_streams import ChunkEvent

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


class ChunkLine(Closed, tag="assistant/chunk", tag_field="type"):
    """One piece on its own."""

    seq: Count
    time: Safe
    data: ChunkEvent


PREFIXES = tuple(
    b'{"type":"%s"' % tag
    for tag in (b"text-chunks", b"reasoning-chunks", b"tool-call-chunks", b"assistant/chunk")
)
"""How such a line begins when the program wrote it."""


@cache
def event_decoder(version: int, kinds: frozenset[str]) -> Callable[[bytes], Any]:
    """A decoder of the events of one version that are of these types, whole.

    It raises `msgspec.MsgspecError`, `ValueError` or `RecursionError` for what does not fit.

    What it takes has a sound envelope, apart from its number, and a sound payload. Surface
    operations and the lists of sources are not looked into, and `ignorable` is not taken at all.
    """
    return _decoder(*_events(version, kinds).values())


@cache
def line_decoder(
    version: int, kinds: frozenset[str]
) -> tuple[Callable[[bytes], Any], dict[str, type]]:
    """The same for lines of streams, too, where the version has them; and the classes by type."""
    types = {kind: made for kind, made in _events(version, kinds).items() if kind not in _STREAMED}
    streams = STREAM_LINES if version < 2 else ()
    return _decoder(*types.values(), *streams), types


STREAM_LINES = (TextLine, ReasoningLine, CallLine, ChunkLine)
_STREAMED = ("assistant/chunk",)


def _decoder(*types: Any) -> Callable[[bytes], Any]:
    decode: Callable[[bytes], Any] = msgspec.json.Decoder(Union[types]).decode  # noqa: UP007 - made at run time
    return decode


@cache
def _events(version: int, kinds: frozenset[str]) -> dict[str, Any]:
    before: list[Any] = [("seq", Count), ("time", Safe)]
    behind: list[Any] = [("surface_op", Any, UNSET), ("source_event_seqs", Any, UNSET)]
    return {
        kind: msgspec.defstruct(
            kind,
            [*before, ("data", payload), *behind],
            bases=(Closed,),
            tag=kind,
            tag_field="type",
            kw_only=True,
        )
        for kind, payload in PAYLOADS[version].items()
        if kind in kinds
    }

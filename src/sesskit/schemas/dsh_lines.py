"""Whole lines of dsh logs, decoded straight into classes.

Most lines of a v0 or v1 log are pieces of streams, packed or not. Here they are narrower than the
format has them: what does not fit is no fault by that, the careful way decides.
"""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_content import Count, Safe, Word
from sesskit.schemas.dsh_later import StreamedMessage, SystemMessage
from sesskit.schemas.dsh_streams import ChunkEvent
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.dsh_turns import (
    AssistantMessage,
    StepMark,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
)

Texts = Annotated[list[str], Meta(min_length=1, max_length=2**20)]
Gaps = list[Annotated[int, Meta(ge=-(2**31), le=2**31)]]
"""Milliseconds between deltas."""
Early = Annotated[int, Meta(ge=-(2**52), le=2**52)]
"""A time from which so many gaps lead to a safe number; others are left to the careful way."""


class Run(Closed):
    """Several deltas of text."""

    turn: Count
    step: Count
    index: Count
    dt: Gaps
    texts: Texts


class CallRun(Closed):
    """Several deltas of the arguments of a call."""

    turn: Count
    step: Count
    index: Count
    dt: Gaps
    id: Word
    texts: Texts = field(name="args")
    name: str | UnsetType = UNSET


class TextLine(Closed, tag="text-chunks", tag_field="type"):
    """A row of text."""

    seq: Count = field(name="seq0")
    time: Early = field(name="time0")
    data: Run


class ReasoningLine(Closed, tag="reasoning-chunks", tag_field="type"):
    """A row of reasoning."""

    seq: Count = field(name="seq0")
    time: Early = field(name="time0")
    data: Run


class CallLine(Closed, tag="tool-call-chunks", tag_field="type"):
    """A row of arguments."""

    seq: Count = field(name="seq0")
    time: Early = field(name="time0")
    data: CallRun


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
    from sesskit.schemas.dsh_payloads import PAYLOADS  # only here: it declares everything

    known = PAYLOADS[version].items()
    return _decoder(*(_event(kind, made, _ANY) for kind, made in known if kind in kinds))


@cache
def line_decoder(
    version: int, kinds: frozenset[str]
) -> tuple[Callable[[bytes], Any], dict[str, type]]:
    """A decoder of lines of these types as programs write them, and their classes by type.

    It takes streams, too, where the version has them; of surface operations only plain ones, with
    numbers of events for sources, and of other types none.
    """
    types = {kind: _line(version, kind) for kind in sorted(kinds)}
    streams = STREAM_LINES if version < 2 else ()
    return _decoder(*types.values(), *streams), types


def usual_kinds(version: int) -> frozenset[str]:
    """The types that every log has; decoders of few types are made sooner."""
    return frozenset(_usual(version))


STREAM_LINES = (TextLine, ReasoningLine, CallLine, ChunkLine)
_Members = list[tuple[str, Any, Any]]
_ANY: _Members = [("surface_op", Any, UNSET), ("source_event_seqs", Any, UNSET)]
_PLAIN: _Members = [
    ("surface_op", Literal["append"], UNSET),
    ("source_event_seqs", Annotated[list[Count], Meta(min_length=1)] | UnsetType, UNSET),
]


def _usual(version: int) -> dict[str, Any]:
    said: type = StreamedMessage if version >= 2 else AssistantMessage
    more = {"system/message": SystemMessage} if version >= 3 else {}
    return {
        "turn/start": TurnStart,
        "turn/end": TurnEnd,
        "step/start": StepMark,
        "step/end": StepMark,
        "user/message": UserMessage,
        "assistant/message": said,
        "tool/call": ToolCall,
        "tool/result": ToolResult,
        **more,
    }


def _decoder(*types: Any) -> Callable[[bytes], Any]:
    decode: Callable[[bytes], Any] = msgspec.json.Decoder(Union[types]).decode  # noqa: UP007 - made at run time
    return decode


@cache
def _line(version: int, kind: str) -> type:
    payload = _usual(version).get(kind)
    if payload is None:
        from sesskit.schemas.dsh_payloads import PAYLOADS  # only here: it declares everything

        payload = PAYLOADS[version][kind]
    return _event(kind, payload, _PLAIN if kind in SURFACE[version] else [])


def _event(kind: str, payload: Any, surface: _Members) -> type:
    return msgspec.defstruct(
        kind,
        [("seq", Count), ("time", Safe), ("data", payload), *surface],
        bases=(Closed,),
        tag=kind,
        tag_field="type",
        kw_only=True,
    )

"""Checking the lines of a Robota log and nothing else, as fast as they can be parsed.

A line as loggers write it ends with its event name, so the decoder of that one event is asked. What
it takes is sound; what it refuses is read again with more care.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import UNSET

from sesskit.logs.plain_values import is_plain
from sesskit.logs.robota_lines import schemas_are_flat
from sesskit.schemas.checking import Twins
from sesskit.schemas.items import REFUSALS
from sesskit.schemas.robota_log import EVENTS, SCHEMA_EVENTS, MemoryLine, ServerTool
from sesskit.schemas.robota_log_turns import (
    Assistant,
    ProviderNativeRawPayload,
    ToolCallLine,
    ToolExecutionRequest,
    ToolExecutionResult,
)

TAIL: Final = b',"event":"'
_AFTER: Final = len(TAIL)

Look = Callable[[Any, bytes], bool]
"""A further look at an event that was decoded: is the line sound?"""


def _members(first: str, second: str | None = None) -> Look:
    """Looks at one or two members that hold any JSON."""
    one = attrgetter(first)
    if second is None:
        return lambda event, line: is_plain(one(event))
    two = attrgetter(second)
    return lambda event, line: is_plain(one(event)) and is_plain(two(event))


def _structure(event: Any, line: bytes) -> bool:
    return is_plain([item.metadata for item in event.history_structure])


def _memory(event: Any, line: bytes) -> bool:
    found = [holder for holder in (event.memory_event, event.data) if holder is not UNSET]
    return is_plain([holder.data for holder in found])


_any = msgspec.json.Decoder().decode


def _server_tool(event: Any, line: bytes) -> bool:
    """Its other members were passed over: the line is read once more, as any JSON."""
    return is_plain(_any(line))


_LOOKS: Final[dict[type, Look]] = {
    **dict.fromkeys(SCHEMA_EVENTS, schemas_are_flat),
    Assistant: _structure,
    MemoryLine: _memory,
    ProviderNativeRawPayload: _members("payload", "metadata"),
    ServerTool: _server_tool,
    ToolCallLine: _members("args"),
    ToolExecutionRequest: _members("parameters"),
    ToolExecutionResult: _members("result", "metadata"),
}


def _looking(decode: Callable[[bytes], Any], look: Look) -> Callable[[bytes], Any]:
    def both(line: bytes) -> Any:
        event = decode(line)
        if look(event, line):
            return event
        raise ValueError("it needs more care")

    return both


def _no_event(line: bytes) -> Any:
    raise ValueError("there is no such event")


class _Decoders(dict[bytes, Callable[[bytes], Any]]):
    """How the lines of each event are checked; made when an event is first met."""

    _twins = Twins()
    _names: Final = {name.encode(): cls for name, cls in EVENTS.items()}

    def __missing__(self, name: bytes) -> Callable[[bytes], Any]:
        cls = self._names.get(name)
        if cls is None:
            return _no_event
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(self._twins.of_class(cls)).decode
        look = _LOOKS.get(cls)
        self[name] = made = decode if look is None else _looking(decode, look)
        return made


_DECODERS: Final = _Decoders()


def unsure_lines(lines: list[bytes], events: list[Any] | None = None) -> list[int]:
    """The positions of lines (with their line feeds) that need more care; all others are sound.

    ``events`` is given one for each line: a twin of the typed event, None for an unsure line.

    A valid line that ends in the tail and a name has ``event`` as the last member of its outermost
    object: the quotes of the tail cannot be inside a text.
    """
    unsure = []
    known = _DECODERS
    keep = None if events is None else events.append
    for position, line in enumerate(lines):
        try:
            event = known[line[line.rfind(TAIL) + _AFTER : -3]](line)
        except REFUSALS:
            unsure.append(position)
            event = None
        if keep is not None:
            keep(event)
    return unsure


def with_repeated_names(lines: list[bytes], unsure: list[int]) -> list[int]:
    """The positions of unsure lines, and of those that have two members of one name."""
    from sesskit.schemas.json_text import repeats_names  # only here: few readings are thorough

    doubted = set(unsure)
    return [place for place, line in enumerate(lines) if place in doubted or repeats_names(line)]

"""One line of a Robota log: the fast path. What it refuses goes to `robota_line_faults`, which is
imported when it is first needed: sound logs do not pay for it.
"""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from sesskit.logs.line_blocks import may_overflow
from sesskit.logs.robota_line_answer import LineAnswer, Way
from sesskit.logs.sidecar_references import may_hold_reference
from sesskit.logs.sidecars import Resolver
from sesskit.schemas.items import REFUSALS, Item, is_too_deep
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.robota_log import OPEN_EVENTS, SCHEMA_EVENTS, Event, ServerTool

if TYPE_CHECKING:
    from sesskit.schemas.json_position import Base

_EVENT: Final = Item(Event)
_SHORT: Final = 256
_MOST_KNOWN: Final = 256
_SMALLEST_LEVEL: Final = len('{"items":}')


def fast_is_enough(event: Any, line: bytes) -> bool:
    """Whether a line that msgspec took has nothing that it does not look at.

    What nests without end is looked at by its brackets; only ``server_tool`` has more members than
    msgspec reads.
    """
    kind = type(event)
    if kind in SCHEMA_EVENTS:
        return schemas_are_flat(event, line)
    if kind in OPEN_EVENTS:
        return kind is not ServerTool and not is_too_deep(line)
    return True


def schemas_are_flat(event: Any, line: bytes) -> bool:
    """Whether tool schemas, each level of which opens an object, are far from the limit."""
    if len(line) < MAX_DEPTH * _SMALLEST_LEVEL or not getattr(event, "tools", True):
        return True
    return line.count(b"{") * 2 <= MAX_DEPTH


class LineReader(Way):
    """Reads lines one by one, in the way it is told."""

    def __init__(
        self, resolver: Resolver | None, *, thorough: bool = False, zone: tzinfo = UTC
    ) -> None:
        super().__init__(resolver, thorough=thorough, zone=zone)
        self._known: dict[bytes, tuple[LineAnswer, Base]] = {}
        """Short lines that are wrong, with their answers: what is garbage often repeats."""

    def read(self, line: bytes, base: Base) -> LineAnswer:
        """A line, with its line feed or without, at its place in the file. Total."""
        careful = may_hold_reference(line) or may_overflow(line)
        if not careful and not (self.thorough and _repeats_names(line)):
            try:
                event = _EVENT.decode(line)
            except REFUSALS:
                pass
            else:
                if fast_is_enough(event, line):
                    plain = msgspec.json.decode(line) if self.keep_plain else None
                    return LineAnswer(event, version=1, plain=plain)
        return self.collect(line.removesuffix(b"\n"), base)

    def collect(self, line: bytes, base: Base) -> LineAnswer:
        """The collecting path: every fault of a line without line feed."""
        known = self._known.get(line)
        if known is not None:
            return _again(*known, base)
        from sesskit.logs.robota_line_faults import collect

        answer = collect(self, line, base)
        if answer.event is None and len(line) <= _SHORT and not self._differs(line, answer):
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[line] = answer, base
        return answer

    def _differs(self, line: bytes, answer: LineAnswer) -> bool:
        """Whether the answer to the same line can be another one next time."""
        return self.keep_plain or answer.unresolved > 0 or may_hold_reference(line)


def _again(answer: LineAnswer, then: Base, base: Base) -> LineAnswer:
    """The answer to a line that was read before, at its new place."""
    moved = base.offset - then.offset
    issues = tuple(
        replace(
            issue, line=base.line, offset=None if issue.offset is None else issue.offset + moved
        )
        for issue in answer.issues
    )
    return LineAnswer(None, issues, answer.faults, answer.version, answer.is_json, answer.blank)


def _repeats_names(line: bytes) -> bool:
    from sesskit.schemas.json_text import repeats_names

    return repeats_names(line)

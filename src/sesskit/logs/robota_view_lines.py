"""Lines of a Robota log for the session view: where their members are, nothing decoded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from sesskit.records.outline import Span, children, members, scalar
from sesskit.records.view import Ref
from sesskit.schemas.instants import Instant, parse_instant
from sesskit.schemas.issues import Key, pointer
from sesskit.schemas.robota_log_names import EVENT_NAMES

_BLANK = b" \t\r"


class LineParts:
    """One line: its members by name, and refs to them."""

    def __init__(self, data: bytes, start: int, end: int, number: int) -> None:
        self.data = data
        self.span = Span("", start, end)
        self.number = number
        self.ref = Ref(start, end - start, number, "")

    @cached_property
    def parts(self) -> dict[str, Span]:
        return members(self.data, self.span)

    @cached_property
    def event(self) -> str | None:
        """The name of its event; None for a line that is none of a log."""
        name = self.word("event")
        return name if name in EVENT_NAMES else None

    @cached_property
    def time(self) -> Instant | None:
        return self.instant(self.parts.get("timestamp"))

    def scalar_at(self, span: Span | None) -> Any:
        return scalar(self.data, span)

    def scalar(self, name: str) -> Any:
        return scalar(self.data, self.parts.get(name))

    def text(self, span: Span | None) -> str | None:
        found = scalar(self.data, span)
        return found if isinstance(found, str) else None

    def word(self, name: str) -> str | None:
        return self.text(self.parts.get(name))

    def instant(self, span: Span | None) -> Instant | None:
        text = self.text(span)
        return None if text is None else parse_instant(text)

    def inside(self, span: Span | None) -> dict[str, Span]:
        return {} if span is None else members(self.data, span)

    def members(self, name: str) -> dict[str, Span]:
        return self.inside(self.parts.get(name))

    def children(self, span: Span | None) -> Iterator[Span]:
        return iter(()) if span is None else children(self.data, span)

    def at(self, span: Span, *keys: Key) -> Ref:
        """A ref to a value of the line."""
        return Ref(span.start, span.end - span.start, self.number, pointer(keys))


def log_lines(data: bytes) -> Iterator[LineParts]:
    """Every line that is not blank."""
    start, number = 0, 1
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        first = start
        while first < end and data[first] in _BLANK:
            first += 1
        if first < end:
            yield LineParts(data, first, end, number)
        start, number = end + 1, number + 1

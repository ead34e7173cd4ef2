"""Lines of a Robota log for the session view: where their members are, nothing decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any, NamedTuple

from sesskit.logs.sidecar_references import KIND
from sesskit.records.outline import Span, children, members, root, scalar
from sesskit.records.view import Ref
from sesskit.schemas.instants import Instant, parse_instant
from sesskit.schemas.issues import Key, pointer
from sesskit.schemas.robota_log_names import EVENT_NAMES

_BLANK = b" \t\r"


Open = Callable[[str, int, str], bytes | None]
"""The bytes of the sidecar at a path, if they have this length and digest."""


class Around(NamedTuple):
    """What a line does not say: its sidecars, and the zone of its times that name none."""

    sidecars: Open | None = None
    zone: tzinfo = UTC


ALONE = Around()


class LineParts:
    """One line: its members by name, and refs to them. The line begins at ``base`` of its file.

    What lies in a sidecar is a `LineParts` of its own, with the bytes of the sidecar; ``file`` is
    its path then.
    """

    def __init__(
        self,
        data: bytes,
        span: Span,
        number: int,
        *,
        base: int = 0,
        file: str = "",
        around: Around = ALONE,
    ) -> None:
        self.data = data
        self.span = span
        self.number = number
        self.base = base
        self.file = file
        self.around = around
        self.ref = Ref(base + span.start, span.end - span.start, number, "", file)

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
        return None if text is None else parse_instant(text, self.around.zone)

    def inside(self, span: Span | None) -> dict[str, Span]:
        return {} if span is None else members(self.data, span)

    def members(self, name: str) -> dict[str, Span]:
        return self.inside(self.parts.get(name))

    def children(self, span: Span | None) -> Iterator[Span]:
        return iter(()) if span is None else children(self.data, span)

    def at(self, span: Span, *keys: Key) -> Ref:
        """A ref to a value of the line."""
        start = self.base + span.start
        return Ref(start, span.end - span.start, self.number, pointer(keys), self.file)

    def reached(self, span: Span) -> tuple[LineParts, Span]:
        """A value and what holds it: the line, or the sidecar where a reference stands here."""
        if self.around.sidecars is None or self.data[span.start : span.start + 1] != b"{":
            return self, span
        found = self.inside(span)
        if self.text(found.get("kind")) != KIND:
            return self, span
        path, digest = self.text(found.get("relativePath")), self.text(found.get("sha256"))
        length = self.scalar_at(found.get("byteLength"))
        if not path or digest is None or type(length) is not int:
            return self, span
        data = self.around.sidecars(path, length, digest)
        value = None if data is None else root(data)
        if data is None or value is None:
            return self, span
        return LineParts(data, value, self.number, file=path, around=self.around), value

    def into(self, span: Span | None) -> tuple[LineParts, dict[str, Span]]:
        """The members of an object, in the line or in a sidecar, and what holds them."""
        if span is None:
            return self, {}
        parts, value = self.reached(span)
        return parts, parts.inside(value)


def log_lines(data: bytes, around: Around = ALONE) -> Iterator[LineParts]:
    """Every line that is not blank."""
    start, number = 0, 1
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        first = start
        while first < end and data[first] in _BLANK:
            first += 1
        if first < end:
            yield LineParts(data, Span("", first, end), number, around=around)
        start, number = end + 1, number + 1

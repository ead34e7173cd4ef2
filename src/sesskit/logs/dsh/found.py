"""One line of a damaged log, and the events that it stands for."""

from __future__ import annotations

from typing import Any

from sesskit.logs.dsh.rows import is_row, members, unpack

Json = dict[str, Any]


class Found:
    """One line, or one whole value in a damaged line, and the events that it stands for.

    ``whole`` says that it is all of its line, ``ended`` that a line feed follows. ``record`` is
    the value: an event, or a row of them.
    """

    __slots__ = ("count", "ended", "offset", "record", "seq", "text", "whole")

    def __init__(
        self, offset: int, text: bytes, record: Json, *, whole: bool = False, ended: bool = False
    ) -> None:
        self.offset, self.text, self.record = offset, text, record
        self.whole, self.ended = whole, ended
        row = is_row(record)
        self.seq = int(record["seq0"] if row else record["seq"])
        self.count = members(record) if row else 1

    def under(self, seq: int) -> Found:
        """The line as it would be under another number."""
        record = {**self.record, "seq0" if is_row(self.record) else "seq": seq}
        return Found(self.offset, self.text, record, whole=self.whole, ended=self.ended)

    @property
    def events(self) -> tuple[Json, ...]:
        """The events, in order."""
        return tuple(unpack(self.record)) if is_row(self.record) else (self.record,)

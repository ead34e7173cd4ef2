"""One stored line as a value: parsed, with the issues of its text in place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.lines import Line
from sesskit.logs.dsh.lossless import NEGATIVE_ZERO, OVERFLOW, losses
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import Base, read_json
from sesskit.schemas.places import Places


@dataclass(slots=True)
class Stored:
    """A line of a log and what it holds.

    ``value`` is `DAMAGED` where the original could not parse the line. ``seq`` is that of the
    first event it stands for, ``events`` how many those are. ``accepted`` says whether the
    original would keep the line.
    """

    line: Line
    value: Any
    issues: list[Issue] = field(default_factory=list)
    seq: int | None = None
    events: int = 0
    accepted: bool = True

    def add(self, issues: Iterable[Issue]) -> None:
        """Take in issues whose keys lead from the value, and give them their places.

        What is wrong with a declared number says more than that it is too large, or -0.
        """
        found = list(issues)
        if found:
            said = {issue.keys for issue in found if not issue.at_key}
            self.issues = [i for i in self.issues if i.code not in _LOST or i.keys not in said]
            places = Places(self.line.data, base=_base(self.line))
            self.issues += [self._here(issue) for issue in places.place(found)]

    def whole(self, issue: Issue) -> Issue:
        """An issue about the line as a whole, in its place: where the line begins."""
        placed = issue.placed(self.line.offset, self.line.number, 1)
        return self._here(placed)

    def _here(self, issue: Issue) -> Issue:
        return replace(
            issue, frame=self.line.frame, seq=self.seq if issue.seq is None else issue.seq
        )


def parse(line: Line, *, thorough: bool = False) -> Stored:
    """Parse a line as ECMAScript would; total. Errors of its text make the value `DAMAGED`."""
    text = read_json(line.data, thorough=thorough, base=_base(line))
    value = text.value
    zeros = has_negative_zero(line.data)
    if text.sound and zeros:
        value = with_negative_zeros(line.data, value)
    stored = Stored(line, value if text.sound else DAMAGED)
    stored.issues = [replace(issue, frame=line.frame) for issue in text.issues]
    if zeros and text.sound:
        stored.add(issue for issue in losses(value) if issue.code == NEGATIVE_ZERO)
    return stored


_LOST = (NEGATIVE_ZERO, OVERFLOW)
_NEGATIVE_ZERO = re.compile(rb"[:,\[]\s*-0(?:\.0+)?(?:[eE][+-]?[0-9]+)?\s*[,}\]]")


def has_negative_zero(data: bytes) -> bool:
    """Whether a text may hold ``-0``, which fast parsers take for 0; it may stand in a string."""
    return b"-0" in data and _NEGATIVE_ZERO.search(data) is not None


def with_negative_zeros(data: bytes, value: Any) -> Any:
    """The value of a text with each ``-0`` as the number that it is to dsh."""
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_int=_integer)
    except (ValueError, RecursionError):
        return value


def _integer(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)


def _base(line: Line) -> Base:
    return Base(line.offset, line.number, 1)

"""One stored line as a value: parsed, with the issues of its text in place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson
from msgspec import Struct, field
from msgspec.structs import replace

from sesskit.logs.dsh.lines import Line
from sesskit.logs.dsh.lossless import NEGATIVE_ZERO, OVERFLOW, losses
from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue
from sesskit.schemas.limits import MAX_DEPTH

if TYPE_CHECKING:
    from sesskit.schemas.json_position import Base


class Stored(Struct):
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
            from sesskit.schemas.places import Places  # only now: most lines are sound

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
    if len(line.data) <= MAX_DEPTH and not thorough and not has_negative_zero(line.data):
        try:  # the usual header; what it takes cannot be too deep
            return Stored(line, orjson.loads(line.data))
        except ValueError:
            pass
    from sesskit.schemas.json_text import read_json  # only now: most lines are taken quickly

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


def with_negative_zeros(data: bytes, value: Any) -> Any:
    """The value of a text with each ``-0`` as the number that it is to dsh."""
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_int=_integer)
    except (ValueError, RecursionError):
        return value


def _integer(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)


def _base(line: Line) -> Base:
    from sesskit.schemas.json_position import Base

    return Base(line.offset, line.number, 1)

"""Faults of single lines of a log, as issues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sesskit.logs.dsh.envelopes import check_envelope, check_loose_sources, read_sources
from sesskit.logs.dsh.generations import V0, Generation
from sesskit.schemas.dsh_values import is_index, is_negative_zero
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


def row_faults(generation: Generation, event: Json) -> Iterator[Issue]:
    """What makes a line no event at all from v1 on; v1 looks at the rest only when it loads."""
    sources, seq = event.get("sourceEventSeqs"), event.get("seq")
    if generation.version == 1:
        if "sourceEventSeqs" in event:
            yield from check_loose_sources(sources, seq)
        return
    yield from check_envelope(event, later=True)
    if "sourceEventSeqs" in event:
        if is_negative_zero(seq):
            yield Issue("envelope", "must be: count", keys=("seq",), expected="count")
        elif is_index(seq):
            yield from read_sources(sources, seq, pairs=True).issues


def ends_turn(value: object) -> bool:
    """Whether a line ends a turn, so that what stands before it was committed."""
    return isinstance(value, dict) and value.get("type") == "turn/end"


def cut_line(*, alone: bool) -> Issue:
    """A last line without line feed; ``alone`` where it is the header."""
    message = "the last line has no line feed: it was cut, or is still being written"
    if alone:
        message = "the header has no line feed: it was cut, or is still being written"
    return Issue("tail-cut", message, expected="line feed", found="end of the file")


def other_version(selected: int, version: float) -> Issue:
    """The name of the file selects another version than the header says."""
    program = "0.1.1" if selected == V0.version else f"v{selected}"
    message = f"the file's name selects the reader of {program}, which refuses this version"
    return Issue("version-other", message, keys=("version",), expected=str(selected))


def empty_file() -> Issue:
    """A log without a single line."""
    message = "the file is empty; not even a header was written"
    return Issue("header-missing", message, line=1, column=1, offset=0)


def is_number_only(fault: Issue, event: Json) -> bool:
    """Whether only the number of a line is wrong: that is looked at after the line was read."""
    return fault.code == "envelope" and fault.keys == ("seq",) and "sourceEventSeqs" not in event

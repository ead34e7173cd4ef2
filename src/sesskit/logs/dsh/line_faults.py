"""Faults of single lines of a log, as issues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sesskit.logs.dsh.envelopes import check_envelope, read_sources
from sesskit.logs.dsh.generations import V0, Generation
from sesskit.logs.dsh.native import canonical_faults
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


def row_faults(generation: Generation, event: Json) -> Iterator[Issue]:
    """What makes a line no event at all from v1 on."""
    yield from check_envelope(event)
    if generation.version >= 2 and "sourceEventSeqs" in event and is_index(event.get("seq")):
        yield from read_sources(event["sourceEventSeqs"], event["seq"], pairs=True).issues
    if generation.version >= 3:
        yield from canonical_faults(event)


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

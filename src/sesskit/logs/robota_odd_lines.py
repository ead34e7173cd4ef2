"""Lines of a log that are not whole: those that are not held, and a last one without its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from msgspec import structs

from sesskit.logs.line_blocks import Hollow
from sesskit.logs.robota_line_answer import LineAnswer
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_position import Base
from sesskit.schemas.limits import MAX_LINE_BYTES

_STILL_WRITTEN: Final = "it may still be being written"


def hollow_answer(hollow: Hollow, base: Base) -> LineAnswer:
    """A line that is not held: NUL bytes, or longer than what is read."""
    if hollow.zeros:
        message = f"the line is {hollow.size:,} NUL bytes: it was never written or was lost"
        issue = Issue("json-nul-run", message, "error", (), "a JSON value", "NUL bytes")
    else:
        message = f"the line has {hollow.size:,} bytes; lines up to {MAX_LINE_BYTES:,} are read"
        issue = Issue("size-limit", message, "error", (), f"at most {MAX_LINE_BYTES:,} bytes")
    return LineAnswer(issues=(issue.placed(base.offset, base.line, 1),), is_json=not hollow.zeros)


def unended_answer(answer: LineAnswer, line: bytes, base: Base) -> LineAnswer:
    """The last line, where it has no line feed: whole, or cut."""
    if answer.is_json:
        message = f"the last line has no line end; {_STILL_WRITTEN}"
        found = Issue("line-unended", message, "warning", (), "a line end", "end of file")
        issue = found.placed(base.offset, base.line, 1)
        return replace(answer, issues=(*answer.issues, issue))
    first = next(issue for issue in answer.issues if issue.severity == "error")
    what = "is nothing but NUL bytes" if not line.strip(b"\0") else "stops before its value ends"
    message = f"the last line {what}: it was cut, or {_STILL_WRITTEN}"
    cut = structs.replace(
        first, code="line-cut", message=message, expected="a whole line", found="a part"
    )
    return replace(answer, issues=(cut,))

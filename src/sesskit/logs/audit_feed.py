"""What the audit is told of a line, and where its findings stand.

A member that is wrong, or whose sidecar cannot be had, is unknown. Where no rule needs it, the
rest of the line is still heard; otherwise the line as a whole is one that nobody can read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import replace

from sesskit.logs.audit_lines import HOST, REDACTED
from sesskit.logs.robota_line_answer import LineAnswer
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_position import Base
from sesskit.schemas.places import Places

_ENVELOPE: Final = ("schemaVersion", "timestamp", "sessionId")
_NEEDLESS: Final = {
    "provider_native_raw_payload": ("payload", "payloadKind", "provider"),
    "provider_request": ("tools", "effort"),
    "structured_output_transport": ("sent", "mechanism", "provenance"),
    "tool_call": ("args",),
    "tool_result": ("result",),
    "tool_execution_request": ("parameters",),
    "tool_execution_result": ("result", "error"),
    "error": ("message", "stack"),
}
"""Members that no rule reads, or that no rule compares where something was taken out of them."""


def heard(answer: LineAnswer) -> Any:
    """The value that the audit is told of a line; None if nobody can read it."""
    value = answer.plain
    if not isinstance(value, dict) or not answer.is_json or answer.unresolved:
        return None
    event, unknown = value.get("event"), _unknown(answer.issues)
    if isinstance(event, str) and event in HOST and unknown is not None:
        return {n: value[n] for n in (*_ENVELOPE, "event") if n in value} if unknown else value
    needless = _NEEDLESS.get(event, ()) if isinstance(event, str) else ()
    if unknown is None or not unknown <= set(needless):
        return None
    return value | dict.fromkeys(unknown, REDACTED) if unknown else value


def _unknown(issues: Iterable[Issue]) -> set[str | int] | None:
    """The members of a line that are wrong; None where that is the line as a whole.

    A member that should not be there hides nothing, and the envelope has rules of its own.
    """
    found: set[str | int] = set()
    for issue in issues:
        if issue.severity != "error" or issue.code == "member-unknown":
            continue
        if not issue.keys or issue.code in ("line-version", "event-unknown"):
            return None
        if issue.keys[0] not in _ENVELOPE:
            found.add(issue.keys[0])
    return found


def placed(stream: io.BufferedReader, findings: Iterable[Issue]) -> tuple[Issue, ...]:
    """Findings that know where their line begins, with their places; lines are read once more.

    A line that is not there any more has no places but its own.
    """
    return tuple(sorted((_placed(stream, f) for f in findings), key=lambda f: f.offset or 0))


def _placed(stream: io.BufferedReader, finding: Issue) -> Issue:
    start = finding.offset
    if start is None or finding.line is None:
        return finding
    if finding.keys:
        stream.seek(start)
        line = stream.readline()
        if line.startswith(b"{"):
            places = Places(line, base=Base(start, finding.line))
            return places.place([replace(finding, offset=None, line=None)])[0]
    return finding.placed(start, finding.line, 1)

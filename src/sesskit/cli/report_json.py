"""The JSON report, ``sesskit/1``, and the JSON Schema it keeps to.

`SCHEMA` is published as ``schemas/json/report.schema.json``; ``python -m sesskit.cli.docs`` writes
it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sesskit._version import __version__
from sesskit.cli.output import Display
from sesskit.cli.report import SEVERITIES, STATUSES, Entry, Report
from sesskit.cli.report_members import MEMBERS
from sesskit.schemas.issues import Issue, dotted, pointer

REPORT = "sesskit/1"
_RISKY = re.compile("[\ud800-\udfff\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_OPTIONAL = ("line", "column", "offset", "message", "expected", "found", "frame", "seq", "sidecar")


def as_json(report: Report, display: Display) -> str:
    """The report as one JSON object and a line end.

    What could take over a terminal, or is no character, is escaped.
    """
    text = json.dumps(report_object(report), ensure_ascii=False, indent=2)
    return _RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def report_object(report: Report) -> dict[str, Any]:
    """The report as plain JSON values."""
    return {
        "report": REPORT,
        "tool": {"name": "sesskit", "version": __version__},
        "summary": {
            "files": len(report.entries),
            **report.by_status(),
            "skipped": report.skipped,
            "issues": report.by_severity(),
        },
        "files": [_file(entry) for entry in report.entries],
    }


def _file(entry: Entry) -> dict[str, Any]:
    finding = entry.finding
    shown: dict[str, Any] = {"path": finding.path}
    if finding.format is not None:
        shown["format"] = finding.format
    shown |= {"version": finding.version, "status": finding.status}
    original = finding.original
    if original is not None:
        code = {} if original.code is None else {"code": original.code}
        shown["original"] = {"verdict": original.verdict, **code}
    shown["issues"] = [_issue(issue) for issue in entry.issues]
    return shown | (entry.members or {})


def _issue(issue: Issue) -> dict[str, Any]:
    from sesskit.cli.naming import shown_keys  # only here: most files have no issues

    keys = shown_keys(issue.keys)
    shown: dict[str, Any] = {
        "code": issue.code,
        "severity": issue.severity,
        "path": dotted(keys),
        "pointer": pointer(keys),
    }
    for name in _OPTIONAL:
        value = getattr(issue, name)
        if value is not None:
            shown[name] = value
    return shown


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": required | (optional or {}),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_PLACE = {"type": "integer", "minimum": 1}
_ISSUE = _object(
    {
        "code": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "severity": {"enum": list(SEVERITIES)},
        "path": _TEXT,
        "pointer": {"type": "string", "pattern": "^(/([^~/]|~[01])*)*$"},
        "message": _TEXT,
    },
    {
        "line": _PLACE,
        "column": _PLACE,
        "offset": _COUNT,
        "expected": _TEXT,
        "found": _TEXT,
        "frame": _COUNT,
        "seq": {"type": "integer"},
        "sidecar": _TEXT,
    },
)
_ORIGINAL = _object(
    {"verdict": {"enum": ["accept", "accept-with-repair", "reject", "unsupported"]}},
    {"code": _TEXT},
)
_FILE = _object(
    {
        "path": _TEXT,
        "version": {"type": ["number", "null"]},
        "status": {"enum": list(STATUSES)},
        "issues": {"type": "array", "items": {"$ref": "#/$defs/issue"}},
    },
    {"format": _TEXT, "original": {"$ref": "#/$defs/original"}, **MEMBERS},
) | {
    "$comment": "inspect, verify and replay print the same object, each file with further members",
    "additionalProperties": True,
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "urn:sesskit:schema:report",
    "title": "Report of sesskit, version 1",
    **_object(
        {
            "report": {"const": REPORT},
            "tool": _object({"name": {"const": "sesskit"}, "version": _TEXT}),
            "summary": _object(
                {"files": _COUNT, **dict.fromkeys(STATUSES, _COUNT), "skipped": _COUNT}
                | {"issues": _object(dict.fromkeys(SEVERITIES, _COUNT))}
            ),
            "files": {"type": "array", "items": {"$ref": "#/$defs/file"}},
        }
    ),
    "$defs": {"file": _FILE, "issue": _ISSUE, "original": _ORIGINAL},
}
"""JSON Schema (draft 2020-12) of the report."""

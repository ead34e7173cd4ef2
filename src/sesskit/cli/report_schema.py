"""The JSON Schema of the report.

Published as ``schemas/json/report.schema.json``; ``python -m sesskit.cli.docs`` writes it.
"""

from __future__ import annotations

from typing import Any

from sesskit.cli.replay_members import BLOCK
from sesskit.cli.report import SEVERITIES, STATUSES
from sesskit.cli.report_json import REPORT
from sesskit.cli.report_members import MEMBERS
from sesskit.cli.report_shapes import COUNT, PLACE, TEXT, object_of

_ISSUE = object_of(
    {
        "code": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "severity": {"enum": list(SEVERITIES)},
        "path": TEXT,
        "pointer": {"type": "string", "pattern": "^(/([^~/]|~[01])*)*$"},
        "message": TEXT,
    },
    {
        "line": PLACE,
        "column": PLACE,
        "offset": COUNT,
        "expected": TEXT,
        "found": TEXT,
        "frame": COUNT,
        "seq": {"type": "integer"},
        "sidecar": TEXT,
    },
)
_ORIGINAL = object_of(
    {"verdict": {"enum": ["accept", "accept-with-repair", "reject", "unsupported"]}},
    {"code": TEXT},
)
_FILE = object_of(
    {
        "path": TEXT,
        "version": {"type": ["number", "null"]},
        "status": {"enum": list(STATUSES)},
        "issues": {"type": "array", "items": {"$ref": "#/$defs/issue"}},
    },
    {"format": TEXT, "original": {"$ref": "#/$defs/original"}, **MEMBERS},
) | {
    "$comment": "inspect, verify and replay print the same object, each file with further members",
    "additionalProperties": True,
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "urn:sesskit:schema:report",
    "title": "Report of sesskit, version 1",
    **object_of(
        {
            "report": {"const": REPORT},
            "tool": object_of({"name": {"const": "sesskit"}, "version": TEXT}),
            "summary": object_of(
                {"files": COUNT, **dict.fromkeys(STATUSES, COUNT), "skipped": COUNT}
                | {"issues": object_of(dict.fromkeys(SEVERITIES, COUNT))}
            ),
            "files": {"type": "array", "items": {"$ref": "#/$defs/file"}},
        }
    ),
    "$defs": {"block": BLOCK, "file": _FILE, "issue": _ISSUE, "original": _ORIGINAL},
}
"""JSON Schema (draft 2020-12) of the report."""

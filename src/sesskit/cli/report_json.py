"""The JSON report, ``sesskit/1``. The schema it keeps to is in `sesskit.cli.report_schema`."""

from __future__ import annotations

import json
import re
from typing import Any

from sesskit._version import __version__
from sesskit.cli.output import Display
from sesskit.cli.report import Entry, Report
from sesskit.schemas.issues import Issue, dotted, pointer

REPORT = "sesskit/1"
_RISKY = re.compile("[\ud800-\udfff\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_OPTIONAL = ("line", "column", "offset", "message", "expected", "found", "frame", "seq", "sidecar")


def as_json(report: Report, display: Display) -> str:
    """The report as one JSON object and a line end."""
    return json_text(report_object(report))


def json_text(value: Any) -> str:
    """A value as indented JSON and a line end.

    What could take over a terminal, or is no character, is escaped.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
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

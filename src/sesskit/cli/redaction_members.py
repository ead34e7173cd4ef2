"""JSON Schemas of the members that `scrub` and `share` add to a file of the report."""

from __future__ import annotations

from typing import Any

from sesskit.cli.report_shapes import (
    COUNT,
    FLAG,
    MAYBE_TEXT,
    PLACE,
    TEXT,
    list_of,
    maybe,
    object_of,
)

_FINDINGS = list_of(
    object_of(
        {
            "rule": TEXT,
            "class": {"enum": ["secret", "personal", "removed"]},
            "confidence": {"enum": ["high", "medium", "low"]},
            "placeholder": TEXT,
            "count": PLACE,
            "places": list_of(
                object_of({"line": COUNT, "column": COUNT, "pointer": TEXT}, {"file": TEXT})
            ),
        }
    )
)
REDACTION_MEMBERS: dict[str, Any] = {
    "redaction": object_of(
        {"path": MAYBE_TEXT, "count": COUNT, "findings": _FINDINGS, "refused": MAYBE_TEXT}
    ),
    "page": object_of({"path": TEXT, "files": COUNT, "bytes": COUNT}),
    "share": maybe(
        object_of(
            {
                "path": MAYBE_TEXT,
                "count": COUNT,
                "findings": _FINDINGS,
                "left": _FINDINGS,
                "refused": FLAG,
                "placeholdersBefore": COUNT,
            }
        )
    ),
}

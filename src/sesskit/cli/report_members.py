"""JSON Schemas of the members that commands add to a file of the report; `validate` adds none."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_MAYBE_TEXT = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_PLACE = {"type": "integer", "minimum": 1}
_MAYBE_PLACE = {"type": ["integer", "null"], "minimum": 1}
_COUNTS = {"type": "object", "additionalProperties": _COUNT}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": required | (optional or {}),
        "additionalProperties": False,
    }


def _maybe(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"type": "null"}, schema]}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_CALL = _object(
    {"id": _MAYBE_TEXT, "name": _TEXT, "state": _TEXT, "line": _MAYBE_PLACE}, {"path": _TEXT}
)
_PART = _object(
    {"path": _TEXT, "name": _TEXT, "bytes": _COUNT, "count": _PLACE, "line": _MAYBE_PLACE}
)
_NOTE = _object(
    {
        "kind": {"enum": ["filled", "moved", "kept", "changed"]},
        **dict.fromkeys(("code", "path", "first", "message"), _TEXT),
        "count": _PLACE,
    }
)
_OVERVIEW = _object(
    {
        **dict.fromkeys(("id", "title", "cwd"), _MAYBE_TEXT),
        **dict.fromkeys(("started", "ended", "firstMessage", "lastMessage"), _MAYBE_TEXT),
        **dict.fromkeys(("messages", "turns", "calls"), _COUNTS),
        "callsWithoutAnswer": _list(_CALL),
        "marks": {
            "type": "object",
            "additionalProperties": _object({"total": _PLACE, "states": _COUNTS}),
        },
        "children": _list(_object({"id": _TEXT, "state": _MAYBE_TEXT})),
        "usage": _maybe(_object(dict.fromkeys(("prompt", "cached", "output"), _COUNT))),
        "space": _object({"bytes": _COUNT, "members": _list(_PART), "largest": _list(_PART)}),
        "whole": {"type": "boolean"},
        "losses": _list(_object({"kind": _TEXT, "count": _COUNT})),
    }
)
_VALUE = {
    "oneOf": [
        _object(
            {
                "path": _TEXT,
                "pointer": _TEXT,
                "found": {"const": True},
                "kind": _TEXT,
                "line": _PLACE,
                "column": _PLACE,
                "offset": _COUNT,
            },
            {"bytes": _COUNT, "value": True, "text": _TEXT},
        ),
        _object({"path": _TEXT, "found": {"const": False}, "reached": _TEXT, "message": _TEXT}),
    ]
}
_ARTIFACT = _object({"path": _TEXT, "bytes": _COUNT, "sha256": {"pattern": "^[0-9a-f]{64}$"}})
_STORED = {
    "oneOf": [
        _object({"id": _TEXT, "path": _TEXT, "refused": {"type": "null"}}),
        _object({"refused": _TEXT}),
    ]
}
_FINDINGS = _list(
    _object(
        {
            "rule": _TEXT,
            "class": {"enum": ["secret", "personal", "removed"]},
            "confidence": {"enum": ["high", "medium", "low"]},
            "placeholder": _TEXT,
            "count": _PLACE,
            "places": _list(_object({"line": _COUNT, "column": _COUNT, "pointer": _TEXT})),
        }
    )
)
_REDACTION = _object(
    {"path": _MAYBE_TEXT, "count": _COUNT, "findings": _FINDINGS, "refused": _MAYBE_TEXT}
)
_SHARE = _object(
    {
        "path": _MAYBE_TEXT,
        "count": _COUNT,
        "findings": _FINDINGS,
        "left": _FINDINGS,
        "refused": {"type": "boolean"},
        "placeholdersBefore": _COUNT,
    }
)

MEMBERS: dict[str, Any] = {
    "recognition": _object(
        {"sure": {"enum": ["certain", "likely", "guess"]}, "why": _TEXT}, {"others": _list(_TEXT)}
    ),
    "overview": _OVERVIEW,
    "value": _VALUE,
    "migration": _maybe(
        _object(
            {
                "version": _PLACE,
                "path": _MAYBE_TEXT,
                "backup": _MAYBE_TEXT,
                "written": {"type": "boolean"},
                "notes": _list(_NOTE),
            }
        )
    ),
    "exported": _maybe(_ARTIFACT),
    "imported": {"anyOf": [{"type": "null"}, _ARTIFACT, *_STORED["oneOf"]]},
    "stored": _STORED,
    "redaction": _REDACTION,
    "share": _maybe(_SHARE),
    "id": _TEXT,
    "updated": _MAYBE_TEXT,
    "recordId": _MAYBE_TEXT,
}
"""By the name of the member: of inspect, migrate, export, import, store put, store list, scrub
and share."""

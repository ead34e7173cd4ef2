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
        "kind": {"enum": ["filled", "moved", "kept", "changed", "lost"]},
        **dict.fromkeys(("code", "path", "first", "message"), _TEXT),
        "count": _PLACE,
    }
)
_CHANGE = _object(
    {
        "change": {"enum": ["added", "removed", "changed"]},
        **dict.fromkeys(("path", "first"), _TEXT),
        "count": _PLACE,
    },
    {"old": True, "new": True},
)
_TASK = _object(
    {"id": _TEXT, "title": _TEXT, "state": {"enum": ["Pending", "In_progress", "Done"]}}
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
                "offset": _COUNT,
            },
            {"line": _PLACE, "column": _PLACE, "bytes": _COUNT, "value": True, "text": _TEXT},
        ),
        _object({"path": _TEXT, "found": {"const": False}, "reached": _TEXT, "message": _TEXT}),
    ]
}
_MAYBE_COUNT = {"type": ["integer", "null"]}
_SNAPSHOT = _object(
    {
        "version": _COUNT,
        "layouts": _list({"enum": ["R1", "R2", "R3"]}),
        "moderatorLayout": {"enum": ["M1", "M2", None]},
        "whole": {"type": "boolean"},
        **dict.fromkeys(("promptFile", "localPromptCopy", "vfsRoot"), _MAYBE_TEXT),
        "history": _list(_object({"kind": _TEXT, "count": _PLACE, "bytes": _PLACE})),
        "roles": _COUNTS,
        "nextHistorySequence": _MAYBE_COUNT,
        "tasks": _COUNTS,
        "keys": _list(_TEXT),
        "moderator": _maybe(
            _object(
                {
                    "script": _TEXT,
                    "revision": _MAYBE_COUNT,
                    "halted": {"type": "boolean"},
                    **dict.fromkeys(
                        ("queued", "inserted", "replaced", "removed", "extensions"), _COUNT
                    ),
                }
            )
        ),
        "shell": _maybe(
            _object(
                {
                    "grants": _list(
                        _object(
                            {
                                "kind": {"enum": ["manifest", "approval"]},
                                "id": _TEXT,
                                "state": {"enum": ["active", "expired", "revoked"]},
                                "what": _TEXT,
                                "created": _TEXT,
                                **dict.fromkeys(("expires", "revoked"), _MAYBE_TEXT),
                            }
                        )
                    ),
                    "extensions": _COUNT,
                    "interrupted": _COUNT,
                    "lastAuditSequence": _MAYBE_COUNT,
                }
            )
        ),
        "map": _list(_object({"path": _TEXT, "offset": _COUNT, "bytes": _COUNT})),
    }
)
_ARTIFACT = _object({"path": _TEXT, "bytes": _COUNT, "sha256": {"pattern": "^[0-9a-f]{64}$"}})
_STORED = {
    "oneOf": [
        _object({"id": _TEXT, "path": _TEXT, "refused": {"type": "null"}}),
        _object({"refused": _TEXT}),
    ]
}

_INCOMPLETE = _object(
    {
        "code": {"type": "string", "pattern": "^[A-Z_]+$"},
        "eventIndex": _COUNT,
        "line": _MAYBE_PLACE,
    },
    {"executionId": _TEXT, "round": _COUNT, "toolCallId": _TEXT},
)
_VERIFICATION = _object(
    {
        "lines": _COUNT,
        "sidecars": _object(
            {
                "read": _COUNT,
                "bytes": _COUNT,
                "files": _COUNT,
                "orphans": _list(_TEXT),
                "strange": _list(_TEXT),
            }
        ),
        "replay": _object(
            {"complete": {"type": ["boolean", "null"]}, "missing": _list(_INCOMPLETE)}
        ),
    }
)
_CONTRACT = _object({"rules": _COUNT, "findings": _COUNT})

MEMBERS: dict[str, Any] = {
    "recognition": _object(
        {"sure": {"enum": ["certain", "likely", "guess"]}, "why": _TEXT}, {"others": _list(_TEXT)}
    ),
    "overview": _OVERVIEW,
    "snapshot": _SNAPSHOT,
    "value": _VALUE,
    "migration": _maybe(
        _object(
            {
                "version": _PLACE,
                "path": _MAYBE_TEXT,
                "backup": _MAYBE_TEXT,
                "written": {"type": "boolean"},
            },
            {"from": _COUNT, "notes": _list(_NOTE), "changes": _list(_CHANGE)},
        )
    ),
    "reset": _maybe(
        _object(
            {
                "path": _MAYBE_TEXT,
                "copy": _MAYBE_TEXT,
                "written": {"type": "boolean"},
                "changes": _list(_CHANGE),
            }
        )
    ),
    "verification": _VERIFICATION,
    "contract": _CONTRACT,
    "prompts": _COUNT,
    "tasks": _list(_TASK),
    "task": _maybe(_TASK),
    "exported": _maybe(_ARTIFACT),
    "imported": {"anyOf": [{"type": "null"}, _ARTIFACT, *_STORED["oneOf"]]},
    "stored": _STORED,
    "rebuilt": _maybe(
        _object(
            {
                "id": _TEXT,
                "path": _TEXT,
                "written": {"type": "boolean"},
                "messages": _COUNT,
                "losses": _list(_TEXT),
            }
        )
    ),
    "id": _TEXT,
    "updated": _MAYBE_TEXT,
    "recordId": _MAYBE_TEXT,
}
"""By the name of the member, in the order of the commands that add them."""

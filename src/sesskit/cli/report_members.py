"""JSON Schemas of the members that commands add to a file of the report; `validate` adds none."""

from __future__ import annotations

from typing import Any

from sesskit.cli.dsh_members import DSH
from sesskit.cli.log_members import LOG_MEMBERS, RECORD
from sesskit.cli.ochat_members import CHANGE, SNAPSHOT, TASK
from sesskit.cli.redaction_members import REDACTION_MEMBERS
from sesskit.cli.repair_members import REPAIR
from sesskit.cli.replay_members import REPLAY
from sesskit.cli.report_shapes import (
    COUNT,
    COUNTS,
    FLAG,
    MAYBE_PLACE,
    MAYBE_TEXT,
    PLACE,
    TEXT,
    list_of,
    maybe,
    object_of,
)

_CALL = object_of(
    {"id": MAYBE_TEXT, "name": TEXT, "state": TEXT, "line": MAYBE_PLACE}, {"path": TEXT}
)
_PART = object_of({"path": TEXT, "name": TEXT, "bytes": COUNT, "count": PLACE, "line": MAYBE_PLACE})
_NOTE = object_of(
    {
        "kind": {"enum": ["filled", "moved", "kept", "changed", "lost"]},
        **dict.fromkeys(("code", "path", "first", "message"), TEXT),
        "count": PLACE,
    }
)
_OVERVIEW = object_of(
    {
        **dict.fromkeys(("id", "title", "cwd"), MAYBE_TEXT),
        **dict.fromkeys(("started", "ended", "firstMessage", "lastMessage"), MAYBE_TEXT),
        **dict.fromkeys(("messages", "turns", "calls"), COUNTS),
        "callsWithoutAnswer": list_of(_CALL),
        "marks": {
            "type": "object",
            "additionalProperties": object_of({"total": PLACE, "states": COUNTS}),
        },
        "children": list_of(object_of({"id": TEXT, "state": MAYBE_TEXT})),
        "usage": maybe(object_of(dict.fromkeys(("prompt", "cached", "output"), COUNT))),
        "space": object_of({"bytes": COUNT, "members": list_of(_PART), "largest": list_of(_PART)}),
        "whole": FLAG,
        "losses": list_of(object_of({"kind": TEXT, "count": COUNT})),
    }
)
_VALUE = {
    "oneOf": [
        object_of(
            {
                "path": TEXT,
                "pointer": TEXT,
                "found": {"const": True},
                "kind": TEXT,
                "offset": COUNT,
            },
            {
                **dict.fromkeys(("line", "column"), PLACE),
                **dict.fromkeys(("text", "sidecar"), TEXT),
                "bytes": COUNT,
                "value": True,
            },
        ),
        object_of({"path": TEXT, "found": {"const": False}, "reached": TEXT, "message": TEXT}),
    ]
}
_ARTIFACT = object_of(
    {"path": TEXT, "bytes": COUNT, "sha256": {"pattern": "^[0-9a-f]{64}$"}},
    {
        "logs": list_of(object_of({"name": TEXT, "id": TEXT})),
        "media": list_of(TEXT),
        "missing": list_of(TEXT),
    },
)
_STORED = {
    "oneOf": [
        object_of(
            {"id": TEXT, "path": TEXT, "refused": {"type": "null"}},
            {"logs": list_of(object_of({"id": TEXT, "path": TEXT})), "media": COUNT},
        ),
        object_of({"refused": TEXT}),
    ]
}

MEMBERS: dict[str, Any] = {
    "recognition": object_of(
        {"sure": {"enum": ["certain", "likely", "guess"]}, "why": TEXT}, {"others": list_of(TEXT)}
    ),
    "overview": _OVERVIEW,
    "snapshot": SNAPSHOT,
    "value": _VALUE,
    "migration": maybe(
        object_of(
            {
                "version": COUNT,
                "path": MAYBE_TEXT,
                "backup": MAYBE_TEXT,
                "written": FLAG,
            },
            {
                "from": COUNT,
                "notes": list_of(_NOTE),
                "changes": list_of(CHANGE),
                "events": object_of({"before": COUNT, "after": COUNT}),
                "tolerant": list_of(object_of({"path": TEXT, "what": TEXT}, {"seq": COUNT})),
                "cut": object_of({"offset": COUNT, "length": COUNT}),
                "leftOut": COUNT,
            },
        )
    ),
    "refusal": object_of({"message": TEXT}, {"code": TEXT, "path": TEXT, "seq": COUNT}),
    "reset": maybe(
        object_of(
            {
                "path": MAYBE_TEXT,
                "copy": MAYBE_TEXT,
                "written": FLAG,
                "changes": list_of(CHANGE),
            }
        )
    ),
    "repair": REPAIR,
    "dsh": DSH,
    "migrates": list_of(
        object_of(
            {"version": COUNT, "accepted": FLAG},
            {"code": TEXT, "path": TEXT, "message": TEXT, "seq": COUNT},
        )
    ),
    "replay": {"anyOf": [REPLAY, RECORD]},
    **LOG_MEMBERS,
    "tasks": list_of(TASK),
    "task": maybe(TASK),
    "exported": maybe(_ARTIFACT),
    "imported": {"anyOf": [{"type": "null"}, _ARTIFACT, *_STORED["oneOf"]]},
    "stored": _STORED,
    **REDACTION_MEMBERS,
    "id": TEXT,
    "updated": MAYBE_TEXT,
    "recordId": MAYBE_TEXT,
}
"""By the name of the member: of inspect, replay, repair, migrate, reset, export, import, store,
scrub and share."""

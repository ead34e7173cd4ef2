"""JSON Schemas of the members that commands add to a log in the report."""

from __future__ import annotations

from typing import Any

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
from sesskit.logs.dsh.timeline import KINDS as OF_DSH
from sesskit.logs.robota_timeline import KINDS

_LIST: dict[str, Any] = {"type": "array", "items": {"type": "object"}}

RECORD = object_of(
    dict.fromkeys(
        (
            "messages",
            "history",
            "backgroundTaskEvents",
            "backgroundJobGroupEvents",
            "memoryEvents",
        ),
        _LIST,
    ),
    dict.fromkeys(("sessionId", "cwd", "createdAt", "updatedAt"), TEXT),
)
"""What a log replays to; its parts have the shapes of a record."""

_INCOMPLETE = object_of(
    {
        "code": {"type": "string", "pattern": "^[A-Z_]+$"},
        "eventIndex": COUNT,
        "line": MAYBE_PLACE,
    },
    {"executionId": TEXT, "round": COUNT, "toolCallId": TEXT},
)

_LOG: dict[str, Any] = object_of(
    {
        **dict.fromkeys(("lines", "retries", "denied", "blocked", "compactions"), COUNT),
        **dict.fromkeys(("fallbacks", "errors"), COUNT),
        "requests": list_of(object_of({"provider": TEXT, "model": TEXT, "count": PLACE})),
        "tools": list_of(object_of({"name": TEXT, "states": COUNTS})),
        "subagents": list_of(
            object_of({"id": TEXT, **dict.fromkeys(("state", "path", "call"), MAYBE_TEXT)})
        ),
        "subagentLogs": list_of(TEXT),
        "sidecars": object_of(
            {"looked": FLAG, "referred": COUNT, "bytes": COUNT, "failing": COUNTS}
        ),
    }
)
"""What `inspect` tells of a log beside the overview."""

LOG_MEMBERS: dict[str, Any] = {
    "log": _LOG,
    "verification": object_of(
        {
            "lines": COUNT,
            "sidecars": object_of(
                {
                    **dict.fromkeys(("referred", "bytes", "files"), COUNT),
                    "orphans": list_of(TEXT),
                    "orphansKnown": FLAG,
                    "strange": list_of(TEXT),
                }
            ),
            "replay": object_of(
                {"complete": {"type": ["boolean", "null"]}, "missing": list_of(_INCOMPLETE)}
            ),
        }
    ),
    "contract": object_of({"rules": COUNT, "findings": COUNT}),
    "checks": list_of(
        object_of({"name": TEXT, "holds": {"type": ["boolean", "null"]}, "broken": COUNTS})
    ),
    "sessions": list_of(
        object_of({"id": TEXT, "events": COUNT, "closers": list_of(TEXT), "verdict": TEXT})
    ),
    "prompts": COUNT,
    "rebuilt": maybe(
        object_of(
            {"id": TEXT, "path": TEXT, "written": FLAG, "messages": COUNT, "losses": list_of(TEXT)}
        )
    ),
    "subagents": list_of(object_of({"path": TEXT, "replay": RECORD})),
    "events": list_of(
        object_of(
            {
                "line": PLACE,
                "turn": COUNT,
                "time": MAYBE_TEXT,
                "kind": {"enum": list(dict.fromkeys((*KINDS, *OF_DSH)))},
                "words": TEXT,
            },
            {"figures": {"type": "object", "additionalProperties": {"type": "number"}}},
        )
    ),
}
"""By the name of the member: of inspect, verify, history, store rebuild and replay."""

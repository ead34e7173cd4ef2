"""JSON Schemas of what the report tells of ochat snapshots."""

from __future__ import annotations

from sesskit.cli.report_shapes import (
    COUNT,
    COUNTS,
    FLAG,
    MAYBE_COUNT,
    MAYBE_TEXT,
    PLACE,
    TEXT,
    list_of,
    maybe,
    object_of,
)

CHANGE = object_of(
    {
        "change": {"enum": ["added", "removed", "changed"]},
        **dict.fromkeys(("path", "first"), TEXT),
        "count": PLACE,
    },
    {"old": True, "new": True},
)
TASK = object_of({"id": TEXT, "title": TEXT, "state": {"enum": ["Pending", "In_progress", "Done"]}})
SNAPSHOT = object_of(
    {
        "version": COUNT,
        "layouts": list_of({"enum": ["R1", "R2", "R3"]}),
        "moderatorLayout": {"enum": ["M1", "M2", None]},
        "whole": FLAG,
        **dict.fromkeys(("promptFile", "localPromptCopy", "vfsRoot"), MAYBE_TEXT),
        "history": list_of(object_of({"kind": TEXT, "count": PLACE, "bytes": PLACE})),
        "roles": COUNTS,
        "nextHistorySequence": MAYBE_COUNT,
        "tasks": COUNTS,
        "keys": list_of(TEXT),
        "moderator": maybe(
            object_of(
                {
                    "script": TEXT,
                    "revision": MAYBE_COUNT,
                    "halted": FLAG,
                    **dict.fromkeys(
                        ("queued", "inserted", "replaced", "removed", "extensions"), COUNT
                    ),
                }
            )
        ),
        "shell": maybe(
            object_of(
                {
                    "grants": list_of(
                        object_of(
                            {
                                "kind": {"enum": ["manifest", "approval"]},
                                "id": TEXT,
                                "state": {"enum": ["active", "expired", "revoked"]},
                                "what": TEXT,
                                "created": TEXT,
                                **dict.fromkeys(("expires", "revoked"), MAYBE_TEXT),
                            }
                        )
                    ),
                    "extensions": COUNT,
                    "interrupted": COUNT,
                    "lastAuditSequence": MAYBE_COUNT,
                }
            )
        ),
        "map": list_of(object_of({"path": TEXT, "offset": COUNT, "bytes": COUNT})),
    }
)
"""The member ``snapshot`` of `inspect`."""

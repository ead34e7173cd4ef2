"""The JSON Schema of the member that `sesskit repair` adds to a file of the report."""

from __future__ import annotations

from sesskit.cli.report_shapes import (
    COUNT,
    FLAG,
    MAYBE_TEXT,
    TEXT,
    list_of,
    maybe,
    object_of,
)

_SHA = {"type": "string", "pattern": "^[0-9a-f]{64}$"}

REPAIR = maybe(
    object_of(
        {
            "needed": FLAG,
            "written": FLAG,
            "refused": MAYBE_TEXT,
            "original": maybe(
                object_of(
                    {
                        "kept": COUNT,
                        "cut": maybe(object_of({"offset": COUNT, "length": COUNT})),
                        "closers": list_of(object_of({"type": TEXT, "seq": COUNT})),
                    }
                )
            ),
            "recovered": COUNT,
            "logs": list_of(
                object_of(
                    {
                        "branch": COUNT,
                        "id": TEXT,
                        "path": MAYBE_TEXT,
                        "status": {"enum": ["valid", "unsupported"]},
                        "bytes": COUNT,
                        "sha256": _SHA,
                        "events": COUNT,
                        "closers": COUNT,
                        "changes": list_of(TEXT),
                    }
                )
            ),
            "dropped": list_of(
                object_of(
                    {
                        "offset": COUNT,
                        "length": COUNT,
                        "of": {"enum": ["file", "decompressed text"]},
                        "sha256": _SHA,
                        "reason": TEXT,
                    }
                )
            ),
            "lostAndFound": MAYBE_TEXT,
        }
    )
)
"""The member ``repair`` of a file: ``original`` is what dsh keeps, cuts and adds when it loads the
log (``reject`` keeps nothing), ``recovered`` how many events more than that are in the logs."""

"""The JSON Schema of the member that `sesskit inspect` adds to a dsh log of the report."""

from __future__ import annotations

from sesskit.cli.report_shapes import COUNT, COUNTS, MAYBE_TEXT, TEXT, list_of, object_of

DSH = object_of(
    {
        **dict.fromkeys(("events", "steps", "compactions", "replaced"), COUNT),
        **dict.fromkeys(("retries", "inherited"), COUNT),
        "tools": {"type": "object", "additionalProperties": COUNTS},
        "routes": COUNTS,
        "closers": list_of(TEXT),
        "parent": MAYBE_TEXT,
    },
    {
        "kept": COUNT,
        "generations": list_of(object_of({"path": TEXT, "version": {"type": ["number", "null"]}})),
        "forks": list_of(TEXT),
        "helpers": list_of(TEXT),
    },
)
"""The member ``dsh`` of a file: ``routes`` counts answers by provider and model, ``kept`` are the
events that a load keeps, ``closers`` those that it would add; ``generations`` are all versions of
the session below its root."""

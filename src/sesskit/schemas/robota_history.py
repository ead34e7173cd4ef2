"""One line of a Robota prompt history (robota-log section 11), as JSON Schema.

Other members than the four are passed over by its reader, so the schema lets them be.
"""

from __future__ import annotations

from typing import Any

MEMBERS = ("at", "sessionId", "project", "text")
"""All four are texts, none of them is looked into."""


def history_schema() -> dict[str, Any]:
    """The schema of one line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:sesskit:schema:robota-history",
        "title": "One line of a Robota prompt history",
        "type": "object",
        "required": list(MEMBERS),
        "properties": {name: {"type": "string"} for name in MEMBERS},
    }

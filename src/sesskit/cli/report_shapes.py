"""Pieces that the JSON Schemas of the members of the report are put together from."""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
MAYBE_TEXT = {"type": ["string", "null"]}
COUNT = {"type": "integer", "minimum": 0}
PLACE = {"type": "integer", "minimum": 1}
MAYBE_PLACE = {"type": ["integer", "null"], "minimum": 1}
MAYBE_COUNT = {"type": ["integer", "null"]}
COUNTS = {"type": "object", "additionalProperties": COUNT}
FLAG = {"type": "boolean"}


def object_of(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object with these members, some of which may be absent, and with no others."""
    return {
        "type": "object",
        "required": list(required),
        "properties": required | (optional or {}),
        "additionalProperties": False,
    }


def maybe(schema: dict[str, Any]) -> dict[str, Any]:
    """A value or null."""
    return {"anyOf": [{"type": "null"}, schema]}


def list_of(items: dict[str, Any]) -> dict[str, Any]:
    """An array of such values."""
    return {"type": "array", "items": items}

"""The payload of an event against the shape of its type."""

from __future__ import annotations

from typing import Any

from sesskit.schemas.issues import Issue


def check_payload(version: int, event: dict[str, Any]) -> list[Issue]:
    """Every fault of an event's data; keys lead from the event."""
    return []

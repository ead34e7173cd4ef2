"""The payload of an event against the shape of its type."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from sesskit.schemas.check import check
from sesskit.schemas.dsh_payloads import PAYLOADS
from sesskit.schemas.dsh_values import plain_copy
from sesskit.schemas.issues import Issue
from sesskit.schemas.shapes import Shape, shape_of


@cache
def _shape(version: int, kind: str) -> Shape:
    return shape_of(PAYLOADS[version][kind])


def check_payload(version: int, event: dict[str, Any]) -> list[Issue]:
    """Every fault of an event's data; keys lead from the event. None for types not known."""
    kind, data = event["type"], event["data"]
    annotation = PAYLOADS.get(version, {}).get(kind)
    if annotation is None:
        return []
    try:
        msgspec.convert(data, annotation)
    except (msgspec.ValidationError, RecursionError, UnicodeError):
        # It may refuse what the shape takes: kinds of third parties, half a character in a name.
        return check(_shape(version, kind), plain_copy(data), ("data",))[1]
    return []

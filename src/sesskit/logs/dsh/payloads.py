"""The payload of an event against the shape of its type."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from sesskit.schemas.dsh_values import plain_copy
from sesskit.schemas.issues import Issue


@cache
def _payloads(version: int) -> dict[str, Any]:
    from sesskit.schemas.dsh_payloads import PAYLOADS  # only where a line is looked at closely

    return PAYLOADS.get(version, {})


def check_payload(version: int, event: dict[str, Any]) -> list[Issue]:
    """Every fault of an event's data; keys lead from the event. None for types not known."""
    kind, data = event["type"], event["data"]
    annotation = _payloads(version).get(kind)
    if annotation is None:
        return []
    try:
        msgspec.convert(data, annotation)
    except (msgspec.ValidationError, RecursionError, UnicodeError):
        # It may refuse what the shape takes: kinds of third parties, half a character in a name.
        return _collected(version, kind, data)
    return []


def _collected(version: int, kind: str, data: Any) -> list[Issue]:
    from sesskit.schemas.check import check
    from sesskit.schemas.shapes import shape_of

    shape = _shapes.get((version, kind))
    if shape is None:
        shape = _shapes[version, kind] = shape_of(_payloads(version)[kind])
    return check(shape, plain_copy(data), ("data",))[1]


_shapes: dict[tuple[int, str], Any] = {}

"""Rules that only v3 has: the system head, and spellings of v2 that it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.relational import Relations
from sesskit.logs.dsh.released import Released
from sesskit.schemas.issues import Issue

Json = dict[str, Any]

_EMPTY_WHEN = ("tools", "adapterDefaults")


def hard_refusal(version: int, event: Json) -> Issue | None:
    """What v3 refuses wherever it stands, even behind a damaged line."""
    header = _request_header(event) if version >= 3 else None
    if header is not None and "system" in header:
        message = "the system prompt is an event of its own in this version"
        keys = ("data", "header", "system")
        return Issue("retired-header-system", message, keys=keys, at_key=True)
    if version >= 3 and event.get("type") == "system/message":
        return next(iter(check_payload(version, event)), None)
    return None


def canonical_faults(event: Json) -> Iterator[Issue]:
    """What makes a line no event of v3: members that must be left out when they are empty."""
    header = _request_header(event) or {}
    for name in _EMPTY_WHEN:
        if name in header and not header[name]:
            message = "must be left out when it is empty"
            keys = ("data", "header", name)
            yield Issue("empty-header-field", message, keys=keys, at_key=True)


def check_v3(event: Json, relations: Relations | Released) -> Iterator[Issue]:
    """System messages stand in the open step that they name."""
    data = event["data"]
    if event["type"] != "system/message" or not isinstance(data, dict):
        return
    here = (relations.turn, relations.step)
    if relations.step is None or (data.get("turn"), data.get("step")) != here:
        yield Issue(
            "not-the-open-step", "a system message names the open turn and step", keys=("data",)
        )


def _request_header(event: Json) -> Json | None:
    data = event.get("data")
    if event.get("type") != "request/header" or not isinstance(data, dict):
        return None
    header = data.get("header")
    return header if isinstance(header, dict) else None

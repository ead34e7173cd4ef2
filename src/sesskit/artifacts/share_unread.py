"""Sharing dsh logs of version 4, whose events this build does not decode.

They are redacted line by line like the others. Since no decoder can say that the result is still a
session, it has to have the structure of its source: the same lines, the same members in the same
order, the same numbers, ids and words; only text may differ, and what a share takes out whole.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from sesskit.artifacts.key_names import is_secret_name
from sesskit.artifacts.share_places import IMAGE_REMOVED, SEALED
from sesskit.logs.dsh.generations import LISTED_VERSIONS
from sesskit.schemas.outcomes import Outcome, Unsupported

__all__ = ["alike", "unread"]

_REMOVED: Final = orjson.loads(IMAGE_REMOVED)
_DROPPED: Final = frozenset({*SEALED, "replayState"})
_KEPT: Final = frozenset(
    {"type", "id", "kind", "role", "callId", "toolCallId", "surfaceOp", "op", "parentSession"}
)
_HEADLESS: Final = "origin"


def unread(outcome: Outcome, text: str) -> bool:
    """Whether a log is of a version that is listed and not decoded, and is sound as far as seen.

    Its header has to be that of the upstream program, its lines JSON, its events numbered.
    """
    if not isinstance(outcome, Unsupported) or outcome.version not in LISTED_VERSIONS:
        return False
    lines = _values(text)
    if not lines or lines[0].get(_HEADLESS) not in (None, "subagent"):
        return False
    return [line.get("seq") for line in lines[1:]] == list(range(len(lines) - 1))


def _values(text: str) -> list[dict[str, Any]]:
    """The objects of all lines; none where a line is no object, or the last one has no end."""
    found = []
    lines = text.split("\n")
    if lines.pop():
        return []
    for line in lines:
        try:
            value = orjson.loads(line.encode("utf-8", "replace"))
        except orjson.JSONDecodeError:
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
    return found


def alike(before: str, after: str) -> bool:
    """Whether two logs differ in text only, and in what a share takes out."""
    old, new = _values(before), _values(after)
    if not new or len(old) != len(new):
        return False
    waiting: list[tuple[str, Any, Any]] = [("", a, b) for a, b in zip(old, new, strict=True)]
    while waiting:
        name, one, other = waiting.pop()
        inner = _inner(name, one, other)
        if inner is None:
            return False
        waiting += inner
    return True


def _inner(name: str, one: Any, other: Any) -> list[tuple[str, Any, Any]] | None:
    """What is to be compared further in; None where two values differ in more than text."""
    if isinstance(one, dict) and isinstance(other, dict):
        if other == _REMOVED and one.get("type") == "image":
            return []
        left = [(key, value) for key, value in one.items() if key not in _DROPPED or key in other]
        if len(left) != len(other):
            return None
        return [(key, value, new) for (key, value), new in zip(left, other.values(), strict=True)]
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return None
        return [(name, a, b) for a, b in zip(one, other, strict=True)]
    if isinstance(other, str) and is_secret_name(name):
        return []
    if isinstance(one, str) and isinstance(other, str):
        return [] if one == other or name not in _KEPT else None
    return [] if type(one) is type(other) and one == other else None

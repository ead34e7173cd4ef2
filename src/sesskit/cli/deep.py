"""JSON values for the report: what the standard library can write, whatever their depth."""

from __future__ import annotations

from typing import Any

from sesskit.schemas.ecmascript import dumps

DEEPEST = 200
"""Levels of a value that are written as such; a deeper one is given as the text of its JSON."""


def depth_of(value: Any) -> int:
    """How many levels a JSON value has. No recursion."""
    depth, level = 0, [value]
    while level:
        inner: list[Any] = []
        for held in level:
            if isinstance(held, dict):
                inner += held.values()
            elif isinstance(held, list):
                inner += held
        depth, level = depth + 1, inner
    return depth


def writable(value: Any) -> Any:
    """The value itself, or the text of its JSON where it is too deep."""
    return dumps(value).decode() if depth_of(value) > DEEPEST else value

"""Copies of JSON values, for those who must not change what they were given."""

from __future__ import annotations

from typing import Any

from sesskit.schemas.damaged import DAMAGED


def copied(value: Any) -> Any:
    """A copy of a JSON value, null where something is damaged; without recursion."""
    holder: list[Any] = [value]
    waiting: list[tuple[Any, Any]] = [(holder, 0)]
    while waiting:
        container, key = waiting.pop()
        item = container[key]
        if isinstance(item, dict):
            container[key] = item = dict(item)
            waiting += [(item, name) for name in item]
        elif isinstance(item, list):
            container[key] = item = list(item)
            waiting += [(item, place) for place in range(len(item))]
        elif item is DAMAGED:
            container[key] = None
    return holder[0]

"""JSON values looked at without recursion: whether one is plain, and copies of one."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from sesskit.logs.sidecar_references import KIND
from sesskit.schemas.damaged import DAMAGED

_LEVELS: Final = 64
_LARGE: Final = 2**1023


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


def is_plain(value: Any) -> bool:
    """Whether a JSON value holds no reference, no number that may be infinity, and is not deep."""
    kind = type(value)
    if kind is str or value is UNSET:
        return True
    level = [value]
    for _ in range(_LEVELS):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str:
                continue
            if kind is dict:
                if item.get("kind") == KIND:
                    return False
                below += item.values()
            elif kind is list:
                below += item
            elif kind is int and not -_LARGE < item < _LARGE:
                return False
        if not below:
            return True
        level = below
    return False

"""Parsed JSON as the released program's own language compares it.

A member that is absent is a value of its own there, numbers are doubles, and objects and arrays are
never equal to those of another event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue

_NUMBERS = (int, float)


class _Undefined:
    """What an absent member is."""

    def __bool__(self) -> bool:
        return False


UNDEFINED = _Undefined()


def member(value: Any, name: str) -> Any:
    """A member of an object; `UNDEFINED` where there is none, or no object."""
    return value.get(name, UNDEFINED) if isinstance(value, Mapping) else UNDEFINED


def same(one: Any, other: Any) -> bool:
    """Whether two values are strictly equal."""
    kind = type(one)
    if kind is type(other):
        return bool(one == other) if kind in (str, int, float, bool) else one is other
    return kind in _NUMBERS and type(other) in _NUMBERS and bool(one == other)


def as_key(value: Any) -> Any:
    """A value as the key of a dict: equal keys for values that are `same`, and for no others."""
    kind = type(value)
    if kind is bool:
        return (value,)
    return value if kind in (str, int, float) or value in (None, UNDEFINED) else object()


def as_place(value: Any) -> int | None:
    """The place in an array that a value names there; text of digits names one too."""
    if isinstance(value, str):
        plain = value.isascii() and value.isdigit() and (value == "0" or value[0] != "0")
        return int(value) if plain and len(value) < 17 else None
    return int(value) if is_index(value) else None


def broken(code: str, message: str, *keys: str) -> Issue:
    """A rule that is broken; keys lead from the event."""
    return Issue(code, message, keys=keys)


def crash(*keys: str) -> Issue:
    """The released program looks into a value that it takes for granted, and dies of it."""
    message = "the program takes another kind of value for granted here, and dies of this one"
    return Issue("program-crash", message, keys=keys)

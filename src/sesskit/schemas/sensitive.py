"""Sensitive member names: whose values are never shown, logged or shared.

The rule is the exact one of the Robota seed: the whole name, in any ASCII case. Wider rules are the
business of redaction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, Final

import msgspec

__all__ = ["SENSITIVE_NAMES", "is_sensitive_key", "mapped", "rebuilt", "scrub_sensitive_keys"]

SENSITIVE_NAMES: Final = (
    "api?key",
    "authorization",
    "access?token",
    "refresh?token",
    "secret",
    "password",
    "x?api?key",
)
"""The key table. ``?`` stands for at most one ``-`` or ``_``."""

_is_sensitive = re.compile(
    "|".join(name.replace("?", "[-_]?") for name in SENSITIVE_NAMES), re.IGNORECASE | re.ASCII
).fullmatch


def is_sensitive_key(name: str) -> bool:
    """Whether a member of this name holds a secret: the whole name, ASCII case aside."""
    return _is_sensitive(name) is not None


def scrub_sensitive_keys(value: Any, fill: Any = "[REDACTED]") -> Any:
    """A copy in which every member with a sensitive name holds ``fill``, whatever it held.

    Dicts, lists, tuples and msgspec structs (by their wire names) are walked to any depth; all
    else, text included, stays the same object. Members keep their order, the input is not changed.
    """
    return rebuilt(value, fill)


def mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A copy of a tree whose leaves were passed through a function; nothing is hidden."""
    return rebuilt(value, None, leaf=leaf, sensitive=lambda name: False)


def rebuilt(
    value: Any,
    fill: Any,
    *,
    leaf: Callable[[Any], Any] = lambda value: value,
    name: Callable[[str], str] = lambda name: name,
    sensitive: Callable[[str], bool] = is_sensitive_key,
) -> Any:
    """A copy of a tree: sensitive members filled, leaves and names passed through functions.

    Names that become equal are told apart by a number. Iterative: depth costs only memory.
    """
    root = [value]
    copied: Any
    places: Iterable[Any]
    waiting: list[tuple[Any, Any]] = [(root, 0)]
    tuples: list[tuple[Any, Any]] = []
    while waiting:
        holder, place = waiting.pop()
        held = _get(holder, place)
        if isinstance(held, dict):
            copied, places = _copied_dict(held, fill, name, sensitive)
        elif isinstance(held, list | tuple):
            copied, places = list(held), range(len(held))
            if isinstance(held, tuple):
                tuples.append((holder, place))
        elif isinstance(held, msgspec.Struct):
            copied, places = _copied_struct(held, fill, sensitive)
        else:
            _put(holder, place, leaf(held))
            continue
        _put(holder, place, copied)
        waiting += [(copied, inner) for inner in places]
    for holder, place in reversed(tuples):  # the inner ones came last
        _put(holder, place, tuple(_get(holder, place)))
    return root[0]


def _get(holder: Any, place: Any) -> Any:
    return getattr(holder, place) if isinstance(holder, msgspec.Struct) else holder[place]


def _put(holder: Any, place: Any, value: Any) -> None:
    if isinstance(holder, msgspec.Struct):
        msgspec.structs.force_setattr(holder, place, value)  # our own copy, so frozen ones too
    else:
        holder[place] = value


def _copied_dict(
    held: dict[str, Any],
    fill: Any,
    name: Callable[[str], str],
    sensitive: Callable[[str], bool],
) -> tuple[dict[str, Any], list[str]]:
    """The copy, and which of its members are still to be walked."""
    copied: dict[str, Any] = {}
    walked = []
    for key, member in held.items():
        new = name(key)
        while new in copied:
            new = f"{new} ({len(copied) + 1})"
        if sensitive(key):
            copied[new] = fill
        else:
            copied[new] = member
            walked.append(new)
    return copied, walked


def _copied_struct(
    held: msgspec.Struct, fill: Any, sensitive: Callable[[str], bool]
) -> tuple[msgspec.Struct, list[str]]:
    copied = copy(held)
    walked = []
    names = zip(held.__struct_encode_fields__, held.__struct_fields__, strict=True)
    for wire_name, attribute in names:
        if getattr(held, attribute) is msgspec.UNSET:
            continue
        if sensitive(wire_name):
            _put(copied, attribute, fill)
        else:
            walked.append(attribute)
    return copied, walked

"""Numbers that JSON does not keep: dsh loads them, but opens and migrates no session with them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sesskit.schemas.dsh_values import is_negative_zero
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.limits import MAX_ISSUES

NEGATIVE_ZERO = "negative-zero"
OVERFLOW = "number-overflow"

_MESSAGES = {
    NEGATIVE_ZERO: "-0 is no number that a session keeps: the log loads, but no session is opened",
    OVERFLOW: "number too large: it reads as infinity",
}


def is_lossless(value: Any) -> bool:
    """Whether a parsed value is written back as it was read."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
        elif isinstance(item, float) and _code(item) is not None:
            return False
    return True


def losses(value: Any, keys: Keys = ()) -> Iterator[Issue]:
    """A warning for each number of a value that is not written back as it was read."""
    if not is_lossless(value):
        yield from islice(_places(value, keys), MAX_ISSUES)


def _places(value: Any, keys: Keys) -> Iterator[Issue]:
    todo: list[tuple[Any, Keys]] = [(value, keys)]
    while todo:
        item, at = todo.pop()
        if isinstance(item, dict):
            todo.extend((inner, (*at, name)) for name, inner in reversed(item.items()))
        elif isinstance(item, list):
            todo.extend((inner, (*at, n)) for n, inner in reversed([*enumerate(item)]))
        elif isinstance(item, float) and (code := _code(item)) is not None:
            yield Issue(code, _MESSAGES[code], "warning", at)


def _code(number: float) -> str | None:
    if not math.isfinite(number):
        return OVERFLOW
    return NEGATIVE_ZERO if is_negative_zero(number) else None

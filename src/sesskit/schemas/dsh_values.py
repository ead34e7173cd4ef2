"""JSON values as dsh sees them: counts, safe integers, and what a log can hold without loss.

dsh reads numbers as doubles, so ``1.0`` and ``1e2`` are integers there and ``-0`` is a value of
its own. Python booleans are never numbers here.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn, TypeGuard

import msgspec

from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER


class FrozenDict(dict[str, Any]):
    """A dict that refuses every change; equal to, and written like, any other dict."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_more: object) -> NoReturn:
        raise TypeError("values of an event log are frozen")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


class FrozenList(list[Any]):
    """A list that refuses every change; equal to, and written like, any other list."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_more: object) -> NoReturn:
        raise TypeError("values of an event log are frozen")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = _refuse
    remove = reverse = sort = _refuse


_DOUBLE_LIMIT = 2**1024 - 2**970  # from here on a number rounds to infinity as a double
_DICTS = (dict, FrozenDict)
_LISTS = (list, FrozenList)
_SCALARS = (str, bool, type(None))


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a parsed JSON value is a number."""
    return type(value) in (int, float)


def is_safe_integer(value: object) -> TypeGuard[int | float]:
    """Whether a double holds the number as an exact integer: ``5``, ``5.0``, ``-0``; never 2^53."""
    if type(value) is float:
        return value.is_integer() and abs(value) <= MAX_SAFE_INTEGER
    return type(value) is int and abs(value) <= MAX_SAFE_INTEGER


def is_count(value: object) -> TypeGuard[int | float]:
    """Whether the value is a safe integer of zero or more, and not ``-0``."""
    return is_safe_integer(value) and value >= 0 and not is_negative_zero(value)


def is_index(value: object) -> TypeGuard[int | float]:
    """Whether the value is a safe integer of zero or more, ``-0`` too: the number of an event."""
    return is_safe_integer(value) and value >= 0


def is_negative_zero(value: object) -> bool:
    return type(value) is float and value == 0 and math.copysign(1, value) < 0


def is_json_value(value: object) -> bool:
    """Whether a log holds the value without loss.

    Accepted: None, booleans, text (lone surrogates too), finite numbers except ``-0.0``, plain
    dicts with text keys and plain lists of such values (or frozen ones, as events hold them).
    Rejected: anything else, subclasses included, and cycles; the same object twice is no cycle.
    Depth is unlimited.
    """
    open_ids: set[int] = set()
    sound_ids: set[int] = set()
    todo: list[tuple[object, bool]] = [(value, False)]
    while todo:
        item, leaving = todo.pop()
        if leaving:
            open_ids.discard(id(item))
            sound_ids.add(id(item))
        elif type(item) in _DICTS or type(item) in _LISTS:
            if id(item) in open_ids:
                return False
            if id(item) in sound_ids:
                continue
            open_ids.add(id(item))
            todo.append((item, True))
            if isinstance(item, dict):
                if any(type(key) is not str for key in item):
                    return False
                todo.extend((member, False) for member in item.values())
            elif isinstance(item, list):
                todo.extend((member, False) for member in item)
        elif not _is_scalar(item):
            return False
    return True


def _is_scalar(value: object) -> bool:
    if type(value) is float:
        return math.isfinite(value) and not is_negative_zero(value)
    if type(value) is int:
        return abs(value) < _DOUBLE_LIMIT
    return type(value) in _SCALARS


def frozen(value: Any) -> Any:
    """A deep, frozen copy of a JSON value; iterative, and a frozen value is its own copy.

    A whole number becomes the one that a log holds: a double.
    """
    if type(value) in (FrozenDict, FrozenList) or not isinstance(value, dict | list):
        return _as_stored(value)
    # Containers are built from the leaves up: a frozen one cannot be filled afterwards.
    done: dict[int, Any] = {}
    todo: list[tuple[Any, bool]] = [(value, False)]
    while todo:
        item, filled = todo.pop()
        if id(item) in done:
            continue
        if not filled:
            todo.append((item, True))
            members = item.values() if isinstance(item, dict) else item
            todo.extend((m, False) for m in members if type(m) in (dict, list))
        elif isinstance(item, dict):
            done[id(item)] = FrozenDict(
                {k: done.get(id(m), _as_stored(m)) for k, m in item.items()}
            )
        else:
            done[id(item)] = FrozenList(done.get(id(m), _as_stored(m)) for m in item)
    return done[id(value)]


def _as_stored(value: Any) -> Any:
    if type(value) is int and abs(value) > MAX_SAFE_INTEGER:
        return int(float(value))
    return value


def plain_copy(value: Any) -> Any:
    """A deep copy of a JSON value in plain dicts and lists; iterative."""
    holder = [value]
    todo: list[tuple[Any, Any]] = [(holder, 0)]
    while todo:
        container, key = todo.pop()
        item = container[key]
        if isinstance(item, dict):
            container[key] = item = dict(item)
            todo.extend((item, name) for name, m in item.items() if isinstance(m, dict | list))
        elif isinstance(item, list):
            container[key] = item = list(item)
            todo.extend((item, at) for at, m in enumerate(item) if isinstance(m, dict | list))
    return holder[0]


def digest(value: object) -> bytes:
    """Sixteen bytes that are equal for equal JSON values: member order and ``1.0`` do not count."""
    try:
        text = _ENCODE(_with_integers(value))
    except (TypeError, ValueError, RecursionError):
        # Lone surrogates, numbers beyond 64 bits, or nested too deep for the encoder.
        text = _spelled(value)
    from hashlib import blake2b  # only here: it takes long to import

    return blake2b(text, digest_size=16).digest()


_ENCODE = msgspec.json.Encoder(order="deterministic").encode


def _with_integers(value: Any) -> Any:
    """The value itself, or with whole floats as integers where it has any."""
    todo = [value]
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind is float and item.is_integer():
            return _converted(value)
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return value


def _converted(value: Any) -> Any:
    holder = [plain_copy(value)]
    todo: list[Any] = [holder]
    while todo:
        container = todo.pop()
        for key in list(container) if isinstance(container, dict) else range(len(container)):
            item = container[key]
            if type(item) is float and item.is_integer():
                container[key] = int(item)
            elif isinstance(item, dict | list):
                todo.append(item)
    return holder[0]


def _spelled(value: object) -> bytes:
    text = bytearray()
    todo: list[object] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            text += b"{%d" % len(item)
            for key in sorted(item):
                todo += (item[key], key)
        elif isinstance(item, list):
            text += b"[%d" % len(item)
            todo.extend(item)
        else:
            if type(item) is float and item.is_integer():
                item = int(item)
            said = repr(item).encode("utf-8", "surrogatepass")
            text += b"%d:" % len(said) + said
    return bytes(text)

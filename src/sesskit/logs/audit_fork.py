"""Copies of what the audit remembers: two readings of the same lines can go on side by side.

Lines, messages and JSON values are never changed by anybody: copies share them. Everything else
is copied, and things that are one stay one.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from sesskit.logs.audit_history import History
from sesskit.logs.audit_lines import Findings
from sesskit.logs.audit_state import Batch, Call, Requested, Segment, State, Turn

_OURS = (State, Segment, Turn, Call, Batch, Requested, History, Findings)


def fork(state: State) -> State:
    """A copy that can go its own way."""
    copy: State = _forked(state, {})
    return copy


def _forked(value: Any, made: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in _OURS:
        known = made.get(id(value))
        return known if known is not None else _object(value, made)
    if kind in (set, Counter, dict):
        return value.copy()
    if kind is list:
        return [_forked(item, made) if type(item) in _OURS else item for item in value]
    if kind is tuple:
        return tuple(_forked(item, made) for item in value)
    if kind is partial:
        return partial(value.func, *(_forked(item, made) for item in value.args))
    return value


def _object(value: Any, made: dict[int, Any]) -> Any:
    copy = object.__new__(type(value))
    made[id(value)] = copy
    for name in value.__slots__:
        setattr(copy, name, _forked(getattr(value, name), made))
    return copy

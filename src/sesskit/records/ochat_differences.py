"""ochat: what differs between two records, for a migration or a reset that is only looked at.

Both are compared as neutral JSON. An older record is first put into the frame of version 5 (its
items are the items of entries, its moderator snapshot the legacy one), so that only what really
changes is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sesskit.records.ochat_snapshot import Snapshot
from sesskit.schemas.binprot_to_json import json_of, string_json
from sesskit.schemas.binprot_types import ListOf, Node, Record
from sesskit.schemas.issues import Keys, dotted
from sesskit.schemas.ochat_sessions import LATEST, Session, SessionV5, layouts_of, type_of

Change = Literal["added", "removed", "changed"]

_ABSENT: Any = object()
_LAYOUT: Final = layouts_of(LATEST)[0]
_NEW: Final = type_of(_LAYOUT)
_FRAMED: Final = 4
"""From this version on items are entries, and a moderator has a state."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Parts that differ in the same way.

    ``path`` has ``[]`` for every position, ``first`` are the keys of the first one in the newer
    form, ``count`` is how many there are. ``old`` and ``new`` are that first one's values as
    neutral JSON, None where there is none: values of the session, to be masked before shown.
    """

    change: Change
    path: str
    first: Keys
    count: int
    old: Any = None
    new: Any = None


def differences(old: Snapshot, new: SessionV5) -> tuple[Difference, ...]:
    """Everything in which ``new`` differs from the snapshot, in the order of the record.

    Records may be large: what is the same object is not looked into, and of a history one entry at
    a time.
    """
    grouped: dict[tuple[Change, str], Difference] = {}
    for change, keys, was, now in _found(old, new):
        path = _pattern(keys)
        known = grouped.get((change, path))
        grouped[change, path] = (
            Difference(change, path, keys, 1, was, now)
            if known is None
            else replace(known, count=known.count + 1)
        )
    return tuple(grouped.values())


def _pattern(keys: Keys) -> str:
    return "".join("[]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")


Found = tuple[Change, Keys, Any, Any]


def _found(old: Snapshot, new: SessionV5) -> Iterator[Found]:
    was, now = _members(type_of(old.layout), old.session), _members(_NEW, new)
    # A snapshot of before version 4 is kept as it was, as a part of the new state.
    legacy = was.pop("moderator_snapshot", None)
    for name in [*now, *(name for name in was if name not in now)]:
        if name == "history":
            yield from _history(old, new)
        elif name == "moderator_state" and legacy is not None:
            shown = {"legacy_snapshot": _json(legacy)}
            yield from _walk(shown, _json(now[name]), (name,))
        elif name not in was or name not in now or was[name][1] is not now[name][1]:
            yield from _walk(_json(was.get(name)), _json(now.get(name)), (name,))


def _members(record: Record, session: Session) -> dict[str, tuple[Node, Any]]:
    return {m.name: (m.node, getattr(session, m.attribute)) for m in record.members}


def _json(member: tuple[Node, Any] | None) -> Any:
    return _ABSENT if member is None else json_of(member[0])(member[1])


def _history(old: Snapshot, new: SessionV5) -> Iterator[Found]:
    """The differences of the histories; those of an older record are items without entries."""
    before, after = old.session.history, new.history
    if before is after:
        return
    was, now = (json_of(_elements(type_of(layout))) for layout in (old.layout, _LAYOUT))
    for place in range(max(len(before), len(after))):
        keys: Keys = ("history", place)
        if place >= len(after):
            # Only the first one's value is told.
            yield "removed", keys, was(before[place]) if place == len(after) else None, None
        elif place >= len(before):
            yield "added", keys, None, now(after[place]) if place == len(before) else None
        elif old.version < _FRAMED:
            entry = after[place]
            yield "added", (*keys, "id"), None, string_json(entry.id)
            if entry.item is not before[place]:
                yield from _walk(was(before[place]), now(entry)["item"], (*keys, "item"))
        elif before[place] is not after[place]:
            yield from _walk(was(before[place]), now(after[place]), keys)


def _elements(record: Record) -> Node:
    """The type of the elements of a record's history."""
    held = next(member.node for member in record.members if member.name == "history")
    if not isinstance(held, ListOf):
        raise TypeError("a history is a list")
    return held.of


def _walk(old: Any, new: Any, start: Keys = ()) -> Iterator[Found]:
    """Both trees together, in order; what has no partner is not entered."""
    waiting: list[tuple[Keys, Any, Any]] = [(start, old, new)]
    while waiting:
        keys, was, now = waiting.pop()
        if was is _ABSENT:
            yield "added", keys, None, now
        elif now is _ABSENT:
            yield "removed", keys, was, None
        elif isinstance(was, dict) and isinstance(now, dict):
            names = [*now, *(name for name in was if name not in now)]
            waiting.extend(
                ((*keys, name), was.get(name, _ABSENT), now.get(name, _ABSENT))
                for name in reversed(names)
            )
        elif isinstance(was, list) and isinstance(now, list):
            waiting.extend(
                (
                    (*keys, place),
                    was[place] if place < len(was) else _ABSENT,
                    now[place] if place < len(now) else _ABSENT,
                )
                for place in range(max(len(was), len(now)) - 1, -1, -1)
            )
        elif was != now:
            yield "changed", keys, was, now


def shown(difference: Difference) -> str:
    """One line about a difference, without any value."""
    many = f" ({difference.count:,} times)" if difference.count > 1 else ""
    place = difference.path if difference.count > 1 else dotted(difference.first)
    return f"{difference.change} {place}{many}"

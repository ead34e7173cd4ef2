"""ochat: what differs between two records, for a migration or a reset that is only looked at.

Both are compared as neutral JSON. An older record is first put into the frame of version 5 (its
items are the items of entries, its moderator snapshot the legacy one), so that only what really
changes is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sesskit.records.ochat_snapshot import Snapshot
from sesskit.schemas.issues import Keys, dotted
from sesskit.schemas.ochat_neutral import to_neutral
from sesskit.schemas.ochat_sessions import LATEST, SessionV5, layouts_of

Change = Literal["added", "removed", "changed"]
_ABSENT: Any = object()


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
    """Everything in which ``new`` differs from the snapshot, in the order of the record."""
    before = _framed(to_neutral(old.session, old.layout), old.version)
    after = to_neutral(new, layouts_of(LATEST)[0])
    grouped: dict[tuple[Change, str], Difference] = {}
    for change, keys, was, now in _walk(before, after):
        path = _pattern(keys)
        known = grouped.get((change, path))
        if known is None:
            grouped[change, path] = Difference(change, path, keys, 1, was, now)
        else:
            grouped[change, path] = Difference(
                change, path, known.first, known.count + 1, known.old, known.new
            )
    return tuple(grouped.values())


def _pattern(keys: Keys) -> str:
    return "".join("[]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")


def _framed(record: dict[str, Any], version: int) -> dict[str, Any]:
    record.pop("$layout", None)
    if version >= 4:
        return record
    record["history"] = [{"item": item} for item in record["history"]]
    snapshot = record.pop("moderator_snapshot", None)
    record["moderator_state"] = {"legacy_snapshot": snapshot}
    return record


Found = tuple[Change, Keys, Any, Any]


def _walk(old: Any, new: Any) -> Iterator[Found]:
    """Both trees together, in order; what has no partner is not entered."""
    waiting: list[tuple[Keys, Any, Any]] = [((), old, new)]
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

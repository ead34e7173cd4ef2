"""What differs between two ochat records, as rows and as members of the report: masked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sesskit.cli.deep import writable
from sesskit.cli.rows import Row, safe
from sesskit.records.ochat_differences import Difference
from sesskit.records.ochat_masking import guarded
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import dotted
from sesskit.schemas.masking import MASK, mask_payload, mask_text
from sesskit.schemas.sensitive import is_sensitive_key, rebuilt

_VALUE = 36
_PAIRS = "kv_store"


def change_rows(changes: Iterable[Difference]) -> tuple[Row, ...]:
    """A row for each kind of difference; of several places the first one's values."""
    return tuple((change.change, _words(change)) for change in changes)


def change_members(changes: Iterable[Difference]) -> list[dict[str, Any]]:
    """The differences as JSON; ``old`` and ``new`` where there is such a value."""
    made = []
    for change in changes:
        member: dict[str, Any] = {
            "change": change.change,
            "path": change.path,
            "first": dotted(change.first),
            "count": change.count,
        }
        if change.change != "added":
            member["old"] = _masked(change, change.old)
        if change.change != "removed":
            member["new"] = _masked(change, change.new)
        made.append(member)
    return made


def _words(change: Difference) -> str:
    many = f" ({change.count:,} times)" if change.count > 1 else ""
    place = f"{change.path if change.count > 1 else dotted(change.first)}{many}"
    old, new = _shown(change, change.old), _shown(change, change.new)
    values = {"added": new, "removed": old, "changed": f"{old} -> {new}"}[change.change]
    return f"{place}: {'first ' if change.count > 1 else ''}{values}"


def _shown(change: Difference, value: Any) -> str:
    """A short value itself; of a long one, how much there is of it."""
    shown = _masked(change, value)
    text = dumps(shown).decode()
    if len(text) > _VALUE and isinstance(shown, dict):
        return f"{{{_many(len(shown), 'member')}}}"
    if len(text) > _VALUE and isinstance(shown, list):
        return f"[{_many(len(shown), 'element')}]"
    return safe(text, _VALUE)


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _masked(change: Difference, value: Any) -> Any:
    """The value without what is secret; one that is too deep as a text."""
    keys = change.first
    secret = any(isinstance(key, str) and is_sensitive_key(key) for key in keys)
    if secret or (keys[:1] == (_PAIRS,) and len(keys) > 2):
        return MASK
    # Its own copy: what is masked must not be what is written.
    shown = rebuilt(value, MASK)
    shown = rebuilt(guarded(shown), MASK, leaf=_leaf, name=mask_text)
    return writable(shown)


def _leaf(value: Any) -> Any:
    return mask_payload(value) if isinstance(value, str) else value

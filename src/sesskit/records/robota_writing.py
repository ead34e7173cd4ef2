"""The bytes of a Robota session record, as a store and an artifact hold them (section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

import msgspec
from msgspec.structs import fields, replace

from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue, Key, Keys
from sesskit.schemas.robota_record import Record

AnyRecord = Record | dict[str, Any]
"""A decoded record, or the plain JSON value of one."""

SCHEMA_VERSION = 1

OVERFLOW = "number-overflow"
_NOT_WRITTEN = "a number that overflows cannot be written"


def encode_record(record: AnyRecord) -> bytes:
    """The enveloped record as indented JSON without a final line end. Nothing is validated.

    A decoded `Record` gets its members in canonical order, a plain one keeps its own order.
    """
    return dumps({"schemaVersion": SCHEMA_VERSION, "record": record}, indent=2)


def told_overflows(record: AnyRecord, issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """What decoding an encoded record found; nulls that were numbers beyond all doubles are named.

    JSON has no form for those numbers, so they are written as null, and where null is no value the
    text is refused at a place where the record holds none. These issues are of the code `OVERFLOW`
    and have no line: their text is written nowhere.
    """
    return tuple(_told(issue) if _overflows(record, issue.keys) else issue for issue in issues)


def _told(issue: Issue) -> Issue:
    told = Issue(OVERFLOW, _NOT_WRITTEN, keys=issue.keys)
    return replace(told, expected=issue.expected, found="a number that overflows")


def _overflows(record: AnyRecord, keys: Keys) -> bool:
    """Whether such a number stands at a place of the envelope of a record."""
    value: Any = record
    for key in keys[1:]:
        value = _member(value, key)
    return isinstance(value, float) and not isfinite(value)


def _member(value: Any, key: Key) -> Any:
    if isinstance(value, msgspec.Struct):
        names = (each.name for each in fields(value) if each.encode_name == key)
        return getattr(value, next(names, ""), None)
    if isinstance(value, dict):
        return value.get(key)
    inside = isinstance(value, list) and isinstance(key, int) and key < len(value)
    return value[key] if inside else None

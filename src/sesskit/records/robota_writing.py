"""The bytes of a Robota session record, as a store and an artifact hold them (section 5)."""

from __future__ import annotations

from typing import Any

from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.robota_record import Record

AnyRecord = Record | dict[str, Any]
"""A decoded record, or the plain JSON value of one."""

SCHEMA_VERSION = 1


def encode_record(record: AnyRecord) -> bytes:
    """The enveloped record as indented JSON without a final line end. Nothing is validated.

    A decoded `Record` gets its members in canonical order, a plain one keeps its own order.
    """
    return dumps({"schemaVersion": SCHEMA_VERSION, "record": record}, indent=2)

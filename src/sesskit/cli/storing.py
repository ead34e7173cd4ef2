"""A record put into a store, and what became of it in words and as a member of the report."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from sesskit.cli.writes import writing
from sesskit.records.reading import read_document
from sesskit.records.robota_store import RobotaStore
from sesskit.records.robota_writing import encode_record
from sesskit.records.session_ids import InvalidSessionId
from sesskit.schemas.robota_record import Record


class Stored(NamedTuple):
    """What became of a record. ``written`` is True also where the same record was there already."""

    written: bool
    words: str
    member: dict[str, Any]


def stored(store: RobotaStore, record: Record, *, force: bool) -> Stored:
    """Put a record into a store; a different one of its id is replaced only with ``force``.

    What cannot be read in full is never replaced. Raises `BadUsage` where the system refuses.
    """
    try:
        path = store.path(record.id)
    except InvalidSessionId as error:
        return _refused("unsafe-id", f"the id inside cannot name a file: {error}")
    place = os.fspath(path)
    if os.path.lexists(path) and not force:
        if read_document(path) == encode_record(record):
            return Stored(True, f"{place} holds the same already", _member(record.id, place))
        return _refused("exists", f"there is {place} already; --force replaces it")
    with writing(place):
        put = store.put(record)
    if not put.written:
        why = f"{place} is {put.outcome.status} and is left as it is; sesskit inspect {place}"
        return _refused(put.outcome.status, why)
    return Stored(True, f"to {place}", _member(record.id, place))


def _member(session_id: str, place: str) -> dict[str, Any]:
    return {"id": session_id, "path": place, "refused": None}


def _refused(reason: str, words: str) -> Stored:
    return Stored(False, words, {"refused": reason})

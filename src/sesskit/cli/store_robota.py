"""A store of Robota records, as `sesskit store` and `import` use it."""

from __future__ import annotations

import os
from typing import Any

from sesskit.cli.legacy import RECORD, is_bare, said_bare
from sesskit.cli.stores import Listed, Stored, refused, stored_member
from sesskit.cli.writes import unwritten, writing
from sesskit.logs.formats import Finding
from sesskit.records.reading import read_document
from sesskit.records.robota_store import Entry, RobotaStore
from sesskit.records.robota_writing import encode_record
from sesskit.records.session_ids import InvalidSessionId
from sesskit.schemas.outcomes import Outcome, Valid

LEGACY = "no envelope (legacy)"


class RobotaHome:
    """A folder with a file for each session."""

    def __init__(self, folder: str) -> None:
        self._store = RobotaStore(folder)

    def list(self) -> list[Listed]:
        """Newest update first."""
        return [_listed(found) for found in self._store.list()]

    def load(self, session_id: str) -> Outcome:
        return self._store.load(session_id)

    def delete(self, session_id: str) -> bool:
        return self._store.delete(session_id)

    def put(self, value: Any, *, force: bool) -> Stored:
        """Put a record in canonical form; what cannot be read in full is never replaced."""
        try:
            path = self._store.path(value.id)
        except InvalidSessionId as error:
            return refused("unsafe-id", f"the id inside cannot name a file: {error}")
        place = os.fspath(path)
        with writing(place):
            put = self._store.put(value, overwrite=force)
        if put.refused_by == "record":
            return refused("not-writable", unwritten(put.outcome.issues), put.outcome.issues)
        if put.refused_by == "file" and isinstance(put.outcome, Valid):
            if read_document(path) == encode_record(value):
                said = f"{place} holds the same already"
                return Stored(True, said, stored_member(value.id, place))
            return refused("exists", f"there is {place} already; --force replaces it")
        if not put.written:
            why = f"{place} is {put.outcome.status} and is left as it is; sesskit inspect {place}"
            return refused(put.outcome.status, why)
        return Stored(True, f"to {place}", stored_member(value.id, place))


def _listed(found: Entry) -> Listed:
    path, outcome = os.fspath(found.path), found.outcome
    bare = is_bare(Finding(path, outcome, RECORD))
    shown = said_bare(outcome) if bare else outcome
    return Listed(found.id, path, shown, found.updated, found.record_id, LEGACY if bare else "")

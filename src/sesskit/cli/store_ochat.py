"""A store of ochat snapshots, as `sesskit store` and `import` use it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sesskit.cli.stores import Listed, Stored, refused, stored_member
from sesskit.cli.writes import writing
from sesskit.records.ochat_snapshot import Snapshot, encode
from sesskit.records.ochat_store import OchatStore, Saved, fingerprint_of
from sesskit.records.session_ids import InvalidSessionId
from sesskit.schemas.instants import Instant
from sesskit.schemas.ochat_sessions import LATEST, SessionV5
from sesskit.schemas.outcomes import Missing, Outcome, Valid

_NS = 1_000_000
CHANGED = "it was changed while it was read; nothing was written"


class OchatHome:
    """A folder with a folder for each session."""

    def __init__(self, folder: str) -> None:
        self.store = OchatStore(folder)

    def list(self) -> list[Listed]:
        """Newest file first: a snapshot says nothing of times."""
        found = [
            Listed(one.id, os.fspath(one.path), one.outcome, _saved(one.path), one.record_id)
            for one in self.store.list()
        ]
        return sorted(found, key=lambda one: one.updated or Instant(0), reverse=True)

    def load(self, session_id: str) -> Outcome:
        return self.store.load(session_id).outcome

    def delete(self, session_id: str) -> bool:
        return self.store.delete(session_id)

    def put(self, value: Any, *, force: bool) -> Stored:
        """Put a snapshot of the latest version; older ones are to be migrated first."""
        session = value.session if isinstance(value, Snapshot) else None
        if not isinstance(session, SessionV5):
            why = f"a store takes version {LATEST}; sesskit migrate --to {LATEST} makes it"
            return refused("old-version", why)
        try:
            path = self.store.path(session.id if isinstance(session.id, str) else "\0")
        except InvalidSessionId as error:
            return refused("unsafe-id", f"the id inside cannot name a folder: {error}")
        place, name = os.fspath(path), str(session.id)
        there = self.store.load(name)
        if there.fingerprint == fingerprint_of(encode(session)):
            return Stored(True, f"{place} holds the same already", stored_member(name, place))
        if not isinstance(there.outcome, Valid | Missing):
            why = f"{place} is {there.outcome.status} and is left as it is; sesskit inspect {place}"
            return refused(there.outcome.status, why)
        if isinstance(there.outcome, Valid) and not force:
            return refused("exists", f"there is {place} already; --force replaces it")
        with writing(place):
            saved: Saved = self.store.save(session, seen=there.fingerprint)
        if not saved.written:
            return refused("changed", CHANGED)
        kept = "" if saved.archived is None else f"; the old one is {saved.archived}"
        return Stored(True, f"to {place}{kept}", stored_member(name, place))


def _saved(path: Path) -> Instant | None:
    try:
        return Instant(path.stat().st_mtime_ns // _NS)
    except (OSError, ValueError):
        return None

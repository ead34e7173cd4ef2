"""dsh: the sessions of a database, each by its id, as the logs that they would be.

``sessions.db#ID`` names one. A database is only read; what is shown, replayed or written of a
session is the text of a log of version 0 that holds the same events.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from sesskit.cli.details import Details
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row, safe
from sesskit.cli.stores import Listed, Stored, is_database, refused
from sesskit.logs.dsh.paths import log_path
from sesskit.logs.dsh.sqlite import read_sessions
from sesskit.logs.dsh.sqlite_sessions import StoredSession
from sesskit.logs.formats import Finding
from sesskit.records.format import Recognition
from sesskit.records.overview import Overview
from sesskit.schemas.masking import mask_text
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid

STORE, LOG = "dsh-sqlite", "dsh-log"
SEPARATOR = "#"
_NAME, _SHOWN = 60, 40
_KNOWN = Recognition("certain", "a session of a dsh database")


def named_in(typed: str) -> tuple[str, str] | None:
    """The database and the id that a path means; None for a path that is there as it is, or whose
    beginning is no database."""
    if SEPARATOR not in typed or os.path.lexists(typed):
        return None
    for at, character in enumerate(typed):
        if character == SEPARATOR and is_database(typed[:at]):
            return typed[:at], typed[at + 1 :]
    return None


def looked_up(typed: str) -> Finding | None:
    """The session that a path names, as a log; None for a path that names none."""
    named = named_in(typed)
    if named is None:
        return None
    file, wanted = named
    sessions = _sessions(file)
    found = next((one for one in sessions if one.id == wanted), None)
    if found is None:
        return Finding(typed, Unreadable(_no_such(wanted, [one.id for one in sessions])))
    return _finding(typed, found)


def path(file: str, session_id: str) -> str:
    """What one session of a database is called on the command line."""
    return f"{file}{SEPARATOR}{session_id}"


def ids(file: str) -> list[str]:
    """The ids of all sessions, in stored order."""
    return [one.id for one in _sessions(file)]


class DatabaseHome:
    """A database as a store: it is only read."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def list(self) -> list[Listed]:
        """Every session, in stored order."""
        return [
            Listed(one.id, path(self.folder, one.id), one.outcome(), None, one.id, _note(one))
            for one in _sessions(self.folder)
        ]

    def put(self, value: Any, *, force: bool) -> Stored:
        """Nothing is put: databases were given up by the programs that wrote them."""
        return refused("not-stored", "a database of dsh is only read")

    def load(self, session_id: str) -> Outcome:
        found = looked_up(path(self.folder, session_id))
        return Missing() if found is None else found.outcome

    def delete(self, session_id: str) -> bool:
        """Never."""
        return False


def _note(session: StoredSession) -> str:
    parent = session.header.get("parentSession")
    kind = "helper" if session.header.get("origin") == "subagent" else "fork"
    return f"{kind} of {parent}" if isinstance(parent, str) else ""


def _finding(typed: str, session: StoredSession) -> Finding:
    return Finding(typed, session.outcome(), LOG, _KNOWN, source=session.text())


def _no_such(wanted: str, known: list[str]) -> str:
    near = get_close_matches(wanted, known, 3) or sorted(known)[:3]
    said = f"; it holds {', '.join(safe(one, _NAME) for one in near)}" if near else ""
    more = " and others" if near and len(known) > len(near) else ""
    return f"the database holds no session {safe(wanted, _NAME)}{said}{more}"


def _sessions(file: str) -> tuple[StoredSession, ...]:
    status = Path(file).stat()
    return _read(os.path.realpath(file), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _read(file: str, _changed: int, _size: int) -> tuple[StoredSession, ...]:
    """A database read once, as long as nobody writes it."""
    return read_sessions(Path(file))[1]


def as_root(file: str, root: Path) -> dict[str, Path]:
    """Write the valid sessions of a database as the logs of a new root; where each is, by id."""
    places: dict[str, Path] = {}
    for one in _sessions(file):
        try:
            place = root / log_path(one.id, one.header.get("cwd"))
        except (TypeError, ValueError):
            continue
        if isinstance(one.outcome(), Valid):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(one.text())
            places[one.id] = place
    return places


def apart(entry: Entry, rules: Rules) -> list[Entry]:
    """An entry for each session of a database; the database itself where it has none, or where
    something is wrong that is of none."""
    path = entry.finding.path
    if entry.finding.format != STORE or not Path(path).is_file():
        return [entry]
    each = [entry_of(_finding(f"{path}{SEPARATOR}{one.id}", one), rules) for one in _sessions(path)]
    own = [issue for issue in entry.issues if issue.keys[:1] != ("sessions",)]
    return [entry, *each] if own or not each else each


def inspected(finding: Finding) -> tuple[Overview | None, Details]:
    """A database in numbers: its sessions, and what the original says of each."""
    if not Path(finding.path).is_file():
        return None, Details()
    sessions = _sessions(finding.path)
    members = {"sessions": [_member(one) for one in sessions]}
    return None, Details(tuple(_rows(finding.path, sessions)), members=members)


def _rows(file: str, sessions: tuple[StoredSession, ...]) -> Iterator[Row]:
    yield "sessions", f"{len(sessions):,}"
    for one in sessions[:_SHOWN]:
        added = f", {len(one.closers):,} more by a load" if one.closers else ""
        yield (
            "",
            f"{safe(one.id, _NAME)}: {len(one.events):,} events{added}, {one.original.verdict}",
        )
    if len(sessions) > _SHOWN:
        yield "", f"and {len(sessions) - _SHOWN:,} more"
    if sessions:
        yield "one of them", f"sesskit inspect {path(file, safe(sessions[0].id, _NAME))}"


def _member(session: StoredSession) -> dict[str, Any]:
    return {
        "id": mask_text(session.id),
        "events": len(session.events),
        "closers": [str(event["type"]) for event in session.closers],
        "verdict": session.original.verdict,
    }

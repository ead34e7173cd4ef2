"""SQLite stores of dsh, schema 14 and 17: many sessions in one database; only ever read.

The file is opened read-only and nothing in it is trusted: every value is checked, every fault is
an issue whose path says which session and which event.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from sesskit.logs.dsh.generations import DATABASE_SCHEMAS
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.ruling import PLAIN, Stage
from sesskit.logs.dsh.sqlite_access import FAULTS, TABLES, Effort, address, guard, is_table
from sesskit.logs.dsh.sqlite_rows import HEADER, stored_header
from sesskit.logs.dsh.sqlite_sessions import SessionRows, StoredSession
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Outcome, Unsupported, Valid

APPLICATION_ID = 0x44534850


@dataclass(frozen=True, slots=True)
class Store:
    """A whole database, its sessions in stored order."""

    schema: int
    sessions: tuple[StoredSession, ...]


def read(path: Path) -> Outcome:
    """What is in a database; total. The value of a `Valid` answer is a `Store`."""
    return read_sessions(path)[0]


def read_sessions(path: Path) -> tuple[Outcome, tuple[StoredSession, ...]]:
    """The same, with the sessions that could be read, whatever is wrong with others."""
    found = opened(path)
    if not isinstance(found, int):
        return found, ()
    os.close(found)
    sessions: list[StoredSession] = []
    try:
        with closing(sqlite3.connect(address(path), uri=True)) as database:
            return _answer(database, sessions), tuple(sessions)
    except FAULTS:
        return _damaged("the file cannot be opened as a database"), tuple(sessions)


def decode(data: bytes) -> Decoded:
    """The same for a whole database in memory."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(data)
            return _answer(database, [])
        except FAULTS:
            return _damaged("the bytes cannot be opened as a database")


def _damaged(message: str, schema: int | None = None) -> Corrupt:
    issue = Issue("database-damaged", message)
    return Corrupt((issue,), schema, original=Original("reject", PLAIN))


def _answer(database: sqlite3.Connection, sessions: list[StoredSession]) -> Decoded:
    # Asked for here and not read from the first page: a log of changes may say otherwise.
    effort = guard(database)
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (schema,) = database.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        return _damaged("no database of sessions")
    if schema not in DATABASE_SCHEMAS:
        message = f"schema {schema}; the programs that read 14 and 17 refuse any other"
        issue = Issue("version-unsupported", message)
        return Unsupported(
            schema, DATABASE_SCHEMAS, (issue,), original=Original("unsupported", PLAIN)
        )
    missing = [name for name in TABLES if not is_table(database, name)]
    if missing:
        return _damaged(f"there is no table {missing[0]}", schema)
    whole = list(_whole(database, effort, sessions, schema))
    issues = (*whole, *(issue for session in sessions for issue in session.issues))
    damaged = any(issue.severity == "error" for issue in whole)
    original = Original("reject", PLAIN) if damaged else _worst(sessions)
    if original.verdict == "unsupported":
        return Unsupported(schema, DATABASE_SCHEMAS, issues, original=original)
    if any(issue.severity == "error" for issue in issues):
        return Corrupt(issues, schema, original=original)
    return Valid(Store(schema, tuple(sessions)), issues, schema, original=original)


def _worst(sessions: list[StoredSession]) -> Original:
    order = ("reject", "unsupported", "accept-with-repair", "accept")
    ranked = sorted(sessions, key=lambda session: order.index(session.original.verdict))
    return ranked[0].original if ranked else Original("accept")


def _whole(
    database: sqlite3.Connection, effort: Effort, sessions: list[StoredSession], schema: int
) -> Iterator[Issue]:
    """What is wrong with the tables as such; puts what they hold into ``sessions``."""
    table = "persistence_state"
    try:
        stores = database.execute("SELECT singleton, store_id FROM persistence_state").fetchmany(2)
        if len(stores) != 1 or stores[0][0] != 1 or not isinstance(stores[0][1], str):
            yield Issue("database-damaged", "must name the store in one row", keys=(table,))
        table = "sessions"
        for session in _sessions(database, schema, effort):
            sessions.append(session)
        table = "events"
        rows, owners = database.execute(_ORPHANS).fetchone()
        if rows:
            message = f"rows: {rows}, whose session the table of sessions does not hold: {owners}"
            yield Issue("events-orphaned", message, "warning", (table,))
    except FAULTS:
        yield _unread(effort, table)


_ORPHANS = (
    "SELECT count(*), count(DISTINCT session_id) FROM events"
    " WHERE session_id NOT IN (SELECT id FROM sessions WHERE id IS NOT NULL)"
)


def _unread(effort: Effort, *keys: str | int) -> Issue:
    message = "has other columns, or a page of it is damaged; what follows there is not read"
    if effort.spent:
        message = "reading it takes far more work than its size explains; it was given up"
    return Issue("database-damaged", message, keys=keys)


def _sessions(database: sqlite3.Connection, schema: int, effort: Effort) -> Iterator[StoredSession]:
    columns = ", ".join(HEADER)
    # The columns are those of the table above, never text of the file.
    rows = database.execute(f"SELECT rowid, {columns} FROM sessions ORDER BY rowid")  # noqa: S608
    for number, (own, *row) in enumerate(effort.taken(rows)):
        header, issues = stored_header(tuple(row))
        fold = SessionRows(header)
        if not fold.is_foreign():
            try:
                fold.see(effort.taken(database.execute(_EVENTS[schema], (own,))))
            except FAULTS:
                fold.refuse(_unread(effort, "events"), Stage.SCAN)
        session = fold.finished()
        placed = tuple(i.inside("sessions", number) for i in (*issues, *session.issues))
        yield replace(session, issues=placed)


_OF_ONE = "WHERE session_id = (SELECT id FROM sessions WHERE rowid = ?) ORDER BY seq"
_COLUMNS = "SELECT seq, type, time, data, source_event_seqs, surface_op"
_EVENTS = {
    14: f"{_COLUMNS}, NULL FROM events {_OF_ONE}",
    17: f"{_COLUMNS}, ignorable FROM events {_OF_ONE}",
}

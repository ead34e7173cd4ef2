"""SQLite stores of dsh, schema 14 and 17: many sessions in one database; only ever read.

The file is opened read-only and nothing in it is trusted: every value is checked, every fault is
an issue whose path says which session and which event.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backports.zstd import ZstdDecompressor, ZstdError
from msgspec.structs import replace

from sesskit.logs.dsh.generations import V0, check_header
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.rows import is_row, members, row_fault, unpack
from sesskit.logs.dsh.ruling import PLAIN, Ruling, Stage
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.dsh_limits import FREE_EXPANSION_BYTES
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import read_json
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Outcome, Unsupported, Valid

Json = dict[str, Any]

APPLICATION_ID = 0x44534850
SCHEMAS = (14, 17)

_HEADER = {
    "version": "version",
    "id": "id",
    "created_at": "createdAt",
    "cwd": "cwd",
    "parent_session": "parentSession",
    "seed_length": "seedLength",
    "origin": "origin",
    "delegation_depth": "delegationDepth",
    "agent_preset": "agentPreset",
}


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One session of a store: its header, its events in today's shape, what the original says."""

    header: Json
    events: tuple[Json, ...]
    closers: tuple[Json, ...]
    issues: tuple[Issue, ...]
    original: Original


@dataclass(frozen=True, slots=True)
class Store:
    """A whole database, its sessions in stored order."""

    schema: int
    sessions: tuple[StoredSession, ...]


def read(path: Path) -> Outcome:
    """What is in a database; total. The value of a `Valid` answer is a `Store`."""
    found = opened(path)
    if not isinstance(found, int):
        return found
    os.close(found)
    try:
        with closing(sqlite3.connect(_address(path), uri=True)) as database:
            return _answer(database)
    except sqlite3.Error:
        return _damaged("the file cannot be opened as a database")


def _address(path: Path) -> str:
    """Nothing is created beside the database; a log of changes that lies there is read as well."""
    beside = path.with_name(f"{path.name}-wal")
    return f"{path.absolute().as_uri()}?mode=ro{'' if beside.exists() else '&immutable=1'}"


def decode(data: bytes) -> Decoded:
    """The same for a whole database in memory."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(data)
            return _answer(database)
        except (sqlite3.Error, OverflowError, MemoryError):
            return _damaged("the bytes cannot be opened as a database")


def _damaged(message: str) -> Corrupt:
    issue = Issue("database-damaged", message)
    return Corrupt((issue,), original=Original("reject", PLAIN))


def _answer(database: sqlite3.Connection) -> Decoded:
    # Asked for here and not read from the first page: a log of changes may say otherwise.
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (schema,) = database.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        return _damaged("no database of sessions")
    if schema not in SCHEMAS:
        message = f"schema {schema}; the programs that read 14 and 17 refuse any other"
        issue = Issue("version-unsupported", message)
        return Unsupported(schema, SCHEMAS, (issue,), original=Original("unsupported", PLAIN))
    try:
        sessions = tuple(_sessions(database, schema))
    except sqlite3.Error:
        return _damaged("a table is missing, has other columns, or is damaged")
    issues = tuple(issue for session in sessions for issue in session.issues)
    original = _worst(sessions)
    if original.verdict == "unsupported":
        return Unsupported(schema, SCHEMAS, issues, original=original)
    if any(issue.severity == "error" for issue in issues):
        return Corrupt(issues, schema, original=original)
    return Valid(Store(schema, sessions), issues, schema, original=original)


def _worst(sessions: tuple[StoredSession, ...]) -> Original:
    order = ("reject", "unsupported", "accept-with-repair", "accept")
    ranked = sorted(sessions, key=lambda session: order.index(session.original.verdict))
    return ranked[0].original if ranked else Original("accept")


def _sessions(database: sqlite3.Connection, schema: int) -> Iterator[StoredSession]:
    columns = ", ".join(_HEADER)
    # The columns are those of the table above, never text of the file.
    rows = database.execute(f"SELECT {columns} FROM sessions ORDER BY rowid")  # noqa: S608
    for number, row in enumerate(rows.fetchall()):
        named = dict(zip(_HEADER.values(), row, strict=True))
        header = {name: value for name, value in named.items() if value is not None}
        yield _session(database, schema, number, header)


def _session(database: sqlite3.Connection, schema: int, number: int, header: Json) -> StoredSession:
    ruling = Ruling()
    issues = [i.inside("sessions", number) for i in check_header(V0, {"type": "session", **header})]
    if any(issue.severity == "error" for issue in issues):
        ruling.refuse(Stage.HEADER, PLAIN)
    judge = Judge(V0, header, ruling)
    expected, broken = 0, False
    columns = "seq, type, time, data, source_event_seqs, surface_op"
    columns += ", ignorable" if schema >= 17 else ", NULL"
    query = f"SELECT {columns} FROM events WHERE session_id = ? ORDER BY seq"  # noqa: S608
    for row in database.execute(query, (header.get("id"),)):
        event, found = _event(row)
        found = found or _out_of_place(event, row[0], expected)
        if found:
            broken, ruling.cut = True, True
        if broken and row[1] == "turn/end":
            ruling.refuse(Stage.SCAN, PLAIN)
        if not found:
            expected = row[0] + (members(event) if is_row(event) else 1)
            look = judge.row(unpack(event)) if is_row(event) and not broken else None
            found = judge.see(event, accepted=not broken) if look is None else look
        else:
            expected = row[0] + 1 if isinstance(row[0], int) else expected + 1
        place = ("sessions", number, "events", row[0])
        issues += [replace(issue.inside(*place), seq=row[0]) for issue in found]
    issues += [issue.inside("sessions", number) for issue in judge.finish()]
    placed = tuple(replace(issue, line=None, column=None, offset=None) for issue in issues)
    closers = tuple(judge.open_turn.closers())
    return StoredSession(header, tuple(judge.events), closers, placed, ruling.original)


def _out_of_place(event: Json, seq: Any, expected: int) -> list[Issue]:
    """Why a row is not the next event of its session."""
    if seq != expected:
        return [Issue("seq-gap", f"expected event {expected}", keys=("seq",))]
    if is_row(event) and row_fault(event) is not None:
        return [Issue("row-malformed", "not what a row of packed chunks holds", keys=("data",))]
    return []


def _event(row: tuple[Any, ...]) -> tuple[Json, list[Issue]]:
    """One stored row as the event or packed row that it is, and what could not be read."""
    seq, kind, time, data, sources, operation, ignorable = row
    value, issues = _json(data, "data")
    if ignorable == 0:
        return {"type": kind, "seq0": seq, "time0": time, "data": value}, issues
    event: Json = {"type": kind, "seq": seq, "time": time, "data": value}
    if sources is not None:
        event["sourceEventSeqs"], found = _sources(sources)
        issues += found
    if operation is not None:
        event["surfaceOp"], found = _json(operation, "surfaceOp")
        issues += found
    if ignorable == 1:
        event["ignorable"] = True
    return event, issues


def _json(stored: Any, name: str) -> tuple[Any, list[Issue]]:
    text = stored.encode("utf-8", "surrogateescape") if isinstance(stored, str) else stored
    if isinstance(stored, bytes):
        try:
            inflater = ZstdDecompressor()
            text = inflater.decompress(stored, FREE_EXPANSION_BYTES)
            whole = inflater.eof
        except (ZstdError, MemoryError):
            whole = False
        if not whole:
            return DAMAGED, [Issue("zstd-damaged", "does not decompress", keys=(name,))]
    if not isinstance(text, bytes):
        return DAMAGED, [Issue("type", "expected JSON text", keys=(name,))]
    read_text = read_json(text, thorough=False)
    faults = [issue for issue in read_text.issues if issue.severity == "error"]
    moved = [replace(i, keys=(name,), line=None, column=None, offset=None) for i in faults]
    return (read_text.value if read_text.sound else DAMAGED), moved


def _sources(stored: Any) -> tuple[list[int], list[Issue]]:
    """Schema 14 stores a JSON list, schema 17 the first number and differences, as varints."""
    if isinstance(stored, str):
        value, issues = _json(stored, "sourceEventSeqs")
        return (value if isinstance(value, list) else []), issues
    numbers = list(_varints(stored)) if isinstance(stored, bytes) else None
    if not numbers:
        wrong = numbers is None or stored
        message = "expected a list of event numbers"
        return [], [Issue("sources-kind", message, keys=("sourceEventSeqs",))] if wrong else []
    seqs = [numbers[0]]
    for number in numbers[1:]:
        seqs.append(seqs[-1] + ((number >> 1) ^ -(number & 1)))
    return seqs, []


def _varints(data: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift = min(shift + 7, 70)
        if byte < 0x80:
            yield number
            number = shift = 0

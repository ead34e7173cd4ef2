"""Opening a database that nobody trusts: its real tables, read with a bounded effort.

A database can hold programs: views, triggers, computed columns, tables of other kinds. None of them
is run here, and a page that leads round in circles ends with the effort that its size explains.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sesskit.schemas.dsh_limits import FREE_EXPANSION_BYTES

Row = tuple[Any, ...]


class Spent(Exception):
    """More came out of a database than can be in it."""


FAULTS = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError, Spent)
"""What reading a damaged database may raise: names in it need not be UTF-8."""

TABLES = ("persistence_state", "sessions", "events")

_LEAST_SPLIT = 400
"""Shorter texts lie in one page, as they are written."""

_EVERY = 10_000
_FREE_ROUNDS = 2_000
_BYTES_A_ROUND = 1_000
"""A round is ten thousand steps; a row takes some twenty, and some twenty bytes of the file."""
_LEAST_ROW, _FREE_ROWS, _TEXT_GROWTH = 8, 100, 3
"""The bytes that a row takes at least; texts in UTF-16 may take more bytes here."""


def address(path: Path) -> str:
    """Nothing is created beside the database; a log of changes that lies there is read as well."""
    beside = path.with_name(f"{path.name}-wal")
    return f"{path.absolute().as_uri()}?mode=ro{'' if beside.exists() else '&immutable=1'}"


@dataclass(slots=True)
class Effort:
    """The rounds that are left for one database, and the rows and bytes that it can hold."""

    rounds: int
    rows: int = 0
    size: int = 0

    @property
    def spent(self) -> bool:
        return self.rounds <= 0

    def step(self) -> bool:
        """Whether to stop, asked after each round."""
        self.rounds -= 1
        return self.spent

    def taken(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows, as long as there are not more of them than the file can hold: damaged pages
        may lead to each other. Raises `Spent`."""
        for row in rows:
            self.rows -= 1
            self.size -= sum(len(v) for v in row if isinstance(v, str | bytes))
            if self.rows < 0 or self.size < 0:
                self.rounds = 0
                raise Spent
            yield row


def guard(database: sqlite3.Connection) -> Effort:
    """Bound what the database can make a reader do; texts come with their bytes as surrogates."""
    database.text_factory = _text
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, FREE_EXPANSION_BYTES)
    effort = Effort(_FREE_ROUNDS)
    database.set_progress_handler(effort.step, _EVERY)
    database.execute("PRAGMA trusted_schema = OFF")
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (size,) = database.execute("PRAGMA page_size").fetchone()
    effort.rounds = _FREE_ROUNDS + pages * size // _BYTES_A_ROUND
    effort.rows = _FREE_ROWS + pages * size // _LEAST_ROW
    effort.size = _TEXT_GROWTH * pages * size
    return effort


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def is_table(database: sqlite3.Connection, name: str) -> bool:
    """Whether a name is that of a table with pages of its own: no view, no virtual table."""
    query = "SELECT type, rootpage FROM sqlite_master WHERE lower(name) = ?"
    found = database.execute(query, (name,)).fetchall()
    plain = [row for row in found if row[0] == "table" and isinstance(row[1], int) and row[1] > 0]
    return len(plain) == len(found) == 1


def values_of(data: bytes) -> Iterator[bytes]:
    """The bytes and the longer texts in all tables of a database, as far as it can be read."""
    with contextlib.suppress(*FAULTS), closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        effort = guard(database)
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in names:
            if isinstance(name, str) and not effort.spent and is_table(database, name):
                yield from _in_table(database, name)


def _in_table(database: sqlite3.Connection, name: str) -> Iterator[bytes]:
    with contextlib.suppress(*FAULTS):
        columns = database.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (name,))
        stored = [_quoted(column) for column, hidden in columns.fetchall() if not hidden]
        query = " ".join(("SELECT", ", ".join(stored), "FROM", _quoted(name)))
        for row in database.execute(query) if stored else ():
            for value in row:
                if isinstance(value, bytes):
                    yield value
                elif isinstance(value, str) and len(value) >= _LEAST_SPLIT:
                    yield value.encode("utf-8", "surrogateescape")


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))

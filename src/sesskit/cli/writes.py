"""Commands that write: what they did as lines and members of a report, and refusals in one line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from sesskit.cli.report import Entry
from sesskit.cli.rows import Row, rows_of
from sesskit.cli.screen import Screen
from sesskit.cli.usage import BadUsage
from sesskit.records.locks import LockTimeout
from sesskit.records.reading import reason_for

Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="The file to write. An existing one is refused."),
]
Replace = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
StoreDir = Annotated[str, typer.Option("--store", metavar="DIR", help="The folder of the store.")]


@contextlib.contextmanager
def writing(place: str) -> Iterator[None]:
    """Turns what the system refuses while ``place`` is written into one kind line."""
    try:
        yield
    except FileExistsError as error:
        raise BadUsage(f"there is {place} already; --force replaces it") from error
    except LockTimeout as error:
        raise BadUsage(f"{place} is not written: {error.strerror}") from error
    except OSError as error:
        raise BadUsage(f"{place} cannot be written: {reason_for(error)}") from error


def told(entry: Entry, rows: Iterable[Row], members: dict[str, Any], screen: Screen) -> Entry:
    """The entry with what was done about it: rows below its heading, and members of its JSON."""
    body = ("", *rows_of(rows, screen))
    return entry._replace(body=body, members={**(entry.members or {}), **members})

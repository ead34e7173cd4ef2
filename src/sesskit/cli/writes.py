"""Commands that write: what they did as lines and members of a report, and refusals in one line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import typer

from sesskit.cli.report import Entry
from sesskit.cli.rows import Row, rows_of
from sesskit.cli.screen import Screen
from sesskit.cli.usage import BadUsage, refuse_name
from sesskit.logs.formats import STDIN
from sesskit.records.locks import LockTimeout
from sesskit.records.reading import reason_for
from sesskit.schemas.issues import Issue

Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="The file to write. An existing one is refused."),
]
Replace = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
StoreDir = Annotated[str, typer.Option("--store", metavar="DIR", help="The folder of the store.")]


@contextlib.contextmanager
def writing(place: str) -> Iterator[None]:
    """Turns what the system refuses while ``place`` is written into one kind line."""
    refuse_name("the path to write", place)
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
    shown = tuple(rows_of(rows, screen))
    body = ("", *shown) if shown else ()
    return entry._replace(body=body, members={**(entry.members or {}), **members})


def unwritten(issues: Sequence[Issue], source: Iterable[Issue] = ()) -> str:
    """Why a record cannot be written, in a sentence with the first place.

    ``source`` are the issues of the file that it comes from: one of the same place has its line.
    """
    errors = [issue for issue in issues if issue.severity == "error"]
    first = errors[0]
    known = next((each for each in source if each.keys == first.keys), first)
    line = f" (line {known.line}, column {known.column})" if known.line is not None else ""
    more = f"; and {len(errors) - 1:,} more" if len(errors) > 1 else ""
    return f"{first.path or '(root)'}{line}: {first.message}{more}"


def refuse_both(out: str | None, other: object, name: str) -> None:
    """Raise `BadUsage` where two places are given, of which one has to be chosen."""
    if out is not None and other:
        raise BadUsage(f"choose one of --out and {name}")


def refuse_stdout(out: str | None) -> None:
    """Raise `BadUsage` for ``--out -``, where a command writes no file to standard output."""
    if out == STDIN:
        raise BadUsage("--out - is not for this command; name a file (./- for one called -)")

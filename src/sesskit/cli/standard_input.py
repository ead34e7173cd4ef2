"""A log on standard input: its bytes have no place, so where its sidecars lie has to be said."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sesskit.cli.report import Report
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN
from sesskit.logs.log_sources import LogBytes, LogPlace
from sesskit.logs.walking import is_folder

UNLOOKED = "sesskit verify --base DIR - looks at the sidecars too"
NO_BASE = "where its sidecars lie is not known of standard input; --base DIR says it"

Base = Annotated[
    str | None,
    typer.Option("--base", metavar="DIR", help="With -: where the sidecars of a log lie."),
]


def unlooked(report: Report) -> bool:
    """Whether a log of standard input is valid as far as that can be said without its sidecars."""
    return any(
        entry.finding.source is not None
        and (entry.finding.format, entry.finding.status) == ("robota-log", "valid")
        and entry.finding.original is None
        for entry in report.entries
    )


def base_of(base: str | None, paths: list[str] | None) -> str | None:
    """The directory of ``--base``. Raises `BadUsage` if it is none, or has no use."""
    if base is None:
        return None
    if STDIN not in (paths or ()):
        raise BadUsage("--base goes with -: a file has its sidecars beside it")
    if not is_folder(base):
        raise BadUsage(f"--base {base} is no folder")
    return base


def place_of(path: str, data: bytes | None, base: str | None) -> LogPlace:
    """Where a log is: at a path, or in the bytes of standard input."""
    if data is None:
        return Path(path)
    return LogBytes(data, None if base is None else Path(base))

"""How a report is shown: `OUTPUTS` by name, and `show`.

A new output is one function ``(Report, Display) -> str`` and its line in `OUTPUTS`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from sesskit.cli.report import Report
from sesskit.cli.screen import Screen, note, write
from sesskit.cli.usage import BadUsage, refuse_name
from sesskit.logs.walking import mode_of

OUTPUTS = {
    "text": "sesskit.cli.report_text:as_text",
    "json": "sesskit.cli.report_json:as_json",
}

MAX_ISSUES = 10
"""Issues of one code that are shown in full, for each file; further ones are counted."""


class Display(NamedTuple):
    """How and where a report is to be shown; ``max_issues`` of one code are shown in full."""

    output: str = "text"
    out: str | None = None
    force: bool = False
    quiet: bool = False
    max_issues: int = MAX_ISSUES
    screen: Screen = Screen()


def render(report: Report, display: Display) -> str:
    """The report as text of the chosen output."""
    module, _, name = OUTPUTS[display.output].partition(":")
    return str(getattr(import_module(module), name)(report, display))


def show(report: Report, display: Display) -> int:
    """Show a report, or write it to its file; the exit code of the command."""
    text = render(report, display)
    if display.out is None:
        write(text)
    else:
        write_out(display.out, text, force=display.force)
    for folder in report.empty:
        note(f"no session files in {folder}{_passed_by(report.skipped)}")
    return report.exit_code


def write_out(out: str, text: str | Iterable[str], *, force: bool) -> None:
    """Write what was asked for with ``--out``, whole or in pieces as they come.

    Raises `BadUsage` where that cannot be.
    """
    from sesskit.records.files import reason_for, write_atomic

    try:
        pieces = [text] if isinstance(text, str) else text
        data = (piece.encode("utf-8", "backslashreplace") for piece in pieces)
        write_atomic(out, data, overwrite=force)
    except FileExistsError as error:
        raise BadUsage(f"there is {out} already; --force replaces it") from error
    except OSError as error:
        raise BadUsage(f"--out {out} cannot be written: {reason_for(error)}") from error


def refuse_existing(out: str | None, *, force: bool, inputs: list[str]) -> None:
    """Raise `BadUsage` if ``--out`` would replace what it must not, before any work is done."""
    refuse_name("--out", out)
    if out is None or not os.path.lexists(out):
        return
    if mode_of(out) and any(mode_of(p) and Path(p).samefile(out) for p in inputs):
        raise BadUsage(f"--out {out} is one of the files to read; it would be replaced")
    if not force:
        raise BadUsage(f"there is {out} already; --force replaces it")


def _passed_by(skipped: int) -> str:
    """What else there was, and how to have it read all the same."""
    if not skipped:
        return ""
    files = "1 file was" if skipped == 1 else f"{skipped:,} files were"
    return f"; {files} skipped, --format NAME takes every file"

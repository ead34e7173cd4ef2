"""The common options: as types for a command's signature, and as values once they are checked.

    def validate(paths: Paths = None, output: Output = "text", out: Out = None, ...) -> None:
        display = display_of(output, out=out, force=force, quiet=quiet, ...)
        rules = rules_of(strict=strict, ignore=ignore, ...)
        reading = reading_of(format, rules, zone=zone)

Each ``..._of`` raises `BadUsage` before anything is read.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, timedelta, timezone, tzinfo
from re import fullmatch
from typing import Annotated

import typer

from sesskit.cli.looking import Reading
from sesskit.cli.output import MAX_ISSUES, OUTPUTS, Display, refuse_existing
from sesskit.cli.report import SEVERITIES, Rules
from sesskit.cli.screen import Screen, screen_of
from sesskit.cli.usage import BadUsage, one_of, suggestion
from sesskit.logs.formats import FORMATS, UnknownFormat, by_name
from sesskit.records.format import Options


def _formats() -> list[str]:
    return [entry.name for entry in FORMATS]


def codes() -> list[str]:
    """Every issue code, sorted."""
    from sesskit.schemas.codes import CODES

    return sorted(CODES)


def _outputs() -> list[str]:
    return list(OUTPUTS)


def _severities() -> list[str]:
    return list(SEVERITIES)


Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH...", help="Files, folders, or - for standard input.", show_default=False
    ),
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Read as this format; do not recognise it.",
        autocompletion=_formats,
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output", metavar="|".join(OUTPUTS), help="Form of the report.", autocompletion=_outputs
    ),
]
Out = Annotated[
    str | None, typer.Option("--out", metavar="FILE", help="Write the report to this file instead.")
]
Force = Annotated[bool, typer.Option("--force", help="Let --out replace an existing file.")]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        min=0,
        metavar="N",
        help="Processes at work, at most 2 for each processor; 0 chooses.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Exit 1 on warnings too, and look for more.")
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="|".join(SEVERITIES),
        help="Least severity that exits 1.",
        autocompletion=_severities,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="CODE",
        help="Leave out issues of this code; what is not valid still exits 1. Repeatable.",
        autocompletion=codes,
    ),
]
MaxIssues = Annotated[
    int,
    typer.Option(
        "--max-issues", min=0, metavar="N", help="Issues of one code shown in full, per file."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show files with issues only.")]
NoColor = Annotated[
    bool, typer.Option("--no-color", help="No colour, also on a terminal (or NO_COLOR).")
]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit 0 where it would be 1.")]
Zone = Annotated[
    str,
    typer.Option(
        "--zone", metavar="OFFSET", help="Zone of date-times without one: UTC, +09:00 ..."
    ),
]
NoSidecars = Annotated[
    bool, typer.Option("--no-sidecars", help="Do not look at the sidecar files of logs.")
]
Store = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="A session store: then PATH... are session ids."),
]

Follow = Annotated[
    bool,
    typer.Option("--follow", "-f", help="Of a log: go on as it grows, until it is interrupted."),
]
NOT_FOLLOWED = "--follow takes the file of a log; standard input has an end of its own"


def family(help: str) -> typer.Typer:
    """The app of a command that has commands of its own."""
    return typer.Typer(help=help, add_completion=False, rich_markup_mode=None)


def display_of(
    output: str | None = None,
    *,
    out: str | None = None,
    force: bool = False,
    quiet: bool = False,
    max_issues: int = MAX_ISSUES,
    no_color: bool = False,
    inputs: list[str] | None = None,
) -> Display:
    """How to show; ``inputs`` are the files that ``out`` must not replace.

    Without ``output`` it is text, or JSON where ``out`` is called so.
    """
    if output is None:
        output = "json" if out is not None and out.endswith(".json") else "text"
    if no_color:
        os.environ["NO_COLOR"] = "1"  # the progress bar asks there
    if output not in OUTPUTS:
        raise BadUsage(_wrong_output(output))
    refuse_existing(out, force=force, inputs=inputs or [])
    screen = Screen() if out else screen_of(sys.stdout, no_color=no_color)
    return Display(output, out, force, quiet, max_issues, screen)


def rules_of(
    *,
    strict: bool = False,
    fail_on: str | None = None,
    ignore: list[str] | None = None,
    exit_zero: bool = False,
) -> Rules:
    """What counts. ``strict`` is the same as ``fail_on="warning"``, and not both may be given."""
    if strict and fail_on not in (None, "warning"):
        raise BadUsage("--strict means --fail-on warning; give one of them")
    wanted = "warning" if strict else fail_on or "error"
    severity = next((known for known in SEVERITIES if known == wanted), None)
    if severity is None:
        raise BadUsage(f"--fail-on takes {one_of(SEVERITIES)}")
    for code in ignore or ():
        known_code(code)
    return Rules(severity, frozenset(ignore or ()), exit_zero)


def known_code(code: str) -> str:
    """The code itself; raises `BadUsage` if no issue has it."""
    if code not in codes():
        meant = suggestion(code, codes()) or "; sesskit explain lists all"
        raise BadUsage(f"there is no issue code {code}{meant}")
    return code


def reading_of(
    format: str | None = None,
    rules: Rules | None = None,
    *,
    zone: str = "UTC",
    keep: bool = False,
    store: str | None = None,
    sidecars: bool = True,
) -> Reading:
    """How to read files; those of a store have its format.

    Warnings that cost time are looked for where the rules count them.
    """
    if format is not None:
        try:
            by_name(format)
        except UnknownFormat as error:
            raise BadUsage(f"--format {format}: {error}") from error
    thorough = rules is not None and rules.thorough
    chosen = format
    if store is not None and format is None:
        from sesskit.cli.stores import store_kind  # only here: most runs have no store

        chosen = store_kind(store).format
    options = Options(thorough=thorough, keep=keep, zone=zone_of(zone), sidecars=sidecars)
    return Reading(chosen, options)


def zone_of(text: str) -> tzinfo:
    """``UTC``, ``Z`` or an offset such as ``+09:00`` as a time zone."""
    if text.upper() in ("UTC", "Z"):
        return UTC
    found = fullmatch(r"([+-])([01]\d|2[0-3]):?([0-5]\d)", text)
    if found is None:
        raise BadUsage("--zone takes UTC or an offset such as +09:00")
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return timezone(-offset if found[1] == "-" else offset)


def _wrong_output(word: str) -> str:
    known = f"--output takes {one_of(OUTPUTS)}"
    if "." in word or os.sep in word:
        return f"{known}; to write the report to a file use --out {word}"
    return known + suggestion(word, OUTPUTS)

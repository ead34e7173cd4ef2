"""`sesskit schema`: the published JSON Schemas, listed, shown, and applied to a file."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Annotated, Any

import typer

from sesskit.cli import options as o
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.report import Report, Rules, entry_of
from sesskit.cli.screen import write
from sesskit.cli.standard_input import Base, base_of, place_of
from sesskit.cli.usage import BadUsage, suggestion
from sesskit.logs.formats import STDIN

SUFFIX = ".schema.json"
schema = o.family("List, show and apply the published JSON Schemas (draft 2020-12).")


def names() -> list[str]:
    """The names of the published schemas, sorted."""
    return sorted(
        found.name.removesuffix(SUFFIX)
        for found in _folder().iterdir()
        if found.name.endswith(SUFFIX)
    )


Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A name that `schema list` shows.", autocompletion=names),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="NAME",
        help="Which one; by default what the file seems to be.",
        autocompletion=names,
    ),
]
Target = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A file of JSON or of JSON lines, or -."),
]


@schema.command("list")
def list_() -> None:
    """List the published JSON Schemas."""
    width = max(map(len, names())) + 2
    write("".join(f"{name:<{width}}{_loaded(name)['title']}\n" for name in names()))


@schema.command("show")
def show_(name: Name) -> None:
    """Print a published JSON Schema."""
    write((_folder() / (_known(name) + SUFFIX)).read_text("utf-8"))


@schema.command("check")
def check(
    file: Target,
    against: Against = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    no_color: o.NoColor = False,
    base: Base = None,
) -> None:
    """Check a JSON file against a published schema.

    As any other validator would: it knows less than `sesskit validate`, because JSON Schema
    cannot say everything. Logs and histories are checked line by line; of a robota-log the
    sidecars are put in first.
    """
    from sesskit.cli.schema_check import checked, faults_by, read_value, seems_to_be
    from sesskit.cli.schema_lines import checked_lines, line_schema

    display = o.display_of(output, max_issues=max_issues, no_color=no_color)
    if against is not None:
        _known(against)
    read = read_value(file) if file == STDIN else None
    base = base_of(base, [file])
    place = place_of(file, None if read is None else read.data, base)
    name = line_schema(place, against)
    if name is not None:
        finding = checked_lines(place, name, faults_by(_loaded(_known(name))))
    else:
        read = read or read_value(file)
        name = against or seems_to_be(read)
        if name is None:
            raise BadUsage(f"name the schema with --schema; there are {', '.join(names())}")
        finding = checked(read, name, _loaded(_known(name)))
    rules = Rules()
    raise typer.Exit(show(Report((entry_of(finding, rules),), rules), display))


def _known(name: str) -> str:
    if name not in names():
        meant = suggestion(name, names()) or f"; there are {', '.join(names())}"
        raise BadUsage(f"there is no schema {name}{meant}")
    return name


def _loaded(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((_folder() / (name + SUFFIX)).read_bytes())
    return loaded


def _folder() -> Any:
    return files("sesskit.schemas") / "json"

"""Writes what the documentation takes from the program: ``python -m sesskit.cli.docs``.

That is ``docs/cli.md``, from the real ``--help`` of every command, and the JSON Schema of the
report.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from typer._click.core import Command, Context
from typer.core import TyperGroup

from sesskit.cli.app import app
from sesskit.cli.report_schema import SCHEMA

WIDTH = "80"
INTRODUCTION = """\
# Command line

Generated from `--help` by `make generate`; a test holds it true.
"""


def cli_page() -> str:
    """``docs/cli.md``: the help of every command, at 80 columns."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        root = typer.main.get_command(app)
        return INTRODUCTION + "".join(_sections(root, Context(root, info_name="sesskit"), 2))
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def report_schema() -> str:
    """``report.schema.json``, as it is published."""
    return json.dumps(SCHEMA, indent=2) + "\n"


def _sections(command: Command, context: Context, level: int) -> Iterator[str]:
    context.help_option_names = ["-h", "--help"]
    lines = [line.rstrip() for line in command.get_help(context).splitlines()]
    yield f"\n{'#' * level} {context.command_path}\n\n```text\n" + "\n".join(lines) + "\n```\n"
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                inside = Context(inner, info_name=name, parent=context)
                yield from _sections(inner, inside, level + 1)


def main(root: Path) -> None:
    """Write the files below the root of the repository."""
    (root / "docs" / "cli.md").write_text(cli_page(), "utf-8")
    target = root / "src" / "sesskit" / "schemas" / "json" / "report.schema.json"
    target.write_text(report_schema(), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))

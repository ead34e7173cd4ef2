"""Rewrites what is generated from the code: samples, schemas, pages, the outputs they show."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

from sesskit.cli.docs import cli_page, report_schema
from sesskit.schemas.catalogue import SCHEMAS, file_name, generated
from sesskit.schemas.codes import codes_markdown

ROOT = Path(__file__).parent.parent
SCHEMA_FOLDER = ROOT / "src" / "sesskit" / "schemas" / "json"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def schemas() -> None:
    for name in SCHEMAS:
        text = json.dumps(generated(name), indent=2, ensure_ascii=True)
        (SCHEMA_FOLDER / file_name(name)).write_text(text + "\n")
    (SCHEMA_FOLDER / "report.schema.json").write_text(report_schema())


def pages() -> None:
    (ROOT / "docs" / "codes.md").write_text(codes_markdown())
    (ROOT / "docs" / "cli.md").write_text(cli_page())


def shown(block: re.Match[str]) -> str:
    """The same block of commands with what they print today."""
    commands = re.findall(r"^\$ (sesskit .*)$", block[1], re.MULTILINE)
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    parts = []
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        parts.append(f"$ {command}\n{done.stdout}{done.stderr}".rstrip())
    return "```console\n" + "\n".join(parts) + "\n```"


def outputs() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = page.read_text()
        new = CONSOLE.sub(shown, text)
        if new != text:
            page.write_text(new)


def samples() -> None:
    for name in ("ochat_examples.py", "dsh_examples.py"):
        runpy.run_path(str(ROOT / "tools" / name), run_name="__main__")


if __name__ == "__main__":
    samples()
    schemas()
    pages()
    outputs()

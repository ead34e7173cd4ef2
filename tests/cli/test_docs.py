"""What is generated from the program is what is committed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sesskit.cli import docs
from sesskit.cli.app import COMMANDS
from sesskit.cli.report_schema import SCHEMA

ROOT = Path(docs.__file__).parents[3]


def test_the_page_of_the_command_line_is_true() -> None:
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == docs.cli_page(), (
        "run python -m sesskit.cli.docs"
    )


def test_the_published_schema_of_the_report_is_true() -> None:
    path = ROOT / "src" / "sesskit" / "schemas" / "json" / "report.schema.json"
    assert path.read_text("utf-8") == docs.report_schema(), "run python -m sesskit.cli.docs"
    assert json.loads(path.read_bytes()) == SCHEMA


@pytest.mark.parametrize("columns", [None, "200"])
def test_the_page_has_every_command_at_any_width(
    columns: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    page = docs.cli_page()
    assert os.environ.get("COLUMNS") == columns
    assert all(f"\n### sesskit {name}\n" in page for name in COMMANDS)
    assert "\n#### sesskit schema check\n" in page
    assert max(map(len, page.splitlines())) <= 80


def test_writing(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "src" / "sesskit" / "schemas" / "json").mkdir(parents=True)
    docs.main(tmp_path)
    assert (tmp_path / "docs" / "cli.md").read_text("utf-8") == docs.cli_page()

"""The dsh examples are those that their script makes, and what their page says of them."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path

from command_line import Run

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "dsh"
MADE: Callable[[], dict[str, bytes]] = runpy.run_path(str(ROOT / "tools" / "dsh_examples.py"))[
    "examples"
]


def test_the_script_makes_just_these_files() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert {str(path.relative_to(FOLDER)): path.read_bytes() for path in files} == MADE()


def test_repair_saves_both_branches(here: Path, run: Run) -> None:
    result = run("repair", FOLDER, "--out", "saved", "--output", "json")
    (file,) = [e for e in json.loads(result.out)["files"] if e["status"] != "valid"]
    assert file["original"]["verdict"] == "reject"
    logs = file["repair"]["logs"]
    assert [(log["branch"], log["events"], log["closers"]) for log in logs] == [
        (0, 29, 0),
        (1, 29, 0),
    ]
    assert run("validate", "saved").code == 0
    for number, asked in enumerate(("Write that on the board", "Order new bulbs")):
        session = f"quay-lights{f'-branch-{number}' if number else ''}"
        assert asked in run("replay", session, "--store", "saved").out

"""The ochat examples are those that their script makes, and what their page says."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Run
from sesskit.records.session_ids import safe_segment

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "ochat"
MADE: Callable[[], dict[str, bytes]] = runpy.run_path(str(ROOT / "tools" / "ochat_examples.py"))[
    "examples"
]
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())
CODES = {
    "damaged/cut-short": ["frame-cut"],
    "damaged/doubled-id": ["history-id-duplicate", "history-id-high-water"],
    "damaged/left-over": ["number-overlong", "frame-trailing"],
    "damaged/wrong-length": ["option-tag"],
    "garden-v3": ["upgrade-refused"],
    "reading-list-v2": ["layout-old"],
    "store/reading-list/snapshot": ["layout-old"],
}


def test_the_script_makes_just_these_files() -> None:
    assert {str(path.relative_to(FOLDER)): path.read_bytes() for path in FILES} == MADE()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(FOLDER)))
def test_each_example_has_the_faults_it_shows(path: Path, run: Run) -> None:
    (file,) = json.loads(run("validate", path, "--strict", "--output", "json").out)["files"]
    name = str(path.relative_to(FOLDER).with_suffix(""))
    assert [issue["code"] for issue in file["issues"]] == CODES.get(name, [])
    errors = any(issue["severity"] == "error" for issue in file["issues"])
    assert file["status"] == ("corrupt" if errors else "valid")


def test_every_example_is_on_its_page() -> None:
    page = (ROOT / "examples" / "README.md").read_text()
    names = [path.relative_to(FOLDER) for path in FILES if path.name != "snapshot.bin"]
    assert all(f"`ochat/{name}`" in page for name in names)


def test_folders_of_the_store_are_named_by_their_ids() -> None:
    for path in (FOLDER / "store").iterdir():
        assert safe_segment(path.name)
        assert path.name.encode() in (path / "snapshot.bin").read_bytes()

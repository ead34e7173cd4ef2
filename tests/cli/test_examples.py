"""The examples are what their page says: valid, damaged in five ways, legacy, a store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Run
from sesskit.records.session_ids import safe_segment

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(
    path
    for path in EXAMPLES.rglob("*.json*")
    if not path.parent.name.endswith(".payloads") and path.suffix in (".json", ".jsonl")
)
CODES = {
    "damaged/cut-short": ["json-cut"],
    "damaged/hand-edited": [
        "json-bom",
        "json-trailing-comma",
        "json-control-character",
        "json-number",
    ],
    "damaged/two-documents": ["json-two-documents"],
    "damaged/wrong-shape": ["type", "member-missing", "choice", "member-unknown", "instant"],
    "damaged/zero-filled": ["json-nul-run"],
    "damaged/tide-table": ["type", "event-unknown", *["payload-digest"] * 3, "line-cut"],
    "store/train-times": ["json-cut"],
    "quay-lights/session": ["seq-repeated", "tail-cut"],
}


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_example_has_the_faults_it_shows(path: Path, run: Run) -> None:
    (file,) = json.loads(run("validate", path, "--strict", "--output", "json").out)["files"]
    name = f"{path.parent.name}/{path.stem}"
    assert [issue["code"] for issue in file["issues"]] == CODES.get(name, [])
    assert all(issue["line"] > 0 for issue in file["issues"])
    assert file["status"] == ("corrupt" if name in CODES else "valid")


def test_every_example_is_on_its_page() -> None:
    page = (EXAMPLES / "README.md").read_text()
    shown = {
        str(path.relative_to(EXAMPLES))
        for path in FILES
        if path.parent.name not in ("store", "logs")
    }
    assert all(f"`{name}`" in page for name in shown)


def test_files_of_the_store_are_named_by_their_ids() -> None:
    for path in (EXAMPLES / "store").iterdir():
        assert safe_segment(path.stem)
        assert f'"id": "{path.stem}"'.encode() in path.read_bytes()

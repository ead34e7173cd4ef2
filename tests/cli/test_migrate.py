"""`sesskit migrate`: where it writes, what it says it filled, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from sesskit.cli.migrate import _passed_by
from sesskit.cli.report import Entry
from sesskit.cli.report_schema import SCHEMA
from sesskit.cli.screen import Screen
from sesskit.logs.formats import Finding
from sesskit.schemas.outcomes import Valid
from sesskit.schemas.robota_decode import decode_envelope

EXAMPLES = Path(__file__).parents[2] / "examples"
GAPS = {
    "id": "gaps",
    "cwd": "/home/demo/attic",
    "createdAt": "2025-01-01T00:00:00Z",
    "updatedAt": "2025-01-02T03:04:05Z",
    "messages": [
        {"role": "user", "content": "How old is the house?"},
        {"role": "assistant", "content": "About ninety years."},
        {"role": "user", "content": [{"type": "text", "text": "And the roof?"}]},
    ],
    "history": None,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a bare record, one with gaps, one beyond help, and other files."""
    (tmp_path / "old" / "deep").mkdir(parents=True)
    shutil.copy(EXAMPLES / "legacy" / "budget-review.json", tmp_path / "old" / "whole.json")
    (tmp_path / "old" / "deep" / "gaps.json").write_text(json.dumps(GAPS))
    (tmp_path / "bad.json").write_text(json.dumps({**GAPS, "goal": 7, "surplus": 1}, indent=2))
    shutil.copy(EXAMPLES / "healthy" / "night-watch.json", tmp_path / "new.json")
    (tmp_path / "other.txt").write_text("not a session")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    Draft202012Validator(SCHEMA).validate(report)
    return list(report["files"])


def everything(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def is_valid(path: Path) -> bool:
    return isinstance(decode_envelope(path.read_bytes()), Valid)


def test_to_a_file(run: Run, folder: Path, snapshot: SnapshotAssertion) -> None:
    before = everything(folder)
    result = run("migrate", "old/deep/gaps.json", "--out", "fresh.json", "--backfill-history")
    assert (result.code, result.err) == (0, "")
    assert result.out == snapshot
    assert is_valid(Path("fresh.json"))
    assert Path("fresh.json").stat().st_mode & 0o777 == 0o600
    assert {k: v for k, v in everything(folder).items() if k != "fresh.json"} == before
    assert len(json.loads(Path("fresh.json").read_bytes())["record"]["history"]) == 3


def test_a_folder_to_a_folder(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("migrate", "old", "--out", "fresh", "--to", "v1")
    assert result.code == 0
    assert result.out == snapshot
    assert is_valid(Path("fresh/whole.json"))
    assert is_valid(Path("fresh/deep/gaps.json"))
    assert {Path(p).stat().st_mode & 0o777 for p in ("fresh", "fresh/deep")} == {0o700}


@pytest.mark.parametrize("out", ["there", "there/"])
def test_a_file_into_a_folder(out: str, run: Run) -> None:
    if out == "there":
        Path("there").mkdir()
    assert run("migrate", "old/whole.json", "--out", out).code == 0
    assert is_valid(Path("there/whole.json"))


def test_standard_input(run: Run) -> None:
    data = Path("old/whole.json").read_bytes()
    assert run("migrate", "-", "--out", "fresh.json", stdin=data).code == 0
    assert is_valid(Path("fresh.json"))


def test_in_place_leaves_the_old_file(run: Run, snapshot: SnapshotAssertion) -> None:
    before = Path("old/whole.json").read_bytes()
    result = run("migrate", "old/whole.json", "--in-place")
    assert result.code == 0
    assert result.out == snapshot
    assert is_valid(Path("old/whole.json"))
    assert Path("old/whole.json.bak").read_bytes() == before


@pytest.mark.parametrize("where", [(), ("--out", "fresh"), ("--in-place",)])
def test_a_dry_run_writes_nothing(where: tuple[str, ...], run: Run, folder: Path) -> None:
    before = everything(folder)
    result = run("migrate", "old", *where, "--dry-run", "--output", "json")
    assert (result.code, everything(folder)) == (0, before)
    first, second = files_of(result.out)
    assert first["migration"]["written"] is False
    assert (second["path"], second["migration"]["notes"]) == ("old/whole.json", [])
    paths = {(): None, ("--in-place",): "old/whole.json"}
    assert second["migration"]["path"] == paths.get(where, "fresh/whole.json")
    assert "would be" in run("migrate", "old", *where, "--dry-run").out


def test_what_cannot_be_migrated(run: Run, folder: Path, snapshot: SnapshotAssertion) -> None:
    before = everything(folder)
    result = run("migrate", "bad.json", "--out", "fresh.json")
    assert result.code == 1
    assert result.out == snapshot
    assert everything(folder) == before


def test_one_bad_file_does_not_stop_the_next(run: Run) -> None:
    result = run("migrate", "bad.json", "old/whole.json", "gone.json", "--out", "fresh")
    assert result.code == 1
    assert is_valid(Path("fresh/whole.json"))
    assert not Path("fresh/bad.json").exists()
    assert run("migrate", "bad.json", "--dry-run", "--exit-zero").code == 0


def test_gaps_can_be_refused(run: Run) -> None:
    result = run("migrate", "old/deep/gaps.json", "--dry-run", "--no-fill", "--output", "json")
    (file,) = files_of(result.out)
    assert (result.code, file["status"], file["migration"]) == (1, "corrupt", None)
    assert "messages[0].id" in [issue["path"] for issue in file["issues"]]


def test_what_has_its_envelope_is_left_alone(run: Run, folder: Path) -> None:
    before = everything(folder)
    result = run("migrate", "new.json", "other.txt", "--out", "fresh")
    assert (result.code, everything(folder)) == (1, before)
    assert "nothing to do: it has its envelope" in result.out
    assert run("migrate", "new.json", "--out", "fresh").code == 0


def test_a_bare_record_of_no_zone_is_read_in_the_given_one(run: Run) -> None:
    message = {"role": "user", "content": "Now?", "timestamp": "2025-01-02T03:04:05"}
    Path("zone.json").write_text(json.dumps({**GAPS, "messages": [message]}))
    assert run("migrate", "zone.json", "--out", "fresh.json", "--zone", "+09:00").code == 0
    message = json.loads(Path("fresh.json").read_bytes())["record"]["messages"][0]
    assert message["timestamp"] == "2025-01-01T18:04:05.000Z"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("old",), "say where to"),
        (("old", "--out", "x", "--in-place"), "choose one of --out and --in-place"),
        (("old", "--in-place", "--out", "x", "--dry-run"), "choose one of"),
        (
            ("old", "--dry-run", "--to", "4"),
            "1 (robota-record-bare, robota-log), 5 (ochat-record) or 0, 1, 2 or 3 (dsh-log)",
        ),
        (("old", "--dry-run", "--to", "5"), "robota-record-bare is migrated to 1"),
        (("-", "--in-place"), "standard input cannot be replaced"),
        (("old/whole.json", "--out", "old/whole.json"), "which is to be read"),
        (("old/whole.json", "--out", "new.json"), "there is new.json already"),
        (("old/whole.json", "copy/whole.json", "--out", "x"), "would both become"),
        (("-", "old", "--out", "x"), "standard input has no name"),
        (("old/whole.json", "--out", "new.json/x.json"), "cannot be written"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], said: str, run: Run, folder: Path) -> None:
    shutil.copytree("old", "copy")
    before = everything(folder)
    data = Path("old/whole.json").read_bytes()
    result = run("migrate", *arguments, stdin=data)
    assert (result.code, result.out, everything(folder)) == (2, "", before)
    assert said in result.err
    assert len(result.err.splitlines()) == 1


def test_force_replaces(run: Run) -> None:
    assert run("migrate", "old/whole.json", "--out", "new.json", "--force").code == 0
    assert json.loads(Path("new.json").read_bytes())["record"]["id"] == "budget-review"


def test_files_of_other_formats_are_left_alone() -> None:
    entry = Entry(Finding("x.db", Valid(None), "dsh-sqlite"), ())
    kept = _passed_by(entry, None, Screen())
    said = "nothing to do: there is no migration of this format yet"
    assert kept.body[-1].strip() == f"kept        {said}"

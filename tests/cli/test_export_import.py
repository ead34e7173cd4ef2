"""`sesskit export` and `sesskit import`: the same bytes there and back, or every reason why not."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from robota_vectors import BASES, VECTORS
from sesskit.cli.report_schema import SCHEMA

EXAMPLES = Path(__file__).parents[2] / "examples"
REENCODED = sorted((VECTORS / "reencoded").glob("*.json"))


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    Draft202012Validator(SCHEMA).validate(report)
    return list(report["files"])


@pytest.mark.parametrize("path", REENCODED, ids=lambda p: p.stem)
def test_there_and_back_in_canonical_bytes(path: Path, run: Run) -> None:
    loose = json.dumps({"record": BASES[path.stem], "schemaVersion": 1})
    Path("loose.json").write_text(loose)
    assert run("export", "loose.json", "--out", "artifact.json").code == 0
    assert Path("artifact.json").read_bytes() == path.read_bytes()
    assert run("import", "artifact.json", "--store", "store").code == 0
    (stored,) = Path("store").iterdir()
    assert stored.read_bytes() == path.read_bytes()
    assert run("import", "artifact.json", "--out", "again.json").code == 0
    assert Path("again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["healthy/night-watch", "healthy/release-notes"])
def test_the_healthy_examples_are_canonical(name: str, run: Run) -> None:
    assert run("export", f"examples/{name}.json", "--out", "a.json").code == 0
    assert Path("a.json").read_bytes() == Path(f"examples/{name}.json").read_bytes()


def test_export(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("export", "examples/healthy/night-watch.json", "--out", "a.json")
    assert (result.code, result.err) == (0, "")
    assert result.out == snapshot
    assert Path("a.json").stat().st_mode & 0o777 == 0o600


def test_export_as_json(run: Run) -> None:
    arguments = ("night-watch", "--store", "examples/store", "--out", "a.json")
    (file,) = files_of(run("export", *arguments, "--output", "json").out)
    data = Path("a.json").read_bytes()
    assert file["exported"] == {
        "path": "a.json",
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
    }


def test_export_from_standard_input(run: Run) -> None:
    data = Path("examples/healthy/night-watch.json").read_bytes()
    assert run("export", "-", "--out", "a.json", stdin=data).code == 0
    assert Path("a.json").read_bytes() == data


@pytest.mark.parametrize(
    "name", ["legacy/budget-review", "damaged/cut-short", "damaged/wrong-shape", "gone"]
)
def test_only_valid_records_are_exported(name: str, run: Run) -> None:
    result = run("export", f"examples/{name}.json", "--out", "a.json")
    assert (result.code, Path("a.json").exists()) == (1, False)
    assert "refused" in result.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("examples/healthy/night-watch.json",), "say where to"),
        (("examples/healthy/night-watch.json", "--out", "taken"), "there is taken already"),
        (("taken", "--out", "taken", "--force"), "is one of the files to read"),
        (("examples/healthy", "--out", "a.json"), "name a file, not a folder"),
        (("examples/healthy/night-watch.json", "--out", "none/a.json"), "cannot be written"),
        (("../up", "--store", "examples/store", "--out", "a.json"), "not a session id"),
    ],
)
def test_bad_usage_of_export(arguments: tuple[str, ...], said: str, run: Run) -> None:
    Path("taken").write_text("kept")
    result = run("export", *arguments)
    assert (result.code, result.out, Path("taken").read_text()) == (2, "", "kept")
    assert said in result.err


def test_import(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("import", "examples/healthy/night-watch.json", "--store", "store")
    assert (result.code, result.err) == (0, "")
    assert result.out == snapshot


@pytest.mark.parametrize("name", ["wrong-shape", "hand-edited", "cut-short", "two-documents"])
def test_every_reason_of_a_refusal_is_told(
    name: str, run: Run, snapshot: SnapshotAssertion
) -> None:
    result = run("import", f"examples/damaged/{name}.json", "--store", "store")
    assert result.code == 1
    assert result.out == snapshot
    assert not Path("store").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("legacy/budget-review", "sesskit migrate gives it an envelope"),
        ("newer", "unsupported"),
        ("gone", "missing"),
    ],
)
def test_other_refusals(name: str, said: str, run: Run) -> None:
    Path("examples/newer.json").write_text('{"schemaVersion": 2, "record": {}}')
    result = run("import", f"examples/{name}.json", "--out", "a.json")
    assert (result.code, Path("a.json").exists()) == (1, False)
    assert said in result.out
    (file,) = files_of(run("import", f"examples/{name}.json", "--out", "a", "--output", "json").out)
    assert file["imported"] is None


def test_import_keeps_what_the_store_has(run: Run) -> None:
    value = json.loads(Path("examples/healthy/night-watch.json").read_bytes())
    value["record"]["name"] = "Other"
    Path("other.json").write_text(json.dumps(value))
    before = Path("examples/store/night-watch.json").read_bytes()
    result = run("import", "other.json", "--store", "examples/store")
    assert (result.code, Path("examples/store/night-watch.json").read_bytes()) == (1, before)
    assert run("import", "other.json", "--store", "examples/store", "--force").code == 0
    assert b"Other" in Path("examples/store/night-watch.json").read_bytes()


def test_import_never_replaces_what_is_damaged(run: Run) -> None:
    value = json.loads(Path("examples/healthy/night-watch.json").read_bytes())
    value["record"]["id"] = "train-times"
    Path("other.json").write_text(json.dumps(value))
    before = Path("examples/store/train-times.json").read_bytes()
    arguments = ("other.json", "--store", "examples/store", "--force", "--output", "json")
    (file,) = files_of(run("import", *arguments).out)
    assert file["imported"] == {"refused": "corrupt"}
    assert Path("examples/store/train-times.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say where to"),
        (("--store", "s", "--out", "o"), "choose one of --out and --store"),
        (("--out", "taken"), "there is taken already"),
        (("--out", "none/a.json"), "cannot be written"),
        (("--store", "taken"), "cannot be written"),
    ],
)
def test_bad_usage_of_import(arguments: tuple[str, ...], said: str, run: Run) -> None:
    Path("taken").write_text("kept")
    result = run("import", "examples/healthy/night-watch.json", *arguments)
    assert (result.code, result.out, Path("taken").read_text()) == (2, "", "kept")
    assert said in result.err
    assert run("import", "examples/healthy", "--out", "a.json").code == 2

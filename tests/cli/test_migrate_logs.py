"""`sesskit migrate` and `store rebuild` of logs: what is made, and what does not come back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from robota_log_cases import VALID, VECTORS
from sesskit.cli.report_schema import SCHEMA
from sesskit.records.session_ids import safe_segment


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log without versions as `old/spill-default.jsonl`, a sound one in `new`."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(VECTORS / "valid/spill-default/log", "new")
    shutil.copytree("new", "old")
    log = Path("old/spill-default.jsonl")
    log.write_bytes(log.read_bytes().replace(b'"schemaVersion":1,', b""))


def files_of(result: Result) -> list[dict[str, Any]]:
    report = json.loads(result.out)
    Draft202012Validator(SCHEMA).validate(report)
    return list(report["files"])


def spoil() -> None:
    with Path("old/spill-default.jsonl").open("ab") as file:
        file.write(b'{"event":"usr"}\n')


class TestMigrate:
    def test_to_a_folder(self, run: Run, snapshot: SnapshotAssertion) -> None:
        result = run("migrate", "old", "--out", "out")
        assert (result.code, result.err) == (0, "")
        assert result.out == snapshot
        assert run("verify", "--contract", "out", "--rule", "session-mixed").code == 0
        assert run("verify", "out").code == 0
        assert len(list(Path("out/spill-default.payloads").iterdir())) == 3
        assert Path("out/spill-default.jsonl").stat().st_mode & 0o777 == 0o600
        replayed = [
            run("replay", f"{d}/spill-default.jsonl", "--as", "transcript") for d in ("out", "new")
        ]
        assert replayed[0].out == replayed[1].out

    def test_in_place(self, run: Run) -> None:
        before = Path("old/spill-default.jsonl").read_bytes()
        (file,) = files_of(run("migrate", "old", "--in-place", "--output", "json"))
        assert file["migration"]["backup"] == "old/spill-default.jsonl.bak"
        assert Path("old/spill-default.jsonl.bak").read_bytes() == before
        assert run("validate", "old/spill-default.jsonl").code == 0
        again = run("migrate", "old/spill-default.jsonl", "--in-place")
        assert (again.code, "its lines have a version" in again.out) == (0, True)

    def test_lines_that_cannot_be_carried(self, run: Run, snapshot: SnapshotAssertion) -> None:
        spoil()
        result = run("migrate", "old", "--out", "out")
        assert (result.code, result.err) == (1, "")
        assert result.out == snapshot
        assert run("validate", "out").code == 0
        (file,) = files_of(run("migrate", "old", "--dry-run", "--output", "json"))
        assert [note["kind"] for note in file["migration"]["notes"]] == ["filled", "lost"]
        assert file["migration"]["notes"][1]["first"] == "line 15"
        assert {issue["line"] for issue in file["issues"]} == {15}

    @pytest.mark.parametrize("option", ["--dry-run", "--no-fill"])
    def test_nothing_is_written(self, option: str, run: Run) -> None:
        spoil()
        before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
        arguments = ("--in-place",) if option == "--no-fill" else ()
        result = run("migrate", "old", option, *arguments)
        assert result.code == 1
        assert {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()} == before

    def test_a_log_of_which_nothing_can_be_carried(self, run: Run) -> None:
        line = json.loads(Path("new/spill-default.jsonl").read_text().split("\n")[0])
        del line["schemaVersion"], line["cwd"]
        Path("bad.jsonl").write_text(json.dumps(line) + "\n")
        result = run("migrate", "bad.jsonl", "--out", "out.jsonl")
        assert (result.code, Path("out.jsonl").exists()) == (1, False)
        assert "no line of it can be carried" in result.out

    def test_standard_input(self, run: Run) -> None:
        data = Path("old/spill-default.jsonl").read_bytes()
        result = run("migrate", "-", "--out", "out.jsonl", stdin=data)
        assert (result.code, Path("out.jsonl").exists()) == (1, False)
        assert "name its file" in " ".join(result.out.split())
        assert "member-missing" not in result.out

    def test_standard_input_without_sidecars(self, run: Run) -> None:
        data = b"".join(
            line
            for line in Path("old/spill-default.jsonl").read_bytes().splitlines(keepends=True)
            if b"external-payload" not in line
        )
        result = run("migrate", "-", "--out", "out.jsonl", stdin=data)
        assert (result.code, result.err) == (0, "")
        assert run("validate", "out.jsonl").code == 0
        assert len(Path("out.jsonl").read_bytes().splitlines()) == len(data.splitlines())


class TestRebuild:
    def test_a_missing_record(self, run: Run, snapshot: SnapshotAssertion) -> None:
        result = run("store", "rebuild", "--store", "store", "--logs", "new")
        assert (result.code, result.err) == (0, "")
        assert result.out == snapshot
        assert run("validate", "store").code == 0
        (again,) = files_of(
            run("store", "rebuild", "--store", "store", "--logs", "new", "--output", "json")
        )
        assert again["rebuilt"] is None

    @pytest.mark.parametrize("name", VALID)
    def test_every_record_is_valid(self, name: str, run: Run) -> None:
        logs = VECTORS / "valid" / name / "log"
        run("store", "rebuild", "--store", "store", "--logs", logs)
        made = sorted(Path("store").glob("*.json")) if Path("store").exists() else []
        for path in made:
            assert safe_segment(path.stem)
            assert run("validate", path, "--strict", "--ignore", "lone-surrogate").code == 0

    def test_dry(self, run: Run) -> None:
        arguments = ("store", "rebuild", "spill-default", "--store", "store", "--logs", "new")
        (file,) = files_of(run(*arguments, "--dry-run", "--output", "json"))
        assert (file["rebuilt"]["written"], file["rebuilt"]["messages"]) == (False, 3)
        assert any("goal" in loss for loss in file["rebuilt"]["losses"])
        assert not Path("store").exists()

    @pytest.mark.parametrize("content", ["{", "{}", ""])
    def test_a_damaged_record_is_left_alone(self, content: str, run: Run) -> None:
        Path("store").mkdir()
        Path("store/spill-default.json").write_text(content)
        result = run("store", "rebuild", "spill-default", "--store", "store", "--logs", "new")
        assert (result.code, "there is a record already" in result.out) == (1, True)
        assert Path("store/spill-default.json").read_text() == content
        assert run("store", "rebuild", "--store", "store", "--logs", "new").code == 0

    def test_a_damaged_log_makes_nothing(self, run: Run) -> None:
        next(Path("new/spill-default.payloads").iterdir()).unlink()
        result = run("store", "rebuild", "--store", "store", "--logs", "new")
        assert (result.code, Path("store").exists()) == (1, False)
        assert "nothing is made of a log that is not valid" in result.out
        zero = run("store", "rebuild", "--store", "store", "--logs", "new", "--exit-zero")
        assert zero.code == 0

    def test_logs_of_others(self, run: Run) -> None:
        shutil.copy("new/spill-default.jsonl", "new/renamed.jsonl")
        result = run("store", "rebuild", "renamed", "--store", "store", "--logs", "new")
        assert (result.code, "another session" in result.out) == (1, True)
        assert run("store", "rebuild", "nobody", "--store", "store", "--logs", "new").code == 1

    def test_a_log_without_messages(self, run: Run) -> None:
        logs = VECTORS / "valid/subagent/log"
        asked = ("store", "rebuild", "--store", "store", "--logs", logs)
        assert run(*asked).code == 0
        result = run(*asked, "session_parent-1")
        assert (result.code, "no message was ever committed" in result.out) == (1, True)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("../x", "--logs", "new"), "not a session id"),
            (("--logs", "nowhere"), "--logs nowhere cannot be read"),
        ],
    )
    def test_bad_usage(self, arguments: tuple[str, ...], said: str, run: Run) -> None:
        result = run("store", "rebuild", *arguments, "--store", "store")
        assert (result.code, result.out) == (2, "")
        assert said in result.err

    def test_an_empty_folder(self, run: Run) -> None:
        Path("none").mkdir()
        assert run("store", "rebuild", "--store", "store", "--logs", "none").code == 2

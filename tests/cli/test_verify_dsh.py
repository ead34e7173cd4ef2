"""`sesskit verify` of dsh logs and databases: named checks, and the contract between events."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.vectors import cases
from sesskit.cli.report_schema import SCHEMA

CHECK = Draft202012Validator(SCHEMA)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def log(name: str) -> str:
    (case,) = cases(name=name)
    shutil.copy(case.file, case.file.name)
    return case.file.name


def entry_of(result: Result) -> Any:
    report = json.loads(result.out)
    CHECK.validate(report)
    (entry,) = report["files"]
    return entry


@pytest.mark.parametrize(
    "words",
    [
        ["rel-step-number-skips"],
        ["rel-step-number-skips", "--contract"],
        ["zstd-bad-magic-middle"],
        ["sqlite-v14"],
    ],
    ids=" ".join,
)
def test_what_people_see(words: list[str], run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("verify", log(words[0]), *words[1:])
    assert (result.code, result.out, result.err) == snapshot


def test_checks_by_name(run: Run) -> None:
    path = log("rel-turn-nested")
    result = run("verify", path, "--output", "json")
    checks = {check["name"]: check for check in entry_of(result)["checks"]}
    assert result.code == 0, "the program of the version does not mind"
    assert checks["turns"] == {"name": "turns", "holds": False, "broken": {"turn-nested": 1}}
    assert (checks["steps"]["holds"], checks["titles"]["holds"]) == (True, None)
    assert run("verify", path, "--strict").code == 1
    assert run("verify", path, "--ignore", "turn-nested", "--strict").code == 0
    piped = run("verify", "-", "--output", "json", stdin=Path(path).read_bytes())
    assert entry_of(piped)["checks"] == [*checks.values()]


@pytest.mark.parametrize(
    ("name", "chosen", "rules", "findings"),
    [
        ("rel-turn-nested", [], None, 1),
        ("rel-turn-nested", ["turns"], 5, 1),
        ("rel-turn-nested", ["turn-nested", "steps"], 8, 1),
        ("rel-turn-nested", ["turn-number"], 1, 0),
        ("rel-unanswered-call", ["calls"], 6, 1),
        ("tools-multi-turn-raw", [], None, 0),
        ("sqlite-v17", ["turns"], 5, 0),
    ],
)
def test_the_contract(
    name: str, chosen: list[str], rules: int | None, findings: int, run: Run
) -> None:
    words = [word for rule in chosen for word in ("--rule", rule)]
    result = run("verify", "--contract", *words, log(name), "--output", "json")
    contract = entry_of(result)["contract"]
    assert contract["findings"] == findings
    assert rules in (None, contract["rules"])
    # That providers refuse unanswered calls is a warning.
    assert result.code == int(findings > 0 and name != "rel-unanswered-call")


def test_rules_of_another_format(run: Run) -> None:
    path = log("rel-turn-nested")
    result = run("verify", "--contract", "--rule", "init-first", path)
    assert (result.code, "none of the chosen rules" in result.out) == (0, True)
    assert run("verify", "--contract", "--rule", "turn-nestde", path).code == 2


def test_a_folder_of_logs(run: Run, folder: Path) -> None:
    log("tools-multi-turn-raw")
    log("sqlite-v17")
    (folder / "other.txt").write_text("nothing")
    report = json.loads(run("verify", ".", "--output", "json").out)
    assert [len(entry["checks"]) for entry in report["files"]] == [17, 17]

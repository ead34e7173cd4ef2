"""`sesskit schema`: the published schemas listed, shown and applied, never quoting a value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from robota_vectors import BASES, VALID
from sesskit.cli import schema_check
from sesskit.cli.schema import names

BARE: dict[str, Any] = BASES["small-chat"]
SECRET = "hunter2-of-no-value"


def test_list(run: Run) -> None:
    lines = run("schema", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == names()
    assert {"report", "robota-record", "robota-record-bare"} <= set(names())
    assert all(len(line.split()) > 2 for line in lines)


@pytest.mark.parametrize("name", names())
def test_show(run: Run, name: str) -> None:
    shown = json.loads(run("schema", "show", name).out)
    Draft202012Validator.check_schema(shown)
    assert shown["$id"] == f"urn:sesskit:schema:{name}"


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_sound_records_pass(run: Run, path: Path) -> None:
    result = run("schema", "check", path)
    assert (result.code, "robota-record-bare   valid" in result.out) == (0, True)
    enveloped = json.dumps({"schemaVersion": 1, "record": json.loads(path.read_bytes())})
    assert run("schema", "check", "-", stdin=enveloped.encode()).code == 0


def test_a_report_passes_its_own_schema(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    run("validate", tmp_path, tmp_path / "a.json", "--out", tmp_path / "report.json")
    result = run("schema", "check", tmp_path / "report.json")
    assert (result.code, "report   valid" in result.out) == (0, True)


DAMAGED: dict[str, Any] = {
    "type": {**BARE, "cwd": 12},
    "required": {"id": "x", "cwd": "y", "messages": []},
    "unknown": {**BARE, "surplus": SECRET},
    "tag": {**BARE, "messages": [{"role": SECRET}]},
    "leaf": {**BARE, "messages": [{**BARE["messages"][0], "content": {"a": SECRET}}]},
    "word": {**BARE, "goal": {"id": "g", "objective": SECRET, "status": SECRET}},
    "pattern": {**BARE, "createdAt": SECRET.replace("2", "")},
    "minimum": {**BARE, "activeBranch": SECRET},
}


@pytest.mark.parametrize("name", DAMAGED)
def test_faults_have_places_and_quote_no_value(
    run: Run,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(json.dumps(DAMAGED[name], indent=1))
    result = run("schema", "check", "a.json", "--schema", "robota-record-bare", "--output", "json")
    assert result.code == 1
    assert SECRET[:6] not in result.out
    (file,) = json.loads(result.out)["files"]
    assert all(issue["line"] for issue in file["issues"])
    assert [(i["code"], i["path"], i["message"]) for i in file["issues"]] == snapshot


def test_text_of_a_fault(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(json.dumps(DAMAGED["type"], indent=1))
    result = run("schema", "check", "a.json")
    assert (result.code, result.err) == (1, "")
    assert "error[type]  cwd: expected string, found number" in result.out
    assert SECRET[:6] not in result.out


def test_what_is_no_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"schemaVersion": 1, "record": {')
    result = run("schema", "check", tmp_path / "a.json")
    assert result.code == 1
    assert "json-cut" in result.out


@pytest.mark.parametrize("path", ["absent.json", "/dev/null"])
def test_what_cannot_be_read(run: Run, path: str) -> None:
    assert run("schema", "check", path).code == 1


def test_what_is_for_no_schema(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"name": "a"}')
    result = run("schema", "check", tmp_path / "a.json")
    assert result.code == 2
    assert "name the schema with --schema; there are ochat-record, report, robota-hi" in result.err


def test_too_deep_is_an_issue(run: Run, tmp_path: Path) -> None:
    node: dict[str, Any] = {}
    for _ in range(400):
        node = {"items": node}
    tool = {
        "name": "t",
        "description": "",
        "parameters": {"type": "object", "properties": {"a": node}},
    }
    (tmp_path / "a.json").write_text(json.dumps({**BARE, "toolSchemas": [tool]}))
    result = run("schema", "check", tmp_path / "a.json", "--schema", "robota-record-bare")
    assert result.code == 1
    assert "nested too deep for a JSON Schema check" in result.out


def test_every_sentence_is_for_a_keyword() -> None:
    assert set(schema_check.SENTENCES) <= set(Draft202012Validator.VALIDATORS)

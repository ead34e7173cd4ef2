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
    assert "name the schema with --schema; there are dsh-log-seed-v1, dsh-log-v0" in result.err


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


LOGS = Path(__file__).parents[1] / "data/robota-log/vectors"
SPILLED = LOGS / "valid/spill-default/log/spill-default.jsonl"


@pytest.mark.parametrize("log", sorted(LOGS.glob("valid/*/log/**/*.jsonl")), ids=lambda p: p.stem)
def test_sound_logs_pass_line_by_line(run: Run, log: Path) -> None:
    result = run("schema", "check", log)
    assert (result.code, "robota-log   valid" in " ".join(result.out.split("\n"))) == (0, True)


def test_lines_have_their_places(run: Run, tmp_path: Path) -> None:
    lines = (LOGS / "valid/chat-small/log").glob("*.jsonl").__next__().read_bytes().split(b"\n")
    log = tmp_path / "log.jsonl"
    bad = lines[1].replace(b'"event":"user"', b'"surplus":1,"event":"user"')
    log.write_bytes(b"\n".join([lines[0], b" ", bad, b'{"cut', bytes(1 << 20), lines[2]]))
    result = run("schema", "check", log, "--output", "json")
    (file,) = json.loads(result.out)["files"]
    found = [(i["code"], i.get("path", ""), i["line"]) for i in file["issues"]]
    assert (result.code, found) == (
        1,
        [("member-unknown", "surplus", 3), ("json-cut", "", 4), ("json-nul-run", "", 5)],
    )
    first = file["issues"][0]
    assert log.read_bytes()[first["offset"] :].startswith(b'"surplus"')
    piped = run("schema", "check", "-", "--output", "json", stdin=log.read_bytes())
    assert json.loads(piped.out)["files"][0]["issues"] == file["issues"]


def test_sidecars_of_lines(run: Run, tmp_path: Path) -> None:
    data = SPILLED.read_bytes()
    assert run("schema", "check", "-", "--base", SPILLED.parent, stdin=data).code == 0
    log = tmp_path / SPILLED.name
    log.write_bytes(data)
    for result, code in (
        (run("schema", "check", log, "--output", "json"), "payload-missing"),
        (run("schema", "check", "-", "--output", "json", stdin=data), "payload-unresolved"),
    ):
        issues = json.loads(result.out)["files"][0]["issues"]
        assert (result.code, {issue["code"] for issue in issues}) == (1, {code})
        assert all(issue["line"] and issue["sidecar"] for issue in issues)
    assert "--base goes with -" in run("schema", "check", log, "--base", tmp_path).err


def test_other_lines(run: Run, tmp_path: Path) -> None:
    prompts = tmp_path / "history.jsonl"
    prompts.write_text('{"at":"","sessionId":"","project":"","text":""}\n{"at":1}\n')
    result = run("schema", "check", prompts)
    assert (result.code, "robota-history   corrupt: 4 errors" in result.out) == (1, True)
    header = '{"type":"session","version":3,"id":"a","createdAt":1,"surplus":{}}\n'
    (tmp_path / "session.v3.jsonl").write_text(header)
    assert "dsh-log-v3" in run("schema", "check", tmp_path / "session.v3.jsonl").out
    assert "dsh-log-v3" in run("schema", "check", "-", stdin=header.encode()).out
    (tmp_path / "s.jsonl.zstd").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    old = b'{"type":"session","version":1,"id":"x","createdAt":1}\n{"type":"turn/end"}\n'
    found = run("schema", "check", "-", stdin=old)
    assert (found.code, "dsh-log-seed-v1" in found.out) == (1, True)
    packed = run("schema", "check", tmp_path / "s.jsonl.zstd", "--schema", "dsh-log-v3")
    assert (packed.code, "it is compressed" in packed.err) == (2, True)
    for path in (tmp_path / "gone.jsonl", tmp_path):
        assert run("schema", "check", path, "--schema", "robota-log").code == 1
    assert run("schema", "check", prompts, "--schema", "robota-lag").code == 2


def test_one_event_over_several_lines(run: Run, tmp_path: Path) -> None:
    (log,) = (LOGS / "valid/chat-small/log").glob("*.jsonl")
    event = json.dumps(json.loads(log.read_bytes().split(b"\n")[0]), indent=1)
    (tmp_path / "event.json").write_text(event)
    assert run("schema", "check", tmp_path / "event.json", "--schema", "robota-log").code == 0
    cut = tmp_path / "cut.json"
    cut.write_text(event[:-20])
    assert run("schema", "check", cut, "--schema", "robota-log").code == 1


def test_lines_that_cannot_be_read_any_more(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(SPILLED.read_bytes())
    for error, status in (
        (FileNotFoundError(), "missing"),
        (OSError(5, "no"), "unreadable"),
        (OSError(None, "it is a kind"), "unreadable: it is a kind"),
    ):

        def gone(*_: object, error: OSError = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr("sesskit.cli.schema_lines.line_blocks", gone)
            result = run("schema", "check", log)
        assert (result.code, status in result.out) == (1, True)

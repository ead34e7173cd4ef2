"""`sesskit verify`: sidecars, what lies beside them, replay, contract; and logs in `validate`."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from robota_log_cases import VECTORS, prepare, rows
from sesskit.cli.report_schema import SCHEMA
from sesskit.schemas.robota_contract import RULES

HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
BROKEN = rows("audit/broken.jsonl")
DAMAGED = [row for row in rows("damaged.jsonl") if row["mode"] == "load" and not row.get("options")]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log with sidecars, owner-only, as `log`."""
    shutil.copytree(VECTORS / "valid/spill-default/log", tmp_path / "log")
    close(tmp_path / "log")
    monkeypatch.chdir(tmp_path)


def close(folder: Path) -> None:
    """Take the rights of group and others away."""
    for place in [folder, *folder.rglob("*")]:
        place.chmod(0o700 if place.is_dir() else 0o600)


def replaced(file: Path, by: Callable[[Path], object]) -> None:
    file.unlink()
    by(file)


def file_of(result: Result) -> dict[str, Any]:
    report = json.loads(result.out)
    Draft202012Validator(SCHEMA).validate(report)
    (file,) = report["files"]
    return dict(file)


def codes(file: dict[str, Any]) -> list[str]:
    return [issue["code"] for issue in file["issues"]]


def sidecars() -> list[Path]:
    return sorted(Path("log/spill-default.payloads").iterdir())


def test_a_whole_log(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("verify", "log")
    assert (result.code, result.err) == (0, "")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert result.out == snapshot
    file = file_of(run("verify", "log", "--output", "json"))
    assert file["verification"]["sidecars"]["referred"] == 3
    assert file["verification"]["replay"] == {"complete": True, "missing": []}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda f: f.write_bytes(f.read_bytes()[:-1] + b"X"), "payload-digest"),
        (lambda f: f.write_bytes(f.read_bytes() + b" "), "payload-length"),
        (Path.unlink, "payload-missing"),
        (lambda f: replaced(f, os.mkfifo), "payload-outside"),
        (lambda f: replaced(f, Path.mkdir), "payload-outside"),
        (lambda f: replaced(f, lambda g: g.symlink_to("/etc/passwd")), "payload-outside"),
        (lambda f: replaced(f, lambda g: g.symlink_to(g.name)), "payload-outside"),
    ],
    ids=["changed", "grown", "missing", "pipe", "folder", "link out", "circle"],
)
@pytest.mark.parametrize("command", ["verify", "validate", "inspect"])
def test_broken_sidecars(command: str, change: Any, code: str, run: Run) -> None:
    change(sidecars()[0])
    result = run(command, "log/spill-default.jsonl", "--output", "json")
    file = file_of(result)
    assert result.code == 1
    assert (file["status"], set(codes(file)) - {"payload-strange"}) == ("corrupt", {code})
    issue = next(issue for issue in file["issues"] if issue["code"] == code)
    assert issue["sidecar"].startswith("spill-default.payloads/")
    assert issue["line"] > 0
    assert file["original"]["verdict"] == "reject"
    assert file["original"]["code"] in {
        "SHA256_MISMATCH",
        "BYTE_LENGTH_MISMATCH",
        "PAYLOAD_NOT_FOUND",
        "OUTSIDE_ROOT",
    }
    assert run("validate", "log", "--no-sidecars").code == 0


def test_a_broken_sidecar_for_people(run: Run, snapshot: SnapshotAssertion) -> None:
    sidecars()[0].unlink()
    result = run("verify", "log/spill-default.jsonl")
    assert (result.code, result.err) == (1, "")
    assert result.out == snapshot


def test_what_lies_beside(run: Run) -> None:
    Path("log/spill-default.payloads/old.json").write_text("1")
    Path("log/spill-default.payloads/\x1b[31mlink").symlink_to("old.json")
    Path("log/spill-default.jsonl").chmod(0o644)
    result = run("verify", "log", "--output", "json")
    file = file_of(result)
    assert result.code == 0
    assert {"payload-orphan", "payload-strange", "mode-open"} <= set(codes(file))
    assert file["verification"]["sidecars"]["orphans"] == ["spill-default.payloads/old.json"]
    assert run("verify", "log", "--strict").code == 1
    assert not HARMFUL.search(run("verify", "log").out)


def test_what_a_replay_would_miss(run: Run) -> None:
    shutil.copytree(VECTORS / "valid/denials-redacted/log", "denied")
    close(Path("denied"))
    result = run("verify", "denied", "--output", "json")
    file = file_of(result)
    assert (result.code, file["status"]) == (1, "valid")
    assert codes(file) == ["replay-no-result"]
    (missing,) = file["verification"]["replay"]["missing"]
    assert missing["code"] == "TOOL_RESULT_MISSING"
    assert run("verify", "denied", "--ignore", "replay-no-result").code == 0
    assert run("verify", "denied", "--exit-zero").code == 0


@pytest.mark.parametrize("row", DAMAGED[::3], ids=lambda row: row["id"])
def test_damaged_vectors(row: dict[str, Any], run: Run, tmp_path: Path) -> None:
    log = prepare(tmp_path / "case", row)
    expected = row["expect"]["load"]
    result = run("validate", log, "--format", "robota-log", "--output", "json")
    file = file_of(result)
    if not log.exists():
        assert file["status"] == "missing"
        return
    if expected["outcome"] == "ok":
        assert file["status"] == "valid", file["issues"]
        assert result.code == 0
        return
    assert result.code == 1
    assert file["status"] in ("corrupt", "unsupported", "unreadable")
    if "code" in expected and file["status"] != "unreadable":
        assert file["original"]["code"] == expected["code"]
    where = {f"line {i['line']}" + (f".{i['path']}" if i["path"] else "") for i in file["issues"]
             if "line" in i}  # fmt: skip
    for issue in expected.get("issues", ()):
        assert issue["path"].replace(".[", "[") in {w.replace(".[", "[") for w in where}


@pytest.mark.parametrize("row", BROKEN[::4], ids=lambda row: row["id"])
def test_broken_promises(row: dict[str, Any], run: Run, tmp_path: Path) -> None:
    log = prepare(tmp_path / "case", row, VECTORS / "audit/logs" / row["base"])
    result = run("verify", "--contract", log, "--output", "json")
    file = file_of(result)
    rule = row["expect"]["code"]
    found = [(i["code"], i["line"], i["severity"]) for i in file["issues"] if i["code"] in RULES]
    assert found == [(rule, row["expect"]["line"], RULES[rule].severity)]
    assert file["contract"] == {"rules": 66, "findings": 1}
    assert result.code == int(RULES[rule].severity == "error" or file["status"] != "valid")
    others = run("verify", "--contract", log, "--ignore", rule, "--output", "json")
    assert rule not in codes(file_of(others))


def test_a_finding_has_its_place_and_its_excerpt(run: Run, tmp_path: Path) -> None:
    row = next(row for row in BROKEN if row["expect"]["code"] == "prompt-length")
    log = prepare(tmp_path / "case", row, VECTORS / "audit/logs" / row["base"])
    (issue,) = file_of(run("verify", "--contract", log, "--output", "json"))["issues"]
    raw = log.read_bytes()
    assert raw[issue["offset"] :].startswith(b"26")
    assert (issue["line"], issue["column"]) == (1, issue["offset"] + 1)
    text = run("verify", "--contract", log).out
    assert f":1:{issue['column']}\n" in text
    assert '"systemPromptLength":26' in text


def test_a_lesser_rule_fails_with_strict_only(run: Run, tmp_path: Path) -> None:
    row = next(row for row in BROKEN if row["expect"]["code"] == "time-backwards")
    log = prepare(tmp_path / "case", row, VECTORS / "audit/logs" / row["base"])
    assert run("verify", "--contract", log).code == 0
    assert run("verify", "--contract", "--strict", log).code == 1


def test_one_rule(run: Run, tmp_path: Path) -> None:
    row = next(row for row in BROKEN if row["expect"]["code"] == "session-mixed")
    log = prepare(tmp_path / "case", row, VECTORS / "audit/logs" / row["base"])
    asked = ("verify", "--contract", "--output", "json", log, "--rule")
    assert codes(file_of(run(*asked, "session-mixed"))) == ["session-mixed"]
    other = run(*asked, "init-first")
    assert (other.code, codes(file_of(other))) == (0, [])


def test_rules_are_listed(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("verify", "--list")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert result.out == snapshot
    rules = json.loads(run("verify", "--contract", "--list", "--output", "json").out)
    assert [rule["rule"] for rule in rules if rule["format"] == "robota-log"] == list(RULES)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("log", "--rule", "init-first"), "--contract"),
        (("log", "--contract", "--rule", "init-frist"), "did you mean init-first?"),
        (("log", "--contract", "--rule", "zzz"), "--list shows all"),
        (("log", "--base", "log"), "--base goes with -"),
        (("-", "--base", "nowhere"), "--base nowhere is no folder"),
        ((), "name a file"),
        (("log", "--output", "report.json"), "--out report.json"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("verify", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_standard_input_with_a_base(run: Run) -> None:
    log = Path("log/spill-default.jsonl")
    data = log.read_bytes()
    for more in ((), ("--contract",), ("--max-bytes", "1000")):
        piped = file_of(run("verify", "-", "--base", "log", "--output", "json", *more, stdin=data))
        named = file_of(run("verify", log, "--output", "json", *more))
        assert piped | {"path": named["path"]} == named


def test_standard_input_without_a_base(run: Run) -> None:
    data = Path("log/spill-default.jsonl").read_bytes()
    for more in ((), ("--contract",)):
        result = run("verify", "-", *more, stdin=data)
        assert (result.code, "--base DIR says it" in result.err) == (1, True)
        file = file_of(run("verify", "-", "--output", "json", *more, stdin=data))
        assert (file["status"], "original" in file) == ("valid", False)
        assert set(codes(file)) == {"payload-unresolved"}
        assert run("verify", "-", *more, "--ignore", "payload-unresolved", stdin=data).code == 0
    proved = file_of(run("verify", "-", "--output", "json", stdin=data))["verification"]
    assert (proved["replay"]["complete"], proved["sidecars"]["files"]) == (None, 0)
    torn = file_of(run("verify", "-", "--output", "json", stdin=data + b"{"))
    assert (torn["status"], torn["original"]["code"]) == ("corrupt", "INVALID_JSON")
    wrong = file_of(run("verify", "-", "--output", "json", stdin=data + b"{}\n"))
    assert (wrong["status"], wrong["original"]) == ("corrupt", {"verdict": "reject"})


def test_standard_input_of_other_kinds(run: Run) -> None:
    small = b'{"reason":"x","schemaVersion":1,"timestamp":"2026-01-01T00:00:00Z",'
    small += b'"sessionId":"../up","event":"session_shutdown"}\n'
    for more in ((), ("--base", "log"), ("--contract",)):
        assert run("verify", "-", *more, "--ignore", "init-first", stdin=small).code == 0
    assert run("verify", "-", stdin=b"nothing").code == 1
    assert run("verify", "-", stdin=bytes(100)).code == 1
    prompts = b'{"at":"","sessionId":"","project":"","text":""}\n'
    named = run("verify", "-", stdin=prompts)
    assert (
        named.code,
        "only robota-log, dsh-log and dsh-sqlite" in " ".join(named.out.split()),
    ) == (0, True)


def test_limits(run: Run) -> None:
    def found(*limits: str) -> list[str]:
        return codes(file_of(run("verify", "log", "--output", "json", *limits)))

    assert "payload-budget" in found("--max-bytes", "1000")
    assert "payload-budget" in found("--max-bytes", "1kB")
    assert found("--max-bytes", "64MiB", "--max-depth", "32") == []


@pytest.mark.parametrize("wrong", ["-1", "0.5", "1e3", "", "x", "64 QB", "\u0663"])
def test_limits_that_are_none(run: Run, wrong: str) -> None:
    for option in ("--max-depth", "--max-bytes"):
        result = run("verify", "log", option, wrong)
        assert (result.code, result.out) == (2, "")
        assert option in result.err
        assert result.err.count("\n") == 1


def test_what_cannot_be_read_may_refer_to_what_seems_an_orphan(run: Run) -> None:
    log = Path("log/spill-default.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    holder = next(n for n, line in enumerate(lines) if b"external-payload" in line)
    log.write_bytes(b"".join([*lines[:holder], lines[holder][:60] + b"\n", *lines[holder + 1 :]]))
    result = run("verify", "log", "--output", "json")
    assert "payload-orphan" not in codes(file_of(result))
    sidecars = file_of(result)["verification"]["sidecars"]
    assert (sidecars["orphans"], sidecars["orphansKnown"]) == ([], False)
    assert "not known" in run("verify", "log").out


def test_only_logs_are_verified(run: Run) -> None:
    Path("note.txt").write_text("nothing")
    Path("prompts.jsonl").write_text('{"at":"","sessionId":"","project":"","text":""}\n')
    named = run("verify", "prompts.jsonl")
    assert (
        named.code,
        "only robota-log, dsh-log and dsh-sqlite" in " ".join(named.out.split()),
    ) == (0, True)
    assert run("verify", "nowhere").code == 1
    assert run("verify", "note.txt").code == 1
    walked = json.loads(run("verify", ".", "--output", "json").out)
    assert [file["path"] for file in walked["files"]] == ["./log/spill-default.jsonl"]
    assert walked["summary"]["skipped"] == 2
    Path("empty").mkdir()
    assert run("verify", "empty").code == 2


def test_processes_share_one_log(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.logs.robota_parallel.WORTH_BYTES", 1000)
    alone = run("validate", "log/spill-default.jsonl", "--output", "json", "--jobs", "1")
    shared = run("validate", "log/spill-default.jsonl", "--output", "json", "--jobs", "2")
    assert shared == alone


def test_nothing_of_the_data_reaches_the_terminal(run: Run) -> None:
    evil = {
        "content": "\x1b]0;gone\x07 password=hunter2-hunter2",
        "\x1b[2J": 1,
        "schemaVersion": 1,
        "timestamp": "2026-10-04T09:15:00.000Z",
        "sessionId": "s",
        "event": "user",
    }
    Path("evil.jsonl").write_text(json.dumps(evil) + "\n" + json.dumps({**evil, "event": "x\x1b"}))
    for command in ("validate", "inspect", "verify", "replay"):
        result = run(command, "evil.jsonl")
        assert result.code == 1
        assert not HARMFUL.search(result.out + result.err)
        assert "hunter2" not in result.out + result.err

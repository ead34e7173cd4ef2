"""`sesskit inspect` of logs: what is in them beside any session; single values by line."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from robota_log_cases import VECTORS
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.formats import Finding
from sesskit.schemas.outcomes import Missing

EXAMPLES = Path(__file__).parents[2] / "examples"
TIDES = EXAMPLES / "logs/healthy/tide-table.jsonl"
EVERY = VECTORS / "valid/every-event/log/every_event.jsonl"
FAMILY = VECTORS / "valid/subagent/log/session_parent-1.jsonl"
DIGEST = "7fc3d8f87ff69e146d608e61869d3a1779f468286e7ccda47f46878b02eb5779"
SIDECAR = f"tide-table.payloads/{DIGEST}.json"


@pytest.fixture(autouse=True)
def _beside_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)


def file_of(result: Result) -> dict[str, Any]:
    report = json.loads(result.out)
    Draft202012Validator(SCHEMA).validate(report)
    (file,) = report["files"]
    return dict(file)


@pytest.fixture
def tides(tmp_path: Path) -> Path:
    """The example, to be damaged."""
    shutil.copytree(TIDES.parent, tmp_path / "log")
    return tmp_path / "log" / TIDES.name


@pytest.mark.parametrize(
    "log",
    [TIDES, EVERY, FAMILY, VECTORS / "audit/logs/forced-summaries/forced-summaries.jsonl"],
    ids=lambda path: path.stem,
)
def test_what_is_in_a_log(log: Path, run: Run, snapshot: SnapshotAssertion) -> None:
    shown = run("inspect", log).out
    assert all(len(line) <= 80 for line in shown.splitlines()[1:])
    # A long path has its heading in two lines: only what is below it is the same everywhere.
    assert shown.partition("\n\n")[2] == snapshot
    file = file_of(run("inspect", log, "--output", "json"))
    for path in file["log"]["subagentLogs"]:
        assert Path(path).is_file()
    assert {**file["log"], "subagentLogs": len(file["log"]["subagentLogs"])} == snapshot


@pytest.mark.parametrize("log", [TIDES, EVERY, FAMILY], ids=lambda path: path.stem)
def test_one_file_and_several_and_standard_input(log: Path, run: Run) -> None:
    alone = file_of(run("inspect", log, "--output", "json"))
    several = json.loads(run("inspect", log, EXAMPLES / "healthy", "--output", "json").out)
    assert several["files"][0] == alone
    piped = file_of(run("inspect", "-", "--output", "json", stdin=log.read_bytes()))
    assert piped["log"]["lines"] == alone["log"]["lines"]
    assert piped["log"]["sidecars"]["looked"] is False


def test_sidecars(run: Run, tides: Path) -> None:
    def found(*options: str) -> dict[str, Any]:
        return dict(file_of(run("inspect", tides, "--output", "json", *options))["log"]["sidecars"])

    assert found() == {"looked": True, "referred": 3, "bytes": 23323, "failing": {}}
    assert found("--no-sidecars")["looked"] is False
    assert "sidecars    not looked at" in run("inspect", tides, "--no-sidecars").out
    first, second, third = sorted((tides.parent / "tide-table.payloads").iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes()[:-1])
    assert found()["failing"] == {"payload-missing": 1, "payload-length": 1}
    shown = run("inspect", tides)
    assert shown.code == 1
    assert "sidecars    3 referred to" in shown.out
    assert "1 of another length; 1 missing" in " ".join(shown.out.split())
    third.unlink()
    third.symlink_to("/dev/null")
    assert found()["failing"] == {
        "payload-missing": 1,
        "payload-length": 1,
        "payload-outside": 1,
    }


def test_retries_and_secrets(run: Run, tmp_path: Path) -> None:
    (small,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    log = tmp_path / small.name
    lines = small.read_text().splitlines(keepends=True)
    request = next(line for line in lines if '"event":"provider_request"' in line)
    secret = "ghp_abcdefabcdefabcdefabcdef\\u001b[31m"
    renamed = re.sub(r'"model":"[^"]*"', lambda _: f'"model":"{secret}"', request)
    log.write_text("".join([*lines, request, renamed]))
    result = run("inspect", log)
    assert "retries     " in result.out
    assert "ghp_abcdef" not in result.out
    assert "\x1b" not in result.out
    member = file_of(run("inspect", log, "--output", "json"))["log"]
    assert member["retries"] >= 2
    assert "ghp_abcdef" not in json.dumps(member)


def test_many_models_and_tools(run: Run, tmp_path: Path) -> None:
    (small,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    log = tmp_path / small.name
    lines = small.read_text().splitlines(keepends=True)
    request = next(line for line in lines if '"event":"provider_request"' in line)
    more = [re.sub(r'"model":"[^"]*"', f'"model":"m{n}"', request) for n in range(12)]
    log.write_text("".join([*lines, *more]))
    assert "and 5 more" in run("inspect", log).out


@pytest.mark.parametrize(
    "where",
    [
        "20",
        "20:message.name",
        "line 20.message.metadata",
        "/20/message/role",
        "line:1:model",
        "1:toolSchemas[0].name",
        "20:message.sha256",
        "23:messages[3].content",
        "20:message.zzz",
        "20:zzz",
        "1:toolSchemas[9]",
        "1:model.x",
        "0",
        "69",
        "message.content",
        "",
        "20:message.content[0]",
    ],
)
def test_one_value(where: str, run: Run, snapshot: SnapshotAssertion) -> None:
    log = TIDES.relative_to(Path.cwd())
    result = run("inspect", log, "--at", where)
    assert (result.code, result.out) == snapshot
    member = file_of(run("inspect", log, "--at", where, "--output", "json"))["value"]
    assert member == snapshot
    if member["found"] and "sidecar" not in member:
        start = member["offset"]
        raw = TIDES.read_bytes()[start : start + member["bytes"]]
        assert json.loads(raw) == member["value"]


def test_a_value_in_a_sidecar(run: Run, tides: Path) -> None:
    member = file_of(run("inspect", tides, "--at", "20:message.content", "--output", "json"))
    value = member["value"]
    assert (value["line"], value["column"], value["sidecar"]) == (20, 128, SIDECAR)
    assert value["value"] == json.loads((TIDES.parent / SIDECAR).read_text())["content"]
    (tides.parent / SIDECAR).write_text("changed")
    result = run("inspect", tides, "--at", "20:message.content")
    assert result.code == 1
    assert "it lies in a sidecar; the sidecar has another length" in " ".join(result.out.split())
    whole = file_of(run("inspect", tides, "--at", "20:message", "--output", "json"))["value"]
    assert whole["value"]["kind"] == "external-payload"
    piped = run("inspect", "-", "--at", "20:message", stdin=TIDES.read_bytes())
    assert "external-payload" in piped.out


def test_a_value_in_a_damaged_line(run: Run, tides: Path) -> None:
    data = tides.read_bytes()
    tides.write_bytes(data + b'{"event":"user","content":"as far as thi')
    result = run("inspect", tides, "--at", "69:content")
    assert (result.code, "as far as thi" in result.out, "cut off" in result.out) == (1, True, True)
    tides.write_bytes(data + bytes(1 << 20))
    assert "no value in line 69" in run("inspect", tides, "--at", "69").out
    assert "high water" in run("inspect", tides, "--at", "2:content").out


def test_sidecars_in_sidecars(run: Run) -> None:
    (log,) = (VECTORS / "valid/spill-nested/log").glob("*.jsonl")
    passed = 0

    def at(where: str) -> dict[str, Any]:
        return dict(file_of(run("inspect", log, "--at", where, "--output", "json"))["value"])

    for number in range(1, log.read_bytes().count(b"\n") + 1):
        path, value = "", at(str(number))["value"]
        while isinstance(value, dict):
            held = {name: one for name, one in value.items() if isinstance(one, dict)}
            name = next((n for n, one in held.items() if one.get("kind") == "external-payload"), "")
            if not name:
                break
            path, passed = f"{path}.{name}".removeprefix("."), passed + 1
            found = at(f"{number}:{path}")
            assert found["sidecar"] == held[name]["relativePath"]
            value = found["value"]
            assert value != held[name]
    assert passed > 2


def test_what_cannot_be_looked_at(run: Run, tides: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("inspect", tides.with_name("gone.jsonl"), "--at", "1", "--format", "robota-log")
    assert result.code == 1

    def gone(*_: object) -> None:
        raise OSError(5, "no")

    with monkeypatch.context() as patch:
        patch.setattr("sesskit.logs.log_lookup.open_place", gone)
        assert "it cannot be read: " in run("inspect", tides, "--at", "1").out
    found = Finding(str(tides), Missing())
    monkeypatch.setattr("sesskit.cli.log_details.identify", lambda *_: found)
    assert run("inspect", tides).out.count("missing") == 2


def test_a_sidecar_that_is_no_json(run: Run, tides: Path) -> None:
    data = b""
    (tides.parent / SIDECAR).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    text = tides.read_text().replace(DIGEST, digest).replace("2203", str(len(data)))
    tides.write_text(text.replace(f"payloads/{digest}", f"payloads/{DIGEST}"))
    at = file_of(run("inspect", tides, "--at", "20:message", "--output", "json"))["value"]
    assert at["value"]["kind"] == "external-payload"
    assert "the sidecar is not JSON" in run("inspect", tides, "--at", "20:message.content").out


@pytest.mark.parametrize("kind", ["log", "record", "bare"])
def test_times_without_a_zone_are_those_of_the_zone(kind: str, run: Run, tmp_path: Path) -> None:
    source = {"log": TIDES, "record": EXAMPLES / "healthy/night-watch.json"}.get(kind)
    if source is None:
        record = json.loads((EXAMPLES / "healthy/night-watch.json").read_text())["record"]
        source = tmp_path / "bare.json"
        source.write_text(json.dumps(record))
    shutil.copytree(TIDES.parent, tmp_path / "there")
    path = tmp_path / "there" / source.name
    text = re.sub(r"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z", r"\1", source.read_text())
    path.write_text(text)
    seen = {
        zone: file_of(run("inspect", path, "--zone", zone, "--output", "json"))["overview"]
        for zone in ("UTC", "+09:00")
    }
    for name in ("started", "ended", "firstMessage", "lastMessage"):
        utc, east = seen["UTC"][name], seen["+09:00"][name]
        assert (utc is None and east is None) or east < utc, name
    assert seen["UTC"]["firstMessage"] is not None
    for zone in ("UTC", "+09:00"):
        clock = str(seen[zone]["firstMessage"])[11:19]
        assert clock in run("inspect", path, "--zone", zone).out
        assert clock in run("replay", path, "--zone", zone).out

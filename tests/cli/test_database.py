"""Sessions of dsh databases by their ids: `DATABASE#ID`, `--store DATABASE`; nothing is changed."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.vectors import cases
from sesskit.cli.report_schema import SCHEMA
from sesskit.schemas.ecmascript import dumps

CHECK = Draft202012Validator(SCHEMA)
DB = "sessions.db"
ONE = f"{DB}#stream-count"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (case,) = cases("valid", "sqlite-v17")
    shutil.copy(case.file, DB)
    return tmp_path


def entries_of(result: Result) -> list[Any]:
    report = json.loads(result.out)
    CHECK.validate(report)
    return list(report["files"])


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", DB],
        ["replay", ONE],
        ["store", "list", "--store", DB],
        ["inspect", f"{DB}#strem"],
    ],
    ids=" ".join,
)
def test_what_people_see(words: list[str], run: Run, snapshot: SnapshotAssertion) -> None:
    before = Path(DB).read_bytes()
    result = run(*words)
    assert (result.code, result.out, result.err) == snapshot
    assert [path.name for path in Path().iterdir()] == [DB]
    assert Path(DB).read_bytes() == before


@pytest.mark.parametrize("version", ["sqlite-v14", "sqlite-v17"])
def test_recorded_sessions(version: str, run: Run) -> None:
    (case,) = cases("valid", version)
    shutil.copy(case.file, DB)
    recorded = case.expected["sessions"]
    (whole,) = entries_of(run("inspect", DB, "--output", "json"))
    assert [one["id"] for one in whole["sessions"]] == case.expected["list"]
    for name, expected in recorded.items():
        (entry,) = entries_of(run("inspect", f"{DB}#{name}", "--output", "json"))
        answer = expected.get("inspect", {"ok": True})
        assert entry["original"]["verdict"].startswith("accept") == answer["ok"]
        if "eventCount" in expected:
            assert entry["dsh"]["events"] == expected["eventCount"]
    assert run("migrate", ONE, "--to", "0", "--out", "old.jsonl").code == 0
    assert run("export", ONE, "--out", "one.zip").code == 0
    with zipfile.ZipFile("one.zip") as archive:
        log = archive.read("session.jsonl")
    Path("one.jsonl").write_bytes(log)
    assert run("validate", "one.jsonl").code == 0
    assert run("migrate", "one.jsonl", "--to", "v1", "--out", "v1.jsonl").code == 0
    events = [json.loads(line) for line in Path("v1.jsonl").read_bytes().splitlines()[1:]]
    assert len(events) == recorded["stream-count"]["eventCount"]
    assert run("migrate", ONE, "--to", "v1", "--out", "direct.jsonl").code == 0
    assert Path("direct.jsonl").read_bytes() == Path("v1.jsonl").read_bytes()


def test_the_events_are_those_of_the_database(run: Run) -> None:
    (case,) = cases("valid", "sqlite-v17")
    assert run("migrate", ONE, "--to", "v1", "--out", "v1.jsonl").code == 0
    lines = Path("v1.jsonl").read_bytes().splitlines()[1:]
    text = b"\n".join(dumps(json.loads(line)) for line in lines)
    recorded = case.expected["sessions"]["stream-count"]["logicalSha256"]
    assert hashlib.sha256(text).hexdigest() == recorded


def test_all_commands_take_one(run: Run) -> None:
    for words in (
        ["validate"],
        ["inspect"],
        ["verify"],
        ["replay"],
        ["replay", "--as", "messages"],
    ):
        assert run(*words, ONE).code == 0, words
    assert run("inspect", "--store", DB, "stream-count").code == 0
    assert run("replay", "--store", DB, "stream-count").out == run("replay", ONE).out
    assert run("export", "stream-count", "--store", DB, "--out", "one.zip").code == 0
    assert run("migrate", ONE, "--out", "new/").code == 0
    (made,) = Path("new").rglob("*.jsonl")
    assert made == Path("new/--workspace-acme-shop--/stream-count/session.v3.jsonl")
    assert run("validate", "new").code == 0


def test_a_database_is_replayed_session_by_session(run: Run) -> None:
    found = entries_of(run("replay", DB, "--output", "json"))
    assert [entry["path"] for entry in found] == [ONE, f"{DB}#open-turn"]
    assert all(entry["replay"]["turns"] for entry in found)
    several = run("replay", DB, "--as", "messages")
    assert (several.code, "DATABASE#ID" in several.err) == (2, True)


def test_what_is_not_there(run: Run, folder: Path) -> None:
    assert "it holds stream-count" in " ".join(run("validate", f"{DB}#stream-coun").out.split())
    assert run("validate", f"{DB}#").code == 1
    assert run("validate", "nothing.db#x").code == 1
    (folder / "a#b.jsonl").write_bytes(b"{}")
    assert "a#b.jsonl" in run("validate", "a#b.jsonl").out
    (folder / "no.db").write_text("x")
    assert run("store", "list", "--store", "no.db").code == 2
    assert run("export", f"{DB}#nobody", "--out", "x.zip").code == 1


def test_one_damaged_session_does_not_take_the_others_along(run: Run) -> None:
    with sqlite3.connect(DB) as database:
        database.execute("UPDATE events SET data = '{' WHERE session_id = 'open-turn' AND seq = 1")
    database.close()
    assert run("validate", DB).code == 1
    assert run("validate", ONE).code == 0
    assert run("export", ONE, "--out", "one.zip").code == 0
    (entry,) = entries_of(run("inspect", f"{DB}#open-turn", "--output", "json"))
    assert entry["status"] == "corrupt"
    assert run("export", f"{DB}#open-turn", "--out", "two.zip").code == 1
    assert not Path("two.zip").exists()


def test_what_is_of_no_session_is_told_beside_them(run: Run) -> None:
    with sqlite3.connect(DB) as database:
        database.execute("DELETE FROM sessions WHERE id = 'open-turn'")
    database.close()
    found = entries_of(run("replay", DB, "--output", "json"))
    assert [entry["path"] for entry in found] == [DB, ONE]
    assert found[0]["issues"][0]["code"] == "events-orphaned"


def test_a_database_is_only_read(run: Run) -> None:
    before = Path(DB).read_bytes()
    made = run("store", "put", DB, "--store", DB)
    assert (made.code, Path(DB).read_bytes()) == (1, before) or made.code == 2
    assert run("store", "delete", "open-turn", "--yes", "--store", DB).code in (1, 2)
    assert Path(DB).read_bytes() == before

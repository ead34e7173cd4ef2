"""A root of dsh as a store: every generation listed, damaged logs too, sessions by id."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.vectors import cases
from sesskit.cli import store_dsh
from sesskit.cli.report_schema import SCHEMA

CHECK = Draft202012Validator(SCHEMA)
HELD = (
    "fork-parent-child--parent-1",
    "fork-parent-child--child-at-turn-1",
    "subagent-no-cwd",
    "tools-multi-turn-raw",
    "two-writers-end-seed",
    "odd-path-1",
)


def entries_of(result: Result) -> list[Any]:
    report = json.loads(result.out)
    CHECK.validate(report)
    return list(report["files"])


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    store_dsh.surveyed.cache_clear()
    for number, name in enumerate(HELD):
        (case,) = cases(name=name)
        for item in case.expected["files"]:
            if item["file"].endswith(".jsonl"):
                path = tmp_path / "root" / item["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(case.folder / item["file"], path)
                os.utime(path, (1_787_000_000 + number, 1_787_000_000 + number))
    return tmp_path / "root"


def test_the_list(run: Run, root: Path, snapshot: SnapshotAssertion) -> None:
    headless = root / "--w--" / "broken" / "session.jsonl"
    headless.parent.mkdir(parents=True)
    headless.write_text("{\n")
    os.utime(headless, (1_787_000_100, 1_787_000_100))
    foreign = root / "--w--" / "forked" / "session.v4.jsonl"
    foreign.parent.mkdir(parents=True)
    header = {"type": "session", "version": 4, "id": "forked", "createdAt": 1, "cwd": "/w"}
    header |= {"isSeeded": False, "origin": "headless", "delegationDepth": 0}
    foreign.write_text(json.dumps(header) + "\n")
    os.utime(foreign, (1_787_000_200, 1_787_000_200))
    result = run("store", "list", "--store", "root")
    assert (result.code, result.out, result.err) == snapshot
    listed = run("store", "list", "--store", "root", "--output", "json")
    statuses = {entry["id"]: entry["status"] for entry in entries_of(listed)}
    assert statuses["broken"] == statuses["x1"] == "corrupt"
    assert statuses["forked"] == "unsupported"


def test_every_generation_is_listed(run: Run, root: Path) -> None:
    assert run("migrate", "--in-place", "root").code == 1, "one is damaged"
    result = run("store", "list", "--store", "root")
    assert "11 logs of 6 sessions" in result.out
    assert result.out.count("fork of parent-1") == 2


def test_first_lines_only_of_a_big_root(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_dsh, "MOST_CHECKED", 10)
    (root / "--w--" / "b").mkdir(parents=True)
    (root / "--w--" / "b" / "session.jsonl").write_text("{\n")
    header = {"type": "session", "version": 4, "id": "f", "createdAt": 1, "delegationDepth": 0}
    (root / "--w--" / "f").mkdir(parents=True)
    (root / "--w--" / "f" / "session.v4.jsonl").write_text(json.dumps(header) + "\n")
    entries = entries_of(run("store", "list", "--store", "root", "--output", "json"))
    statuses = {entry["id"]: entry["status"] for entry in entries}
    assert statuses["x1"] == "valid"
    assert (statuses["b"], statuses["f"]) == ("corrupt", "unsupported")
    assert "first line only" in run("store", "list", "--store", "root").out


def test_what_makes_dsh_list_nothing_is_told(run: Run, root: Path) -> None:
    found = next(root.glob("*/parent-1"))
    shutil.copytree(found, root / "--other--" / "parent-1")
    entries = entries_of(run("store", "list", "--store", "root", "--output", "json"))
    codes = [i["code"] for e in entries if e["id"] == "parent-1" for i in e["issues"]]
    assert codes.count("layout-duplicate-id") == 2


@pytest.mark.parametrize("name", ["parent-1", "../../etc/passwd", "session-7f3a90c2-tools"])
@pytest.mark.parametrize("command", ["validate", "inspect", "replay"])
def test_sessions_by_id(command: str, name: str, run: Run) -> None:
    result = run(command, "--store", "root", name, "--output", "json")
    assert result.code == 0
    (entry,) = entries_of(result)
    assert entry["status"] == "valid"


def test_the_latest_generation_is_meant(run: Run) -> None:
    assert run("migrate", "--store", "root", "parent-1").code == 2, "migrate takes paths"
    run("migrate", "--in-place", "root")
    store_dsh.surveyed.cache_clear()
    (entry,) = entries_of(run("validate", "--store", "root", "parent-1", "--output", "json"))
    assert entry["version"] == 3


def test_other_verbs(run: Run, root: Path) -> None:
    assert run("store", "show", "--store", "root", "parent-1").code == 0
    assert run("validate", "--store", "root", "nobody").code == 1
    assert run("store", "show", "--store", "root", "nobody").code == 1
    kept = run("store", "delete", "--store", "root", "parent-1", "--yes")
    assert (kept.code, "not deleted here" in kept.err) == (2, True)
    log = next(root.glob("*/parent-1/session.jsonl"))
    put = run("store", "put", log, "--store", "root")
    assert put.code == 1
    assert "sesskit import" in put.out
    assert run("repair", "--store", "root", "x1", "--dry-run").code == 0
    everything = entries_of(run("validate", "--store", "root", "--output", "json"))
    assert len(everything) == 6


@pytest.mark.parametrize("wanted", ["nobody", "../nobody"])
def test_an_id_that_is_not_there_is_named(wanted: str, run: Run, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "_no-cwd" / "a").mkdir(parents=True)
    header = b'{"type":"session","version":0,"id":"a","createdAt":1,"delegationDepth":0}\n'
    (root / "_no-cwd" / "a" / "session.jsonl").write_bytes(header)
    result = run("inspect", wanted, "--store", str(root))
    assert (result.code, "nobody" in result.out + result.err) == (1, True)
    assert "_no-session" not in result.out + result.err


@pytest.mark.parametrize("wanted", ["x" * 300, "_no-cwd"])
def test_an_id_that_no_path_can_name_is_missing_too(wanted: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "root" / "_no-cwd").mkdir(parents=True)
    result = run("inspect", wanted, "--store", str(tmp_path / "root"))
    assert (result.code, "there is no such file" in result.out) == (1, True)


def test_an_id_that_is_not_there_is_named_with_those_that_are_like_it(run: Run) -> None:
    for words in (["inspect", "parent-2"], ["store", "show", "parent-2"], ["replay", "parent-2"]):
        result = run(*words, "--store", "root")
        assert (result.code, "no session parent-2; it holds parent-1" in result.err) == (1, True)
    assert run("inspect", "parent-1", "--store", "root").err == ""

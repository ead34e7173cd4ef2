"""`sesskit history`: prompts searched, listed and rebuilt; what cannot be read is said."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from robota_log_cases import VECTORS
from sesskit.logs.prompt_history import Prompt, prompt_line

PROMPTS = [
    Prompt("2026-01-01T00:00:00.000Z", "s1", "/srv/harbour", "When does the Ferry leave?"),
    Prompt("2026-01-02T00:00:00.000Z", "s2", "/srv/harbour/docks", "two\nlines " + "long " * 30),
    Prompt("2026-01-03T00:00:00.000Z", "s1", "/srv/other", "my password=hunter2-hunter2 \x1b[31m"),
    Prompt("yesterday", "s3", "/srv/harbour", "gr\u00fc\u00dfe, ferry"),
]
HISTORY = ("--history", "h.jsonl")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("h.jsonl").write_bytes(b"".join(map(prompt_line, PROMPTS)))


def test_for_people(run: Run, snapshot: SnapshotAssertion) -> None:
    shown = {
        "list": run("history", "list", *HISTORY),
        "full": run("history", "list", *HISTORY, "--full", "-n", "3"),
        "by project": run("history", "list", *HISTORY, "--by", "project"),
        "by session": run("history", "list", *HISTORY, "--by", "session", "-n", "1"),
        "search": run("history", "search", "ferry", *HISTORY),
    }
    assert {name: tuple(result) for name, result in shown.items()} == snapshot
    for result in shown.values():
        assert (result.code, "hunter2" in result.out, "\x1b" in result.out) == (0, False, False)
        assert all(len(line) <= 80 for line in result.out.splitlines())


@pytest.mark.parametrize(
    ("options", "sessions"),
    [
        (("search", "FERRY"), ["s3", "s1"]),
        (("search", "Ferry", "--case"), ["s1"]),
        (("search", "f.rry", "--regex"), ["s3", "s1"]),
        (("search", "ferry", "--limit", "1"), ["s3"]),
        (("search", "nothing like it"), []),
        (("list",), ["s3", "s1", "s2", "s1"]),
        (("list", "--session", "s1"), ["s1", "s1"]),
        (("list", "--project", "/srv/harbour"), ["s3", "s2", "s1"]),
        (("list", "--since", "2026-01-02"), ["s1", "s2"]),
        (("list", "--until", "2026-01-02"), ["s1"]),
    ],
)
def test_choosing(options: tuple[str, ...], sessions: list[str], run: Run) -> None:
    result = run("history", *options, *HISTORY, "--output", "json")
    found = json.loads(result.out)
    assert result.code == 0
    assert [prompt["sessionId"] for prompt in found["prompts"]] == sessions
    assert found["status"] == "read"
    assert found["more"] == ("--limit" in options)
    assert "hunter2" not in result.out


def test_sums(run: Run) -> None:
    found = json.loads(run("history", "list", *HISTORY, "--by", "project", "--output", "json").out)
    assert [(row["name"], row["prompts"]) for row in found["projects"]] == [
        ("/srv/harbour", 2),
        ("/srv/other", 1),
        ("/srv/harbour/docks", 1),
    ]


def test_lines_that_are_none(run: Run) -> None:
    with Path("h.jsonl").open("ab") as file:
        file.write(b"broken\n")
    result = run("history", "list", *HISTORY)
    assert result.code == 1
    assert "1 line is no prompt" in result.err
    assert run("history", "list", *HISTORY, "--exit-zero").code == 0
    assert run("history", "search", "x", *HISTORY, "--exit-zero").code == 0
    summed = run("history", "list", *HISTORY, "--by", "session", "--output", "json")
    assert (summed.code, json.loads(summed.out)["skippedLines"]) == (1, 1)


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("nowhere", "missing", "there is no prompt history"),
        ("nowhere/h.jsonl", "missing", "there is no prompt history"),
        (".", "unreadable", "it is a folder"),
        ("link", "unreadable", "cannot be read"),
        ("h.jsonl/x", "unreadable", "cannot be read"),
        ("a\0b", "unreadable", "its name cannot be"),
    ],
)
@pytest.mark.parametrize("what", [("list",), ("search", "x"), ("list", "--by", "session")])
def test_missing_is_not_unreadable(
    what: tuple[str, ...], path: str, status: str, said: str, run: Run
) -> None:
    Path("link").symlink_to("h.jsonl")
    result = run("history", *what, "--history", path, "--output", "json")
    assert (result.code, json.loads(result.out)["status"]) == (1, status)
    assert said in result.err
    assert run("history", *what, "--history", path).out == ""


def test_what_is_no_regular_file_is_named(run: Run) -> None:
    os.mkfifo("pipe")
    Path("link").symlink_to("h.jsonl")
    assert "it is a named pipe" in run("history", "list", "--history", "pipe").err
    assert "it is a symbolic link" in run("history", "list", "--history", "link").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "(", "--regex"), "no regular expression"),
        (("list", "--since", "soon"), "--since takes a date"),
        (("list", "--by", "projct"), "did you mean project?"),
        (("list", "--by", "project", "--session", "s"), "counts all prompts"),
        (("rebuild", "."), "say where to"),
        (("rebuild", "-", "--out", "new"), "standard input"),
        (("rebuild", ".", "--out", "h.jsonl"), "there is h.jsonl already"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("history", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_the_usual_place(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Path(".robota").mkdir()
    shutil.copy("h.jsonl", ".robota/history.jsonl")
    assert run("history", "search", "leave").out.count("harbour") == 1


class TestRebuild:
    def logs(self) -> None:
        for name in ("chat-small", "subagent", "spill-default"):
            shutil.copytree(VECTORS / "valid" / name / "log", Path("logs") / name)

    def test_from_logs(self, run: Run) -> None:
        self.logs()
        result = run("history", "rebuild", "logs", "--out", "new.jsonl", "--output", "json")
        files = json.loads(result.out)["files"]
        assert result.code == 0
        assert not any("subagents" in file["path"] for file in files)
        assert [file["prompts"] for file in files] == [1, 2, 0]
        lines = [json.loads(line) for line in Path("new.jsonl").read_text().splitlines()]
        assert len(lines) == 3
        assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
        assert Path("new.jsonl").stat().st_mode & 0o777 == 0o600
        assert run("validate", "new.jsonl").code == 0

    def test_damaged_logs_write_nothing_by_themselves(self, run: Run) -> None:
        self.logs()
        (log,) = Path("logs/chat-small").glob("*.jsonl")
        log.write_bytes(log.read_bytes()[:-30])
        refused = run("history", "rebuild", "logs", "--out", "new.jsonl")
        assert (refused.code, Path("new.jsonl").exists()) == (1, False)
        assert "nothing was written" in refused.err
        kept = run("history", "rebuild", "logs", "--out", "new.jsonl", "--keep-going")
        assert kept.code == 1
        assert "2 prompts written" in kept.err

    def test_named_files_that_are_no_logs(self, run: Run) -> None:
        result = run("history", "rebuild", "h.jsonl", "nowhere", "--out", "new.jsonl")
        assert (result.code, Path("new.jsonl").exists()) == (1, False)

    def test_force(self, run: Run) -> None:
        self.logs()
        result = run("history", "rebuild", "logs", "--out", "h.jsonl", "--force")
        assert result.code == 0
        assert not re.search("Ferry", Path("h.jsonl").read_text())


def test_members_of_json(run: Run) -> None:
    found: dict[str, Any] = json.loads(run("history", "list", *HISTORY, "--output", "json").out)
    assert set(found) == {"history", "status", "prompts", "more", "skippedLines"}

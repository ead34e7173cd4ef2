"""`sesskit share` of sessions that are several files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from fake_secrets import Fake
from robota_share_logs import Log, session_init

fake = Fake(31)
TOKEN = fake.github()
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
PASSWORD = "Zq7" + fake.letters(11)


def session(folder: Path, name: str = "s-1", token: str = TOKEN) -> Log:
    log = session_init(Log(folder, name), systemPrompt=f"key {token}")
    log.add("user", content=log.spilled(f"by ikeda: password={PASSWORD}"))
    log.write()
    child = session_init(Log(folder / name / "subagents", "c-1"))
    child.add("user", content=child.spilled(f"use {PASSWORD}"))
    child.write()
    return log


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_folder_that_every_command_reads(
    run: Run, here: Path, snapshot: SnapshotAssertion
) -> None:
    session(here / "logs")
    before = everything(here / "logs")
    result = run("share", "logs/s-1.jsonl", "--out", "shared")
    assert (result.code, result.out) == (0, snapshot)
    assert everything(here / "logs") == before
    made = everything(here / "shared")
    assert sorted(map(os.path.dirname, made)) == [
        "",
        "s-1.payloads",
        "s-1/subagents",
        "s-1/subagents/c-1.payloads",
    ]
    for gone in (TOKEN, PASSWORD, "ikeda"):
        assert not any(gone.encode() in data for data in made.values())
    for command in ("validate", "verify", "replay", "inspect"):
        assert run(command, "shared/s-1.jsonl").code == 0, command
    assert run("verify", "shared").code == 0
    assert run("share", "--verify-only", "shared").code == 0
    assert not [path for path in here.iterdir() if path.name.startswith(".")]


def test_one_file_that_is_called_otherwise(run: Run, here: Path) -> None:
    session(here)
    assert run("share", "s-1.jsonl", "--out", "other.jsonl").code == 0
    assert run("verify", "other.jsonl", "--strict").code == 0
    assert len(list((here / "s-1.payloads").iterdir())) == 1
    assert len(list((here / "other.payloads").iterdir())) == 1


def test_a_folder_of_sessions_goes_session_by_session(run: Run, here: Path) -> None:
    session(here / "logs", "a")
    session(here / "logs", "b", fake.github())
    result = run("share", "logs", "--out", "out", "--output", "json")
    files = {each["path"]: each["share"] for each in json.loads(result.out)["files"]}
    assert result.code == 0
    assert {name: each["path"] for name, each in files.items()} == {
        "logs/a.jsonl": "out/a.jsonl",
        "logs/a/subagents/c-1.jsonl": "out/a.jsonl",
        "logs/b.jsonl": "out/b.jsonl",
        "logs/b/subagents/c-1.jsonl": "out/b.jsonl",
    }
    found = files["logs/a.jsonl"]["findings"]
    assert {each["placeholder"] for each in found} == {
        "[github-token-1]",
        "[password-1]",
        "[user-1]",
    }
    assert {place.get("file") for each in found for place in each["places"]} > {"a.jsonl"}
    assert run("verify", "out").code == 0
    assert run("share", "logs", "--out", "out").code == 2


def test_a_session_that_is_refused_writes_nothing(run: Run, here: Path) -> None:
    session(here / "logs", TOKEN)
    assert run("share", "logs", "--out", "out", "--output", "json").code == 3
    assert not (here / "out").exists()


def test_env_files_of_the_project(run: Run, here: Path) -> None:
    log = session_init(Log(here / ".robota" / "logs"))
    log.add("user", content="it is k9k9k9Zx81aQw there")
    log.write()
    (here / ".env").write_text("MY_TOKEN=k9k9k9Zx81aQw\n")
    path = ".robota/logs/session_demo-1.jsonl"
    assert run("share", "--verify-only", path).code == 3
    assert run("share", path, "--out", "o.jsonl").code == 0
    assert "k9k9" not in (here / "o.jsonl").read_text()


@pytest.mark.parametrize("out", ["logs/s-1.jsonl", "logs", "logs/", "link.jsonl"])
def test_what_is_read_is_never_written(run: Run, here: Path, out: str) -> None:
    log = session(here / "logs")
    (here / "link.jsonl").symlink_to(log.path)
    before = everything(here / "logs")
    assert run("share", "logs/s-1.jsonl", "--out", out, "--force").code == 2
    assert run("share", "logs", "--out", "logs", "--force").code == 2
    assert everything(here / "logs") == before


def test_a_link_is_replaced_and_never_written_through(run: Run, here: Path) -> None:
    session(here / "logs")
    (here / "mine").write_text("mine")
    (here / "link.jsonl").symlink_to(here / "mine")
    assert run("share", "logs/s-1.jsonl", "--out", "link.jsonl").code == 2
    assert run("share", "logs/s-1.jsonl", "--out", "link.jsonl", "--force").code == 0
    assert (here / "mine").read_text() == "mine"
    assert not (here / "link.jsonl").is_symlink()


def test_a_full_disk_leaves_nothing(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session(here / "logs")
    (here / "old").mkdir()
    (here / "old" / "mine").write_text("mine")
    write, count = os.write, 0

    def full(descriptor: int, data: bytes) -> int:
        nonlocal count
        count += 1
        if count > 2:
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    for out in ("new", "old"):
        count = 0
        monkeypatch.setattr("os.write", full)
        assert run("share", "logs/s-1.jsonl", "--out", out).code == 2
        monkeypatch.undo()
        monkeypatch.chdir(here)
    assert not (here / "new").exists()
    assert everything(here / "old") == {"mine": b"mine"}
    assert sorted(path.name for path in here.iterdir()) == ["logs", "old"]


_LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
sys.argv = ["sesskit", "share", "logs/s-1.jsonl", "--out", "new", "--no-local"]
import runpy
runpy.run_module("sesskit", run_name="__main__")
"""


def test_a_limit_on_the_size_of_files(here: Path) -> None:
    log = session(here / "logs")
    log.add("user", content="x" * 4000).write()
    before = everything(here / "logs")
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED], capture_output=True, check=False, env=ENVIRONMENT
    )
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr
    assert everything(here / "logs") == before
    assert sorted(path.name for path in here.iterdir()) == ["logs"]


def test_a_kill_leaves_no_half_share(here: Path) -> None:
    log = session(here / "logs")
    for number in range(30):
        log.add("user", content=log.spilled(f"{number} is {TOKEN}"))
    log.write()
    before = everything(here / "logs")
    command = [sys.executable, "-m", "sesskit", "share", "logs/s-1.jsonl", "--no-local", "--out"]
    for number in range(6):
        target = here / f"new-{number}"
        child = subprocess.Popen(
            [*command, target.name], stdout=subprocess.DEVNULL, env=ENVIRONMENT
        )
        time.sleep(0.35 + 0.08 * number)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert everything(here / "logs") == before
        if target.exists():
            assert len(list(target.rglob("*.json"))) == 32

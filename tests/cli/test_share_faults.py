"""Sharing goes wrong: what was there stays, and no half of a share comes to be, for each format."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Run
from fake_secrets import Fake
from robota_share_logs import Log, session_init
from sesskit.artifacts.share_dsh import closed, opened
from sesskit.logs.dsh.frames import MAGIC
from sesskit.records.ochat import import_json, snapshot_bytes
from sesskit.schemas.outcomes import Valid

DATA = Path(__file__).parents[1] / "data"
TOKEN = Fake(71).github()
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
LONG = "word " * 2000


def _record(folder: Path) -> Path:
    path = DATA / "robota-record" / "vectors" / "reencoded" / "small-chat.json"
    value = json.loads(path.read_bytes())
    value["record"]["messages"][0]["content"] = f"{TOKEN} {LONG}"
    made = folder / "s.json"
    made.write_text(json.dumps(value))
    return made


def _log(folder: Path) -> Path:
    log = session_init(Log(folder, "s-1"), systemPrompt=f"{TOKEN} {LONG}")
    for number in range(20):
        log.add("user", content=log.spilled(f"{number} is {TOKEN}"))
    child = session_init(Log(folder / "s-1" / "subagents", "c-1"))
    child.add("user", content=child.spilled(f"use {TOKEN}")).write()
    return log.write()


def _dsh(folder: Path) -> Path:
    text = opened(
        (
            DATA / "dsh-log" / "vectors" / "valid" / "secrets-fake" / "session.jsonl.zstd"
        ).read_bytes()
    )
    said = "please show the env note."
    assert said in text
    made = folder / "session.jsonl.zstd"
    noise = " ".join(f"{number:x}" for number in range(9000))
    made.write_bytes(closed(text.replace(said, f"{TOKEN} {noise}"), MAGIC))
    return made


def _snapshot(folder: Path) -> Path:
    value = json.loads((DATA / "ochat-record" / "vectors" / "v5" / "empty.json").read_bytes())[
        "session"
    ]
    value["kv_store"] = [["note", f"{TOKEN} {LONG}"]]
    outcome = import_json(json.dumps(value).encode())
    assert isinstance(outcome, Valid)
    made = folder / "snapshot.bin"
    made.write_bytes(snapshot_bytes(outcome.value))
    return made


FORMATS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "robota-record": (_record, "new.json"),
    "robota-log": (_log, "new"),
    "robota-log, a file": (_log, "new.jsonl"),
    "dsh-log": (_dsh, "new"),
    "dsh-log, a file": (_dsh, "new.jsonl"),
    "ochat-record": (_snapshot, "new.bin"),
}
every_format = pytest.mark.parametrize("name", FORMATS)


def made(here: Path, name: str) -> tuple[Path, str, dict[str, bytes]]:
    (here / "in").mkdir()
    source = FORMATS[name][0](here / "in").relative_to(here)
    return source, FORMATS[name][1], everything(here)


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def new_bytes(here: Path, before: dict[str, bytes]) -> bytes:
    after = everything(here)
    assert before.items() <= after.items()
    return b"".join(data for name, data in after.items() if name not in before)


@every_format
def test_it_is_shared_and_holds_no_secret(run: Run, here: Path, name: str) -> None:
    source, out, before = made(here, name)
    assert run("share", source, "--out", out).code == 0
    assert run("validate", out).code == 0
    assert run("share", "--verify-only", out).code == 0
    assert TOKEN.encode() not in new_bytes(here, before)


@every_format
@pytest.mark.parametrize("writes", [0, 1])
def test_a_full_disk(
    run: Run, here: Path, name: str, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out, before = made(here, name)
    write, count = os.write, 0

    def full(descriptor: int, data: bytes) -> int:
        nonlocal count
        count += 1
        if count > writes:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[: len(data) // 2] if count == writes else data)

    monkeypatch.setattr("os.write", full)
    assert run("share", source, "--out", out).code == 2
    assert everything(here) == before
    assert {path.name for path in here.iterdir()} <= {"in", out}


_LIMITED = """
import resource, runpy, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
sys.argv = ["sesskit", "share", sys.argv[1], "--out", sys.argv[2], "--no-local"]
runpy.run_module("sesskit", run_name="__main__")
"""


@every_format
def test_a_limit_on_the_size_of_files(here: Path, name: str) -> None:
    source, out, before = made(here, name)
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, source, out],
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr
    assert TOKEN.encode() not in done.stdout + done.stderr
    assert everything(here) == before


@every_format
def test_a_kill(here: Path, name: str) -> None:
    source, out, before = made(here, name)
    command = [sys.executable, "-m", "sesskit", "share", str(source), "--no-local", "--out", out]
    whole: bytes | None = None
    for number in range(4):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        time.sleep(0.3 + 0.15 * number)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert TOKEN.encode() not in new_bytes(here, before)
        found = {n: d for n, d in everything(here).items() if n == out or n.startswith(f"{out}/")}
        if found and "a file" not in name:
            data = b"".join(found.values())
            assert data == (whole or data)
            whole = data


@every_format
def test_what_is_read_is_never_written(run: Run, here: Path, name: str) -> None:
    source, _, before = made(here, name)
    (here / "link").symlink_to(source)
    (here / "folder").symlink_to("in")
    for out in (source, "link", here / source, f"in/../{source}", f"folder/{source.name}"):
        assert run("share", source, "--out", out, "--force").code == 2, out
    assert everything(here) == before
    if name != "dsh-log":  # which gets folders of its own
        for out in ("in", "in/", "folder"):
            assert run("share", source, "--out", out, "--force").code == 2, out
            assert run("share", "in", "--out", out, "--force").code == 2, out
        assert everything(here) == before


@every_format
def test_a_link_is_replaced_and_never_written_through(run: Run, here: Path, name: str) -> None:
    source, _, before = made(here, name)
    (here / "mine").write_text("mine")
    suffix = source.suffix
    (here / f"link{suffix}").symlink_to(here / "mine")
    assert run("share", source, "--out", f"link{suffix}").code == 2
    assert run("share", source, "--out", f"link{suffix}", "--force").code == 0
    assert (here / "mine").read_text() == "mine"
    assert not (here / f"link{suffix}").is_symlink()
    assert TOKEN.encode() not in new_bytes(here, before)


@every_format
def test_a_secret_that_cannot_go_writes_nothing(
    run: Run, here: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out, before = made(here, name)
    monkeypatch.setattr("sesskit.artifacts.share.redact", lambda documents, redactor: None)
    result = run("share", source, "--out", out, "--output", "json")
    assert result.code == 3
    assert everything(here) == before
    assert TOKEN[4:12] not in result.out + result.err
    (entry,) = [e for e in json.loads(result.out)["files"] if e["share"]["refused"]]
    assert "github-token" in {found["rule"] for found in entry["share"]["left"]}

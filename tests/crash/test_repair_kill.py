"""`sesskit repair` killed at any moment, or without room: the log is as it was, no part is left."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from logs.dsh.vectors import cases
from sesskit.logs.dsh.decode import decode
from sesskit.schemas.outcomes import Valid

COMMAND = [sys.executable, "-m", "sesskit", "repair", "log.jsonl"]
MADE = ("log.jsonl.repaired", "log.jsonl.branch-1", "log.jsonl.lost+found")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (case,) = cases(name="two-writers-end-seed")
    path = tmp_path / "log.jsonl"
    path.write_bytes(case.file.read_bytes() + b'{"type":"turn/st')
    return path


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def whole(folder: Path) -> bool:
    """Whether every log that was made is whole; says nothing of temporary files of the killed."""
    logs = [folder / name for name in MADE[:2] if (folder / name).exists()]
    return all(isinstance(decode(path.read_bytes()), Valid) for path in logs)


def test_killed(log: Path) -> None:
    before = log.read_bytes()
    started = time.monotonic()
    subprocess.run(COMMAND, cwd=log.parent, env=environment(), check=True, capture_output=True)
    took = time.monotonic() - started
    assert {path.name for path in log.parent.iterdir()} == {"log.jsonl", *MADE}
    shuffled = random.Random(4)
    for _ in range(8):
        for name in MADE:
            (log.parent / name).unlink(missing_ok=True)
        process = subprocess.Popen(
            COMMAND, cwd=log.parent, env=environment(), stdout=subprocess.DEVNULL
        )
        time.sleep(took * shuffled.uniform(0.5, 1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert log.read_bytes() == before
        assert whole(log.parent)
        if (log.parent / MADE[0]).exists():
            assert all((log.parent / name).exists() for name in MADE)


@pytest.mark.parametrize("most", [0, 100, 1_000, 1_500])
def test_no_room(log: Path, most: int) -> None:
    before = log.read_bytes()
    done = subprocess.run(
        COMMAND,
        cwd=log.parent,
        env={**environment(), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert log.read_bytes() == before
    assert [path.name for path in log.parent.iterdir()] == ["log.jsonl"]

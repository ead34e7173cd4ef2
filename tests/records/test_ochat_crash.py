"""Two processes save, reset and are killed at random: a whole snapshot, and no lock left."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sesskit.records.ochat_store import OchatStore
from sesskit.schemas.ochat_sessions import SessionV5
from sesskit.schemas.outcomes import Valid

TESTS = Path(__file__).parents[1]
SAVER = TESTS / "ochat_saver.py"
NAME = "killed"


def _start(root: Path, seed: int) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS)])
    return subprocess.Popen(
        [sys.executable, str(SAVER), str(root), str(seed)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def _session(store: OchatStore) -> SessionV5:
    outcome = store.load(NAME).outcome
    assert isinstance(outcome, Valid), outcome
    session = outcome.value.session
    assert isinstance(session, SessionV5)
    return session


def _stopped(process: subprocess.Popen[str]) -> list[str]:
    """What a killed process had told; a line that was cut by the kill does not count."""
    process.kill()
    told, _ = process.communicate()
    return told.splitlines()[: told.count("\n")]


@pytest.mark.parametrize(
    "seconds", [3, pytest.param(60, marks=pytest.mark.soak)], ids=["a moment", "a minute"]
)
def test_killed_at_random(tmp_path: Path, seconds: float) -> None:
    chance, store = random.Random(5), OchatStore(tmp_path, lock_seconds=30)
    store.create("prompt.chatmd", session_id=NAME)
    told: list[str] = []
    mark, seed, end = 0, 0, time.monotonic() + seconds
    running = [_start(tmp_path, seed := seed + 1) for _ in range(2)]
    while time.monotonic() < end:
        time.sleep(0.3 + chance.random() * 0.3)
        seen = _session(store)  # at every instant a whole one
        assert seen.next_history_sequence >= mark, "an id would be given out twice"
        mark = seen.next_history_sequence
        one = chance.randrange(2)
        told += _stopped(running[one])
        running[one] = _start(tmp_path, seed := seed + 1)
    for process in running:
        told += _stopped(process)
    assert len(told) > seconds, "nothing was saved"
    assert not [line for line in told if line.startswith(("locked", "refused"))]
    left = {task.id for task in _session(store).tasks}
    assert {line for line in told if line.startswith("task")} <= left, "a saved change is lost"
    assert store.reset(NAME).written, "a lock was left that needs a hand"
    names = [entry.name for entry in store.path(NAME).parent.iterdir()]
    assert [name for name in names if name.endswith(".lock")] == []

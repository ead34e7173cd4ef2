"""Killed at any point of a save, or without room on the disk: the old record or the new one."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sesskit.records.robota_store import RobotaStore
from sesskit.records.robota_writing import encode_record
from sesskit.schemas.outcomes import Valid
from sesskit.schemas.robota_decode import decode_envelope

SAVER = Path(__file__).with_name("saver.py")
SIZES = (10, 400_000)


class Saver:
    """The other end of `saver.py`."""

    def __init__(self) -> None:
        environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, str(SAVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def start(self, work: str, folder: Path, **job: Any) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"work": work, "folder": str(folder), **job}) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def run(self, work: str, folder: Path, **job: Any) -> int:
        """The exit status of the work."""
        self.start(work, folder, **job)
        return self.answer()


@pytest.fixture(scope="module")
def saver() -> Iterator[Saver]:
    other = Saver()
    with other.process:
        yield other
        assert other.process.stdin is not None
        other.process.stdin.close()


def size_of(store: RobotaStore) -> int:
    """Which of the records is stored, whole; -1 for none."""
    path = store.path("killed")
    if not path.exists():
        return -1
    data = path.read_bytes()
    outcome = decode_envelope(data)
    assert isinstance(outcome, Valid)
    record = outcome.value
    assert record.messages[0].content == "x" * int(record.name)
    assert data == encode_record(record)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return int(record.name)


def timed_save(saver: Saver, store: RobotaStore) -> float:
    begun = time.monotonic()
    assert saver.run("save_once", store.base_dir, size=max(SIZES), die_at=-1) == 0
    return time.monotonic() - begun


def kill_at_random(saver: Saver, folder: Path, times: int, seed: int) -> None:
    store = RobotaStore(folder / "sessions")
    chance = random.Random(seed)
    one_save = min(timed_save(saver, store) for _ in range(3))
    seen: set[int] = set()
    for n in range(times):
        sizes = SIZES if n % 2 else SIZES[::-1]
        pid = saver.start("save_for_ever", store.base_dir, sizes=sizes)
        time.sleep(chance.uniform(0, 3 * one_save))
        os.kill(pid, signal.SIGKILL)
        assert saver.answer() == -signal.SIGKILL
        seen.add(size_of(store))
    assert seen == set(SIZES)
    leave_nothing(store)


def leave_nothing(store: RobotaStore) -> None:
    """What killed writers left is private, and goes with the next save after a while."""
    for left in store.base_dir.iterdir():
        assert stat.S_IMODE(left.stat().st_mode) == 0o600
        if left.suffix == ".tmp":
            os.utime(left, (0, 0))
    store.base_dir.joinpath("killed.json").unlink()
    assert RobotaStore(store.base_dir, lock_seconds=0).put(small("killed")).written
    assert [file.name for file in store.base_dir.iterdir()] == ["killed.json"]


def small(session_id: str) -> dict[str, Any]:
    instant = "2026-03-04T09:00:00.000Z"
    head = {"id": session_id, "cwd": "", "createdAt": instant, "updatedAt": instant}
    return {**head, "messages": []}


def test_killed_at_random(saver: Saver, tmp_path: Path) -> None:
    kill_at_random(saver, tmp_path, times=60, seed=7)


@pytest.mark.soak
def test_killed_at_random_hundreds_of_times(saver: Saver, tmp_path: Path) -> None:
    kill_at_random(saver, tmp_path, times=500, seed=11)


def test_killed_before_every_system_call_of_a_save(saver: Saver, tmp_path: Path) -> None:
    store = RobotaStore(tmp_path / "sessions")
    old, new = 10, 20
    sizes = []
    for die_at in range(100):
        store.put({**small("killed")})
        assert saver.run("save_once", store.base_dir, size=old, die_at=1000) == 0
        status = saver.run("save_once", store.base_dir, size=new, die_at=die_at)
        sizes.append(size_of(store))
        if status == 0:
            break
        assert status == -signal.SIGKILL
    assert sizes == sorted(sizes)
    assert set(sizes) == {old, new}
    assert len(sizes) > 12
    leave_nothing(store)


@pytest.mark.parametrize("overwrite", [True, False])
def test_killed_before_every_system_call_of_a_write(
    saver: Saver, tmp_path: Path, overwrite: bool
) -> None:
    file = tmp_path / "file"
    seen = []
    for die_at in range(100):
        file.unlink(missing_ok=True)
        if overwrite:
            file.write_text("old")
        job = {"text": "new", "overwrite": overwrite, "die_at": die_at}
        status = saver.run("write_once", tmp_path, **job)
        seen.append(file.read_text() if file.exists() else "old")
        if status == 0:
            break
        assert status == -signal.SIGKILL
    assert set(seen) == {"old", "new"}
    assert seen == sorted(seen, reverse=True)


def test_no_room_on_the_disk(saver: Saver, tmp_path: Path) -> None:
    store = RobotaStore(tmp_path / "sessions")
    assert saver.run("save_once", store.base_dir, size=10, die_at=-1) == 0
    before = store.path("killed").read_bytes()
    status = saver.run("save_with_a_limit", store.base_dir, size=400_000, limit=100_000)
    assert status == errno.EFBIG
    assert store.path("killed").read_bytes() == before
    assert [file.name for file in store.base_dir.iterdir()] == ["killed.json"]


@pytest.mark.parametrize("umask", [0o000, 0o077], ids=oct)
def test_modes_whatever_the_umask(saver: Saver, tmp_path: Path, umask: int) -> None:
    store = RobotaStore(tmp_path / "parent" / "sessions")
    assert saver.run("save_once", store.base_dir, size=10, die_at=-1, umask=umask) == 0
    for folder in (store.base_dir, store.base_dir.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(store.path("killed").stat().st_mode) == 0o600


def test_writers_at_the_same_time(tmp_path: Path) -> None:
    store = RobotaStore(tmp_path / "sessions")
    others = [Saver() for _ in range(3)]
    pids = [
        other.start("save_for_ever", store.base_dir, sizes=[number + 1, 50_000 * (number + 1)])
        for number, other in enumerate(others)
    ]
    soon = time.monotonic() + 1
    late = soon + 30
    seen: set[int] = set()
    while time.monotonic() < (soon if len(seen - {-1}) > 1 else late):
        seen.add(size_of(store))
    for pid, other in zip(pids, others, strict=True):
        os.kill(pid, signal.SIGKILL)
        assert other.answer() == -signal.SIGKILL
        assert other.process.stdin is not None
        other.process.stdin.close()
        other.process.wait()
        assert other.process.stdout is not None
        other.process.stdout.close()
    assert len(seen - {-1}) > 1
    leave_nothing(store)

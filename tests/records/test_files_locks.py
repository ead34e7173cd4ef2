"""Locks: exclusive, never stale, and they say who has them."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sesskit.records.locks import Lock, LockTimeout
from sesskit.records.reading import reason_for

HOLDER = """
import sys, time
from sesskit.records.locks import Lock
with Lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(target: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(target)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_lock_file_goes_with_the_lock(tmp_path: Path) -> None:
    with Lock(tmp_path / "a.json") as lock:
        assert lock.path == tmp_path / "a.json.lock"
        assert lock.path.read_text().startswith(f"pid {os.getpid()} host ")
        assert lock.path.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.iterdir())


def test_it_goes_after_an_exception_too(tmp_path: Path) -> None:
    with pytest.raises(KeyError), Lock(tmp_path / "a"):
        raise KeyError
    with Lock(tmp_path / "a", timeout=0):
        pass


def test_a_second_one_waits_and_names_the_first(tmp_path: Path) -> None:
    with (
        Lock(tmp_path / "a"),
        pytest.raises(LockTimeout) as caught,
        Lock(tmp_path / "a", timeout=0.05),
    ):
        pass
    assert f"process {os.getpid()} on " in str(caught.value)
    assert "0.05 seconds" in reason_for(caught.value)
    assert caught.value.filename == str(tmp_path / "a.lock")


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    process = holder(tmp_path / "a")
    with process:
        with pytest.raises(LockTimeout, match=f"process {process.pid} on"):
            Lock(tmp_path / "a", timeout=0).__enter__()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (tmp_path / "a.lock").exists()
        with Lock(tmp_path / "a", timeout=0):
            pass
    assert not list(tmp_path.iterdir())


def test_threads_take_turns(tmp_path: Path) -> None:
    seen: list[int] = []

    def work(number: int) -> None:
        for _ in range(20):
            with Lock(tmp_path / "a"):
                seen.append(number)
                seen.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen[::2] == seen[1::2]
    assert len(seen) == 160
    assert not list(tmp_path.iterdir())


def test_removed_between_opening_and_locking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fcntl.flock
    times = [2]

    def flock(descriptor: int, operation: int) -> None:
        if times[0]:
            times[0] -= 1
            (tmp_path / "a.lock").unlink()
            if times[0]:
                (tmp_path / "a.lock").write_bytes(b"")  # a new one, which is not ours
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with Lock(tmp_path / "a"):
        assert not times[0]
        assert (tmp_path / "a.lock").read_text().startswith("pid ")


@pytest.mark.parametrize(
    "content", [b"", b"\x1b[31mpid 1 host x\n", b"pid 1 host x\nmore", bytes(600), b"\xff"]
)
def test_a_lock_file_of_others_is_not_repeated(tmp_path: Path, content: bytes) -> None:
    with Lock(tmp_path / "a") as lock:
        lock.path.write_bytes(content)
        with pytest.raises(LockTimeout, match="another process is using it"):
            Lock(tmp_path / "a", timeout=0).__enter__()


def test_gone_before_the_holder_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lock, "_taken", lambda _: False)
    with pytest.raises(LockTimeout, match="another process"):
        Lock(tmp_path / "a", timeout=0).__enter__()


def test_a_lock_file_of_others_stays(tmp_path: Path) -> None:
    with Lock(tmp_path / "a") as lock:
        lock.path.unlink()  # by hand
        lock.path.write_bytes(b"theirs")
    assert lock.path.read_bytes() == b"theirs"


def test_where_no_lock_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Lock(tmp_path / "none" / "a").__enter__()
    (tmp_path / "a.lock").symlink_to("b")
    with pytest.raises(OSError, match="symbolic link"):
        Lock(tmp_path / "a").__enter__()
    assert [file.name for file in tmp_path.iterdir()] == ["a.lock"]


def test_leaving_without_entering(tmp_path: Path) -> None:
    Lock(tmp_path / "a").__exit__(None, None, None)

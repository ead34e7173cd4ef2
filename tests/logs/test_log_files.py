"""The files of a log under bad conditions: full disks, held locks, writers side by side."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from sesskit.logs import log_files
from sesskit.logs.log_files import SidecarCorrupt, append, owner_directory, put_once


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    with owner_directory(tmp_path / "logs") as descriptor:
        yield descriptor


def test_a_write_that_does_not_fit_leaves_nothing(folder: int, tmp_path: Path) -> None:
    append(folder, "a.jsonl", b"first\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        with pytest.raises(OSError, match="large"):
            append(folder, "a.jsonl", b"a line that does not fit\n")
        with pytest.raises(OSError, match="large"):
            put_once(folder, "b.json", b"x" * 30)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert (tmp_path / "logs" / "a.jsonl").read_bytes() == b"first\n"
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["a.jsonl"]


def test_a_held_lock_does_not_stop_the_session(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "LOCK_SECONDS", 0.02)
    append(folder, "a.jsonl", b"first\n")
    log = tmp_path / "logs" / "a.jsonl"
    with log.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        append(folder, "a.jsonl", b"second\n")
    assert log.read_bytes() == b"first\nsecond\n"


def test_a_lock_is_waited_for(folder: int, tmp_path: Path) -> None:
    append(folder, "a.jsonl", b"torn")
    log = tmp_path / "logs" / "a.jsonl"
    with log.open("ab", buffering=0) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writer = threading.Thread(target=append, args=(folder, "a.jsonl", b"second\n"))
        writer.start()
        time.sleep(0.05)
        held.write(b" no more\n")
        fcntl.flock(held, fcntl.LOCK_UN)
        writer.join(5)
    assert log.read_bytes() == b"torn no more\nsecond\n"


def test_without_locks(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> NoReturn:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "flock", none)
    append(folder, "a.jsonl", b"first\n", durable=True)
    assert (tmp_path / "logs" / "a.jsonl").read_bytes() == b"first\n"


def test_rights_that_stay(folder: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "a.jsonl"
    log.write_bytes(b"first\n")
    log.chmod(0o644)
    monkeypatch.setattr(os, "fchmod", lambda *_: None)
    with pytest.raises(PermissionError, match="others keep rights"):
        append(folder, "a.jsonl", b"second\n")
    assert log.read_bytes() == b"first\n"


def test_a_sidecar_that_another_writer_is_at(folder: int, tmp_path: Path) -> None:
    path = tmp_path / "logs" / "a.json"
    path.write_bytes(b'"half')

    def finish() -> None:
        time.sleep(0.05)
        with path.open("ab") as stream:
            stream.write(b' and half"')

    other = threading.Thread(target=finish)
    other.start()
    put_once(folder, "a.json", b'"half and half"', durable=True)
    other.join()
    assert path.stat().st_mode & 0o077 == 0


def test_a_sidecar_that_stays_short(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "SETTLE_SECONDS", 0.02)
    (tmp_path / "logs" / "a.json").write_bytes(b'"half')
    with pytest.raises(SidecarCorrupt):
        put_once(folder, "a.json", b'"half and half"')


@pytest.mark.parametrize("same", [True, False])
def test_another_writer_was_first(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: bool
) -> None:
    make = os.link

    def late(*names: Any, **options: Any) -> None:
        other = tmp_path / "logs" / "a.json"
        if not other.exists():
            other.write_bytes(b"[1]" if same else b"[2]")
        make(*names, **options)

    monkeypatch.setattr(os, "link", late)
    if same:
        put_once(folder, "a.json", b"[1]", durable=True)
    else:
        with pytest.raises(SidecarCorrupt):
            put_once(folder, "a.json", b"[1]")
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["a.json"]

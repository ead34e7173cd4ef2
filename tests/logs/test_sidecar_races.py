"""Sidecars that change while they are read: the right bytes or an answer, never other bytes."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sesskit.logs import sidecar_files
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import PayloadFault

SIZE = 3 * sidecar_files.CHUNK_BYTES
WHOLE = bytes(range(256)) * (SIZE // 256)
DIGEST = hashlib.sha256(WHOLE).hexdigest()


def grow(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"more")


def shrink(path: Path) -> None:
    os.truncate(path, SIZE - 10)


def rewrite(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.write(b"other bytes of the same size")


def change_mode(path: Path) -> None:
    path.chmod(0o640)


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(WHOLE[::-1])
    other.replace(path)


def move_base(path: Path) -> None:
    base = path.parent
    base.rename(base.with_name("moved"))
    base.mkdir()


CHANGES: list[Callable[[Path], None]] = [grow, shrink, rewrite, change_mode, replace, move_base]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_in_the_middle_is_noticed(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "base" / "x.json"
    path.parent.mkdir()
    path.write_bytes(WHOLE)
    time.sleep(0.02)  # so that a change has another time than the writing
    read = os.read
    done: list[bool] = []

    def read_and_change(file: int, size: int) -> bytes:
        data = read(file, size)
        if not done:
            done.append(True)
            change(path)
        return data

    with PayloadDirectory(path.parent) as source:
        monkeypatch.setattr(os, "read", read_and_change)
        assert source.read("x.json", SIZE * 2) == PayloadFault("PAYLOAD_UNREADABLE")


def test_growing_past_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(WHOLE)
    read = os.read

    def read_and_grow(file: int, size: int) -> bytes:
        grow(path)
        return read(file, size)

    with PayloadDirectory(tmp_path) as source:
        monkeypatch.setattr(os, "read", read_and_grow)
        found = source.read("x.json", SIZE + 2)
    assert found == PayloadFault("MAX_TOTAL_BYTES_EXCEEDED", {"expected": SIZE + 2})


def test_readers_against_a_writer(tmp_path: Path) -> None:
    """A thread changes the file all the time; every read is whole or refused."""
    path = tmp_path / "x.json"
    path.write_bytes(WHOLE)
    stop = threading.Event()

    def disturb() -> None:
        while not stop.is_set():
            other = tmp_path / "other"
            other.write_bytes(WHOLE)
            other.replace(path)
            grow(path)
            change_mode(path)
            os.truncate(path, SIZE)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    answers: list[PayloadBytes | PayloadFault] = []
    try:
        with PayloadDirectory(tmp_path) as source:
            until = time.monotonic() + 1.5
            while time.monotonic() < until:
                answers.append(source.read("x.json", SIZE * 2))
    finally:
        stop.set()
        disturber.join()
    faults = [answer for answer in answers if isinstance(answer, PayloadFault)]
    assert {fault.code for fault in faults} == {"PAYLOAD_UNREADABLE"}
    for answer in answers:
        if isinstance(answer, PayloadBytes):
            assert hashlib.sha256(answer.data).hexdigest() == answer.sha256
            assert answer.data[:SIZE] == WHOLE

"""Sidecars that change while they are read: the right bytes or an answer, never other bytes."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesskit.logs import sidecar_files
from sesskit.logs.robota_verify import verify_log
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


class Disturber:
    """Runs something over and over on another thread, for as long as the block lasts."""

    def __init__(self, disturb: Callable[[], None]) -> None:
        self._stop = threading.Event()
        self._disturb = disturb
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._disturb()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def exchange(one: Path, other: Path) -> None:
    """Two names change what they lead to; for a moment one of them leads nowhere."""
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


@pytest.mark.parametrize("link", [True, False])
def test_a_payload_directory_that_changes_places_lets_nothing_out(
    link: bool, tmp_path: Path
) -> None:
    """The directory turns into a link that leads out, or into another one, between reads."""
    base, outside = tmp_path / "base", tmp_path / "outside"
    for folder, data in ((base / "p", b"inside"), (outside, b"outside"), (base / "q", b"other")):
        folder.mkdir(parents=True)
        (folder / "x.json").write_bytes(data)
    if link:
        (base / "q" / "x.json").unlink()
        (base / "q").rmdir()
        (base / "q").symlink_to(outside)
    seen: Counter[bytes | str] = Counter()
    with (
        PayloadDirectory(base) as source,
        Disturber(lambda: exchange(base / "p", base / "q")),
    ):
        until = time.monotonic() + 1
        while time.monotonic() < until:
            found = source.read("p/x.json", 100)
            seen[found.data if isinstance(found, PayloadBytes) else found.code] += 1
    allowed = {b"inside", "OUTSIDE_ROOT", "PAYLOAD_NOT_FOUND", "PAYLOAD_UNREADABLE"}
    assert set(seen) <= (allowed if link else allowed | {b"other"})
    assert seen[b"inside"]


def test_a_pipe_in_the_place_of_a_sidecar_makes_nobody_wait(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"1")
    os.mkfifo(tmp_path / "pipe")
    seen: Counter[bytes | str] = Counter()
    with (
        PayloadDirectory(tmp_path) as source,
        Disturber(lambda: exchange(tmp_path / "x.json", tmp_path / "pipe")),
    ):
        until = time.monotonic() + 1
        while time.monotonic() < until:
            found = source.read("x.json", 100)
            seen[found.data if isinstance(found, PayloadBytes) else found.code] += 1
    assert set(seen) <= {b"1", "OUTSIDE_ROOT", "PAYLOAD_NOT_FOUND", "PAYLOAD_UNREADABLE"}
    assert seen[b"1"]


@pytest.mark.parametrize("workers", [1, 4])
def test_a_log_verified_while_its_sidecars_change(workers: int, tmp_path: Path) -> None:
    """Each run finds the log whole, or says of a sidecar what is wrong with it."""
    place = tmp_path / "s.payloads"
    place.mkdir()
    lines, paths = [], []
    for number in range(6):
        data = json.dumps(f"{number}" + "x" * 300_000).encode()
        digest = hashlib.sha256(data).hexdigest()
        paths.append(place / f"{digest}.json")
        paths[-1].write_bytes(data)
        head = {"kind": "external-payload", "encoding": "json", "sha256": digest}
        path = f"s.payloads/{digest}.json"
        line: dict[str, Any] = {"content": {**head, "byteLength": len(data), "relativePath": path}}
        line |= {"schemaVersion": 1, "timestamp": "2026-10-04T09:15:00.137Z"}
        lines.append(json.dumps(line | {"sessionId": "s", "event": "user"}, separators=(",", ":")))
    log = tmp_path / "s.jsonl"
    log.write_text("\n".join(lines) + "\n")
    whole = paths[0].read_bytes()

    def disturb() -> None:
        for change in (grow, change_mode):
            change(paths[0])
        paths[0].unlink()
        paths[0].write_bytes(whole[:1000])
        paths[0].write_bytes(whole)
        time.sleep(0.01)

    codes: Counter[str] = Counter()
    with Disturber(disturb):
        until = time.monotonic() + 2
        while time.monotonic() < until:
            found = verify_log(log, workers=workers)
            errors = {i.code for i in found.outcome.issues if i.severity == "error"}
            assert {i.line for i in found.outcome.issues if i.severity == "error"} <= {1}
            codes.update(errors or {found.outcome.status})
    assert set(codes) <= {
        "valid",
        "payload-length",
        "payload-digest",
        "payload-missing",
        "payload-unreadable",
    }
    assert len(codes) > 1

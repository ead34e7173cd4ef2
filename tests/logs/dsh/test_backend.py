"""Persistence: the bytes of the original, locks, and appends that fail."""

import errno
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.errors import (
    SessionFormatUnsupportedError,
    SessionPersistenceCorruptionError,
    SessionPersistenceError,
)
from sesskit.logs.dsh.header import make_header
from sesskit.logs.dsh.session import Session
from sesskit.records.files import LockTimeout
from sesskit.schemas.outcomes import Original, Valid


def placed(case: Case, root: Path) -> Path:
    for file in case.expected["files"]:
        path = root / file["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(case.folder / file["file"], path)
    return root / str(case.expected["files"][0]["path"])


def loaded(path: Path) -> Valid:
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    return answer


def loadable() -> list[Case]:
    return [
        c
        for c in cases()
        if c.expected.get("format") == "v0" and c.expected["outcome"].startswith("accept")
    ]


@pytest.mark.parametrize("case", loadable(), ids=lambda c: c.name)
def test_a_load_writes_what_the_original_writes(case: Case, tmp_path: Path) -> None:
    path = placed(case, tmp_path)
    before = path.read_bytes()
    with Persistence(tmp_path, compressed=path.suffix == ".zstd") as backend:
        inspected = backend.inspect(case.expected["id"])
        assert path.read_bytes() == before
        log = backend.load(case.expected["id"])
        assert log.all_events == inspected.all_events
    after = case.expected["load"].get("afterFile")
    assert path.read_bytes() == ((case.folder / after["file"]).read_bytes() if after else before)
    assert loaded(path).original == Original("accept")


def refused() -> list[Case]:
    return [
        c
        for c in cases()
        if c.expected.get("format") == "v0"
        and c.expected["outcome"].startswith(("reject", "refuse"))
        and not c.name.startswith(("layout-", "header-", "utf8", "zstd-checksum-flip-header"))
    ]


@pytest.mark.parametrize("case", refused(), ids=lambda c: c.name)
def test_a_refused_log_is_left_alone(case: Case, tmp_path: Path) -> None:
    path = placed(case, tmp_path)
    before = path.read_bytes()
    unsupported = case.expected["outcome"].startswith("refuse")
    kind = SessionFormatUnsupportedError if unsupported else SessionPersistenceCorruptionError
    with (
        Persistence(tmp_path, compressed=path.suffix == ".zstd") as backend,
        pytest.raises(kind),
    ):
        backend.load(case.expected["id"])
    assert path.read_bytes() == before


def written(tmp_path: Path, **options: Any) -> tuple[Persistence, Session, Path]:
    backend = Persistence(tmp_path / "root", **options)
    session = Session("s", meta={"cwd": "/w", "createdAt": 5}, clock=lambda: 7)
    backend.create(session.header)
    session.append("turn/start", {"turn": 1})
    backend.append("s", session.events)
    return backend, session, backend.path(session.header)


@pytest.mark.parametrize("compressed", [True, False])
def test_first_append_publishes_header_and_batch(tmp_path: Path, compressed: bool) -> None:
    backend, _, path = written(tmp_path, compressed=compressed)
    name = "session.jsonl.zstd" if compressed else "session.jsonl"
    assert path == tmp_path / "root" / "--w--" / "s" / name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not list(path.parent.glob("*.tmp"))
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    assert answer.value.header["delegationDepth"] == 0
    if not compressed:
        first = path.read_text().splitlines()[0]
        assert first == (
            '{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/w","delegationDepth":0}'
        )
    assert [h["id"] for h in backend.list()] == ["s"]
    backend.close()


def test_nothing_is_written_before_the_first_event(tmp_path: Path) -> None:
    with Persistence(tmp_path / "root") as backend:
        backend.create(make_header("s"))
        backend.append("s", [])
        assert not (tmp_path / "root").exists()
        with pytest.raises(SessionPersistenceError, match="already"):
            backend.create(make_header("s"))
        with pytest.raises(SessionPersistenceError, match="create or load"):
            backend.append("other", [])


def test_appends_go_on_and_rows_are_packed(tmp_path: Path) -> None:
    backend, session, path = written(tmp_path, compressed=False)
    session.append("step/start", {"turn": 1, "step": 1})
    for text in "abcd":
        delta = {"type": "text-delta", "index": 0, "text": text}
        session.append("assistant/chunk", {"turn": 1, "step": 1, "chunk": delta})
    backend.append("s", session.events[1:])
    kinds = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert kinds == ["session", "turn/start", "step/start", "text-chunks"]
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    assert answer.value.events == session.events
    backend.close()


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"type": "x", "seq": 5, "time": 1, "data": {}}, "seq-gap"),
        ({"type": "x", "seq": 1, "time": 1.5, "data": {}}, "invalid-envelope"),
        ({"type": "x", "seq": 1, "time": 1, "data": {"a": ...}}, "data-not-json-value"),
    ],
)
def test_wrong_batches_are_refused_whole(tmp_path: Path, event: Any, code: str) -> None:
    backend, _, path = written(tmp_path)
    before = path.read_bytes()
    with pytest.raises(SessionPersistenceError) as caught:
        backend.append("s", [event])
    assert caught.value.code == code
    assert path.read_bytes() == before
    backend.close()


@pytest.mark.parametrize("fails", ["write", "fsync"])
def test_a_failed_append_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    backend, session, path = written(tmp_path)
    before = path.read_bytes()
    session.append("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    real_write, calls = os.write, 0

    def half(descriptor: int, data: Any) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_write(descriptor, bytes(data[:5]) if len(data) > 5 else data)

    real_fsync = os.fsync

    def once(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError(errno.EIO, "Input/output error")
        real_fsync(descriptor)

    target = f"sesskit.logs.dsh.writing.os.{fails}"
    monkeypatch.setattr(target, half if fails == "write" else once)
    with pytest.raises(SessionPersistenceError) as caught:
        backend.append("s", session.events[1:])
    monkeypatch.undo()
    assert caught.value.code == "append-failed"
    assert path.read_bytes() == before
    backend.append("s", session.events[1:])
    assert len(loaded(path).value.events) == 2
    backend.close()


def test_a_second_writer_is_kept_out(tmp_path: Path) -> None:
    backend, session, path = written(tmp_path)
    session.append("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    other = Persistence(tmp_path / "root", lock_seconds=0.05)
    with pytest.raises(LockTimeout):
        other.load("s")
    # One that asks for no lock is noticed before anything is written.
    with path.open("ab") as stranger:
        stranger.write(b"x")
    with pytest.raises(SessionPersistenceError) as caught:
        backend.append("s", session.events[1:])
    assert caught.value.code == "second-writer"
    backend.close()


def test_publication_never_replaces_a_log(tmp_path: Path) -> None:
    backend, session, path = written(tmp_path)
    backend.close()
    before = path.read_bytes()
    other, late = Persistence(tmp_path / "root"), Persistence(tmp_path / "root")
    with pytest.raises(SessionPersistenceError) as caught:
        other.create(session.header)
    assert caught.value.code == "session-exists"
    path.rename(aside := path.with_name("aside"))
    late.create(session.header)
    aside.rename(path)  # it came between the question and the write
    with pytest.raises(SessionPersistenceError) as caught:
        late.append("s", session.events)
    assert caught.value.code == "session-exists"
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.tmp"))
    late.release("s")
    late.load("s")
    late.close()


def test_version_3_is_written_as_v3(tmp_path: Path) -> None:
    header = {"id": "s", "createdAt": 5, "cwd": "/w", "isSeeded": False}
    with Persistence(tmp_path, compressed=False, version=3) as backend:
        backend.create({**header, "version": 3})
        start = {"type": "turn/start", "seq": 0, "time": 1, "data": {"turn": 1}}
        end = {"turn": 1, "reason": {"kind": "completed"}}
        backend.append("s", [start, {"type": "turn/end", "seq": 1, "time": 1, "data": end}])
        path = backend.path(header)
    assert path.name == "session.v3.jsonl"
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    assert answer.version == 3
    with pytest.raises(ValueError, match="0 or 3"):
        Persistence(tmp_path, version=2)


def test_not_found_and_found_twice(tmp_path: Path) -> None:
    (case,) = cases(name="layout-duplicate-id")
    placed(case, tmp_path)
    with Persistence(tmp_path, compressed=False) as backend:
        with pytest.raises(SessionPersistenceCorruptionError):
            backend.inspect(case.expected["id"])
        with pytest.raises(SessionPersistenceError, match="no log"):
            backend.inspect("nobody")


LISTED = [c for c in cases() if c.expected.get("list") and c.expected.get("format") == "v0"]


@pytest.mark.parametrize("case", LISTED, ids=lambda c: c.name)
def test_what_is_listed_of_a_root(case: Case, tmp_path: Path) -> None:
    for entry in case.expected["files"]:
        target = tmp_path / entry["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(case.folder / entry["file"], target)
    recorded = case.expected["list"]
    with Persistence(tmp_path, compressed=case.expected["compression"] == "zstd") as backend:
        if "ids" in recorded:
            assert [header["id"] for header in backend.list()] == recorded["ids"]
            return
        with pytest.raises(SessionPersistenceCorruptionError):
            backend.list()


def test_a_root_of_two_encodings_is_not_read(tmp_path: Path) -> None:
    written(tmp_path)[0].close()
    (path,) = (tmp_path / "root").rglob("session.jsonl.zstd")
    shutil.copyfile(path, path.with_name("session.jsonl"))
    with (
        Persistence(tmp_path / "root") as backend,
        pytest.raises(SessionPersistenceCorruptionError) as refused,
    ):
        backend.load("s")
    assert refused.value.code == "layout-other-encoding"
    assert Persistence(tmp_path / "nowhere").list() == []

"""Locks round a save, and the migration of files."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from ochat_builders import file_of, said
from ochat_vectors import raw, told
from sesskit.records.files import LockTimeout
from sesskit.records.ochat import (
    decode,
    migrate_snapshot_file,
    reset_snapshot,
    reset_snapshot_file,
)
from sesskit.records.ochat_locks import SnapshotLock
from sesskit.records.ochat_store import OchatStore, fingerprint_of
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable


@pytest.fixture
def store(tmp_path: Path) -> OchatStore:
    return OchatStore(tmp_path / "sessions", lock_seconds=0.3)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _put(store: OchatStore, data: bytes, name: str = "demo") -> Path:
    path = store.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_the_lock_is_seen_by_ochat_and_goes_away(store: OchatStore) -> None:
    path = _put(store, file_of())
    with SnapshotLock(path):
        lock = path.with_name("snapshot.bin.lock")
        assert lock.read_bytes().startswith(b"sesskit pid ")
        assert _mode(lock) == 0o600
        with pytest.raises(LockTimeout, match=f"process {os.getpid()}"):
            store.reset("demo")
    assert _names(path.parent) == ["snapshot.bin"]


def test_a_lock_of_ochat_is_never_taken_away(store: OchatStore) -> None:
    path = _put(store, file_of())
    lock = path.with_name("snapshot.bin.lock")
    lock.touch()
    with pytest.raises(LockTimeout, match="ochat or another program"):
        store.reset("demo")
    assert lock.exists()
    threading.Timer(0.1, lock.unlink).start()
    assert store.reset("demo").written


def test_a_lock_left_over_by_one_of_ours_is_replaced(store: OchatStore) -> None:
    path = _put(store, file_of())
    lock = path.with_name("snapshot.bin.lock")
    lock.write_bytes(b"sesskit pid 1 host elsewhere\n")
    path.with_name("snapshot.bin.sesskit.lock").write_bytes(b"pid 1 host elsewhere\n")
    assert store.reset("demo").written
    assert not lock.exists()


def test_a_failed_write_leaves_the_old_snapshot(
    store: OchatStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _put(store, file_of(said()))
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", _full)
    with pytest.raises(OSError, match="full"):
        store.reset("demo")
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert _names(path.parent) == ["archive", "snapshot.bin"]
    assert fingerprint_of(before) == store.load("demo").fingerprint


def _full(*args: object, **options: object) -> None:
    raise OSError(28, "the disk is full")


def test_migration_of_files(tmp_path: Path) -> None:
    source, target = tmp_path / "old.bin", tmp_path / "new.bin"
    data = raw("v2/r2_chat.bin")
    source.write_bytes(data)
    dry = migrate_snapshot_file(source)
    assert (dry.written, dry.data) == (None, raw("v2/r2_chat.migrated.bin"))
    made = migrate_snapshot_file(source, target=target)
    assert (made.written, target.read_bytes()) == (target, dry.data)
    assert _mode(target) == 0o600
    assert source.read_bytes() == data
    with pytest.raises(FileExistsError):
        migrate_snapshot_file(source, target=target)
    assert migrate_snapshot_file(source, target=target, overwrite=True).written == target
    inside = migrate_snapshot_file(source, in_place=True)
    assert inside.backup is not None
    assert inside.backup.read_bytes() == data
    assert source.read_bytes() == dry.data
    again = migrate_snapshot_file(source, in_place=True)
    assert (again.same, again.written, again.backup) == (True, None, None)
    assert _names(tmp_path) == ["new.bin", "old.bin", "old.bin.bak"]


def test_migration_of_what_cannot_be_read(tmp_path: Path) -> None:
    assert migrate_snapshot_file(tmp_path / "gone").outcome == Missing()
    assert isinstance(migrate_snapshot_file(tmp_path).outcome, Unreadable)
    nowhere = tmp_path / "gone" / "snapshot.bin"
    assert migrate_snapshot_file(nowhere, in_place=True).outcome == Missing()
    (tmp_path / "bad.bin").write_bytes(b"damaged")
    bad = migrate_snapshot_file(tmp_path / "bad.bin", target=tmp_path / "out.bin")
    assert isinstance(bad.outcome, Corrupt)
    assert not (tmp_path / "out.bin").exists()
    with (tmp_path / "zeros.bin").open("wb") as file:
        file.truncate(3 << 20)
    assert isinstance(migrate_snapshot_file(tmp_path / "zeros.bin").outcome, Corrupt)


def test_a_migration_in_place_waits_for_a_save(tmp_path: Path) -> None:
    source = tmp_path / "snapshot.bin"
    source.write_bytes(raw("v2/r2_chat.bin"))
    with SnapshotLock(source), pytest.raises(LockTimeout):
        migrate_snapshot_file(source, in_place=True, lock_seconds=0.05)
    assert source.read_bytes() == raw("v2/r2_chat.bin")
    assert decode(source.read_bytes()).version == 2


@pytest.mark.parametrize("keep", [False, True])
def test_resets_of_files(tmp_path: Path, keep: bool) -> None:
    source, target = tmp_path / "s.bin", tmp_path / "new.bin"
    source.write_bytes(raw("v5/chat.bin"))
    made = reset_snapshot_file(source, keep_history=keep, prompt_file="p", target=target)
    assert (made.written, source.read_bytes()) == (target, raw("v5/chat.bin"))
    told_of = told("v5/chat.reset.json")["results"]["reset_keep_history" if keep else "reset"]
    same = reset_snapshot(raw("v5/chat.bin"), keep_history=keep)
    assert same.data is not None
    assert fingerprint_of(same.data) == told_of["sha256"]
    paths = {change.path for change in made.changes}
    assert paths == ({"prompt_file"} if keep else {"prompt_file", "history[]"})
    old = reset_snapshot(raw("v2/r1_tools.bin"), keep_history=keep)
    assert old.session is not None
    assert bool(old.session.history) is keep
    assert reset_snapshot(b"damaged").data is None

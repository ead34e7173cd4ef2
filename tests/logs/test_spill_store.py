"""The spill store: what it keeps, for how long, and what it gives away (nothing)."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sesskit.logs.spill_store import MAX_BYTES, PREFIX, SpillError, SpillStore


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> SpillStore:
    return SpillStore(tmp_path, retention=100, clock=clock)


def root(tmp_path: Path) -> Path:
    (found,) = tmp_path.glob(f"{PREFIX}*")
    return found


def code(error: pytest.ExceptionInfo[SpillError]) -> str:
    assert str(error.value) == error.value.code, "the message is the code and nothing else"
    return error.value.code


def test_round_trip(store: SpillStore, tmp_path: Path) -> None:
    reference = store.write("gr\u00fc\u00dfe \N{COMPASS}")
    assert re.fullmatch(r"tool-result:[A-Za-z0-9_-]{24}", reference)
    assert store.read(reference) == "gr\u00fc\u00dfe \N{COMPASS}"
    assert store.write("x") != store.write("x")
    assert stat.S_IMODE(root(tmp_path).stat().st_mode) == 0o700
    for path in root(tmp_path).iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.suffix == ".txt"
    store.close()
    assert not list(tmp_path.iterdir())


def test_lone_surrogates_are_kept_out(store: SpillStore) -> None:
    assert store.read(store.write("a\ud800b")) == "a\ufffdb"


def test_size(store: SpillStore) -> None:
    store.write("x" * MAX_BYTES)
    with pytest.raises(SpillError) as error:
        store.write("x" * (MAX_BYTES + 1))
    assert code(error) == "write-failed"


@pytest.mark.parametrize(
    "reference",
    ["", "x", "tool-result:short", "tool-result:../../../../etc/passwd", "file:" + "a" * 24,
     "tool-result:" + "a" * 65, "tool-result:" + "a" * 24 + "\n"],
)  # fmt: skip
def test_references_that_are_none(store: SpillStore, reference: str) -> None:
    with pytest.raises(SpillError) as error:
        store.read(reference)
    assert code(error) == "invalid-reference"


def test_a_reference_of_another_store_is_missing(store: SpillStore, tmp_path: Path) -> None:
    with SpillStore(tmp_path) as other:
        reference = other.write("x")
        with pytest.raises(SpillError) as error:
            store.read(reference)
    assert code(error) == "missing"


def test_expiry(store: SpillStore, clock: Clock, tmp_path: Path) -> None:
    reference = store.write("x")
    clock.now = 99.9
    assert store.read(reference) == "x"
    clock.now = 100
    for expected in ("expired", "missing"):
        with pytest.raises(SpillError) as error:
            store.read(reference)
        assert code(error) == expected
    assert not list(root(tmp_path).iterdir())


def test_a_write_sweeps(store: SpillStore, clock: Clock, tmp_path: Path) -> None:
    store.write("x")
    clock.now = 101
    store.write("y")
    assert len(list(root(tmp_path).iterdir())) == 1


def test_an_idle_store_sweeps(tmp_path: Path) -> None:
    store = SpillStore(tmp_path, retention=0.05)
    store.write("x")
    store.write("y")
    gone = threading.Event()
    for _ in range(100):
        if not list(root(tmp_path).iterdir()):
            break
        gone.wait(0.02)
    assert not list(root(tmp_path).iterdir())
    store.close()


def test_a_file_swapped_for_a_link_is_not_followed(store: SpillStore, tmp_path: Path) -> None:
    reference = store.write("x")
    (path,) = root(tmp_path).iterdir()
    path.unlink()
    path.symlink_to("/etc/hostname")
    with pytest.raises(SpillError) as error:
        store.read(reference)
    assert code(error) == "read-failed"


def test_an_opened_directory_is_not_used(store: SpillStore, tmp_path: Path) -> None:
    reference = store.write("x")
    root(tmp_path).chmod(0o750)
    uses: list[Callable[[], object]] = [lambda: store.read(reference), lambda: store.write("y")]
    for use in uses:
        with pytest.raises(SpillError) as error:
            use()
        assert code(error) == "unsafe-root"
    folder = root(tmp_path)
    folder.rename(tmp_path / "moved")
    folder.symlink_to("moved")
    with pytest.raises(SpillError) as error:
        store.read(reference)
    assert code(error) == "unsafe-root"


def test_a_stray_file_is_reported_and_left(store: SpillStore, tmp_path: Path) -> None:
    store.write("x")
    (root(tmp_path) / "stray").write_bytes(b"")
    with pytest.raises(SpillError) as error:
        store.close()
    assert code(error) == "cleanup-failed"
    assert [path.name for path in root(tmp_path).iterdir()] == ["stray"]


def test_a_closed_store_answers_closed(store: SpillStore) -> None:
    reference = store.write("x")
    store.close()
    uses: list[Callable[[], object]] = [
        lambda: store.read(reference),
        lambda: store.write("y"),
        store.close,
    ]
    for use in uses:
        with pytest.raises(SpillError) as error:
            use()
        assert code(error) == "closed"
    with store:
        pass


@pytest.mark.parametrize("retention", [0, -1, float("nan")])
def test_options(tmp_path: Path, retention: float) -> None:
    with pytest.raises(SpillError) as error:
        SpillStore(tmp_path, retention=retention)
    assert code(error) == "invalid-options"


def test_the_parent_must_be_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("file", "link", "none"):
        with pytest.raises(SpillError) as error:
            SpillStore(tmp_path / name)
        assert code(error) == "unsafe-root"


def test_a_full_disk(store: SpillStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "no space left", "/secret/path")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(SpillError) as error:
        store.write("x")
    assert code(error) == "write-failed"
    assert not list(root(tmp_path).iterdir())


def test_the_default_parent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    with SpillStore() as store:
        store.write("x")
        assert root(tmp_path).is_dir()

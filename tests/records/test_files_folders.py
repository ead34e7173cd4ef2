"""Folders for their owner only."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sesskit.records import folders
from sesskit.records.folders import owner_only_directory
from sesskit.records.reading import FileRefused


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_missing_parents_are_private_too(tmp_path: Path, umask: int) -> None:
    tmp_path.chmod(0o755)
    owner_only_directory(tmp_path / "a" / "b" / "c")
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3
    assert mode(tmp_path) == 0o755


def test_existing_parents_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a").chmod(0o755)
    (tmp_path / "a" / "b").chmod(0o777)
    owner_only_directory(str(tmp_path / "a" / "b"))
    assert mode(tmp_path / "a" / "b") == 0o700
    assert mode(tmp_path / "a") == 0o755


def test_everything_below_an_owned_root(tmp_path: Path) -> None:
    (tmp_path / "root" / "mid" / "leaf").mkdir(parents=True)
    for level in ("root", "root/mid", "root/mid/leaf"):
        (tmp_path / level).chmod(0o755)
    tmp_path.chmod(0o755)
    owner_only_directory(tmp_path / "root" / "mid" / "leaf", owned_root=tmp_path / "root")
    assert [mode(tmp_path / name) for name in ("root", "root/mid", "root/mid/leaf")] == [0o700] * 3
    assert mode(tmp_path) == 0o755


def test_the_root_itself(tmp_path: Path) -> None:
    owner_only_directory(tmp_path / "root", owned_root=tmp_path / "root")
    assert mode(tmp_path / "root") == 0o700


@pytest.mark.parametrize("root", ["other", "ro", "root/leaf/below"])
def test_not_inside_the_root(tmp_path: Path, root: str) -> None:
    with pytest.raises(ValueError, match="not inside"):
        owner_only_directory(tmp_path / "root" / "leaf", owned_root=tmp_path / root)
    assert not (tmp_path / "root").exists()


def test_a_narrow_folder_gets_the_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o500)
    owner_only_directory(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o700


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to("real")
    owner_only_directory(tmp_path / "link" / "sub")
    assert mode(tmp_path / "real" / "sub") == 0o700
    assert (tmp_path / "link").is_symlink()


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(NotADirectoryError):
            owner_only_directory(path)


def test_another_process_is_quicker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.mkdir

    def late(self: Path, mode: int) -> None:
        real(self, 0o755)
        real(self, mode)

    monkeypatch.setattr(Path, "mkdir", late)
    owner_only_directory(tmp_path / "a" / "b")
    monkeypatch.undo()
    assert mode(tmp_path / "a" / "b") == 0o700


def test_a_file_system_that_keeps_no_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_mode", lambda _: 0o755)
    with pytest.raises(FileRefused, match="does not keep a folder to its owner"):
        owner_only_directory(tmp_path / "a")

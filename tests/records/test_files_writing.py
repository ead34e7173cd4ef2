"""Writing files: whole or not at all, for the owner only, and nothing left behind."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sesskit.records.reading import FileRefused, reason_for
from sesskit.records.writing import (
    backup,
    remove_leftovers,
    replace_in_place,
    sync_folder,
    write_atomic,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_new_file(tmp_path: Path, umask: int, overwrite: bool) -> None:
    write_atomic(tmp_path / "a.json", b"{}", overwrite=overwrite)
    assert names(tmp_path) == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"{}"
    assert mode(tmp_path / "a.json") == 0o600


def test_an_old_file_that_all_could_read_becomes_private(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"old")
    (tmp_path / "a.json").chmod(0o644)
    write_atomic(str(tmp_path / "a.json"), b"new")
    assert (tmp_path / "a.json").read_bytes() == b"new"
    assert mode(tmp_path / "a.json") == 0o600


def test_another_mode(tmp_path: Path, umask: int) -> None:
    write_atomic(tmp_path / "a.html", b"", mode=0o644)
    assert mode(tmp_path / "a.html") == 0o644


def test_blocks_are_written_as_they_come(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", (b"%d," % n for n in range(5)))
    assert (tmp_path / "a").read_bytes() == b"0,1,2,3,4,"


def test_short_writes_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, block: real(fd, block[:3]))
    write_atomic(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_bytes(tmp_path: Path, kind: type) -> None:
    write_atomic(tmp_path / "a", kind(b"{}"))
    assert (tmp_path / "a").read_bytes() == b"{}"


def test_a_long_name(tmp_path: Path) -> None:
    name = "ü" * 127
    write_atomic(tmp_path / name, b"x")
    assert names(tmp_path) == [name]


def test_a_relative_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_atomic("a.json", b"{}")
    assert names(tmp_path) == ["a.json"]


# -- what is refused


@pytest.mark.parametrize("target", ["plain", "dangling", "link"])
def test_an_existing_name_can_be_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "plain").write_bytes(b"old")
    (tmp_path / "dangling").symlink_to("none")
    (tmp_path / "link").symlink_to("plain")
    with pytest.raises(FileExistsError) as caught:
        write_atomic(tmp_path / target, b"new", overwrite=False)
    assert caught.value.filename == str(tmp_path / target)
    assert (tmp_path / "plain").read_bytes() == b"old"
    assert names(tmp_path) == ["dangling", "link", "plain"]


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_name_that_is_taken_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", refuse(errno.EPERM))

    def blocks() -> Iterator[bytes]:
        yield b"mine"
        (tmp_path / "a").write_bytes(b"theirs")

    with pytest.raises(FileExistsError):
        write_atomic(tmp_path / "a", blocks(), overwrite=False)
    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert names(tmp_path) == ["a"]


def test_links_are_replaced_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("none")
    write_atomic(tmp_path / "link", b"new")
    write_atomic(tmp_path / "dangling", b"new")
    assert (tmp_path / "real").read_bytes() == b"old"
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"new"
    assert names(tmp_path) == ["dangling", "link", "real"]


def fifo(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def link_to_device(folder: Path) -> Path:
    (folder / "link").symlink_to(os.devnull)
    return folder / "link"


@pytest.mark.parametrize(
    ("make", "number"),
    [
        (lambda folder: folder, errno.EISDIR),
        (lambda folder: folder / "..", errno.EISDIR),
        (lambda folder: Path("/"), errno.EISDIR),
        (lambda folder: Path(os.devnull), errno.EINVAL),
        (fifo, errno.EINVAL),
        (link_to_device, errno.EINVAL),
        (lambda folder: folder / "none" / "a", errno.ENOENT),
        (lambda folder: folder / "a\0b", errno.EINVAL),
    ],
)
def test_no_place_for_a_file(tmp_path: Path, make: Callable[[Path], Path], number: int) -> None:
    target = make(tmp_path)
    before = names(tmp_path)
    with pytest.raises(OSError, match=r"Errno") as caught:
        write_atomic(target, b"x")
    assert caught.value.errno == number
    assert caught.value.filename == str(target)
    assert names(tmp_path) == before


# -- failures on the way


def refuse(number: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "inner name")

    return fail


@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("call", ["open", "fchmod", "write", "fsync", "replace"])
def test_whatever_fails_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, overwrite: bool
) -> None:
    target = tmp_path / "a"
    if overwrite:
        target.write_bytes(b"old")
    elif call == "replace":
        call = "link"
    monkeypatch.setattr(os, call, refuse(errno.ENOSPC))
    with pytest.raises(OSError, match="No space") as caught:
        write_atomic(target, b"new", overwrite=overwrite)
    monkeypatch.undo()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(target))
    assert names(tmp_path) == (["a"] if overwrite else [])
    assert not overwrite or target.read_bytes() == b"old"


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError, SystemExit])
def test_whatever_is_raised_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def blocks() -> Iterator[bytes]:
        yield b"half"
        raise error

    with pytest.raises(error):
        write_atomic(tmp_path / "a", blocks())
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_file_system_that_keeps_no_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fchmod
    monkeypatch.setattr(os, "fchmod", lambda descriptor, _: real(descriptor, 0o644))
    with pytest.raises(FileRefused, match="does not keep a file to its owner"):
        write_atomic(tmp_path / "a", b"x")
    assert names(tmp_path) == []


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    write_atomic(tmp_path / "a", b"x", overwrite=False)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"x"
    assert mode(tmp_path / "a") == 0o600


def test_without_hard_links_a_failure_gives_the_name_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    monkeypatch.setattr(os, "replace", refuse(errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        write_atomic(tmp_path / "a", b"x", overwrite=False)
    assert names(tmp_path) == []


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_folders_that_cannot_be_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    real = os.fsync

    def sync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, "no")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    if number == errno.EINVAL:
        write_atomic(tmp_path / "a", b"x")
    else:
        with pytest.raises(OSError, match="no"):
            write_atomic(tmp_path / "a", b"x")
    assert names(tmp_path) == ["a"]


def test_file_and_folder_are_flushed_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(descriptor: int) -> None:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append("sync folder" if folder else "sync file")
        real_sync(descriptor)

    def replace(*arguments: Any, **places: Any) -> None:
        steps.append("rename")
        real_replace(*arguments, **places)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    write_atomic(tmp_path / "a", b"x")
    assert steps == ["sync file", "rename", "sync folder"]
    sync_folder(tmp_path)
    assert steps[3:] == ["sync folder"]


# -- backups


def test_backups_are_numbered_and_private(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"one")
    file.chmod(0o644)
    assert backup(file) == tmp_path / "a.json.bak"
    file.write_bytes(b"two")
    assert backup(str(file)) == tmp_path / "a.json.bak.2"
    file.write_bytes(b"three")
    assert backup(file) == tmp_path / "a.json.bak.3"
    assert (tmp_path / "a.json.bak").read_bytes() == b"one"
    assert (tmp_path / "a.json.bak.2").read_bytes() == b"two"
    assert mode(tmp_path / "a.json.bak") == 0o600


def test_a_backup_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        backup(tmp_path / "none")
    assert names(tmp_path) == []


def test_in_place_keeps_a_copy_and_the_link_for_the_owner_only(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    assert replace_in_place(tmp_path / "link", b"new") == tmp_path / "real.bak"
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"new"
    assert mode(tmp_path / "real") == 0o600
    assert mode(tmp_path / "real.bak") == 0o600
    assert (tmp_path / "real.bak").read_bytes() == b"old"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_in_place_keeps_the_owner(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    os.chown(tmp_path / "real", 1234, 1235)
    copy = replace_in_place(tmp_path / "real", b"new")
    for path in (copy, tmp_path / "real"):
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)


def test_copies_of_what_is_no_file(tmp_path: Path) -> None:
    for call in (backup, lambda path: replace_in_place(path, b"new")):
        with pytest.raises(FileRefused) as caught:
            call(fifo(tmp_path))
        assert reason_for(caught.value) == "it is a named pipe, not a regular file"
        assert names(tmp_path) == ["pipe"]
        (tmp_path / "pipe").unlink()


def test_in_place_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    for name, words in (("none", "No such file"), ("circle", "Too many levels")):
        with pytest.raises(OSError, match=words):
            replace_in_place(tmp_path / name, b"new")


# -- leftovers


def test_only_old_leftovers_of_that_file_are_removed(tmp_path: Path) -> None:
    leftover = "a.json.4021.0123456789abcdef.tmp"
    kept = [
        "a.json",
        "a.json.4021.tmp",
        "b.json.4021.0123456789abcdef.tmp",
        "axjson.4021.0123456789abcdef.tmp",
        "a.json.4022.0123456789abcdef.tmp",
    ]
    for name in [leftover, *kept]:
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (0, 0))
    os.utime(tmp_path / kept[-1])  # somebody is writing it
    assert remove_leftovers(tmp_path / "a.json") == 1
    assert names(tmp_path) == sorted(kept)

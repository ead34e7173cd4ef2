"""Reading documents: everything that can stand where a file was expected."""

from __future__ import annotations

import errno
import io
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sesskit.records import reading
from sesskit.records.reading import (
    ZeroFilled,
    read_document,
    read_stream,
    reason_for,
    unreadable_kind,
)
from sesskit.schemas.outcomes import Missing, Unreadable

MEBIBYTE = 1 << 20


@pytest.mark.parametrize("size", [0, 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE])
def test_a_regular_file_is_read_whole(tmp_path: Path, size: int) -> None:
    content = (b"0123456789abcde\n" * (size // 16 + 1))[:size]
    file = tmp_path / "a.json"
    file.write_bytes(content)
    assert read_document(file) == content
    assert read_document(str(file)) == content


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("a.json")
    assert read_document(tmp_path / "link") == b"{}"


def absent(folder: Path) -> Path:
    return folder / "none.json"


def absent_folder(folder: Path) -> Path:
    return folder / "none" / "a.json"


def dangling(folder: Path) -> Path:
    (folder / "link").symlink_to("none")
    return folder / "link"


@pytest.mark.parametrize("make", [absent, absent_folder, dangling])
def test_only_what_is_not_there_is_missing(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    assert read_document(make(tmp_path)) == Missing()


def test_no_name_is_missing() -> None:
    assert read_document("") == Missing()


def folder(place: Path) -> Path:
    return place


def pipe(place: Path) -> Path:
    os.mkfifo(place / "pipe")
    return place / "pipe"


def link_to_pipe(place: Path) -> Path:
    (place / "link").symlink_to(pipe(place))
    return place / "link"


def device(place: Path) -> Path:
    return Path(os.devnull)


def circle(place: Path) -> Path:
    (place / "one").symlink_to("two")
    (place / "two").symlink_to("one")
    return place / "one"


def below_a_file(place: Path) -> Path:
    (place / "a.json").write_bytes(b"{}")
    return place / "a.json" / "b.json"


def long_name(place: Path) -> Path:
    return place / ("a" * 300)


def name_with_nul(place: Path) -> Path:
    return place / "a\0b"


def name_with_lone_surrogate(place: Path) -> Path:
    return place / "a\ud800"


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (folder, "folder"),
        (pipe, "named pipe"),
        (link_to_pipe, "named pipe"),
        (device, "device"),
        (circle, "circle"),
        (below_a_file, "not a folder"),
        (long_name, "too long"),
        (name_with_nul, "name"),
        (name_with_lone_surrogate, "name"),
    ],
)
def test_what_is_no_readable_file_says_so(
    tmp_path: Path, make: Callable[[Path], Path], word: str
) -> None:
    answer = read_document(make(tmp_path))
    assert isinstance(answer, Unreadable)
    assert word in answer.reason


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        answer = read_document("s")
    assert answer == Unreadable("it is a socket, not a regular file")


def test_unknown_kind_of_file() -> None:
    assert unreadable_kind(stat.S_IFREG | 0o600) is None
    assert unreadable_kind(0) == "it is no regular file"


def test_swapped_for_a_pipe_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"{}")
    real_open = os.open

    def swap(path: Path, flags: int) -> int:
        file.unlink()
        os.mkfifo(file)
        return real_open(path, flags)

    monkeypatch.setattr(os, "open", swap)
    assert read_document(file) == Unreadable("it is a named pipe, not a regular file")


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.EACCES, "permission"),
        (errno.EIO, "disk reports an error"),
        (errno.EMFILE, "too many files"),
        (errno.ESTALE, "stale"),
    ],
)
def test_refused_by_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, word: str
) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise OSError(number, "not for people")

    (tmp_path / "a.json").write_bytes(b"{}")
    monkeypatch.setattr(os, "open", refuse)
    answer = read_document(tmp_path / "a.json")
    assert isinstance(answer, Unreadable)
    assert word in answer.reason


def test_an_error_without_number_has_a_reason() -> None:
    assert reason_for(OSError("odd")) == "the system refuses it"


def test_larger_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"12345")
    assert read_document(tmp_path / "a.json", limit=5) == b"12345"
    answer = read_document(tmp_path / "a.json", limit=4)
    assert isinstance(answer, Unreadable)
    assert "larger than 4 bytes" in answer.reason


def test_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise MemoryError

    (tmp_path / "a.json").write_bytes(b"{}")
    monkeypatch.setattr(reading, "_content", fail)
    assert read_document(tmp_path / "a.json") == Unreadable("there is not enough memory to hold it")


def test_files_of_the_kernel_say_that_they_are_empty() -> None:
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("no /proc here")
    assert status.stat().st_size == 0
    answer = read_document(status)
    assert isinstance(answer, bytes)
    assert b"Pid:" in answer


# -- files of nothing but NUL


def test_small_zeros_are_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(bytes(MEBIBYTE))
    assert read_document(tmp_path / "a.json") == bytes(MEBIBYTE)


@pytest.mark.parametrize(
    "tail", [b"", b"x", b"x" * MEBIBYTE, bytes(3) + b"{}"], ids=["none", "x", "long", "json"]
)
def test_a_run_of_zeros(tmp_path: Path, tail: bytes) -> None:
    file = tmp_path / "a.json"
    with file.open("wb") as out:
        out.truncate(2 * MEBIBYTE + 5)
        out.seek(0, os.SEEK_END)
        out.write(tail)
    expected = bytes(2 * MEBIBYTE + 5) + tail if tail else ZeroFilled(2 * MEBIBYTE + 5)
    assert read_document(file) == expected
    with file.open("rb") as stream:
        assert read_stream(stream) == expected


def test_zeros_after_content_are_content(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    with file.open("wb") as out:
        out.write(b"{}")
        out.truncate(3 * MEBIBYTE)
    assert read_document(file) == b"{}" + bytes(3 * MEBIBYTE - 2)


def test_a_gigabyte_of_zeros_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "sparse.json"
    with file.open("wb") as out:
        out.truncate(1 << 30)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
        "from sesskit.records.reading import read_document\n"
        "print(read_document(sys.argv[1]))\n"
    )
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": path},
    )
    assert done.stdout.strip() == f"ZeroFilled(size={1 << 30})"


def test_a_sample_of_zeros() -> None:
    assert ZeroFilled(1 << 30).sample() == bytes(1024)


# -- files that change while they are read


def change_while_read(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[], object], times: int
) -> None:
    real = reading._content
    left = [times]

    def content(*arguments: int) -> object:
        answer = real(*arguments)
        if left[0]:
            left[0] -= 1
            change()
        return answer

    monkeypatch.setattr(reading, "_content", content)


def test_changed_once_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"old")
    change_while_read(monkeypatch, lambda: file.write_bytes(b"newer"), 1)
    assert read_document(file) == b"newer"


def test_changed_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"old")

    def grow() -> None:
        with file.open("ab") as out:
            out.write(b"more")

    change_while_read(monkeypatch, grow, 9)
    answer = read_document(file)
    assert isinstance(answer, Unreadable)
    assert "still writing" in answer.reason


def test_cut_short_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"old")
    monkeypatch.setattr(reading, "_content", lambda *_: b"ol")
    assert isinstance(read_document(file), Unreadable)


def test_large_files_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = os.urandom(2 * MEBIBYTE + 17)
    (tmp_path / "a.json").write_bytes(content)
    monkeypatch.setattr(reading, "_ONE_READ", MEBIBYTE)
    assert read_document(tmp_path / "a.json") == content


# -- streams


@pytest.mark.parametrize("content", [b"", b"{}", bytes(10), bytes(10) + b"x", b"x" * 3_000_000])
def test_a_stream_is_read_whole(content: bytes) -> None:
    assert read_stream(io.BytesIO(content)) == content


def test_a_stream_has_a_limit() -> None:
    assert read_stream(io.BytesIO(b"12345"), limit=5) == b"12345"
    answer = read_stream(io.BytesIO(b"123456"), limit=5)
    assert isinstance(answer, Unreadable)
    assert "larger than 5 bytes" in answer.reason


def test_zeros_of_a_stream_have_the_limit_too() -> None:
    assert isinstance(read_stream(io.BytesIO(bytes(3 * MEBIBYTE)), limit=MEBIBYTE), Unreadable)


class Failing:
    def __init__(self, answer: BaseException | None) -> None:
        self.answer = answer

    def read(self, size: int, /) -> bytes | None:
        if self.answer is not None:
            raise self.answer
        return None


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (IsADirectoryError(errno.EISDIR, "x"), "folder"),
        (ValueError("closed"), "closed"),
        (MemoryError(), "memory"),
        (None, "nothing to read yet"),
    ],
)
def test_a_stream_that_fails(answer: BaseException | None, word: str) -> None:
    found = read_stream(Failing(answer))
    assert isinstance(found, Unreadable)
    assert word in found.reason

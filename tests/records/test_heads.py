"""The beginning of a file, or the answer that reading it all would give."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sesskit.records.heads import read_head
from sesskit.records.reading import read_document
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing


@pytest.mark.parametrize("size", [0, 1, RECOGNITION_BYTES, RECOGNITION_BYTES + 1])
def test_the_beginning(size: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    assert read_head(tmp_path / "a") == b"x" * min(size, RECOGNITION_BYTES)
    assert read_head(str(tmp_path / "a"), 2) == b"x" * min(size, 2)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda path: None, id="absent"),
        pytest.param(lambda path: path.symlink_to("nowhere"), id="dangling"),
        pytest.param(lambda path: path.symlink_to(path.name), id="circle"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), id="device"),
        pytest.param(lambda path: path.mkdir(), id="folder"),
        pytest.param(os.mkfifo, id="pipe"),
    ],
)
def test_what_cannot_be_read(make: Callable[[Path], Any], tmp_path: Path) -> None:
    make(tmp_path / "a")
    assert read_head(tmp_path / "a") == read_document(tmp_path / "a")


def test_names_that_cannot_be_names() -> None:
    assert read_head("a\0b") == read_document("a\0b")
    assert read_head("no/such/folder") == Missing()

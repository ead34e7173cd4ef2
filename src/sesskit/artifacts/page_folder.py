"""Pages in a folder: all of them or none, for their owner only.

They are written beside where they go, and the folder is renamed when it is whole. A folder that is
there is replaced only if it holds pages and nothing else.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from sesskit.artifacts.page import INDEX, Page
from sesskit.records.files import sync_folder, write_atomic

__all__ = ["holds_pages", "staged"]

_PAGE: Final = re.compile(r"index\.html|page-[1-9][0-9]{0,8}\.html")
_OURS: Final = b'name="generator" content="sesskit'
_HEAD: Final = 4_096
_NAME: Final = 100


@contextlib.contextmanager
def staged(folder: str, pages: Sequence[Page], *, overwrite: bool) -> Iterator[Callable[[], None]]:
    """Write pages beside ``folder``; what it gives puts them there. Without that they go again.

    The folder above must be there. Raises `FileExistsError` where there is something that is not
    to be replaced, and `OSError`; then everything is as it was.
    """
    target = Path(folder)
    _refuse(target, overwrite=overwrite)
    made = Path(
        tempfile.mkdtemp(prefix=f".{target.name[:_NAME]}.", suffix=".tmp", dir=target.parent)
    )
    try:
        for page in pages:
            write_atomic(made / page.name, page.data, overwrite=False)
        yield lambda: _publish(made, target, overwrite=overwrite)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def holds_pages(folder: Path) -> bool:
    """Whether a folder holds pages that were made here, and nothing else. An empty one does."""
    if not stat.S_ISDIR(folder.lstat().st_mode):
        return False
    names = [entry.name for entry in folder.iterdir()]
    if not all(map(_PAGE.fullmatch, names)):
        return False
    return not names or (INDEX in names and all(_is_ours(folder / name) for name in names))


def _is_ours(path: Path) -> bool:
    if not stat.S_ISREG(path.lstat().st_mode):
        return False
    with path.open("rb") as file:
        return _OURS in file.read(_HEAD)


def _refuse(target: Path, *, overwrite: bool) -> None:
    if os.path.lexists(target) and not (overwrite and holds_pages(target)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(target))


def _publish(made: Path, target: Path, *, overwrite: bool) -> None:
    """Give the folder its name. One that had it goes, but only once the new one is there."""
    _refuse(target, overwrite=overwrite)
    old = made.with_name(f"{made.name}.old")
    replaced = os.path.lexists(target)
    if replaced:
        target.rename(old)
    try:
        made.rename(target)
    except BaseException:
        if replaced:
            old.rename(target)
        raise
    sync_folder(target.parent)
    if replaced:
        shutil.rmtree(old, ignore_errors=True)

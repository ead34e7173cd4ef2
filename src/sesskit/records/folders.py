"""Folders that only their owner can enter."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from sesskit.records.reading import FileRefused, StrPath

PRIVATE = 0o700


def owner_only_directory(path: StrPath, *, owned_root: StrPath | None = None) -> None:
    """Make a folder, and the parents it lacks, with mode 0700; an existing one is set to 0700.

    With ``owned_root`` every level from there down to ``path`` is set as well. Other parents that
    exist are left alone. The umask does not matter. Raises `ValueError` if ``path`` is not inside
    ``owned_root``, and `OSError` if the folder cannot be made or does not keep the mode.
    """
    folder = Path(os.path.realpath(path))
    owned = {folder}
    if owned_root is not None:
        root = Path(os.path.realpath(owned_root))
        if root != folder and root not in folder.parents:
            raise ValueError("the folder is not inside the root that owns it")
        owned |= {level for level in (folder, *folder.parents) if level.is_relative_to(root)}
    for level in (*reversed(folder.parents), folder):
        if _made(level) or level in owned:
            _make_private(level)


def _made(folder: Path) -> bool:
    """True if the folder had to be made."""
    if folder.exists():
        return False
    with contextlib.suppress(FileExistsError):  # another process was quicker
        folder.mkdir(PRIVATE)
        return True
    return False


def _make_private(folder: Path) -> None:
    if _mode(folder) == PRIVATE:
        return
    folder.chmod(PRIVATE)
    if _mode(folder) & 0o077:
        message = "the file system does not keep a folder to its owner"
        raise FileRefused(errno.EPERM, message, os.fspath(folder))


def _mode(folder: Path) -> int:
    details = folder.stat()
    if not stat.S_ISDIR(details.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(folder))
    return stat.S_IMODE(details.st_mode) & 0o777

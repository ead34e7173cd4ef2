"""Writing whole files: the old one or the new one, never a part, readable by their owner only.

What is written goes to a temporary file of the same folder, ``NAME.PID.RANDOM.tmp``, is flushed to
the disk and then takes the name. The folder is held open meanwhile, so that it cannot be swapped.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from sesskit.records.reading import FileRefused, StrPath, open_regular, unreadable_kind

Bytes = bytes | bytearray | memoryview

OWNER_ONLY = 0o600
LEFTOVER_SECONDS = 3600
"""A temporary file that nobody has written to for so long is left over from a killed process."""

_BLOCK = 1 << 20
_NAME_BYTES = 200  # so that a temporary name fits where names end at 255 bytes
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def write_atomic(
    path: StrPath,
    data: Bytes | Iterable[bytes],
    *,
    overwrite: bool = True,
    mode: int = OWNER_ONLY,
) -> None:
    """Write the file at ``path``: afterwards it is whole, on the disk, and has ``mode``.

    A symbolic link of that name is replaced, never written through; a device, pipe, socket or
    folder, also at the end of a link, is refused. With ``overwrite=False`` whatever has the name
    stays (`FileExistsError`), also if it came during the writing. Raises `OSError` that names
    ``path``; then the old file is as it was, and no temporary file is left, whatever was raised.
    """
    target = Path(path)
    if "\0" in target.name:
        raise FileRefused(errno.EINVAL, "its name holds a NUL", os.fspath(path))
    try:
        with _opened_folder(target.parent) as folder:
            _refuse_target(target, overwrite=overwrite)
            _write_and_publish(folder, target.name, data, overwrite=overwrite, mode=mode)
            _sync_folder(folder)
    except OSError as error:
        error.filename = os.fspath(path)  # the temporary name means nothing to the caller
        error.filename2 = None
        raise


def backup(path: StrPath) -> Path:
    """Copy a file to ``NAME.bak``, or ``NAME.bak.2`` and so on if there is one; owner-only.

    Gives the path of the copy. An existing backup is never replaced.
    """
    source = Path(path)
    for number in count(1):
        name = f"{source.name}.bak" if number == 1 else f"{source.name}.bak.{number}"
        copy = source.with_name(name)
        try:
            write_atomic(copy, _blocks(source), overwrite=False)
        except FileExistsError:
            continue
        return copy
    raise AssertionError


def replace_in_place(path: StrPath, data: Bytes | Iterable[bytes]) -> Path:
    """Give an existing file new content after a `backup`, whose path comes back.

    Here a link is followed, because the file that it leads to is what was meant. Both files are of
    the old one's owner, where the system lets us, and for him only: what others were allowed ends.
    """
    target = Path(os.path.realpath(path, strict=True))
    old = target.stat()
    copy = backup(target)
    _give(copy, old)
    write_atomic(target, data, mode=old.st_mode & OWNER_ONLY)
    _give(target, old)
    return copy


def _give(path: Path, old: os.stat_result) -> None:
    """Give a file that we made to the owner of the one that it stands for."""
    made = path.lstat()
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(path, old.st_uid, old.st_gid, follow_symlinks=False)


def remove_leftovers(path: StrPath, *, older_than: float = LEFTOVER_SECONDS) -> int:
    """Remove temporary files that a killed process left while it wrote ``path``; says how many."""
    target = Path(path)
    pattern = re.compile(re.escape(_stem(target.name)) + r"\.[0-9]+\.[0-9a-f]{16}\.tmp")
    before = time.time() - older_than
    removed = 0
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if not pattern.fullmatch(entry.name):
                continue
            with contextlib.suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_mtime < before:
                    Path(entry.path).unlink()
                    removed += 1
    return removed


def sync_folder(folder: StrPath) -> None:
    """Make what was created, renamed or removed in a folder last through a power cut."""
    with _opened_folder(Path(folder)) as descriptor:
        _sync_folder(descriptor)


@contextlib.contextmanager
def _opened_folder(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _refuse_target(target: Path, *, overwrite: bool) -> None:
    """Raise for a name that must not be written: taken, or no regular file."""
    if not target.name or target.name == "..":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.path.lexists(target):
        return
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG  # a link that leads nowhere
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if kind := unreadable_kind(mode):
        raise FileRefused(errno.EINVAL, kind)
    if not overwrite:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def _stem(name: str) -> str:
    return name if len(os.fsencode(name)) <= _NAME_BYTES else name[: _NAME_BYTES // 4]


def _write_and_publish(
    folder: int, name: str, data: Bytes | Iterable[bytes], *, overwrite: bool, mode: int
) -> None:
    temporary = f"{_stem(name)}.{os.getpid()}.{os.urandom(8).hex()}.tmp"
    try:
        _write_new(folder, temporary, data, mode)
        if overwrite:
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            _publish_new(folder, temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _write_new(folder: int, name: str, data: Bytes | Iterable[bytes], mode: int) -> None:
    descriptor = os.open(name, _CREATE, OWNER_ONLY, dir_fd=folder)
    try:
        os.fchmod(descriptor, mode)  # the umask has taken from it what it liked
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077 & ~mode:
            raise FileRefused(errno.EPERM, "the file system does not keep a file to its owner")
        for block in (data,) if isinstance(data, Bytes) else data:
            _write_block(descriptor, block)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_block(descriptor: int, block: Bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _publish_new(folder: int, temporary: str, name: str) -> None:
    """Give the name to the file unless something has it.

    A hard link does that in one step. Where there are none, the name is taken first by an empty
    file: then a process killed between the two steps leaves that empty file.
    """
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        os.close(os.open(name, _CREATE, OWNER_ONLY, dir_fd=folder))
        try:
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(name, dir_fd=folder)
            raise
    else:
        os.unlink(temporary, dir_fd=folder)


def _sync_folder(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems keep no folder buffers and refuse the call.
        if error.errno not in _NO_FOLDER_SYNC:
            raise


def _blocks(path: Path) -> Iterator[bytes]:
    descriptor = open_regular(path)
    try:
        while block := os.read(descriptor, _BLOCK):
            yield block
    finally:
        os.close(descriptor)

"""Reading whole documents: all of a path or a stream, or the reason why not.

Nothing here hangs on a pipe, opens a device, or takes more memory than the document itself.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable
from typing import Protocol

import msgspec

from sesskit.schemas.limits import MAX_DOCUMENT_BYTES
from sesskit.schemas.outcomes import Missing, Unreadable

StrPath = str | os.PathLike[str]

_CHUNK = 1 << 20
_ZEROS = bytes(_CHUNK)
_ONE_READ = 1 << 30
"""Up to here a file is read by one call into memory of its own size, without a copy."""
_ATTEMPTS = 2
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY

_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a named pipe, not a regular file"),
    (stat.S_ISSOCK, "it is a socket, not a regular file"),
    (stat.S_ISCHR, "it is a device, not a regular file"),
    (stat.S_ISBLK, "it is a device, not a regular file"),
)
_REASONS = {
    errno.EACCES: "there is no permission to use it",
    errno.EPERM: "there is no permission to use it",
    errno.ELOOP: "it is a symbolic link that leads in a circle",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.EISDIR: "it is a folder",
    errno.ENAMETOOLONG: "its name is too long for this system",
    errno.ENXIO: "it is a device or socket with nothing behind it",
    errno.EIO: "the disk reports an error",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than this process may write",
    errno.EROFS: "the file system is read-only",
    errno.EEXIST: "there is something of that name already",
    errno.ENOENT: "there is no such file or folder",
}
_BAD_NAME = "its name cannot be the name of a file"
_NO_MEMORY = "there is not enough memory to hold it"
_CHANGING = "it keeps changing while it is read: something is still writing it"


class FileRefused(OSError):
    """Refused here, not by the system; ``strerror`` is written for people."""


class ZeroFilled(msgspec.Struct, frozen=True):
    """``size`` bytes, more than a mebibyte, every one of them NUL. They are not held in memory."""

    size: int

    def sample(self) -> bytes:
        """A few of the NULs: a decoder answers about them what it would answer about all."""
        return _ZEROS[:1024]


class Readable(Protocol):
    """What `read_stream` needs of a stream of bytes."""

    def read(self, size: int, /) -> bytes | None: ...


Document = bytes | ZeroFilled | Missing | Unreadable


def reason_for(error: OSError) -> str:
    """What went wrong with a file, in words for people, without its name."""
    if isinstance(error, FileRefused):
        return str(error.strerror)
    if error.errno is None:
        return "the system refuses it"
    return _REASONS.get(error.errno) or os.strerror(error.errno).lower()


def unreadable_kind(mode: int) -> str | None:
    """Why a file with this ``st_mode`` is not read or written; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "it is no regular file")


def read_document(path: StrPath, *, limit: int = MAX_DOCUMENT_BYTES) -> Document:
    """All bytes of the file at ``path``; links are followed. Never raises for what it finds.

    `Missing` only if nothing is there (a link that leads nowhere included); whatever is there and
    is no readable regular file of at most ``limit`` bytes is `Unreadable`. A file that changes
    meanwhile is read once more, then it is `Unreadable` too: half of two versions is neither.
    """
    if not os.fspath(path):
        return Missing()
    try:
        for _ in range(_ATTEMPTS):
            found = _attempt(path, limit)
            if found is not None:
                return found
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable(_BAD_NAME)
    except MemoryError:
        return Unreadable(_NO_MEMORY)
    return Unreadable(_CHANGING)


def read_stream(
    stream: Readable, *, limit: int = MAX_DOCUMENT_BYTES
) -> bytes | ZeroFilled | Unreadable:
    """All bytes of a stream that has no path, such as standard input; at most ``limit``."""
    try:
        return _gathered(stream.read, limit)
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable("the stream is closed")
    except MemoryError:
        return Unreadable(_NO_MEMORY)


def open_regular(path: StrPath) -> int:
    """A descriptor to read a regular file from. Raises `OSError`, `FileRefused` for other kinds."""
    # Asked before it is opened: to open a device can already move it.
    _refuse_other_kinds(os.stat(path).st_mode, path)  # noqa: PTH116 - a Path takes its time
    descriptor = os.open(path, _FLAGS)
    try:
        _refuse_other_kinds(os.fstat(descriptor).st_mode, path)
    except FileRefused:
        os.close(descriptor)
        raise
    return descriptor


def _refuse_other_kinds(mode: int, path: StrPath) -> None:
    if kind := unreadable_kind(mode):
        raise FileRefused(errno.EINVAL, kind, os.fspath(path))


def _attempt(path: StrPath, limit: int) -> Document | None:
    """One try at a document; None if it changed under the hand."""
    descriptor = open_regular(path)
    try:
        before = os.fstat(descriptor)
        if before.st_size > limit:
            return _too_large(limit)
        content = _content(descriptor, before.st_size, limit)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    # Files of the kernel say that they are empty and are not.
    size = len(content) if isinstance(content, bytes) else before.st_size
    return None if changed or (before.st_size and size != before.st_size) else content


def _content(descriptor: int, size: int, limit: int) -> bytes | ZeroFilled | Unreadable:
    hollow = size > _CHUNK and os.pread(descriptor, _CHUNK, 0) == _ZEROS
    if 0 < size <= _ONE_READ and not hollow:
        return os.read(descriptor, size + 1)
    return _gathered(lambda count: os.read(descriptor, count), limit)


def _gathered(read: Callable[[int], bytes | None], limit: int) -> bytes | ZeroFilled | Unreadable:
    """All that ``read`` gives. A leading run of NULs is counted, not held, until it ends."""
    held = io.BytesIO()  # grows in place and hands its bytes out without a copy
    zeros = size = 0
    while chunk := read(min(_CHUNK, limit + 1 - size)):
        size += len(chunk)
        if size > limit:
            return _too_large(limit)
        if zeros + len(chunk) == size and chunk == _ZEROS[: len(chunk)]:
            zeros = size
            continue
        if not held.tell():
            held.seek(zeros)
        held.write(chunk)
    if chunk is None:
        return Unreadable("the stream has nothing to read yet and does not wait")
    if zeros == size:
        return ZeroFilled(size) if size > _CHUNK else bytes(size)
    return held.getvalue()


def _too_large(limit: int) -> Unreadable:
    return Unreadable(f"it is larger than {limit:,} bytes, the most that is read as one document")

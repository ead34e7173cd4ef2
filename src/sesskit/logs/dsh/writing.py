"""Bytes of a log as the original writers make them, and putting them on the disk.

Publication is by hard link, so that a log never appears half written and never replaces another.
An append is all or nothing: what fails is taken back to the length the file had.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sesskit.logs.dsh.envelopes import pack_sources
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.rows import pack
from sesskit.records.files import owner_only_directory, sync_folder
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]

HEADER_ORDER = (
    "version",
    "id",
    "createdAt",
    "cwd",
    "parentSession",
    "seedLength",
    "isSeeded",
    "origin",
    "delegationDepth",
    "agentPreset",
)
FRAME_BYTES = 256 * 1024
"""Text of one frame where a whole log is written at once."""

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_OWNER_ONLY = 0o600


def header_line(header: Json) -> Json:
    """The stored header of a session: members in the stored order, the depth always there."""
    whole = {"delegationDepth": 0, **header}
    return {"type": "session", **{name: whole[name] for name in HEADER_ORDER if name in whole}}


def stored_records(events: Iterable[Json], version: int, *, packed: bool = True) -> Iterator[Json]:
    """The lines of one batch: chunk rows up to v1, source lists with pairs from v2 on."""
    if version < 2:
        yield from pack(events) if packed else events
        return
    for event in events:
        sources = event.get("sourceEventSeqs")
        yield {**event, "sourceEventSeqs": pack_sources(sources)} if sources else event


def encoded(records: Iterable[Json], *, compressed: bool) -> bytes:
    """Records as lines, in one frame where the log is compressed; nothing for no records."""
    text = b"".join(dumps(record) + b"\n" for record in records)
    return write_frame(text) if compressed and text else text


def stored_lines(lines: Iterable[bytes], *, compressed: bool) -> Iterator[bytes]:
    """A whole log from its lines, the header first, in blocks: the header in a frame of its own."""
    batch = bytearray()
    for number, line in enumerate(lines):
        batch += line + b"\n"
        if number == 0 or len(batch) >= FRAME_BYTES:
            yield write_frame(bytes(batch)) if compressed else bytes(batch)
            batch.clear()
    if batch:
        yield write_frame(bytes(batch)) if compressed else bytes(batch)


def publish(path: Path, blocks: Iterable[bytes]) -> int:
    """Make a new log of its first blocks; gives its length.

    Raises `FileExistsError` where there is a log already, and then nothing has changed.
    """
    folder = path.parent
    owner_only_directory(folder.parent)
    owner_only_directory(folder)
    temporary = folder / f"{path.name}.{secrets.token_hex(6)}.tmp"
    length = 0
    descriptor = os.open(temporary, _CREATE, _OWNER_ONLY)
    try:
        try:
            for block in blocks:
                _write(descriptor, block)
                length += len(block)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.link(temporary, path, follow_symlinks=False)
        sync_folder(folder)
    finally:
        temporary.unlink(missing_ok=True)
    return length


def append(path: Path, data: bytes, length: int, *, cut: int | None = None) -> int:
    """Put a batch behind a log of ``length`` bytes, or behind its first ``cut``; gives the length.

    On the disk when it returns. Raises `OSError`; a log that has another length than it should
    was written by somebody else, and is left alone (`BlockingIOError`).
    """
    start = length if cut is None else cut
    descriptor = os.open(path, _APPEND)
    try:
        if os.fstat(descriptor).st_size != length:
            raise BlockingIOError(f"{path.name} was changed by another writer")
        kept = b"" if cut is None else _tail(path, cut)
        try:
            os.ftruncate(descriptor, start)
            os.lseek(descriptor, start, os.SEEK_SET)
            _write(descriptor, data)
            os.fsync(descriptor)
        except BaseException:
            _take_back(descriptor, start, kept)
            raise
    finally:
        os.close(descriptor)
    return start + len(data)


def _tail(path: Path, start: int) -> bytes:
    with path.open("rb") as source:
        source.seek(start)
        return source.read()


def _take_back(descriptor: int, start: int, kept: bytes) -> None:
    """What the file was before, as far as a disk that just failed lets us."""
    os.ftruncate(descriptor, start)
    os.lseek(descriptor, start, os.SEEK_SET)
    _write(descriptor, kept)
    os.fsync(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]

"""The texts in a file of any kind: archives and compressed files are opened, binary ones read.

For verifying what was made elsewhere. What cannot be looked into is said, never passed by.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.documents import Document, form_of
from sesskit.artifacts.share_formats import NotClosed, as_text, share_format
from sesskit.logs.dsh.frames import MAGIC, Piece, read_frames
from sesskit.logs.formats import recognize
from sesskit.schemas.limits import RECOGNITION_BYTES

__all__ = ["Sealed", "documents_in"]

_MOST_BYTES: Final = 1 << 30
_MOST_FILES: Final = 100_000
_DEEPEST: Final = 4
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP: Final = b"\x1f\x8b\x08"
_SURE: Final = ("certain", "likely")
_MARKS: Final = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Sealed(ValueError):
    """Something that cannot be looked into; the text says why, and repeats nothing of it."""


class _Held(NamedTuple):
    name: str
    data: bytes
    depth: int


def documents_in(name: str, data: bytes) -> Iterator[Document]:
    """All texts in a file, each with the name under which it is found. Raises `Sealed`."""
    waiting = [_Held(name, data, 0)]
    left, files = _MOST_BYTES, 0
    while waiting:
        held = waiting.pop()
        files += 1
        left -= len(held.data)
        if left < 0 or files > _MOST_FILES:
            raise Sealed("there is more in it than is looked into")
        opener = _opener(held.data)
        if opener is None:
            yield from _texts(held.name, held.data)
            continue
        if held.depth == _DEEPEST:
            raise Sealed("archives are nested too deep in it")
        inner = [_Held(*found, held.depth + 1) for found in opener(held.name, held.data, left)]
        waiting += reversed(inner)


_Opener = Callable[[str, bytes, int], Iterator[tuple[str, bytes]]]


def _opener(data: bytes) -> _Opener | None:
    if data.startswith(_ZIP) or (data[:2] != b"PK" and _ends_as_zip(data)):
        return _of_zip
    if data.startswith(_GZIP):
        return _of_gzip
    return _of_zstd if data.startswith(MAGIC) else None


def _ends_as_zip(data: bytes) -> bool:
    return b"PK\x05\x06" in data[-(1 << 16) - 22 :] and zipfile.is_zipfile(io.BytesIO(data))


def _of_zip(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, and what else is written in it: names and comments."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield f"{name}!comment", archive.comment
            for entry in archive.infolist():
                limit -= len(entry.filename)
                inner = f"{name}!{entry.filename}"
                yield f"{inner}!comment", entry.comment + b"\n" + entry.extra
                with archive.open(entry) as source:
                    found = source.read(max(limit, 0) + 1)
                limit -= len(found)
                if limit < 0:
                    raise Sealed("there is more in it than is looked into")
                yield inner, found
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise Sealed("it is an archive that cannot be opened") from error
    except (OSError, ValueError) as error:
        raise (
            error if isinstance(error, Sealed) else Sealed("it is an archive that cannot be opened")
        ) from error


def _of_gzip(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as source:
            found = source.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Sealed("it is compressed, and cannot be opened") from error
    if len(found) > limit:
        raise Sealed("there is more in it than is looked into")
    yield name.removesuffix(".gz"), found
    yield f"{name}!head", data[len(_GZIP) : 1024]  # which may hold a name


def _of_zstd(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """The text of all frames, and the bytes that are none."""
    pieces: list[bytes] = []
    for event in read_frames(io.BytesIO(data)):
        if isinstance(event, Piece):
            pieces.append(event.data)
            limit -= len(event.data)
            if limit < 0:
                raise Sealed("there is more in it than is looked into")
        elif getattr(event, "state", "stray") != "whole":
            raise Sealed("it is compressed, and cannot be opened")
    yield name.removesuffix(".zstd").removesuffix(".zst"), b"".join(pieces)


def _texts(name: str, data: bytes) -> Iterator[Document]:
    """The text of a file, and where it is the binary form of a session, that of its strings."""
    known = recognize(data[:RECOGNITION_BYTES], name)
    sure = known is not None and known.recognition.sure in _SURE
    adapter = share_format(known.entry.name) if known is not None and sure else None
    if adapter is not None and adapter.sessions is not None:
        for inner, log in adapter.sessions(data):
            yield Document(f"{name}!{inner}", as_text(log), "jsonl", streamed=adapter.shared)
        adapter = None  # its bytes are looked at as well
    wide = next((code for mark, code in _MARKS if data.startswith(mark)), None)
    if wide is not None:
        yield Document.of(name, data.decode(wide, "replace").encode("utf-8", "replace"))
    if adapter is not None:
        streamed = adapter.shared
        try:
            yield Document(name, adapter.opened(data), adapter.form, streamed=streamed)
        except NotClosed:
            yield Document(name, as_text(data), "text")
        return
    yield Document(name, as_text(data), form_of(data, name))
    if b"\0" in data[:RECOGNITION_BYTES]:
        # Wide text without a mark, and strings of a database between its numbers.
        yield Document(name, as_text(data.replace(b"\0", b"")), "text")

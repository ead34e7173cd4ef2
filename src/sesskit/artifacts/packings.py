"""What is packed: compressed streams, a whole file or somewhere in one, and what stays shut.

All decompression is bounded by what a caller still allows; what is more than that is `Sealed`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from sesskit.logs.dsh.frames import MAGIC, Piece, read_frames

__all__ = [
    "PACKED",
    "TOO_MUCH",
    "Opener",
    "Sealed",
    "hidden_in",
    "is_shut",
    "opener_of",
    "unpacked",
]

Opener = Callable[[str, bytes, int], Iterator[tuple[str, bytes]]]
"""Gives what is in a file with this name and these bytes, at most so many bytes of it."""

_GZIP: Final = b"\x1f\x8b\x08"
_XZ: Final = b"\xfd7zXZ\0"
_BZIP: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_ZLIB: Final = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_SHUT: Final = (
    *(b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x04\x22\x4d\x18", b"LZIP", b"\x1f\x9d"),
    *(b"\x1f\xa0", b"\xff\x06\0\0sNaPpY", b"\x89LZO\0", b"MSCF\0\0\0\0", b"xar!", b"ISc("),
    *(b"Salted__", b"LUKS\xba\xbe", b"age-encryption.org/"),
    *(b"\x03\xd9\xa2\x9a", b"\x5d\0\0\x80\0"),
)
"""How files begin that nothing here opens: packed by others, or encrypted."""

_ARMOURED: Final = (b"-----BEGIN AGE ENCRYPTED", b"-----BEGIN PGP MESSAGE")
_SHUT_NAMES: Final = (".br", ".lz", ".lz4", ".lzo", ".7z", ".rar", ".age", ".gpg", ".kdbx", ".sz")
_HIDDEN: Final = re.compile(
    rb"\x1f\x8b\x08[\x00-\x1f]|\x78[\x01\x5e\x9c\xda]|BZh[1-9]1AY&SY|\xfd7zXZ\0|\x28\xb5\x2f\xfd"
    rb"|PK\x03\x04"
)
_IMAGE_DATA: Final = b"IDAT"
_LOCAL_HEAD: Final = 30
_NEWEST: Final = 63
"""The version of the format that the head of a file in an archive may ask for."""

_LEAST_TOLD: Final = 8
_LEAST_SURE: Final = 64
_MOST_SPARE: Final = 1 << 22
_MOST_HIDDEN: Final = 20_000
_CANNOT: Final = "it is compressed, and cannot be opened"
TOO_MUCH: Final = "there is more in it than is looked into"


PACKED: Final = ("H4sI", "eJ", "eN", "eA", "eF", "UEsDB", "QlpoO", "/Td6WFoA", "KLUv/")
"""How the base64 of packed bytes begins."""


class Sealed(ValueError):
    """Something that cannot be looked into; the text says why, and repeats nothing of it."""


def opener_of(data: bytes) -> Opener | None:
    """What opens a file that is one packed stream."""
    if data.startswith(_GZIP):
        return _of_gzip
    if data.startswith(MAGIC):
        return _of_zstd
    if _BZIP.match(data):
        return _of_bzip
    if data.startswith(_XZ):
        return _of_xz
    return _of_zlib if data.startswith(_ZLIB) and _begins(data) else None


def is_shut(name: str, data: bytes) -> bool:
    """Whether a file is packed or encrypted in a way that nothing here opens."""
    told = data.startswith(_SHUT) or name.endswith(_SHUT_NAMES)
    return (told and _is_binary(data)) or data.startswith(_ARMOURED)


def hidden_in(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """What compressed streams somewhere in a binary file hold, such as those of a PDF."""
    if not _is_binary(data):
        return
    at = tried = 0
    while found := _HIDDEN.search(data, at):
        start = found.start()
        at = start + 1
        tried += 1
        if tried > _MOST_HIDDEN:
            raise Sealed(TOO_MUCH)
        if data[start - 4 : start] == _IMAGE_DATA:
            continue
        content, used = _unpacked(data, start, limit)
        limit -= len(content)
        if len(content) >= _LEAST_TOLD:
            yield f"{name}!{start}", content
            at = start + max(used, 1)


def unpacked(data: bytes, most: int) -> bytes:
    """The beginning of what packed bytes hold; nothing if they are none. Any error is no answer."""
    pieces: list[bytes] = []
    at = 0
    try:
        while at < len(data) and most > 0 and _HIDDEN.match(data, at):
            content, used = _unpacked(data, at, _MOST_SPARE)
            pieces.append(content[:most])
            most -= len(content)
            at = at + used if used else len(data)
    except Sealed:
        return b""
    return b"\n".join(pieces)


class _Stream(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


def _unpacked(data: bytes, start: int, limit: int) -> tuple[bytes, int]:
    """What a stream that begins there holds, and how long it is; nothing if it is none."""
    if data.startswith(b"PK\x03\x04", start):
        return _entry(data, start, limit)
    if data.startswith(MAGIC, start):
        return _frames(data[start:], limit), len(MAGIC)
    return _streamed(data, start, limit)


def _streamed(data: bytes, start: int, limit: int) -> tuple[bytes, int]:
    rest = memoryview(data)[start:]
    stream: _Stream
    try:
        if data.startswith(b"BZh", start):
            stream = zipped = bz2.BZ2Decompressor()
            content = zipped.decompress(rest, limit + 1)
        elif data.startswith(_XZ, start):
            stream = packed = lzma.LZMADecompressor(lzma.FORMAT_XZ)
            content = packed.decompress(rest, limit + 1)
        else:
            return _inflated(data, start, limit, 31 if data[start] == _GZIP[0] else 15)
    except (OSError, lzma.LZMAError, EOFError):
        return b"", 0
    if len(content) > limit:
        raise Sealed(TOO_MUCH)
    return content, len(rest) - len(stream.unused_data) if stream.eof else 0


def _inflated(data: bytes, start: int, limit: int, wbits: int) -> tuple[bytes, int]:
    """Of a stream that breaks off, what there is."""
    stream = zlib.decompressobj(wbits)
    pieces: list[bytes] = []
    size, at = 0, start
    try:
        while at < len(data) and not stream.eof:
            pieces.append(stream.decompress(data[at : at + (1 << 16)], limit - size + 1))
            size += len(pieces[-1])
            if size > limit:
                raise Sealed(TOO_MUCH)
            at += 1 << 16
    except zlib.error:
        content = b"".join(pieces)
        return (content, 0) if len(content) >= _LEAST_SURE else (b"", 0)
    return b"".join(pieces), min(at, len(data)) - start - len(stream.unused_data)


def _entry(data: bytes, start: int, limit: int) -> tuple[bytes, int]:
    """A file of an archive that no directory lists: what its own head says of it."""
    head = data[start : start + _LOCAL_HEAD]
    if len(head) < _LOCAL_HEAD or head[5] or head[4] > _NEWEST:
        return b"", 0
    flags, method = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    body = start + _LOCAL_HEAD + int.from_bytes(head[26:28], "little")
    body += int.from_bytes(head[28:30], "little")
    if flags & 1:
        raise Sealed("a part of it is encrypted")
    if method == zlib.DEFLATED:
        content, used = _inflated(data, body, limit, -15)
        return content, body - start + used
    return b"", 0  # stored as it is, or packed in a way that shows its own beginning


def _is_binary(data: bytes) -> bool:
    if b"\0" in data:
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _begins(data: bytes) -> bool:
    """Whether something can be unpacked: text may begin with the same two letters."""
    try:
        return bool(zlib.decompressobj().decompress(data[:4096], 64))
    except zlib.error:
        return False


def _of_gzip(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as source:
            found = source.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Sealed(_CANNOT) from error
    yield name.removesuffix(".gz"), _bounded(found, limit)
    yield f"{name}!head", data[len(_GZIP) : 1024]  # which may hold a name


def _of_zstd(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """The text of all frames, and the bytes that are none."""
    pieces: list[bytes] = []
    for event in read_frames(io.BytesIO(data)):
        if isinstance(event, Piece):
            pieces.append(event.data)
            limit -= len(event.data)
            if limit < 0:
                raise Sealed(TOO_MUCH)
        elif getattr(event, "state", "stray") != "whole":
            raise Sealed(_CANNOT)
    yield name.removesuffix(".zstd").removesuffix(".zst"), b"".join(pieces)


def _frames(data: bytes, limit: int) -> bytes:
    """The text of the frames that data begins with, as far as it goes."""
    pieces: list[bytes] = []
    for event in read_frames(io.BytesIO(data)):
        if not isinstance(event, Piece):
            if getattr(event, "state", "stray") != "whole":
                break
            continue
        pieces.append(event.data)
        limit -= len(event.data)
        if limit < 0:
            raise Sealed(TOO_MUCH)
    return b"".join(pieces)


def _of_bzip(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    pieces: list[bytes] = []
    rest = data
    try:
        while rest:
            stream = bz2.BZ2Decompressor()
            pieces.append(_bounded(stream.decompress(rest, limit + 1), limit))
            limit -= len(pieces[-1])
            if not stream.eof:
                raise Sealed(_CANNOT)
            rest = stream.unused_data
    except (OSError, EOFError) as error:
        raise Sealed(_CANNOT) from error
    yield name.removesuffix(".bz2"), b"".join(pieces)


def _of_xz(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    pieces: list[bytes] = []
    rest = data
    try:
        while rest.strip(b"\0"):
            stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=1 << 28)
            pieces.append(_bounded(stream.decompress(rest, limit + 1), limit))
            limit -= len(pieces[-1])
            if not stream.eof:
                raise Sealed(_CANNOT)
            rest = stream.unused_data
    except (lzma.LZMAError, EOFError) as error:
        raise Sealed(_CANNOT) from error
    yield name.removesuffix(".xz"), b"".join(pieces)


def _of_zlib(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    content, used = _inflated(data, 0, limit, 15)
    if used < len(data):
        yield f"{name}!rest", data[used:]
    yield f"{name}!", content


def _bounded(content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise Sealed(TOO_MUCH)
    return content

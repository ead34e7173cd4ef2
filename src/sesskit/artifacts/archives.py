"""Archives: the files in them, and all bytes that belong to none of their files."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sesskit.artifacts import packings
from sesskit.artifacts.packings import TOO_MUCH, Opener, Sealed

__all__ = ["opener_of"]

_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_TAR: Final = slice(257, 262)
_DESCRIPTOR: Final = (12, 16, 20, 24)
"""How long what follows the data of a file in an archive can be: its sizes and its checksum."""

_CANNOT: Final = "it is an archive that cannot be opened"


def opener_of(data: bytes) -> Opener | None:
    """What opens a file that is an archive, or one packed stream; None for any other."""
    if data.startswith(_ZIP) or (data[:2] != b"PK" and _ends_as_zip(data)):
        return _of_zip
    if data[_TAR] == b"ustar":
        return _of_tar
    return packings.opener_of(data)


def _ends_as_zip(data: bytes) -> bool:
    return b"PK\x05\x06" in data[-(1 << 16) - 22 :] and zipfile.is_zipfile(io.BytesIO(data))


def _of_zip(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, and what else is written in it: names and comments."""
    taken: list[tuple[int, int]] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield f"{name}!comment", archive.comment
            for entry in archive.infolist():
                limit -= len(entry.filename)
                inner = f"{name}!{entry.filename}"
                start, end = _extent(data, entry)
                head = data[entry.header_offset + 30 : start]  # which may have another name
                yield f"{inner}!comment", b"\n".join([entry.comment, entry.extra, head])
                with archive.open(entry) as source:
                    found = source.read(max(limit, 0) + 1)
                limit -= len(found)
                if limit < 0:
                    raise Sealed(TOO_MUCH)
                yield inner, found
                taken.append((entry.header_offset, end))
            taken.append((archive.start_dir, len(data) - _behind(data)))
            directory = data[archive.start_dir :].replace(b"PK\x05\x06", b" ")
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise Sealed(_CANNOT) from error
    except (OSError, ValueError) as error:
        raise (error if isinstance(error, Sealed) else Sealed(_CANNOT)) from error
    yield f"{name}!directory", b"\n" + directory
    for number, rest in enumerate(_between(data, taken)):
        if len(rest) not in _DESCRIPTOR:
            yield f"{name}!outside {number}", b"\n" + rest


def _behind(data: bytes) -> int:
    """How many bytes stand behind the end of the directory, and its comment."""
    at = data.rfind(b"PK\x05\x06")
    comment = int.from_bytes(data[at + 20 : at + 22], "little")
    return max(len(data) - (at + 22 + comment), 0) if at >= 0 else 0


def _extent(data: bytes, entry: zipfile.ZipInfo) -> tuple[int, int]:
    """Where the data of a file of an archive lie."""
    at = entry.header_offset
    start = at + 30 + int.from_bytes(data[at + 26 : at + 28], "little")
    start += int.from_bytes(data[at + 28 : at + 30], "little")
    return start, start + entry.compress_size


class _Member(NamedTuple):
    name: str
    start: int
    end: int


def _of_tar(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, and all that is around them: names and comments."""
    members: list[_Member] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for entry in archive:
                if entry.isreg():
                    start = entry.offset_data
                    members.append(_Member(entry.name, start, start + entry.size))
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        raise Sealed(_CANNOT) from error
    for member in members:
        yield f"{name}!{member.name}", data[member.start : member.end]
    around = _between(data, ((member.start, member.end) for member in members))
    yield f"{name}!around", b"\n" + b"\n".join(around)


def _between(data: bytes, ranges: Iterable[tuple[int, int]]) -> list[bytes]:
    """The bytes outside of some ranges, each stretch by itself."""
    found: list[bytes] = []
    at = 0
    for start, end in sorted(ranges):
        if start > at:
            found.append(data[at:start])
        at = max(at, end)
    if at < len(data):
        found.append(data[at:])
    return found

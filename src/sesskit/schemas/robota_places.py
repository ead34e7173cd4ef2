"""Where the elements of a record's long lists start, from the lengths the fast parser knows.

Places are asked for only after a fault; stepping over an element by its known length keeps that
cheap on a record of hundreds of megabytes.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Raw

from sesskit.schemas.issues import Keys

_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_SEPARATOR: Final = re.compile(rb"[ \t\n\r]*(?:,[ \t\n\r]*)?")
_NAME: Final = re.compile(rb'[ \t\n\r]*"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*')
_VERSION: Final = re.compile(rb'[ \t\n\r]*"schemaVersion"[ \t\n\r]*:[ \t\n\r]*[-+0-9.eE]+[ \t\n\r]*,')

Starts = dict[Keys, Sequence[int]]
Pieces = Mapping[str, "Raw | list[Raw]"]


def element_starts(data: bytes, pieces: Pieces | None, enveloped: bool) -> Starts:
    """Offsets of the elements of each list, by the keys of the list; empty where unsure.

    Doubled member names and escapes in names make it unsure; the places are then looked for in the
    text itself.
    """
    if pieces is None:
        return {}
    prefix: Keys = ("record",) if enveloped else ()
    position = _record_start(data, enveloped)
    starts: Starts = {}
    seen = 0
    while position is not None and seen < len(pieces):
        name = _NAME.match(data, position)
        if name is None:
            return {}
        key = name[1].decode("utf-8", "replace")
        piece = pieces.get(key)
        if piece is None:
            return {}
        position = _over(data, name.end(), piece, starts, (*prefix, key))
        seen += 1
    return starts if position is not None else {}


def _record_start(data: bytes, enveloped: bool) -> int | None:
    """Just behind the brace that opens the record."""
    position = _brace(data, 0)
    if position is None or not enveloped:
        return position
    version = _VERSION.match(data, position)
    name = _NAME.match(data, version.end() if version else position)
    return _brace(data, name.end()) if name and name[1] == b"record" else None


def _brace(data: bytes, position: int) -> int | None:
    space = _SPACE.match(data, position)
    at = space.end() if space else position
    return at + 1 if data[at : at + 1] == b"{" else None


def _over(
    data: bytes, position: int, piece: Raw | list[Raw], starts: Starts, keys: Keys
) -> int | None:
    """Step over one member's value, noting its elements; None where the text is another one."""
    if not isinstance(piece, list):
        text = memoryview(piece)
        if data[position : position + len(text)] != text:
            return None
        return _behind(_SEPARATOR, data, position + len(text))
    if data[position : position + 1] != b"[":
        return None
    position = _behind(_SPACE, data, position + 1)
    found = array("Q")
    for element in piece:
        found.append(position)
        position = _behind(_SEPARATOR, data, position + len(memoryview(element)))
    if data[position : position + 1] != b"]" or not _same_ends(data, piece, found):
        return None
    starts[keys] = found
    return _behind(_SEPARATOR, data, position + 1)


def _behind(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    match = pattern.match(data, position)
    return match.end() if match else position


def _same_ends(data: bytes, piece: list[Raw], found: Sequence[int]) -> bool:
    """Whether the first and the last element stand where they were stepped to."""
    ends: Iterator[tuple[int, Raw]] = iter(zip(found[:1] + found[-1:], piece[:1] + piece[-1:], strict=True))
    return all(data[at : at + len(memoryview(raw))] == memoryview(raw) for at, raw in ends)

"""Where the elements of a record's long lists start, from the lengths the fast parser knows.

Places are asked for only after a fault; stepping over an element by its known length keeps that
cheap on a record of hundreds of megabytes.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Raw

from sesskit.schemas.issues import Keys

_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_SEPARATOR: Final = re.compile(rb"[ \t\n\r]*(?:,[ \t\n\r]*)?")
_NAME: Final = re.compile(rb'[ \t\n\r]*"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*')
_VERSION: Final = re.compile(
    rb'[ \t\n\r]*"schemaVersion"[ \t\n\r]*:[ \t\n\r]*[-+0-9.eE]+[ \t\n\r]*,'
)

Starts = dict[Keys, Sequence[int]]
Piece = Raw | bytes | memoryview
Pieces = Mapping[str, "Piece | list[Piece]"]


def element_starts(
    data: bytes, pieces: Pieces | None, enveloped: bool, wanted: Iterable[Keys]
) -> Starts:
    """Offsets of the elements of each list, by the keys of the list; empty where unsure.

    Steps no further than the last element that ``wanted`` leads to. Doubled lists and
    escapes in names make it unsure; the places are then looked for in the text itself.
    """
    if pieces is None:
        return {}
    prefix: Keys = ("record",) if enveloped else ()
    last = _last_wanted(wanted, prefix, pieces)
    position = _record_start(data, enveloped)
    starts: Starts = {}
    while position is not None and last:
        found = _NAME.match(data, position)
        name = found[1].decode("utf-8", "replace") if found else ""
        piece = pieces.get(name)
        if found is None or piece is None:
            break
        index = last.pop(name, None)
        if isinstance(piece, list) and index is not None and not last:
            piece = piece[: index + 1]  # nothing behind it is asked for
        position = _over(data, found.end(), piece, starts, (*prefix, name))
    return starts


def _last_wanted(wanted: Iterable[Keys], prefix: Keys, pieces: Pieces) -> dict[str, int]:
    """For each list that is led into, the last element that is."""
    last: dict[str, int] = {}
    depth = len(prefix)
    for keys in wanted:
        if len(keys) < depth + 2 or keys[:depth] != prefix:
            continue
        name, index = keys[depth], keys[depth + 1]
        if isinstance(name, str) and isinstance(index, int) and isinstance(pieces.get(name), list):
            last[name] = max(last.get(name, 0), index)
    return last


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
    data: bytes, position: int, piece: Piece | list[Piece], starts: Starts, keys: Keys
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
    append = found.append
    for element in piece:
        append(position)
        position += memoryview(element).nbytes
        if data[position : position + 2] == b",{":
            position += 1
        else:
            position = _behind(_SEPARATOR, data, position)
    if not _same_ends(data, piece, found):
        return None
    starts[keys] = found
    return (
        _behind(_SEPARATOR, data, position + 1) if data[position : position + 1] == b"]" else None
    )


def _behind(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    match = pattern.match(data, position)
    return match.end() if match else position


def _same_ends(data: bytes, piece: list[Piece], found: Sequence[int]) -> bool:
    """Whether the first and the last element stand where they were stepped to."""
    if not found:
        return True
    ends = ((found[0], memoryview(piece[0])), (found[-1], memoryview(piece[-1])))
    return all(data[at : at + len(text)] == text for at, text in ends)

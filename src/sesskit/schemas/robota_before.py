"""Faults of shape in what was whole before the text of a Robota record stopped making sense.

A value that ended before the first fault of the text is what it was written as, so that its faults
are told; what stands behind may be a consequence, and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.items import REFUSED
from sesskit.schemas.json_scan import Members, behind_noise
from sesskit.schemas.robota_members import MEMBERS
from sesskit.schemas.robota_reading import Reading

Part = tuple[Keys, int, int]
"""The keys of a value, where it starts and where it ends."""


def tell_what_was_whole(reading: Reading, text: Iterable[Issue]) -> None:
    """Adds the faults of every member and element that ended before the first error of the text."""
    errors = [i.offset for i in text if i.severity == "error" and i.offset is not None]
    limit = min(errors, default=0)
    for keys, start, end in _parts(reading, limit):
        _tell(reading, keys, reading.data[start:end])


def _parts(reading: Reading, limit: int) -> Iterator[Part]:
    """Members of the record and elements of its lists that ended before ``limit``."""
    data = reading.data
    root = behind_noise(data, 0)
    if not reading.enveloped:
        yield from _of_record(data, root, (), limit)
        return
    for name, at, start, end in Members(data, root):
        if at >= limit:
            return
        if name == "record":
            yield from _of_record(data, start, ("record",), limit)
        elif name != "schemaVersion" and end < limit:
            yield (str(name),), start, end


def _of_record(data: bytes, start: int, prefix: Keys, limit: int) -> Iterator[Part]:
    if data[start : start + 1] != b"{":
        return
    for name, at, begin, end in Members(data, start):
        if at >= limit:
            return
        keys = (*prefix, str(name))
        member = MEMBERS.get(str(name))
        if member is not None and member.is_list and data[begin : begin + 1] == b"[":
            yield from _of_list(data, begin, keys, limit)
        elif end < limit:
            yield keys, begin, end


def _of_list(data: bytes, start: int, keys: Keys, limit: int) -> Iterator[Part]:
    for index, _, begin, end in Members(data, start):
        if end >= limit:
            return
        yield (*keys, index), begin, end


def _tell(reading: Reading, keys: Keys, piece: bytes) -> None:
    name = keys[len(reading.prefix)] if len(keys) > len(reading.prefix) else keys[0]
    member = MEMBERS.get(str(name)) if keys[: len(reading.prefix)] == reading.prefix else None
    if member is None:
        reading.unknown(keys, piece)
    elif member.is_list and len(keys) == len(reading.prefix) + 1:
        reading.wrong_kind(keys, "array", piece)
    elif member.item.fast(piece) is REFUSED:
        _, issues = member.item.collect(piece, keys, zone=reading.zone)
        reading.collect(keys, None, [i for i in issues if i.keys])

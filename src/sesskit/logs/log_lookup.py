"""One value of a Robota log: by its line and the path inside it, through sidecars.

``20`` is line 20, ``20:message.content`` a value in it; ``line 20.message.content`` and
``/20/message/content`` are the same. A path goes on in the sidecar where a reference stands.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

from sesskit.logs.line_blocks import line_blocks
from sesskit.logs.log_sources import LogPlace, homeless, open_place, payloads_of
from sesskit.logs.sidecar_files import PayloadSource
from sesskit.logs.sidecar_references import (
    PayloadFault,
    Reference,
    is_reference_like,
    read_reference,
)
from sesskit.logs.sidecars import MAX_REFERENCE_DEPTH, MAX_TOTAL_BYTES
from sesskit.records.lookup import Found, find, value_of
from sesskit.schemas.issues import Keys
from sesskit.schemas.json_position import Base, Ruler

_WHERE = re.compile(
    r"(?:line[ :]?)?(\d{1,12})(?:[:.](.*))?|/(\d{1,12})(/.*)?", re.DOTALL | re.ASCII
)


class Where(NamedTuple):
    """A line, and a path inside it."""

    line: int
    path: str


class InLog(NamedTuple):
    """Where a path inside a line leads: ``found`` and the ``value`` there.

    ``place`` is line, column and offset in the log, of the reference if the value lies in a
    ``sidecar``. ``fault`` says why the sidecar on the way could not be read.
    """

    found: Found
    value: Any
    place: tuple[int, int, int]
    sidecar: str | None = None
    fault: PayloadFault | None = None


def where(text: str) -> Where | None:
    """Line, from 1 on, and path of a place in a log; None for what is none."""
    found = _WHERE.fullmatch(text.strip())
    number = 0 if found is None else int(found[1] or found[3])
    if found is None or number == 0:
        return None
    return Where(number, found[2] or found[4] or "")


def find_in_log(place: LogPlace, at: Where) -> InLog | int | None:
    """The value at a place of a log; None where the line holds no value at all.

    A number says that there is no such line: so many there are. Raises OSError where the log
    cannot be read.
    """
    line = _line(place, at.line)
    if isinstance(line, int):
        return line
    data, offset = line
    with payloads_of(place) as payloads:
        return _followed(
            data, Base(offset, at.line), at.path, None if homeless(place) else payloads
        )


def _line(place: LogPlace, number: int) -> tuple[bytes, int] | int:
    """A line and its offset, or the number of lines. What is no text is not held, so not given."""
    count = 0
    with open_place(place) as stream:
        for block in line_blocks(stream):
            count = block.number + len(block.lines) - 1
            if number <= count:
                before = block.lines[: max(number - block.number, 0)]
                return block.lines[len(before)], block.offset + sum(map(len, before))
    return count


def _followed(line: bytes, base: Base, path: str, payloads: PayloadSource | None) -> InLog | None:
    """Follow the path through the line, and through as many sidecars as may be nested."""
    data = line
    keys: Keys = ()
    sidecar: str | None = None
    first = found = find(line, path)
    if first is None:
        return None
    place = _place(line, base, first)
    whole, value = first, None
    for _ in range(MAX_REFERENCE_DEPTH + 1):
        if found is None:
            break
        whole = replace(found, keys=(*keys, *found.keys))
        value = value_of(data, found)
        reference = read_reference(value) if is_reference_like(value) else None
        if reference is None or payloads is None:
            return InLog(whole, value, place, sidecar)
        opened = _opened(payloads, reference)
        if isinstance(opened, PayloadFault):
            return InLog(whole, value, place, reference.relative_path, opened)
        data, keys, sidecar = opened, whole.keys, reference.relative_path
        found = find(data, found.rest.removeprefix("."))
    return InLog(whole, value, place, sidecar, PayloadFault("INVALID_JSON"))


def _place(line: bytes, base: Base, found: Found) -> tuple[int, int, int]:
    _, column = Ruler(line).position(found.span.start)
    return base.line, column, base.offset + found.span.start


def _opened(payloads: PayloadSource, reference: Reference) -> bytes | PayloadFault:
    read = payloads.read(reference.relative_path, MAX_TOTAL_BYTES)
    if isinstance(read, PayloadFault):
        return read
    if len(read.data) != reference.byte_length:
        return PayloadFault("BYTE_LENGTH_MISMATCH")
    return read.data if read.sha256 == reference.sha256 else PayloadFault("SHA256_MISMATCH")

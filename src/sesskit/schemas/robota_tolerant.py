"""What the Robota decoder does after a refusal: damaged text, and the places of issues.

Imported only then; a sound record does not pay for it.
"""

from __future__ import annotations

import re
from typing import Final

from sesskit.schemas.check import check
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.items import parse, without_repeats
from sesskit.schemas.json_scan import BLANK, Members
from sesskit.schemas.json_text import read_json
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.robota_before import tell_what_was_whole
from sesskit.schemas.robota_members import MEMBERS
from sesskit.schemas.robota_reading import Piece, Pieces, Reading, number, unsupported, version_of
from sesskit.schemas.robota_record import Envelope, Record
from sesskit.schemas.robota_reduced import read_reduced
from sesskit.schemas.shapes import shape_of

CUT_FROM_BYTES: Final = 256 * 1024
"""From this size on a document is cut into elements first, so that one fault of the text in it does
not make the slow reader go through all of it."""

_VERSION: Final = re.compile(
    rb'"schemaVersion"[ \t\n\r]*+:[ \t\n\r]*+'
    rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
    rb"[ \t\n\r]*+(?:[,}]|\Z)"
)
"""A version that is a number; the tolerant reader makes one of ``0x1`` as well."""

_BLANK: Final = b" \t\r\n"
_NAME: Final = re.compile(rb'"[ !#-\[\]-~]*+"' + BLANK + b":" + BLANK)
"""A name without anything that might need a word: no escape, no control character, ASCII."""


def read_tolerantly(reading: Reading) -> Decoded:
    """A document that no fast parser takes as a whole."""
    if len(reading.data) >= CUT_FROM_BYTES:
        answer = _by_elements(reading)
        if answer is None:
            answer = read_reduced(reading)
        if answer is not None:
            return answer
    text = read_json(reading.data, thorough=reading.thorough)
    value = text.value
    if reading.enveloped:
        head = text.partial
        written = _VERSION.search(reading.data) if text.issues else True
        says = isinstance(head, dict) and written
        reading.version = number(head.get("schemaVersion")) if says else None
        if text.sound and isinstance(value, dict) and reading.version != 1:
            return unsupported(reading.version)
    unversioned = reading.enveloped and isinstance(value, dict) and reading.version != 1
    if value is DAMAGED or unversioned:
        if value is DAMAGED and reading.version == (1 if reading.enveloped else None):
            tell_what_was_whole(reading, text.issues)
        reading.issues.extend(text.issues)
        return reading.finish(None)
    shape = shape_of(Envelope if reading.enveloped else Record)
    built, found = check(shape, value, zone=reading.zone, build=text.sound)
    reading.issues.extend([*without_repeats(list(text.issues), found, ()), *found])
    return reading.finish(built.record if isinstance(built, Envelope) else built)


def _by_elements(reading: Reading) -> Decoded | None:
    """The answer of a big document whose outer structure is sound; None where it is not."""
    data = reading.data
    view = memoryview(data)
    start = len(data) - len(data.lstrip(_BLANK))
    outer = _cut(data, start, len(data.rstrip(_BLANK)))
    if outer is None:
        return None
    if not reading.enveloped:
        return _of_pieces(reading, _pieces(data, view, outer))
    if "schemaVersion" not in outer or set(outer) != {"schemaVersion", "record"}:
        return None
    if version_of(bytes(view[slice(*outer["schemaVersion"])])) != 1:
        return None
    inner = _cut(data, *outer["record"])
    return _of_pieces(reading, None if inner is None else _pieces(data, view, inner))


def _of_pieces(reading: Reading, pieces: Pieces | None) -> Decoded | None:
    """The answer for a record in pieces; None where one of them stops making sense."""
    if pieces is None:
        return None
    trial = Reading(reading.data, thorough=reading.thorough, keep=reading.keep, zone=reading.zone)
    trial.enveloped = reading.enveloped
    trial.version = 1 if reading.enveloped else None
    answer = trial.record(pieces)
    return None if trial.stopped else answer


Span = tuple[int, int]


def _cut(data: bytes, start: int, end: int) -> dict[str, Span] | None:
    """Where the values of an object's members stand, if nothing but members stands in it."""
    members: dict[str, Span] = {}
    scan = Members(data, start)
    position = start + 1
    for name, at, begin, stop in scan:
        if not _is_gap(data, position, at, first=not members):
            return None
        if not _NAME.fullmatch(data, at, begin) or name in members:
            return None
        members[str(name)] = (begin, stop)
        position = stop
    whole = scan.end == end and not data[position : end - 1].strip(_BLANK)
    return members if whole else None


def _pieces(data: bytes, view: memoryview, spans: dict[str, Span]) -> Pieces | None:
    pieces: Pieces = {}
    for name, (start, end) in spans.items():
        member = MEMBERS.get(name)
        if member is None or not member.is_list or data[start : start + 1] != b"[":
            pieces[name] = bytes(view[start:end])
            if parse(bytes(view[start:end]))[1]:
                return None
            continue
        elements = _elements(data, view, start, end)
        if elements is None:
            return None
        pieces[name] = elements
    return pieces


def _elements(data: bytes, view: memoryview, start: int, end: int) -> list[Piece] | None:
    elements: list[Piece] = []
    scan = Members(data, start)
    position = start + 1
    for _, _, begin, stop in scan:
        if not _is_gap(data, position, begin, first=not elements):
            return None
        elements.append(view[begin:stop])
        position = stop
    whole = scan.end == end and not data[position : end - 1].strip(_BLANK)
    return elements if whole else None


def _is_gap(data: bytes, start: int, end: int, *, first: bool) -> bool:
    """Whether only blanks stand there and, except before the first, one comma."""
    return data[start:end].strip(_BLANK) == (b"" if first else b",")

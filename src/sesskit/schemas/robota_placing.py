"""The places of a Robota record's issues. Imported only where there are issues.

Elements are found by their lengths, so that a fault in a big record costs little.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.json_scan import Members
from sesskit.schemas.places import Places
from sesskit.schemas.robota_places import Pieces, element_starts

_BLANK = b" \t\r\n"

Inner = list[tuple[Keys, Issue]]
"""Faults of the text of one element each, with the keys of the element."""


def placed(
    data: bytes, pieces: Pieces | None, issues: list[Issue], inner: Inner, *, enveloped: bool
) -> tuple[Issue, ...]:
    """The issues with their places, in the order of the text.

    ``inner`` are faults of the text of one element each, whose offsets count from its start.
    """
    wanted = [*(issue.keys for issue in issues), *(keys for keys, _ in inner)]
    places = Places(data, element_starts(data, pieces, enveloped, wanted))
    return places.place([*issues, *_inner(inner, places)])


def _inner(inner: Inner, places: Places) -> Iterator[Issue]:
    for keys, issue in inner:
        span = places.span(keys)
        start = span[0] if span else 0
        offset = start + (issue.offset or 0)
        line, column = places.position(offset)
        yield replace(issue, offset=offset, line=line, column=column)


def doubled(data: bytes, enveloped: bool) -> Iterator[Issue]:
    """Doubled names in the envelope and in the record; inside members the items say it."""
    start = len(data) - len(data.lstrip(_BLANK))
    levels: list[tuple[Keys, int]] = [((), start)]
    while levels:
        keys, at = levels.pop()
        seen = set()
        for name, name_at, value_at, _ in Members(data, at):
            if name in seen:
                message = "a member of this name stood before; this one counts"
                line, column = Places(data).position(name_at)
                yield Issue(
                    "duplicate-member",
                    message,
                    "warning",
                    (*keys, name),
                    line=line,
                    column=column,
                    offset=name_at,
                    at_key=True,
                )
            seen.add(name)
            if (
                enveloped
                and not keys
                and name == "record"
                and data[value_at : value_at + 1] == b"{"
            ):
                levels.append((("record",), value_at))

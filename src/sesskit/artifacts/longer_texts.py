"""Texts that came in pieces: put together, looked at as a whole, and changed piece by piece.

A model streams its answer, so a token may begin in one piece and end in the next. Pieces are given
by their places in the text of a file, between the quotes of their strings; a string that holds JSON
has pieces inside, as lines of a stream of events have.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from sesskit.artifacts.edits import Edit, combined, lifted
from sesskit.artifacts.json_frames import in_event
from sesskit.artifacts.json_leaves import Leaf, leaves, text_of
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.artifacts.views import decoded
from sesskit.schemas.issues import Keys, pointer

__all__ = ["Events", "Part", "Piece", "Pieces", "named_pieces", "over_pieces", "pieces_in_lines"]

Part = tuple[int, int, Treatment | None]
"""A JSON text in a file, and what its format says about it; None for a part that is no JSON."""

Piece = tuple[int, int] | tuple[int, int, int, int]
"""Where a piece is in a file; in a string that holds JSON also where it is in that string."""

Pieces = dict[str, list[Piece]]
"""The places of the pieces of each longer text."""

_EVENTS: Final = "\1"
_DATA: Final = re.compile(r"^(?:data:[ \t]{0,8})?([{\[].*)$", re.M)


_EVENT: Final = re.compile(r"^[^\n{]{0,60}(\{[^\n]{1,20000}\})[ \t\r]*$", re.M)


class Events:
    """The strings of one event of a stream, to be put to those at the same places in others.

    What says of which stream an event is may stand behind them, so they wait for its end.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[Leaf, str, Piece]] = []

    def add(self, text: str, leaf: Leaf, base: int) -> None:
        """A string of the event that is ``text``, which begins at ``base`` of its file."""
        place = base + leaf.start, base + leaf.end
        way = pointer(leaf.frame.keys())
        self._waiting.append((leaf, way, place))
        content = text_of(text[leaf.start : leaf.end])
        if "{" not in content and "[" not in content:
            return
        for data in _DATA.finditer(content):
            for inner in leaves(data[1], TEXT, _never):
                if inner.role == "text":
                    inside = data.start(1) + inner.start, data.start(1) + inner.end
                    further = f"{way}#{pointer(inner.frame.keys())}"
                    self._waiting.append((leaf, further, (*place, *inside)))

    def settle(self, pieces: Pieces) -> None:
        """The event ends: its strings become pieces of longer texts."""
        for leaf, way, piece in self._waiting:
            stream = "\0".join([_EVENTS, *leaf.frame.scopes(), way])
            pieces.setdefault(stream, []).append(piece)
        self._waiting.clear()


def named_pieces(text: str, parts: Iterable[Part]) -> Pieces:
    """The pieces of longer texts, as a format names them."""
    found: Pieces = {}
    events = Events()
    for start, end, place in parts:
        if place is None:
            continue
        for leaf in leaves(text[start:end], place, _never):
            if leaf.role == "stream" and in_event(leaf.frame):
                events.add(text[start:end], leaf, start)
            elif leaf.role == "stream" and leaf.frame.place.pieces:
                pieces = found.setdefault(f"\0{leaf.frame.stream()}", [])
                pieces.append((start + leaf.start, start + leaf.end))
        events.settle(found)
    return found


def pieces_in_lines(text: str) -> Pieces:
    """The pieces in lines of a text that are events: JSON, maybe behind ``data:`` or a time."""
    found: Pieces = {}
    for line in _EVENT.finditer(text):
        for leaf in leaves(line[1], TEXT, _never):
            if leaf.role == "stream":
                place = line.start(1) + leaf.start, line.start(1) + leaf.end
                found.setdefault(pointer(leaf.frame.keys()), []).append(place)
    return found


def over_pieces(
    text: str,
    parts: Sequence[Part],
    pieces: Mapping[str, list[Piece]],
    edits_of: Callable[[str], Iterable[Edit]],
    where: Callable[[Keys], str],
) -> list[Edit]:
    """The edits of longer texts, as edits of their pieces; ``where`` writes the way to a string."""
    found: list[Edit] = []
    for stream, each in pieces.items():
        contents = [_content(text, piece) for piece in each] if len(each) > 1 else []
        alike = stream.startswith(_EVENTS) and len(set(contents)) == 1  # an id, or a word
        if contents and not alike:
            found += _of_one(text, each, contents, edits_of)
    return list(_pointed(text, parts, combined(found), where)) if found else found


def _of_one(
    text: str,
    pieces: list[Piece],
    contents: list[str],
    edits_of: Callable[[str], Iterable[Edit]],
) -> Iterator[Edit]:
    """What begins in one piece may end in another: the first gets the new text."""
    starts = [0, *accumulate(map(len, contents))]
    for edit in edits_of("".join(contents)):
        number = bisect_right(starts, edit.start) - 1
        put = edit.text
        while number < len(pieces) and starts[number] < edit.end:
            begin = max(edit.start - starts[number], 0)
            end = min(edit.end, starts[number + 1]) - starts[number]
            if end > begin:
                part = edit._replace(start=begin, end=end, text=put, pointer="")
                yield from _lifted(text, pieces[number], part)
                put = ""
            number += 1


def _content(text: str, piece: Piece) -> str:
    content = text_of(text[piece[0] : piece[1]])
    return content if len(piece) == 2 else text_of(content[piece[2] : piece[3]])


def _lifted(text: str, piece: Piece, edit: Edit) -> list[Edit]:
    """An edit of the content of a piece as one of the file."""
    raw, edits = text[piece[0] : piece[1]], [edit]
    if len(piece) == 4:
        edits = lifted(edits, decoded(text_of(raw)[piece[2] : piece[3]]), piece[2])
    return lifted(edits, decoded(raw), piece[0])


def _never(_: str) -> bool:
    return False


def _pointed(
    text: str, parts: Sequence[Part], edits: list[Edit], where: Callable[[Keys], str]
) -> Iterator[Edit]:
    """The same edits, with the ways to the strings that they stand in."""
    starts = [edit.start for edit in edits]
    done = 0
    for start, end, place in parts:
        last = bisect_left(starts, end)
        if place is None or last <= done:
            continue
        for leaf in leaves(text[start:end], TEXT, _never):
            while leaf.role == "text" and done < last and edits[done].start < start + leaf.end:
                yield edits[done]._replace(pointer=where(leaf.frame.keys()))
                done += 1
        yield from edits[done:last]
        done = last
    yield from edits[done:]

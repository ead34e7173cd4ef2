"""Texts that came in pieces: put together, looked at as a whole, and changed piece by piece.

A model streams its answer, so a token may begin in one piece and end in the next. Pieces are given
by their places in the text of a file, between the quotes of their strings.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from sesskit.artifacts.edits import Edit, combined, lifted
from sesskit.artifacts.json_leaves import leaves, text_of
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.artifacts.views import decoded
from sesskit.schemas.issues import Keys

__all__ = ["Part", "Pieces", "named_pieces", "over_pieces"]

Part = tuple[int, int, Treatment | None]
"""A JSON text in a file, and what its format says about it; None for a part that is no JSON."""

Pieces = dict[str, list[tuple[int, int]]]
"""The places of the pieces of each longer text."""


def named_pieces(text: str, parts: Iterable[Part]) -> Pieces:
    """The pieces of longer texts, as a format names them."""
    found: Pieces = {}
    for start, end, place in parts:
        if place is None:
            continue
        for leaf in leaves(text[start:end], place, lambda _: False):
            if leaf.role == "stream" and leaf.frame.place.pieces:
                pieces = found.setdefault(f"\0{leaf.frame.stream()}", [])
                pieces.append((start + leaf.start, start + leaf.end))
    return found


def over_pieces(
    text: str,
    parts: Sequence[Part],
    pieces: Mapping[str, list[tuple[int, int]]],
    edits_of: Callable[[str], Iterable[Edit]],
    where: Callable[[Keys], str],
) -> list[Edit]:
    """The edits of longer texts, as edits of their pieces; ``where`` writes the way to a string."""
    found: list[Edit] = []
    for each in pieces.values():
        if len(each) > 1:
            found += _of_one(text, each, edits_of)
    return list(_pointed(text, parts, combined(found), where)) if found else found


def _of_one(
    text: str, pieces: list[tuple[int, int]], edits_of: Callable[[str], Iterable[Edit]]
) -> Iterator[Edit]:
    """What begins in one piece may end in another: the first gets the new text."""
    contents = [text_of(text[start:end]) for start, end in pieces]
    starts = [0, *accumulate(map(len, contents))]
    for edit in edits_of("".join(contents)):
        number = bisect_right(starts, edit.start) - 1
        put = edit.text
        while number < len(pieces) and starts[number] < edit.end:
            begin = max(edit.start - starts[number], 0)
            end = min(edit.end, starts[number + 1]) - starts[number]
            if end > begin:
                part = edit._replace(start=begin, end=end, text=put, pointer="")
                view = decoded(text[slice(*pieces[number])])
                yield from lifted([part], view, pieces[number][0])
                put = ""
            number += 1


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
        for leaf in leaves(text[start:end], TEXT, lambda _: False):
            while leaf.role == "text" and done < last and edits[done].start < start + leaf.end:
                yield edits[done]._replace(pointer=where(leaf.frame.keys()))
                done += 1
        yield from edits[done:last]
        done = last
    yield from edits[done:]

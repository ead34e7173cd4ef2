"""Anchors: the literals at which a finder is worth asking, and where they stand in a text.

The native automaton finds all of them in one pass. Without it most are found in one, too: each
literal is known by one of its characters, its pivot. Text is passed over as fast as a set of
characters can be searched for, and only where a pivot stands it is seen whether a literal is around
it. Those for which a pivot would stand too often are looked for one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sesskit.artifacts.literals import flat, native_bytes

__all__ = ["Anchors"]

_SHARES: Final = {
    **dict(zip(" etaoinsrldhcuphmgf", range(150, 14, -7), strict=False)),
    **dict.fromkeys('"\n', 15),
    **dict.fromkeys("ywb.,-/_:", 12),
    **dict.fromkeys("vk0123456789", 8),
    **dict.fromkeys("'=()", 6),
    **dict.fromkeys("x[\\", 4),
}
"""How often characters stand in what tools print, of a thousand, about; all others hardly ever."""

_ALONE: Final = 4.5
"""What it costs to look for a literal by itself: as much as so many pivots of a thousand."""


class Anchors:
    """A set of literals. All places of all of them are found, those that overlap too."""

    def __init__(self, literals: Iterable[str], *, native: bool = True) -> None:
        self._literals = literals = tuple(dict.fromkeys(literals))
        self._automaton: Any = native_bytes(literals) if native else None
        self._unsure = {n for n, one in enumerate(literals) if "?" in one or not one.isascii()}
        by_pivot = _pivots(literals)
        known = {literal for by in by_pivot.values() for literal, _ in by}
        self._alone = [literal for literal in literals if literal not in known]
        self._at_pivot: dict[str, list[tuple[str, int]]] = {}
        for literal, at in (pair for by in by_pivot.values() for pair in by):
            self._at_pivot.setdefault(literal[max(at - 1, 0) : at + 1], []).append((literal, at))
        ways = sorted(by_pivot, key=_share, reverse=True)
        pattern = "|".join(_around(pivot, by_pivot[pivot]) for pivot in ways)
        self._pattern = re.compile(pattern) if pattern else None

    def found_in(self, text: str, data: bytes = b"") -> list[tuple[int, str]]:
        """Place and literal of each anchor, those of one literal in order.

        ``data`` is the `flat` text, if somebody has it.
        """
        if self._automaton is not None:
            literals, unsure = self._literals, self._unsure
            hits = self._automaton.find_matches_as_indexes(data or flat(text), overlapping=True)
            return [
                (start, literals[number])
                for number, start, _ in hits
                if number not in unsure or text.startswith(literals[number], start)
            ]
        return list(self._plainly(text))

    def _plainly(self, text: str) -> Iterator[tuple[int, str]]:
        for literal in self._alone:
            if literal in text:
                yield from _each(text, literal)
        if self._pattern is None:
            return
        at_pivot = self._at_pivot
        for hit in self._pattern.finditer(text):
            pivot = hit.start()
            for key in (text[pivot], text[pivot - 1 : pivot + 1] if pivot else ""):
                for literal, at in at_pivot.get(key, ()):
                    if at <= pivot and text.startswith(literal, pivot - at):
                        yield pivot - at, literal


def _share(character: str) -> int:
    return _SHARES.get(character, 1)


def _each(text: str, literal: str) -> Iterator[tuple[int, str]]:
    at = text.find(literal)
    while at >= 0:
        yield at, literal
        at = text.find(literal, at + 1)


def _pivots(literals: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """By pivot: its literals, and where in them it stands; the pivot that saves most is first."""
    left = set(literals)
    pivots: dict[str, list[tuple[str, int]]] = {}
    while left:
        having: dict[str, list[str]] = {}
        for literal in left:
            for character in set(literal):
                having.setdefault(character, []).append(literal)
        best = min(sorted(having), key=lambda one: _share(one) / len(having[one]))
        if _share(best) > _ALONE * len(having[best]):
            break
        pivots[best] = sorted((literal, literal.index(best)) for literal in having[best])
        left.difference_update(having[best])
    return pivots


def _around(pivot: str, literals: list[tuple[str, int]]) -> str:
    """The pattern of a pivot with one of its literals around it; it matches the pivot alone.

    What stands right before it is seen first: most pivots in a text have something else there.
    """
    sign = re.escape(pivot)
    ways: dict[str, list[str]] = {}
    for literal, at in literals:
        before, left, right = literal[:at][-1:], literal[: at + 1], literal[at + 1 :]
        way = f"(?={re.escape(right)})" if right else ""
        way += f"(?<={re.escape(left)})" if len(left) > 2 else ""
        ways.setdefault(before, []).append(way)
    groups = []
    for before, inner in ways.items():
        start = f"(?<={re.escape(before)}{sign})" if before else ""
        groups.append(start + (f"(?:{'|'.join(inner)})" if all(inner) else ""))
    if not all(groups):
        return sign
    first = "" if "" in ways else f"(?<=[{re.escape(''.join(ways))}]{sign})"
    return f"{sign}{first}(?:{'|'.join(groups)})"

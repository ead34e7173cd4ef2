"""Anchors: the literals at which a finder is worth asking, and where they stand in a text.

The native automaton finds all of them in one pass. Without it almost all are found in one, too:
each literal is known by its rarest character, text is passed over as fast as a set of rare
characters can be searched for, and only where one of them stands it is seen whether a literal is
around it. The few without a rare character are looked for one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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

_RARE: Final = 12


class Anchors:
    """A set of literals. All places of all of them are found, those that overlap too.

    ``guards`` may ask for more around a literal: a pattern of one character before it, and one of
    what follows it; where that is slower, it is not asked.
    """

    def __init__(
        self,
        literals: Iterable[str],
        guards: Mapping[str, tuple[str, str]] | None = None,
        *,
        native: bool = True,
    ) -> None:
        literals = tuple(dict.fromkeys(literals))
        self._literals = literals
        self._automaton: Any = native_bytes(literals) if native else None
        self._wide = any(not literal.isascii() for literal in literals)
        self._alone: list[str] = []
        self._by_pivot: dict[str, list[tuple[str, int]]] = {}
        for literal in literals:
            at = min(range(len(literal)), key=lambda n: _share(literal[n]))
            if _share(literal[at]) > _RARE:
                self._alone.append(literal)
            else:
                self._by_pivot.setdefault(literal[at], []).append((literal, at))
        ways = sorted(self._by_pivot, key=_share, reverse=True)
        pattern = "|".join(_around(p, self._by_pivot[p], guards or {}) for p in ways)
        self._pattern = re.compile(pattern) if pattern else None

    def found_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Place and literal of each anchor, those of one literal in order."""
        if self._automaton is not None:
            literals = self._literals
            hits = self._automaton.find_matches_as_indexes(flat(text), overlapping=True)
            if self._wide and not text.isascii():
                return (
                    (start, literals[number])
                    for number, start, _ in hits
                    if text.startswith(literals[number], start)
                )
            return ((start, literals[number]) for number, start, _ in hits)
        return self._plainly(text)

    def _plainly(self, text: str) -> Iterator[tuple[int, str]]:
        for literal in self._alone:
            if literal in text:
                yield from _each(text, literal)
        if self._pattern is None:
            return
        by_pivot = self._by_pivot
        for hit in self._pattern.finditer(text):
            pivot = hit.start()
            for literal, at in by_pivot[text[pivot]]:
                if pivot >= at and text.startswith(literal, pivot - at):
                    yield pivot - at, literal


def _share(character: str) -> int:
    return _SHARES.get(character, 1)


def _each(text: str, literal: str) -> Iterator[tuple[int, str]]:
    at = text.find(literal)
    while at >= 0:
        yield at, literal
        at = text.find(literal, at + 1)


def _around(
    pivot: str, literals: list[tuple[str, int]], guards: Mapping[str, tuple[str, str]]
) -> str:
    """The pattern of a pivot with one of its literals around it; it matches the pivot alone."""
    ways = []
    for literal, at in literals:
        before, after = guards.get(literal, ("", ""))
        left, right = re.escape(literal[: at + 1]), re.escape(literal[at + 1 :]) + after
        left = before + left if at or before else ""
        ways.append((f"(?={right})" if right else "") + (f"(?<={left})" if left else ""))
    if not all(ways):
        return re.escape(pivot)
    return re.escape(pivot) + (f"(?:{'|'.join(ways)})" if len(ways) > 1 else ways[0])

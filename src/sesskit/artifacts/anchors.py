"""Anchors: the literals at which a finder is worth asking, and where they stand in a text.

With the native automaton all of them are found in one pass, without it one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sesskit.artifacts.literals import native_automaton

__all__ = ["Anchors"]

_FEW: Final = 200
"""Up to so many characters a few searches are as fast as setting up one pass."""


class Anchors:
    """A set of literals. All places of all of them are found, those that overlap too."""

    def __init__(self, literals: Iterable[str], *, native: bool = True) -> None:
        self._literals = tuple(dict.fromkeys(literals))
        self._automaton: Any = native_automaton(self._literals, longest=False) if native else None

    def found_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Place and literal of each anchor, those of one literal in order."""
        if self._automaton is not None and len(text) > _FEW:
            literals = self._literals
            hits = self._automaton.find_matches_as_indexes(text, overlapping=True)
            return ((start, literals[number]) for number, start, _ in hits)
        return self._each(text)

    def _each(self, text: str) -> Iterator[tuple[int, str]]:
        for literal in self._literals:
            at = text.find(literal)
            while at >= 0:
                yield at, literal
                at = text.find(literal, at + 1)

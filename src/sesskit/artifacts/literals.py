"""Many literals looked for in one text: by a native automaton where there is one, or one by one.

The automaton comes with the extra ``sesskit[fast]``; without it the answers are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

__all__ = ["Literals", "flat", "has_native", "native_bytes"]

_FEW: Final = 4
_MANY: Final = 200
_BEGIN: Final = 6
_HALVES: Final = re.compile("[\ud800-\udfff]")
_WORTH: Final = 4096
_PACK: Final = 64
_MOST_PACKS: Final = 16
"""Building an automaton pays once so many characters were looked through. One of few literals is
as fast as memory is read; for too many of them one of all is faster."""


def has_native() -> bool:
    """Whether the native automaton is installed."""
    return _native() is not None


def _native() -> Any:
    try:
        return import_module("ahocorasick_rs")
    except ImportError:
        return None


def native_bytes(literals: Sequence[str]) -> Any:
    """The automaton of some literals, all of whose places it finds in what `flat` makes of a text.

    None where there is none. What is not of one byte there may be found where it does not stand.
    """
    module = _native()
    if module is None or not literals:
        return None
    return module.BytesAhoCorasick(
        [flat(literal) for literal in literals],
        matchkind=module.MatchKind.Standard,
        implementation=module.Implementation.DFA,
    )


def flat(text: str) -> bytes:
    """One byte for each character, so that places are the same."""
    return text.encode() if text.isascii() else text.encode("latin-1", "replace")


class _Native:
    """Automata of some literals, of which the longest at a place is found."""

    def __init__(self, literals: Sequence[str]) -> None:
        """Raises UnicodeEncodeError for half of a surrogate pair."""
        self._literals = literals
        self._is_flat = all(one.isascii() and "?" not in one for one in literals)
        size = _PACK if len(literals) <= _PACK * _MOST_PACKS else len(literals)
        starts = range(0, len(literals), size)
        self._packs = [(start, self._built(literals[start : start + size])) for start in starts]
        self._whole: list[tuple[int, Any]] = []

    def _built(self, literals: Sequence[str]) -> Any:
        module = _native()
        kind, how = module.MatchKind.LeftmostLongest, module.Implementation.ContiguousNFA
        if self._is_flat:
            data = list(map(flat, literals))
            return module.BytesAhoCorasick(data, matchkind=kind, implementation=how)
        return module.AhoCorasick(literals, matchkind=kind, implementation=how)

    def hits(self, text: str) -> list[tuple[int, int, int]]:
        """Start, end and number of each. A half of a surrogate pair is in no literal."""
        try:
            found = _found(self._packs, flat(text) if self._is_flat else text)
        except UnicodeEncodeError:
            text = _HALVES.sub("\ufffd", text)
            found = _found(self._packs, text)
        if all(one[1] <= other[0] for one, other in pairwise(found)):
            return found
        # What one pack found may have hidden something in it that the other one lets stand.
        self._whole = self._whole or [(0, self._built(self._literals))]
        return _found(self._whole, flat(text) if self._is_flat else text)


def _found(packs: Iterable[tuple[int, Any]], data: str | bytes) -> list[tuple[int, int, int]]:
    return sorted(
        (start, end, first + number)
        for first, automaton in packs
        for number, start, end in automaton.find_matches_as_indexes(data)
    )


class Literals:
    """A set of literals, none of them empty. Of several at one place the longest counts.

    Automata are built once so much text was looked through that it pays.
    """

    def __init__(self, literals: Iterable[str], *, native: bool = True) -> None:
        self._literals = sorted(set(literals), key=lambda literal: (-len(literal), literal))
        self._begin = 0
        self._beginnings: dict[str, list[str]] = {}
        self._may_be_native = native and len(self._literals) > _FEW and has_native()
        self._native: _Native | None = None
        self._passed = 0

    def __bool__(self) -> bool:
        return bool(self._literals)

    def found_in(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and literal of all that are found, in order, none overlapping another."""
        self._passed += len(text)
        if self._may_be_native and self._native is None and self._passed >= _WORTH:
            try:
                self._native = _Native(self._literals)
            except UnicodeEncodeError:
                self._may_be_native = False
        if self._native is not None:
            for start, end, number in self._native.hits(text):
                yield start, end, self._literals[number]
            return
        last = 0
        for start, negative, literal in sorted(self._each(text)):
            if start >= last:
                last = start - negative
                yield start, last, literal

    def _each(self, text: str) -> Iterator[tuple[int, int, str]]:
        if len(self._literals) > _MANY:
            yield from self._indexed(text)
            return
        for literal in self._literals:
            length = len(literal)
            at = text.find(literal)
            while at >= 0:
                yield at, -length, literal
                at = text.find(literal, at + 1)

    def _indexed(self, text: str) -> Iterator[tuple[int, int, str]]:
        """The same by how literals begin: as long for many of them as for few."""
        if not self._beginnings:
            self._begin = min(_BEGIN, *map(len, self._literals))
            for literal in self._literals:
                self._beginnings.setdefault(literal[: self._begin], []).append(literal)
        size, beginnings = self._begin, self._beginnings
        for at in range(len(text) - size + 1):
            for literal in beginnings.get(text[at : at + size], ()):
                if text.startswith(literal, at):
                    yield at, -len(literal), literal

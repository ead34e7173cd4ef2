"""Many literals looked for in one text: by a native automaton where there is one, or one by one.

The automaton comes with the extra ``sesskit[fast]``; without it the answers are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

__all__ = ["Literals", "flat", "has_native", "native_bytes"]

_FEW: Final = 4
_MANY: Final = 200
_BEGIN: Final = 6
_SMALL: Final = 8192
_HALVES: Final = re.compile("[\ud800-\udfff]")


def has_native() -> bool:
    """Whether the native automaton is installed."""
    return _native() is not None


def _native() -> Any:
    try:
        return import_module("ahocorasick_rs")
    except ImportError:
        return None


def native_automaton(literals: Sequence[str], *, longest: bool) -> Any:
    """The automaton of some literals; None where there is none. They are known by their number."""
    module = _native()
    if module is None or not literals:
        return None
    kind = module.MatchKind.LeftmostLongest if longest else module.MatchKind.Standard
    size = sum(map(len, literals))
    how = module.Implementation.DFA if size <= _SMALL else None  # three times as fast, but bigger
    try:
        return module.AhoCorasick(literals, matchkind=kind, implementation=how)
    except UnicodeEncodeError:  # half of a surrogate pair
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


def native_hits(automaton: Any, text: str, *, overlapping: bool = False) -> Any:
    """Number, start and end of each hit. A half of a surrogate pair is in no literal."""
    try:
        return automaton.find_matches_as_indexes(text, overlapping=overlapping)
    except UnicodeEncodeError:
        whole = _HALVES.sub("\ufffd", text)
        return automaton.find_matches_as_indexes(whole, overlapping=overlapping)


class Literals:
    """A set of literals, none of them empty. Of several at one place the longest counts."""

    def __init__(self, literals: Iterable[str], *, native: bool = True) -> None:
        self._literals = sorted(set(literals), key=lambda literal: (-len(literal), literal))
        wanted = native and len(self._literals) > _FEW
        self._begin = 0
        self._beginnings: dict[str, list[str]] = {}
        self._automaton = native_automaton(self._literals, longest=True) if wanted else None

    def __bool__(self) -> bool:
        return bool(self._literals)

    def found_in(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and literal of all that are found, in order, none overlapping another."""
        if self._automaton is not None:
            for number, start, end in native_hits(self._automaton, text):
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

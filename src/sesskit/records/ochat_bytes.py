"""ochat: the bytes around a place of a snapshot, as they may be shown.

Shown are lengths, counts, tags and numbers, never what a text says, and nothing that was not
understood. Scripts' values are not entered.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from sesskit.records.lookup import Window
from sesskit.records.ochat_attempts import likely_layout
from sesskit.schemas.binprot import (
    CODE_16,
    CODE_32,
    CODE_64,
    CODE_NEGATIVE,
    HEADER_BYTES,
    SMALL,
    BinaryError,
    declared_length,
    read_length,
)
from sesskit.schemas.binprot_places import Child, children
from sesskit.schemas.binprot_types import ListOf, Node, Pair, Prim, Record, Tree
from sesskit.schemas.ochat_sessions import type_of

BEFORE, AFTER = 6, 6
"""Bytes of a window before the offset, and from it on."""

_WIDTHS = {CODE_16: 3, CODE_32: 5, CODE_64: 9, CODE_NEGATIVE: 2}
_WIDEST = max(_WIDTHS.values())
_LARGEST = 1 << 48
"""A header that says more than this is no length of a file."""


def windows(data: bytes, offsets: Sequence[int]) -> dict[int, Window]:
    """A window for each offset at which something may be shown. Linear: one walk for all.

    None where the header is no length: then it may as well be text.
    """
    ordered = sorted(set(offsets))
    layout = likely_layout(data) if 0 <= (declared_length(data) or 0) < _LARGEST else None
    if layout is None or not ordered:
        return {}
    heads = _Heads(data, ordered)
    heads.add(0, HEADER_BYTES)
    heads.look(Child(None, type_of(layout), HEADER_BYTES, len(data) + 1))
    made = {offset: _window(data, offset, heads.sizes) for offset in ordered}
    return {at: window for at, window in made.items() if any(c is not None for c in window.cells)}


def _window(data: bytes, offset: int, sizes: dict[int, int]) -> Window:
    start, size = max(offset - BEFORE, 0), sizes.get(offset, 1)
    end = min(offset + max(AFTER, size), len(data))
    near = (range(at, at + sizes[at]) for at in range(start - _WIDEST, end) if at in sizes)
    seen = {place for places in near for place in places}
    cells = (data[at] if at in seen else None for at in range(start, end))
    return Window(start, tuple(cells), size)


class _Heads:
    """The bytes near some offsets that may be seen: by where they start, how many."""

    def __init__(self, data: bytes, offsets: list[int]) -> None:
        self.data = data
        self.offsets = offsets
        self.sizes: dict[int, int] = {}

    def add(self, start: int, size: int) -> None:
        if size and start < len(self.data):
            self.sizes[start] = size

    def look(self, part: Child) -> None:
        """Note those of a part, and of the parts in it that are near enough."""
        self.add(part.start, _head(self.data, part.node, part.start))
        if isinstance(part.node, Tree):
            first = bisect_left(self.offsets, part.start)
            for offset in self.offsets[first : bisect_left(self.offsets, part.end)]:
                self.add(offset, 1)
        for child in children(part.node, self.data, part.start):
            first = bisect_left(self.offsets, child.start - AFTER)
            if first == len(self.offsets):
                return
            if self.offsets[first] < child.end + BEFORE + _WIDEST:
                self.look(child)


def _head(data: bytes, node: Node, start: int) -> int:
    """How many bytes of a value are its own length, count, tag, or all of it: a number."""
    if start >= len(data):
        return 0
    if isinstance(node, Prim) and node.kind == "double":
        return 8
    if isinstance(node, ListOf) or (isinstance(node, Prim) and node.kind == "string"):
        return _length_size(data, start)
    if isinstance(node, Prim) and node.kind in ("int", "int64"):
        return 1 if data[start] < SMALL else _WIDTHS.get(data[start], 1)
    return 0 if isinstance(node, Record | Pair | Tree) else 1


def _length_size(data: bytes, start: int) -> int:
    try:
        return read_length(data, start, [])[1] - start
    except BinaryError:
        return _WIDTHS.get(data[start], 1)

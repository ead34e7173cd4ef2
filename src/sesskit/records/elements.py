"""What takes the space of a file, added up element by element: only sums and the largest are kept.

`sesskit.records.overview` measures a whole view at once; this is for files too long for one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import nlargest

from sesskit.records.overview import LARGEST, Part
from sesskit.records.view import Ref


@dataclass(slots=True)
class _Kind:
    """All elements of one kind: how many, how large together, and the largest of them."""

    first: Part
    count: int = 0
    size: int = 0
    largest: list[Part] = field(default_factory=list)

    def is_large(self, size: int) -> bool:
        return len(self.largest) < LARGEST or size > self.largest[-1].size

    def add(self, element: Part) -> None:
        self.count += 1
        self.size += element.size
        if element.ref.offset < self.first.ref.offset:
            self.first = element
        if self.is_large(element.size):
            found = [*self.largest, element]
            self.largest = nlargest(LARGEST, found, key=lambda part: part.size)


class Elements:
    """Feed it elements that do not overlap, then ask for `parts` and `largest`."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}

    def add(self, element: Part) -> None:
        """One more element."""
        kind = self._kinds.get(element.place)
        if kind is None:
            kind = self._kinds[element.place] = _Kind(element)
        kind.add(element)

    def count(self, name: str, size: int, offset: int, line: int) -> None:
        """One more element, a line; quicker where it is not among the largest."""
        kind = self._kinds.get(name)
        if kind is None or offset < kind.first.ref.offset or kind.is_large(size):
            self.add(Part(name, name, size, Ref(offset, size, line, "")))
            return
        kind.count += 1
        kind.size += size

    def parts(self) -> tuple[Part, ...]:
        """The elements of each kind together, the largest first."""
        kinds = self._kinds.values()
        parts = (Part(k.first.name, k.first.place, k.size, k.first.ref, k.count) for k in kinds)
        return tuple(sorted(parts, key=lambda part: -part.size))

    def largest(self) -> tuple[Part, ...]:
        """The largest elements of those kinds that have several."""
        found = [part for k in self._kinds.values() if k.count > 1 for part in k.largest]
        found.sort(key=lambda part: (-part.size, part.ref.offset))
        return tuple(found[:LARGEST])

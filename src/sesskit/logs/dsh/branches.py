"""The lines of one writer, told by where they stand in the text: nothing of them is held.

A branch shares what another one had up to its fork, then has lines of its own. Memory is that of a
number and a digest for each line, and of each run of lines that follow each other in the file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from sesskit.logs.dsh.material import Material, Text
from sesskit.logs.dsh.salvage import Found
from sesskit.logs.dsh.standing import Standing

MOST_HOLES = 1_000
"""Gaps of one branch that are remembered, so that lines which stand elsewhere can fill them."""


class Stretch(NamedTuple):
    """So many lines of the text, from a place up to before another one."""

    start: int
    end: int
    lines: int


class Place(NamedTuple):
    """A line where it stands; ``own`` says that it is not shared, ``seq`` what its number must be,
    ``moved`` that it does not stand where it belongs."""

    offset: int
    text: bytes
    own: bool
    seq: int
    moved: bool = False


class Branch:
    """One writer's events: what it shares with ``parent`` up to ``fork``, then its own.

    ``next`` is the number of the event that it goes on with; ``guessed`` says how many of its
    lines could be of another writer too.
    """

    def __init__(self, parent: Branch | None, fork: int, standing: Standing) -> None:
        self.parent, self.fork, self.next = parent, fork, fork
        self.standing = standing
        self.guessed = 0
        self.compacts: bool = parent is not None and parent.compacts
        self._seqs, self._marks = array("q"), array("q")
        self._starts, self._ends, self._firsts = array("q"), array("q"), array("q")
        self._turns, self._turn_places = array("q"), array("q")
        self._open = False
        self._unended: set[int] = set()
        self._holes: list[tuple[int, int]] = []
        self._displaced: list[Found] = []

    def add(self, found: Found) -> None:
        """Take a line as the next one; between it and the one before there may be a gap."""
        if found.seq > self.next and len(self._holes) < MOST_HOLES:
            self._holes.append((self.next, found.seq))
        if self._open and found.whole and self._ends[-1] + 1 == found.offset:
            self._ends[-1] = found.offset + len(found.text)
        else:
            self._starts.append(found.offset)
            self._ends.append(found.offset + len(found.text))
            self._firsts.append(len(self._seqs))
        self._open = found.whole
        self._note_end(found)
        kind = found.record["type"]
        self.compacts = self.compacts or kind == "compaction/start"
        if kind == "turn/start":
            self._turns.append(len(self._seqs))
            self._turn_places.append(found.offset)
        self._seqs.append(found.seq)
        self._marks.append(hash(found.text))
        self.next = found.seq + found.count

    def _note_end(self, found: Found) -> None:
        if not (found.whole and found.ended):
            self._unended.add(found.offset)

    def hole_of(self, found: Found) -> int | None:
        """The end of the gap that begins where, or before, a line belongs that is in none yet."""
        end = found.seq + found.count
        return next((stop for start, stop in self._holes if start <= found.seq < end <= stop), None)

    def insert(self, found: Found) -> None:
        """Take a line that does not stand where it belongs: in a gap, or as the next one."""
        end = found.seq + found.count
        holes: list[tuple[int, int]] = []
        for start, stop in self._holes:
            inside = start <= found.seq < stop
            parts = [(start, found.seq), (end, stop)] if inside else [(start, stop)]
            holes += [(first, last) for first, last in parts if first < last]
        self._holes = holes
        insort(self._displaced, found, key=attrgetter("seq"))
        self._note_end(found)
        self.next = max(self.next, end)

    def knows(self, found: Found) -> bool:
        """Whether the branch has this very line already, of its own or shared."""
        branch: Branch | None = self
        mark, end = hash(found.text), None
        while branch is not None:
            if end is None or found.seq < end:
                if any(d.seq == found.seq and d.text == found.text for d in branch._displaced):
                    return True
                at = bisect_left(branch._seqs, found.seq)
                if branch._seqs[at : at + 1] == array("q", [found.seq]):
                    return branch._marks[at] == mark
            end = branch.fork if end is None else min(end, branch.fork)
            branch = branch.parent
        return False

    def read(self, material: Material) -> Iterator[Place]:
        """All its lines in order, the shared ones too."""
        ranges = [*self._ranges()]
        lines = read_lines(material, (s for b, end, _ in ranges for s in b._own(0, end)))
        for branch, end, limit in ranges:
            own = branch is self
            moved = deque(d for d in branch._displaced if limit is None or d.seq < limit)
            for seq in islice(branch._seqs, end):
                while moved and moved[0].seq < seq:
                    found = moved.popleft()
                    yield Place(found.offset, found.text, own, found.seq, moved=True)
                line = next(lines, None)
                if line is None:
                    return
                yield Place(*line, own, seq)
            yield from (Place(f.offset, f.text, own, f.seq, moved=True) for f in moved)

    def before(self, seq: int) -> Iterator[Stretch]:
        """Lines before an event: as many as say how the writer stood then, two turns if need be."""
        line: Branch = self
        while line.parent is not None and seq <= line.fork:
            line = line.parent
        end = bisect_left(line._seqs, seq)
        turn = bisect_left(line._turns, end) - 2
        if turn >= 0:
            yield from line._own(line._turns[turn], end, line._turn_places[turn])
            return
        if line.parent is not None:
            yield from line.parent.before(line.fork)
        yield from line._own(0, end)

    def _ranges(self) -> Iterator[tuple[Branch, int, int | None]]:
        """The branches that it is made of: how many lines of each, and before which event."""
        found: list[tuple[Branch, int, int | None]] = [(self, len(self._seqs), None)]
        branch, end = self, None
        while branch.parent is not None:
            end = branch.fork if end is None else min(end, branch.fork)
            branch = branch.parent
            found.append((branch, bisect_left(branch._seqs, end), end))
        return reversed(found)

    def _own(self, first: int, last: int, place: int | None = None) -> Iterator[Stretch]:
        """Where its lines from ``first``, which stands at ``place``, up to before ``last`` are."""
        run = bisect_right(self._firsts, first) - 1
        while 0 <= run < len(self._firsts) and first < last:
            behind = self._firsts[run + 1] if run + 1 < len(self._firsts) else len(self._seqs)
            start = self._starts[run] if place is None else place
            yield Stretch(start, self._ends[run], min(behind, last) - first)
            first, place, run = behind, None, run + 1

    def unended(self, offset: int) -> bool:
        """Whether no line feed of its own follows a line."""
        branch: Branch | None = self
        while branch is not None:
            if offset in branch._unended:
                return True
            branch = branch.parent
        return False


def read_lines(material: Material, stretches: Iterable[Stretch]) -> Iterator[tuple[int, bytes]]:
    """The lines of stretches that rise, each with its place; the text is read once."""
    cursor = _Cursor(material)
    for stretch in stretches:
        yield from cursor.lines(stretch)


class _Cursor:
    """A place in the text, which only goes forward."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._text: Iterator[Text] | None = None
        self._held = b""
        self._base = 0
        self._at = 0

    def lines(self, stretch: Stretch) -> Iterator[tuple[int, bytes]]:
        """The lines of a stretch."""
        if not self._go(stretch.start):
            return
        place, parts = stretch.start, bytearray()
        for _ in range(stretch.lines):
            while True:
                stop = min(len(self._held), stretch.end - self._base)
                end = self._held.find(b"\n", self._at, stop)
                if end >= 0 or self._base + stop >= stretch.end:
                    break
                parts += self._held[self._at :]
                if not self._more():
                    return
            line = self._held[self._at : stop if end < 0 else end]
            self._at = stop if end < 0 else end + 1
            if parts:
                parts += line
                line = bytes(parts)
                parts = bytearray()
            yield place, line
            place += len(line) + 1

    def _go(self, start: int) -> bool:
        if self._text is None:
            self._text = self._material.text_from(start)
        while start >= self._base + len(self._held):
            if not self._more():
                return False
        self._at = max(0, start - self._base)
        return True

    def _more(self) -> bool:
        """The next piece of the text, if there is one."""
        for text in self._text or ():
            if text.data:
                self._base, self._held, self._at = text.offset, text.data, 0
                return True
        return False

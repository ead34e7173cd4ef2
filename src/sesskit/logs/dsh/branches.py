"""The lines of one writer, told by where they stand in the text: nothing of them is held.

A branch shares what another one had up to its fork, then has lines of its own. Memory is that of a
number and a digest for each line, and of each run of lines that follow each other in the file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sesskit.logs.dsh.material import Material, Text
from sesskit.logs.dsh.salvage import Found
from sesskit.logs.dsh.standing import Standing


class Stretch(NamedTuple):
    """So many lines of the text, from a place up to before another one."""

    start: int
    end: int
    lines: int


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

    def add(self, found: Found) -> None:
        """Take a line as the next one."""
        if self._open and found.whole and self._ends[-1] + 1 == found.offset:
            self._ends[-1] = found.offset + len(found.text)
        else:
            self._starts.append(found.offset)
            self._ends.append(found.offset + len(found.text))
            self._firsts.append(len(self._seqs))
        self._open = found.whole
        if not (found.whole and found.ended):
            self._unended.add(found.offset)
        kind = found.record["type"]
        self.compacts = self.compacts or kind == "compaction/start"
        if kind == "turn/start":
            self._turns.append(len(self._seqs))
            self._turn_places.append(found.offset)
        self._seqs.append(found.seq)
        self._marks.append(hash(found.text))
        self.next = found.seq + found.count

    def knows(self, found: Found) -> bool:
        """Whether the branch has this very line already, of its own or shared."""
        branch: Branch | None = self
        mark, end = hash(found.text), None
        while branch is not None:
            if end is None or found.seq < end:
                at = bisect_left(branch._seqs, found.seq)
                if branch._seqs[at : at + 1] == array("q", [found.seq]):
                    return branch._marks[at] == mark
            end = branch.fork if end is None else min(end, branch.fork)
            branch = branch.parent
        return False

    @property
    def lines(self) -> int:
        """How many lines are its own."""
        return len(self._seqs)

    def inherited(self) -> int:
        """How many lines are shared."""
        return sum(stretch.lines for stretch in self._shared())

    def stretches(self) -> Iterator[Stretch]:
        """Where all its lines stand, the shared ones too, in order."""
        yield from self._shared()
        yield from self._own(0, len(self._seqs))

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

    def _shared(self) -> Iterator[Stretch]:
        shared: list[tuple[Branch, int]] = []
        branch, end = self, None
        while branch.parent is not None:
            end = branch.fork if end is None else min(end, branch.fork)
            branch = branch.parent
            shared.append((branch, end))
        for branch, end in reversed(shared):
            yield from branch._own(0, bisect_left(branch._seqs, end))

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

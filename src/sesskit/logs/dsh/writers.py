"""Logs that several writers wrote at once, taken apart again.

Every line goes on with the branch that stands at its number. Where several stand there, the ways to
share out the lines are followed side by side, each with what speaks against it, until one is left.
The first branch is the one that the original would have continued: it keeps what it accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sesskit.logs.dsh.ahead import Ahead
from sesskit.logs.dsh.branches import Branch, read_lines
from sesskit.logs.dsh.evidence import conflicts, shared_names
from sesskit.logs.dsh.material import Ledger, Material
from sesskit.logs.dsh.salvage import Found, Salvage
from sesskit.logs.dsh.standing import HARD, Standing
from sesskit.logs.dsh.ways import Way, doubt, lanes_of, likely

MOST_BRANCHES = 100
"""More writers of one log are not told apart."""

MOST_ECHOES = 10_000
"""Lines that were written again of which so many are remembered."""

MOST_PARENTS = 4
"""Of so many branches it is tried which one a new one goes on from."""

MOST_PENDING = 2_000
PENDING_BYTES = 16 * 1024 * 1024
"""How many lines wait for a decision; then the likeliest way is taken."""

REREAD_ROOM = 256 * 1024 * 1024
REREAD_FACTOR = 4
"""How much text is read again to see how writers stood: some, and so many times the file."""


MOVED_BYTES = 16 * 1024 * 1024
"""How much text of lines that do not stand where they belong is held, to put them there."""


def _resumes(item: Found) -> bool:
    """Whether a line is what a writer begins with, so that it need not belong into any gap."""
    return bool(item.record["type"] == "session/end-seed")


@dataclass(slots=True)
class Writers:
    """The branches of one log, the first one first; iterate the lines through `read`."""

    material: Material
    salvage: Salvage
    branches: list[Branch] = field(default_factory=list)
    doubled: Ledger = field(default_factory=Ledger)
    """Lines that were written twice, and those of one writer too many."""
    _last: int = 0
    _ways: list[Way] = field(default_factory=list)
    _pending: list[Found] = field(default_factory=list)
    _pending_bytes: int = 0
    _tried: int = 0
    _reread: int = 0
    _early: dict[int, list[Found]] = field(default_factory=dict)
    _moved_bytes: int = 0
    _echoed: dict[int, Branch] = field(default_factory=dict)
    """The branches that have lines that were written again, by the numbers behind those."""

    def read(self) -> list[Branch]:
        """Look through the whole file."""
        first = Branch(None, 0, Standing())
        self.branches.append(first)
        self.doubled.decompressed = self.material.compressed
        ahead = Ahead(self.salvage)
        for item in ahead:
            if item.seq == first.next and len(self.branches) == 1 and not self._early:
                first.standing.see(item.record, item.seq, item.count)
                first.add(item)
                continue
            ahead.look()
            self._place(item, ahead)
        self._decide()
        for lane in list(self._early):
            self._catch_up(lane, ended=True)
        self.doubled.close()
        return self.branches

    def _place(self, item: Found, ahead: Ahead) -> None:
        nexts = self._ways[0].nexts if self._ways else [branch.next for branch in self.branches]
        there = [lane for lane, following in enumerate(nexts) if following == item.seq]
        if self._ways and there:
            self._try(item, ahead)
            return
        self._decide()
        known = next((b for b in self._familiar if b.knows(item)), None)
        if known and not any(self._against(item, lane, ahead) <= 0 for lane in there):
            if len(self._echoed) < MOST_ECHOES:
                self._echoed[item.seq + item.count] = known
            self._drop(item, "written twice")
        elif len(there) > 1:
            standings = [branch.standing for branch in self.branches]
            for standing in standings:
                standing.settle()
            self._ways = [Way(standings, nexts, self._last)]
            self._try(item, ahead)
        elif there:
            # Somebody wrote the line before it again, or it does not fit: it may be of a stranger.
            strange = item.seq in self._echoed or self._against(item, there[0], ahead) >= HARD
            self.branches[there[0]].guessed += strange and len(self.branches) > 1
            self._take(item, there[0])
        elif self._put_in_place(item, ahead) or self._misnumbered(item, ahead):
            return
        elif item.seq < self._last_branch.next:
            self._fork(item, ahead)
        else:
            self._take(item, self._over_gap(item, ahead))  # what stood between is lost

    @property
    def _last_branch(self) -> Branch:
        return self.branches[self._last]

    @property
    def _familiar(self) -> Iterator[Branch]:
        """The branches that a line may be known to, the likeliest first."""
        last = self._last_branch
        yield last
        yield from (b for b in self.branches if b is not last)

    def _drop(self, item: Found, reason: str) -> None:
        self.doubled.add(item.offset, item.text + b"\n" * item.ended, reason)

    def _take(self, item: Found, lane: int) -> None:
        branch = self.branches[lane]
        branch.standing.see(item.record, item.seq, item.count)
        branch.add(item)
        self._last = lane
        self._catch_up(lane)

    # Lines that stand where they do not belong.

    def _put_in_place(self, item: Found, ahead: Ahead) -> bool:
        """Take a line that was moved: one that is missing elsewhere, or that comes too early."""
        if self._moved_bytes + len(item.text) > MOVED_BYTES:
            return False
        end, behind = ahead.behind_run(item.seq + item.count)
        on = behind is None or any(branch.next == behind for branch in self.branches)
        for branch in self.branches:
            stop = branch.hole_of(item)
            if stop is not None and end <= stop and on and not _resumes(item):
                self._moved_bytes += len(item.text)
                branch.insert(item)
                return True
        lane = self._last
        if item.seq > self.branches[lane].next == behind:
            self._moved_bytes += len(item.text)
            self._early.setdefault(lane, []).append(item)
            return True
        return False

    def _misnumbered(self, item: Found, ahead: Ahead) -> bool:
        """Take a line whose number alone is wrong: it stands where the next one is missing."""
        number = self._last_branch.next
        _, behind = ahead.behind_run(-1)
        meant = item.under(number)
        if behind != meant.seq + meant.count or self._against(meant, self._last, ahead) > 0:
            return False
        self._take(meant, self._last)
        return True

    def _catch_up(self, lane: int, *, ended: bool = False) -> None:
        """Take what came too early, once it is its turn."""
        branch, early = self.branches[lane], self._early.pop(lane, [])
        while early and (ended or early[0].seq <= branch.next):
            item = early.pop(0)
            if item.seq < branch.next:
                self._drop(item, "out of place")
                continue
            branch.standing.see(item.record, item.seq, item.count)
            branch.insert(item)
        if early:
            self._early[lane] = early

    def _against(self, item: Found, lane: int, ahead: Ahead) -> int:
        return conflicts(self.branches[lane].standing, item.record, ahead.texts)

    def _over_gap(self, item: Found, ahead: Ahead) -> int:
        """The branch that a line behind a gap goes on with."""
        before = [lane for lane, b in enumerate(self.branches) if b.next < item.seq]
        return min(
            before,
            key=lambda lane: (
                self._against(item, lane, ahead) if len(before) > 1 else 0,
                item.seq - self.branches[lane].next,
                lane != self._last,
            ),
        )

    # New branches.

    def _fork(self, item: Found, ahead: Ahead) -> None:
        """A line goes back: it is of another writer, who went on from an earlier event."""
        if len(self.branches) >= MOST_BRANCHES:
            self._drop(item, "one writer too many")
            return
        covering = [b for b in self.branches if b.next > item.seq and b.fork < item.seq]
        covering = covering or [self._last_branch]
        if self._last_branch in covering:
            covering.remove(self._last_branch)
            covering.insert(0, self._last_branch)
        echoed = self._echoed.pop(item.seq, None)
        covering = [echoed] if echoed in covering and echoed is not None else covering
        made = [(b, self._standing(b, item.seq)) for b in covering[:MOST_PARENTS]]
        parent, standing = min(made, key=lambda m: conflicts(m[1], item.record, ahead.texts))
        self.branches.append(Branch(parent, item.seq, standing))
        self._take(item, len(self.branches) - 1)

    def _standing(self, branch: Branch, seq: int) -> Standing:
        """How a branch stood before an event."""
        standing = Standing(blind=True)
        stretches = list(branch.before(seq))
        start = min((stretch.start for stretch in stretches), default=0)
        ends = max((stretch.end for stretch in stretches), default=0)
        self._reread += ends if self.material.compressed else ends - start
        if self._reread <= REREAD_ROOM + REREAD_FACTOR * self.material.size:
            standing.blind = start > 0 and not stretches
            for offset, text in read_lines(self.material, stretches):
                record = self.salvage.values.record(text)
                if record is not None:
                    found = Found(offset, text, record)
                    standing.see(record, found.seq, found.count)
        standing.names = branch.standing.names.before(seq)
        standing.places = branch.standing.places.before(seq)
        return standing

    # Lines that could be of several writers.

    def _try(self, item: Found, ahead: Ahead) -> None:
        self._pending.append(item)
        self._pending_bytes += len(item.text)
        made = [
            way.taking(item, lane, self._cost(way, item, lane, ahead))
            for way in self._ways
            for lane, following in enumerate(way.nexts)
            if following == item.seq
        ]
        self._tried += len(made)
        self._ways = list(likely(made, len(self._pending), self._tried))
        full = len(self._pending) >= MOST_PENDING or self._pending_bytes >= PENDING_BYTES
        if len(self._ways) == 1 or full:
            self._decide()

    @staticmethod
    def _cost(way: Way, item: Found, lane: int, ahead: Ahead) -> int:
        standing = way.standings[lane]
        others = [other for at, other in enumerate(way.standings) if at != lane]
        names = shared_names(standing, others, item.record)
        return conflicts(standing, item.record, ahead.texts) + names

    def _decide(self) -> None:
        """Take the likeliest way."""
        if not self._ways:
            return
        best = self._ways[0]
        for other in self._ways[1:]:
            doubt(best, other, len(self._pending))
        for lane, standing in enumerate(best.standings):
            self.branches[lane].standing = standing
        lanes = lanes_of(best.step)
        for item, lane in zip(self._pending, lanes, strict=True):
            self.branches[lane].add(item)
            self._last = lane
        for at, other_lane in best.unsure:
            for lane in {lanes[at], other_lane}:
                self.branches[lane].guessed += 1
        self._ways, self._pending, self._pending_bytes = [], [], 0
        for lane in list(self._early):
            self._catch_up(lane)

"""Ways to share out lines among writers, followed side by side: what speaks against each so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sesskit.logs.dsh.salvage import Found
from sesskit.logs.dsh.standing import HARD, Standing

MOST_WAYS = 32
FEWER_WAYS = 3
"""How many ways to share out lines are followed at once, and how many when many were tried."""

MOST_TRIED = 300_000
"""How often a line is tried before fewer ways are followed."""

MARGIN = 3 * HARD
"""A way against which so much more speaks than against another is given up."""

_SWITCH = 0.5
"""How unlikely it is that another writer comes in between."""

SURE = 2
"""Where less than that decides, a split is called a guess."""


class Step(NamedTuple):
    """Whose a pending line is, and the steps before; ``unsure`` lines are a toss-up."""

    before: Step | None
    lane: int


@dataclass(slots=True)
class Way:
    """One way to share out the pending lines."""

    standings: list[Standing]
    nexts: list[int]
    last: int
    cost: int = 0
    unlikely: float = 0.0
    step: Step | None = None
    unsure: frozenset[tuple[int, int]] = frozenset()
    """Pending lines that could be of another branch as well, with that branch."""

    @property
    def rank(self) -> tuple[int, float]:
        return self.cost, self.unlikely

    def taking(self, item: Found, lane: int, against: int) -> Way:
        """The way with one more line."""
        late = self.standings[lane].oddity(item.record)
        standings, nexts = list(self.standings), list(self.nexts)
        standings[lane] = standings[lane].copy()
        standings[lane].see(item.record, item.seq, item.count)
        nexts[lane] = item.seq + item.count
        unlikely = self.unlikely + late + _SWITCH * (lane != self.last)
        step = Step(self.step, lane)
        return Way(standings, nexts, lane, self.cost + against, unlikely, step, self.unsure)


def lanes_of(step: Step | None) -> list[int]:
    lanes: list[int] = []
    while step is not None:
        lanes.append(step.lane)
        step = step.before
    return lanes[::-1]


def _differing(one: Way, other: Way, count: int) -> frozenset[tuple[int, int]]:
    """The pending lines that the other way gives to another branch, with that branch."""
    found: set[tuple[int, int]] = set()
    ours, theirs = one.step, other.step
    while ours is not theirs and ours is not None and theirs is not None:
        count -= 1
        if ours.lane != theirs.lane:
            found.add((count, theirs.lane))
        ours, theirs = ours.before, theirs.before
    return frozenset(found)


def likely(made: list[Way], count: int, tried: int) -> Iterator[Way]:
    """The ways worth following, the likeliest first; of those that stand alike only one.

    ``count`` lines are pending; ``tried`` says how often a line was tried before.
    """
    made.sort(key=lambda way: way.rank)
    kept: dict[object, Way] = {}
    most = MOST_WAYS if tried < MOST_TRIED else FEWER_WAYS
    for way in made:
        if way.cost > made[0].cost + MARGIN:
            break
        key = (tuple(s.signature() for s in way.standings), tuple(way.nexts))
        same = kept.get(key)
        if same is not None:
            doubt(same, way, count)
        elif len(kept) < most:
            kept[key] = way
        else:
            doubt(made[0], way, count)
    yield from kept.values()


def doubt(way: Way, other: Way, count: int) -> None:
    """Another way is given up; where hardly more speaks against it, it is remembered."""
    if other.cost - way.cost < SURE:
        way.unsure |= _differing(way, other, count)

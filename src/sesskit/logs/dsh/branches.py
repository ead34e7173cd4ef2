"""Logs that two writers wrote at once, taken apart again, and gaps closed.

Every event belongs to the branch that it goes on with. The first branch is the one that the
original would have continued: it keeps what it accepted, and never goes back.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.references import references, remapped
from sesskit.logs.dsh.salvage import Found
from sesskit.logs.dsh.standing import Standing
from sesskit.schemas.dsh_values import digest, is_index

Json = dict[str, Any]


@dataclass(slots=True)
class Branch:
    """One writer's events: what it shares with ``parent`` up to ``fork``, then its own.

    ``guessed`` says how many of the events in which it stood beside another could be of either.
    """

    parent: Branch | None
    fork: int
    next: int
    own: list[Found] = field(default_factory=list)
    digests: dict[int, bytes] = field(default_factory=dict)
    guessed: int = 0

    def events(self) -> Iterator[Found]:
        """All of them, the shared ones too, in order."""
        yield from self.inherited()
        yield from self.own

    def inherited(self) -> Iterator[Found]:
        """The shared ones."""
        line: list[tuple[Branch, int | None]] = [(self, None)]
        while line[-1][0].parent is not None:
            branch = line[-1][0]
            line.append((branch.parent or branch, branch.fork))
        end = None
        shared: list[tuple[Branch, int]] = []
        for branch, fork in line[1:]:
            end = fork if end is None else min(end, fork or 0)
            shared.append((branch, end or 0))
        for branch, upto in reversed(shared):
            yield from (f for f in branch.own if f.seq < upto)

    def knows(self, found: Found) -> bool:
        """Whether the branch has these very events already, of its own or shared."""
        branch: Branch | None = self
        mark = digest(list(found.events))
        end: int | None = None
        while branch is not None:
            if (end is None or found.seq < end) and branch.digests.get(found.seq) == mark:
                return True
            end = branch.fork if end is None else min(end, branch.fork)
            branch = branch.parent
        return False

    def add(self, found: Found) -> None:
        """Take events as the next ones."""
        self.own.append(found)
        self.digests[found.seq] = digest(list(found.events))
        self.next = found.seq + len(found.events)


def apart(found: Iterable[Found]) -> tuple[list[Branch], list[Found]]:
    """The branches, the first one first, and what was written twice and is left out."""
    first = Branch(None, 0, 0)
    branches, last, doubled = [first], first, []
    judging = _Judging()
    for item in found:
        candidates = [branch for branch in branches if branch.next == item.seq]
        known = last.knows(item) or (last is not first and first.knows(item))
        if known and not (candidates and judging.fits(candidates, item)):
            doubled.append(item)
            continue
        if candidates:
            branch = judging.choice(candidates, last, item)
        elif item.seq < last.next:
            branch = Branch(last, item.seq, item.seq)
            branches.append(branch)
        else:
            branch = last  # a gap: what stood between is lost
        branch.add(item)
        last = branch
    return branches, doubled


MOST_REPLAYED = 2_000_000
"""How many events are gone through again, all together, to see how writers stand."""


@dataclass(slots=True)
class _Judging:
    """Whose the next events are, where several writers stand at their number."""

    left: int = MOST_REPLAYED
    _known: dict[int, tuple[Standing, int]] = field(default_factory=dict)

    def choice(self, candidates: list[Branch], last: Branch, item: Found) -> Branch:
        """The branch that the events go on with; where nothing tells, the one written last."""
        if len(candidates) == 1:
            return candidates[0]
        event = item.events[0]
        marks = [self._mark(branch, event) for branch in candidates]
        best = min(mark for mark, _ in marks)
        alike = [(b, age) for b, (mark, age) in zip(candidates, marks, strict=True) if mark == best]
        if len(alike) == 1:
            return alike[0][0]
        for branch, _ in alike:
            branch.guessed += 1
        return _by_time(alike, last)

    def fits(self, candidates: list[Branch], item: Found) -> bool:
        """Whether events that another branch has too go on with one of these."""
        return any(self._mark(branch, item.events[0])[0] <= 0 for branch in candidates)

    def _mark(self, branch: Branch, event: Json) -> tuple[int, int]:
        """What speaks against the branch, and how long ago its last event was."""
        standing = self._standing(branch)
        if standing is None:
            return 0, 0
        return standing.conflicts(event), int(event["time"]) - standing.time

    def _standing(self, branch: Branch) -> Standing | None:
        """How a branch stands; None where finding out would take too long."""
        standing, done = self._known.get(id(branch), (None, 0))
        if standing is None:
            standing = Standing()
            for item in branch.inherited():
                self._see(standing, item)
        for item in branch.own[done:]:
            self._see(standing, item)
        self._known[id(branch)] = standing, len(branch.own)
        return standing if self.left > 0 else None

    def _see(self, standing: Standing, item: Found) -> None:
        self.left -= len(item.events)
        if self.left > 0:
            for event in item.events:
                standing.see(event)


def _by_time(alike: list[tuple[Branch, int]], last: Branch) -> Branch:
    """The likeliest of several branches: clocks only go forward, and one writer goes on soon."""
    early = [(branch, age) for branch, age in alike if age >= 0] or alike
    least = min(age for _, age in early)
    near = [branch for branch, age in early if age == least]
    return last if last in near else near[-1]


Refuse = Callable[[Json], str | None]
"""Why an event cannot be kept, under its new number; None where it can."""
Mend = Callable[[Json, int], Generator[Json, None, Json]]


@dataclass(slots=True)
class Dense:
    """Events without gaps between their numbers, what had to change in them, and what is left out.

    References follow. One to an event that is lost goes, and a replacement of lost events becomes
    an addition, so that nothing that was said is hidden by it.
    """

    kept: list[Found] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    aside: list[tuple[Found, str]] = field(default_factory=list)


def dense(found: Iterable[Found], refuse: Refuse, mend: Mend | None = None) -> Dense:
    """Number events anew, one pass; those that ``refuse`` names are set aside.

    ``mend`` makes up what must stand before an event (see `sesskit.logs.dsh.mending`).
    """
    result = Dense()
    new: dict[int, int] = {}
    number = 0
    for whole in found:
        item = whole
        if mend is not None:
            item, number = _mended(whole, number, result, refuse, mend)
        events: list[Json] = []
        changes: list[str] = []
        for place, event in enumerate(item.events):
            same = number + place == int(event["seq"]) and not (result.changes or result.aside)
            events.append(event if same else _moved(event, number + place, new, changes))
        why = next((code for event in events if (code := refuse(event))), None)
        if why is not None:
            result.aside.append((whole, why))
            result.changes.append(f"event {item.seq} is set aside: {why}")
            continue
        result.changes += changes
        for event in item.events:
            new[int(event["seq"])] = number
            number += 1
        same_events = tuple(events) == item.events
        result.kept.append(item if same_events else Found(item.offset, b"", tuple(events)))
    return result


def _mended(
    item: Found, number: int, result: Dense, refuse: Refuse, mend: Mend
) -> tuple[Found, int]:
    """The item as it fits, behind what was made up for it; and the number that it has then."""
    (event,) = item.events
    made = mend(event, number)
    while True:
        try:
            extra = next(made)
        except StopIteration as done:
            changed: Json = done.value
            break
        refuse(extra)
        result.kept.append(Found(item.offset, b"", (extra,)))
        result.changes.append(f"a lost {extra['type']} is made up as event {number}")
        number += 1
    if changed is event:
        return item, number
    result.changes.append(f"event {item.seq} has another turn or step now")
    return Found(item.offset, b"", (changed,)), number


def _moved(event: Json, number: int, new: dict[int, int], changes: list[str]) -> Json:
    if event["seq"] != number:
        changes.append(f"event {int(event['seq'])} is now event {number}")
    return remapped(_without_lost(event, new, changes), number, new.__getitem__)


def _without_lost(event: Json, new: dict[int, int], changes: list[str]) -> Json:
    """The event with no reference to events that are lost."""
    changed = dict(event)
    sources = event.get("sourceEventSeqs")
    if isinstance(sources, list):
        kept = [source for source in sources if is_index(source) and int(source) in new]
        if kept != sources:
            changes.append(f"event {int(event['seq'])} no longer names lost events as sources")
            changed["sourceEventSeqs"] = kept
            if not kept and event["type"] != "assistant/message":
                del changed["sourceEventSeqs"]
    operation = event.get("surfaceOp")
    if isinstance(operation, dict):
        ends = [operation[k] for k in ("start", "end", "startSeq", "endSeq") if k in operation]
        if not all(is_index(end) and int(end) in new for end in ends):
            changes.append(f"event {int(event['seq'])} no longer replaces lost events")
            changed["surfaceOp"] = "append"
    lost = [keys for keys, seq in references(event) if not is_index(seq) or int(seq) not in new]
    if lost:
        changes.append(f"event {int(event['seq'])} no longer names lost events")
        changed["data"] = _data_without(event, new)
    return changed


def _data_without(event: Json, new: dict[int, int]) -> Any:
    data = dict(event["data"])
    data.pop("sourceEventSeq", None)
    for name in ("messageSeqs", "shadowedSeqs"):
        if isinstance(data.get(name), list):
            data[name] = [seq for seq in data[name] if is_index(seq) and int(seq) in new]
    if isinstance(data.get("shadowedRange"), dict) and data.get("shadowedSeqs"):
        data["shadowedRange"] = {"start": data["shadowedSeqs"][0], "end": data["shadowedSeqs"][-1]}
    elif isinstance(data.get("shadowedRange"), dict):
        data["shadowedRange"] = {}
    return data

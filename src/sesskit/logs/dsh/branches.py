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
from sesskit.schemas.dsh_values import digest, is_index

Json = dict[str, Any]


@dataclass(slots=True)
class Branch:
    """One writer's events: what it shares with ``parent`` up to ``fork``, then its own."""

    parent: Branch | None
    fork: int
    next: int
    own: list[Found] = field(default_factory=list)
    digests: dict[int, bytes] = field(default_factory=dict)

    def events(self) -> Iterator[Found]:
        """All of them, the shared ones too, in order."""
        line: list[tuple[Branch, int | None]] = [(self, None)]
        while line[-1][0].parent is not None:
            branch = line[-1][0]
            line.append((branch.parent or branch, branch.fork))
        for branch, end in reversed(line):
            yield from (f for f in branch.own if end is None or f.seq < end)

    def knows(self, found: Found) -> bool:
        """Whether the branch has these very events already, of its own or as shared ones."""
        branch: Branch | None = self
        mark = digest(list(found.events))
        end: int | None = None
        while branch is not None:
            shared = end is None or found.seq < end
            if shared and branch.digests.get(found.seq) == mark:
                return True
            end = branch.fork if end is None else min(end, branch.fork)
            branch = branch.parent
        return False


def apart(found: Iterable[Found]) -> tuple[list[Branch], list[Found]]:
    """The branches, the first one first, and what was written twice and is left out."""
    first = Branch(None, 0, 0)
    branches, last, doubled = [first], first, []
    for item in found:
        # Both writers may have written the same line, each in its own unbroken sequence.
        goes_on = last.next == item.seq
        if not goes_on and (last.knows(item) or first.knows(item)):
            doubled.append(item)
            continue
        candidates = [branch for branch in branches if branch.next == item.seq]
        if last in candidates:
            branch = last
        elif candidates:
            branch = candidates[-1]
        elif item.seq < last.next:
            branch = Branch(last, item.seq, item.seq)
            branches.append(branch)
        else:
            branch = last  # a gap: what stood between is lost
        branch.own.append(item)
        branch.digests[item.seq] = digest(list(item.events))
        branch.next = item.seq + len(item.events)
        last = branch
    return branches, doubled


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

"""Events without gaps between their numbers: gaps closed, references following.

One pass. A reference to an event that is lost goes, and a replacement of lost events becomes an
addition, so that nothing that was said is hidden by it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sesskit.logs.dsh.references import references, remapped
from sesskit.logs.dsh.rows import is_row, unpack
from sesskit.logs.dsh.salvage import Found
from sesskit.schemas.dsh_values import is_index

Json = dict[str, Any]
Events = tuple[Json, ...]

Refuse = Callable[[Events], str | None]
"""Why the events of one line cannot be kept, under their new numbers; None where they can."""
Mend = Callable[[Json, int], Generator[Json, None, Json]]
"""What must be made up before an event (see `sesskit.logs.dsh.mending`)."""

MOST_CHANGES = 50_000
"""Changes of one log that are told one by one; those beyond are only counted."""


class Renamed:
    """The new numbers of events by the old ones, run by run."""

    def __init__(self) -> None:
        self._old: list[int] = [0]
        self._new: list[int] = [0]
        self._count: list[int] = [0]

    def add(self, old: int, count: int, new: int) -> None:
        """Events from ``old`` on, which rises from call to call, have numbers from ``new`` on."""
        before = self._count[-1]
        if (self._old[-1] + before, self._new[-1] + before) == (old, new):
            self._count[-1] += count
            return
        self._old.append(old)
        self._new.append(new)
        self._count.append(count)

    def find(self, old: int) -> int | None:
        """The new number; None for an event that is lost."""
        at = bisect_right(self._old, old) - 1
        if at < 0 or old - self._old[at] >= self._count[at]:
            return None
        return self._new[at] + old - self._old[at]

    def __contains__(self, old: object) -> bool:
        return is_index(old) and self.find(int(old)) is not None

    def __getitem__(self, old: int) -> int:
        found = self.find(old)
        if found is None:
            raise KeyError(old)
        return found


class Changes:
    """What had to change, in words; neighbours that change alike are told together."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._runs: list[str] = []
        self._unlisted = 0
        self._run: tuple[str, list[int], int] | None = None

    def __bool__(self) -> bool:
        return bool(self._told or self._runs) or self._run is not None

    def say(self, words: str) -> None:
        """Note a change of its own."""
        self._add(words)

    def moved(self, old: int, count: int, new: int) -> None:
        """Events have other numbers."""
        self._extend("moved", old, count, new - old)

    def placed(self, old: int) -> None:
        """An event has another turn or step."""
        self._extend("placed", old, 1, 0)

    def all(self) -> tuple[str, ...]:
        """Every change so far; other numbers come last."""
        self._close()
        unlisted = [f"{self._unlisted:,} further changes are not listed"] if self._unlisted else []
        return (*self._told, *self._runs, *unlisted)

    def _extend(self, kind: str, old: int, count: int, by: int) -> None:
        run = self._run
        if run is None or (run[0], run[1][1], run[2]) != (kind, old, by):
            self._close()
            run = self._run = (kind, [old, old], by)
        run[1][1] = old + count

    def _close(self) -> None:
        if self._run is None:
            return
        (kind, (first, end), by), self._run = self._run, None
        last = end - 1
        one = first == last
        if kind == "moved":
            events = f"event {first} is" if one else f"events {first} to {last} are"
            to = f"event {first + by}" if one else f"{first + by} to {last + by}"
            self._add(f"{events} now {to}", self._runs)
        else:
            events = f"event {first} has" if one else f"events {first} to {last} have"
            self._add(f"{events} another turn or step now")

    def _add(self, words: str, told: list[str] | None = None) -> None:
        told = self._told if told is None else told
        if len(told) < MOST_CHANGES:
            told.append(words)
        else:
            self._unlisted += 1


class Fitted(NamedTuple):
    """What became of a line: what was made up before it, and its record, or why it is left out."""

    made: list[Json]
    record: Json
    why: str | None = None


@dataclass(slots=True)
class Renumbering:
    """The events of one log, as they are numbered one after the other."""

    refuse: Refuse
    mend: Mend | None = None
    number: int = 0
    changes: Changes = field(default_factory=Changes)
    touched: bool = False
    """Whether anything changed or was left out, so that references must be looked at."""
    _new: Renamed = field(default_factory=Renamed)

    def pass_on(self, count: int) -> None:
        """Events were taken that stand where they stood, and nothing was touched before."""
        self._new.add(self.number, count, self.number)
        self.number += count

    def take(self, item: Found) -> Fitted:
        """Fit the events of one line in."""
        made: list[Json] = []
        placed = item.record if self.mend is None else self._mended(item, self.mend, made)
        record, said = self.moved(item, placed)
        events = tuple(unpack(record)) if is_row(record) else (record,)
        why = self.refuse(events)
        if why is None:
            self.keep(item, said)
        else:
            self.leave_out(item, why)
        return Fitted(made, record, why)

    def moved(self, item: Found, record: Json) -> tuple[Json, list[str]]:
        """The record of a line under its new numbers, and what else changes by that."""
        number, said = self.number, list[str]()
        if not self.touched and item.seq == number:
            return record, said
        if is_row(record):
            return record if item.seq == number else {**record, "seq0": number}, said
        fitting = remapped(_without_lost(record, self._new, said), number, self._new.__getitem__)
        return record if fitting == record else fitting, said

    def keep(self, item: Found, said: Iterable[str] = ()) -> None:
        """The line stays, with these changes."""
        if item.seq != self.number:
            self.touched = True
            self.changes.moved(item.seq, item.count, self.number)
        for words in said:
            self.touched = True
            self.changes.say(words)
        self._new.add(item.seq, item.count, self.number)
        self.number += item.count

    def leave_out(self, item: Found, why: str) -> None:
        """The line cannot stay."""
        self.touched = True
        self.changes.say(f"event {item.seq} is set aside: {why}")

    def _mended(self, item: Found, mend: Mend, made: list[Json]) -> Json:
        """The event as it fits, behind what was made up for it."""
        making = mend(item.record, self.number)
        while True:
            try:
                extra = next(making)
            except StopIteration as done:
                changed: Json = done.value
                break
            self.refuse((extra,))
            self.touched = True
            self.changes.say(f"a lost {extra['type']} is made up as event {self.number}")
            made.append(extra)
            self.number += 1
        if changed is not item.record:
            self.touched = True
            self.changes.placed(item.seq)
        return changed


def _without_lost(event: Json, new: Renamed, said: list[str]) -> Json:
    """The event with no reference to events that are lost."""
    changed = dict(event)
    sources = event.get("sourceEventSeqs")
    if isinstance(sources, list):
        kept = [source for source in sources if source in new]
        if kept != sources:
            said.append(f"event {int(event['seq'])} no longer names lost events as sources")
            changed["sourceEventSeqs"] = kept
            if not kept and event["type"] != "assistant/message":
                del changed["sourceEventSeqs"]
    operation = event.get("surfaceOp")
    if isinstance(operation, dict):
        ends = [operation[k] for k in ("start", "end", "startSeq", "endSeq") if k in operation]
        if not all(end in new for end in ends):
            said.append(f"event {int(event['seq'])} no longer replaces lost events")
            changed["surfaceOp"] = "append"
    if any(seq not in new for _, seq in references(event)):
        said.append(f"event {int(event['seq'])} no longer names lost events")
        changed["data"] = _data_without(event, new)
    return changed


def _data_without(event: Json, new: Renamed) -> Any:
    data = dict(event["data"])
    data.pop("sourceEventSeq", None)
    for name in ("messageSeqs", "shadowedSeqs"):
        if isinstance(data.get(name), list):
            data[name] = [seq for seq in data[name] if seq in new]
    if isinstance(data.get("shadowedRange"), dict) and data.get("shadowedSeqs"):
        data["shadowedRange"] = {"start": data["shadowedSeqs"][0], "end": data["shadowedSeqs"][-1]}
    elif isinstance(data.get("shadowedRange"), dict):
        data["shadowedRange"] = {}
    return data


@dataclass(slots=True)
class Dense:
    """Events without gaps, what had to change in them, and what is left out."""

    kept: list[Found] = field(default_factory=list)
    changes: tuple[str, ...] = ()
    aside: list[tuple[Found, str]] = field(default_factory=list)


def dense(found: Iterable[Found], refuse: Callable[[Json], str | None]) -> Dense:
    """Number events anew, all of them held; those that ``refuse`` names are set aside."""
    result = Dense()
    renumbering = Renumbering(lambda events: next(filter(None, map(refuse, events)), None))
    for item in found:
        fitted = renumbering.take(item)
        if fitted.why is not None:
            result.aside.append((item, fitted.why))
        else:
            result.kept.append(Found(item.offset, b"", fitted.record))
    result.changes = renumbering.changes.all()
    return result

"""One repaired log as a stream: lines that need nothing as they were, the others made to fit.

It is made again each time that it is asked for, from the damaged file; nothing of it is held.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.branches import Branch, Place
from sesskit.logs.dsh.found import Found
from sesskit.logs.dsh.generations import Generation
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.line_faults import row_faults
from sesskit.logs.dsh.material import Dropped, Ledger, Material
from sesskit.logs.dsh.mending import mender_of
from sesskit.logs.dsh.native import canonical_faults
from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.logs.dsh.quick import QuickLane
from sesskit.logs.dsh.released import Released
from sesskit.logs.dsh.renumbering import Renumbering
from sesskit.logs.dsh.rows import is_row, row_fault
from sesskit.logs.dsh.ruling import Ruling
from sesskit.logs.dsh.salvage import Values
from sesskit.logs.dsh.writing import stored_lines, stored_records
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes a log: whose lines, under which header, and which of them are left out, by their
    places, and why. ``inherited`` are compactions that rightly never ended."""

    material: Material
    generation: Generation
    branch: Branch
    header: Json
    header_text: bytes
    refused: dict[int, str] = field(default_factory=dict)
    inherited: frozenset[int] = frozenset()
    spelled: dict[str, str | None] = field(default_factory=dict)
    """What types were that damage misspelled."""


class Rendering:
    """One making of a log; iterate `lines` or `blocks` once, then ask."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.closers = 0
        self.inherited_events = 0
        """How many of its events are shared with the log that it grew from."""
        self.marked = False
        self.opened: int | None = None
        """Where the last event stands that opens a turn or step and was taken as it is."""
        self.length = 0
        self.aside = Ledger(plan.material.compressed)
        """Lines of its own that are left out."""
        self._hash = hashlib.sha256()
        self._values = Values(plan.generation)
        self._judge = Judge(plan.generation, plan.header, Ruling(), keep=False)
        self._mender = mender_of(self._judge, plan.inherited)
        fit = self._mender.fit if self._mender is not None else None
        self.fitting = Renumbering(self._refuse, fit)
        self._lane = None if plan.generation.seed else QuickLane(self._judge)
        self._place: Place | None = None

    @property
    def events(self) -> int:
        """How many events it holds, without closers."""
        return self.fitting.number

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    @property
    def dropped(self) -> list[Dropped]:
        return self.aside.close()

    def blocks(self) -> Iterator[bytes]:
        """The log as a file."""
        for block in stored_lines(self.lines(), compressed=self.plan.material.compressed):
            self._hash.update(block)
            self.length += len(block)
            yield block

    def lines(self) -> Iterator[bytes]:
        """The lines of the log, the header first."""
        yield self.plan.header_text
        for place in self.plan.branch.read(self.plan.material):
            self._place = place
            yield from self._line(place)
            if not place.own:
                self.inherited_events = self.fitting.number
        closers = self._judge.open_turn.closers()
        if self._mark_is_lost():
            self.marked = True
            self.fitting.changes.say("a lost session/end-seed is made up at the end")
            seq, time = self.fitting.number + len(closers), self._judge.open_turn.time
            data = {"inherited": True}
            closers.append({"type": "session/end-seed", "seq": seq, "time": time, "data": data})
        self.closers = len(closers)
        yield from self._stored(closers)

    def place_of(self, seq: int) -> int | None:
        """Where in the text the line stands that event ``seq`` of the log came from."""
        for _ in self.lines():
            if self.fitting.number > seq and self._place is not None:
                return self._place.offset
        return None

    def _line(self, place: Place) -> Iterator[bytes]:
        offset, text = place.offset, place.text
        why = self.plan.refused.get(offset)
        if place.moved:
            self.fitting.changes.say(f"event {place.seq} is put back where it belongs")
        if why is None and self._take_quickly(text):
            yield text
            return
        record = self._values.record(text)
        if record is None:
            return  # it was one when the file was looked through
        if why is None:
            fitting = self._put_right(place, record)
            if fitting is not record:
                record = fitting
                (text,) = self._stored([record])
        item = Found(offset, text, record)
        if why is not None:
            self.fitting.leave_out(item, why)
            self._set_aside(why)
            return
        if self.fitting.touched and (moved := self._moved_quickly(item)):
            yield moved
            return
        fitted = self.fitting.take(item)
        for made in fitted.made:
            yield from self._stored([made])
        if fitted.why is not None:
            self._set_aside(fitted.why)
        elif fitted.record is record:
            self.opened = offset if record["type"] in _OPENING else self.opened
            yield text
        else:
            yield from self._stored([fitted.record])

    def _put_right(self, place: Place, record: Json) -> Json:
        """The record with numbers that its version takes, where they alone are wrong."""
        strict = self.plan.generation.strict
        if strict and has_negative_zero(place.text) and self._is_wrong(record):
            plain = self._values.without_signs(place.text)
            if plain is not None:
                self.fitting.changes.say(f"event {place.seq} has 0 where it had -0")
                record = plain
        meant = self.plan.spelled.get(record["type"])
        if meant is not None and "ignorable" not in record:
            self.fitting.changes.say(f"event {place.seq} has the type {meant} again")
            record = {**record, "type": meant}
        name = "seq0" if is_row(record) else "seq"
        if record[name] != place.seq:
            self.fitting.changes.say(f"event {place.seq} had a wrong number")
            record = {**record, name: place.seq}
        return record

    def _is_wrong(self, record: Json) -> bool:
        """Whether a line cannot be what its version takes, whatever stands around it."""
        if is_row(record):
            return row_fault(record, released=True) is not None
        return any(_line_faults(self._judge, record))

    def _take_quickly(self, text: bytes) -> bool:
        """Whether a line stays as it is, because nothing was touched before and it is sound."""
        lane = self._lane
        if lane is None or self.fitting.touched or not self._is_even or b'"compaction/' in text:
            return False
        lane.expected = self.fitting.number
        if not lane.take_one(text):
            return False
        self._keep_even()
        self.fitting.pass_on(lane.expected - self.fitting.number)
        return True

    def _moved_quickly(self, item: Found) -> bytes | None:
        """The line under its new number, if all that it needs is that."""
        lane = self._lane
        if lane is None or not self._is_even or item.record["type"].startswith("compaction/"):
            return None
        record, said = self.fitting.moved(item, item.record)
        text = item.text
        if record is not item.record:
            (text,) = self._stored([record])
        lane.expected = self.fitting.number
        if not lane.take_one(text):
            return None
        self._keep_even()
        self.fitting.keep(item, said)
        return text

    @property
    def _is_even(self) -> bool:
        """Whether turns and steps have the numbers that they had."""
        return self._mender is None or self._mender.is_even

    def _keep_even(self) -> None:
        if self._mender is not None:
            self._mender.keep_even()

    def _stored(self, records: list[Json]) -> Iterator[bytes]:
        for record in records:
            if is_row(record):
                yield dumps(record)
            else:
                yield from map(dumps, stored_records([record], self.plan.generation.version))

    def _set_aside(self, why: str) -> None:
        place = self._place
        if place is not None and place.own:
            ended = not self.plan.branch.unended(place.offset)
            self.aside.add(place.offset, place.text + b"\n" * ended, why)

    def _mark_is_lost(self) -> bool:
        """Whether the mark of what was inherited is lost: then all that is left was inherited."""
        header = self.plan.header
        if header["version"] < 2 or header.get("isSeeded") is not True:
            return False
        return self._judge.inherited is None

    # What the original refuses.

    def _refuse(self, events: tuple[Json, ...]) -> str | None:
        """Why the original refuses events of one line, which then leave no trace; else None."""
        before, inherited = self._judge.open_turn.copy(), self._judge.inherited
        why = next((code for event in events if (code := self._fault(event))), None)
        if why is not None:
            self._judge.open_turn.restore(before)
            self._judge.inherited = inherited
        return why

    def _fault(self, event: Json) -> str | None:
        """Why the original refuses an event; that it does not know the type is no damage."""
        judge = self._judge
        faults = list(_line_faults(judge, event))
        errors = (i.code for i in faults or judge.see(event) if i.severity == "error")
        why = next((code for code in errors if code != "type-unknown"), None)
        if why is not None and not faults and isinstance(judge.relations, Released):
            judge.relations.abandon(event["type"])
        return why


_OPENING = ("turn/start", "step/start")


def _line_faults(judge: Judge, event: Json) -> Iterator[Issue]:
    """What is wrong with an event before it is looked at among the others."""
    generation = judge.generation
    if generation.strict:
        yield from row_faults(generation, event)
    if generation.version >= 3:
        yield from canonical_faults(event)
        yield from (i for i in judge.admit(event) if i.code != "type-unknown")


class BlockStream(io.RawIOBase):
    """Blocks as a stream that can be read."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        super().__init__()
        self._blocks = blocks
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._held = memoryview(block)
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size

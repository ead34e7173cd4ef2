"""Reading a log as a stream: every line, what is wrong with it, and what the original would keep.

The rule of the original for damaged lines: the first line that is no event, or has the wrong
number, is where the log breaks. If a turn ends there or behind it, the damage is in committed data
and the log is refused; else everything from there on is a torn tail, and is cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, BinaryIO

from msgspec.structs import replace

from sesskit.logs.dsh.first_line import read_first
from sesskit.logs.dsh.generations import Foreign, Generation
from sesskit.logs.dsh.issue_bound import IssueBound
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.lanes import is_sound
from sesskit.logs.dsh.line_faults import (
    cut_line,
    empty_file,
    ends_turn,
    is_number_only,
    row_faults,
)
from sesskit.logs.dsh.lines import Line, LogText
from sesskit.logs.dsh.native import canonical_faults
from sesskit.logs.dsh.numbering import Numbers
from sesskit.logs.dsh.one_cause import follows
from sesskit.logs.dsh.paths import Place, place_of
from sesskit.logs.dsh.quick import QuickLane, Watch
from sesskit.logs.dsh.rows import is_row, members, row_fault, unpack
from sesskit.logs.dsh.ruling import CRASH, FORMAT, PLAIN, Ruling, Stage
from sesskit.logs.dsh.stored import Stored, parse
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.dsh_lines import PREFIXES
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


@dataclass(slots=True, eq=False, repr=False)
class LogReader:
    """One log, line by line; iterate once, then ask.

    ``header`` is the parsed header line, None where there is none; ``generation`` is None where
    the version is not read. ``issues`` holds those that belong to no single line; those of a line
    are in its `Stored`.
    """

    source: BinaryIO
    compressed: bool
    path: PurePath | None = None
    keep: bool = True
    thorough: bool = False
    header: Json | None = None
    generation: Generation | None = None
    foreign: Foreign | None = None
    judge: Judge | None = None
    ruling: Ruling = field(default_factory=Ruling)
    issues: list[Issue] = field(default_factory=list)
    text: LogText = field(init=False)
    lines: int = 0
    gzip: bool = False
    """Whether it is a file of another program that its name says is zstd."""
    broken_at: int | None = None
    """The line where the log breaks for the original; what it keeps ends before it."""
    _numbers: Numbers = field(default_factory=Numbers)
    _no_event: bool = False
    _lost: bool = False
    _light: bool = False
    _hurried: bool = False
    _lane: QuickLane | None = None
    _watch: Watch | None = None
    _bound: IssueBound = field(default_factory=IssueBound)

    def __post_init__(self) -> None:
        self.text = LogText(self.source, self.compressed)

    @property
    def place(self) -> Place:
        return place_of(self.path) if self.path is not None else Place(None, self.compressed)

    def __iter__(self) -> Iterator[Stored]:
        for item in self.text:
            if isinstance(item, Issue):
                self.issues += self._bound.taken([item])
                self._numbers.uncertain = True
                self.text.hurry(None)
                continue
            self.lines += 1
            if item.number == 1:
                yield self._first(item)
            elif self.judge is not None and not (self.broken_at and self._bound.passes(item)):
                stored = self._fast(item) or self._slowly(item, self.judge)
                stored.issues = self._bound.taken(stored.issues)
                yield stored
        self._finish()

    def remarkable(self, watch: Watch | None = None) -> Iterator[Stored]:
        """The lines that were not taken in quickly, those with issues among them; for a reader
        that keeps nothing. Iterate this or the reader, not both. The others go to ``watch`` as
        events, in the order of the log."""
        self._hurried = self._wants_quick
        self._watch = watch
        return iter(self)

    @property
    def _wants_quick(self) -> bool:
        return not self.keep and not self.thorough

    def _slowly(self, line: Line, judge: Judge) -> Stored:
        """A line that the quick lane did not take, if there is one, and which lane is next."""
        lane = self._lane if self._hurried else None
        if lane is not None:
            self._numbers.expected = lane.expected
        stored = self._event(line, judge)
        if lane is not None:
            lane.expected = self._numbers.expected
            sure = (
                self.broken_at is None and not self._numbers.uncertain and not judge.doubts.active
            )
            self.text.hurry(lane.take if sure else None)
        return stored

    def _fast(self, line: Line) -> Stored | None:
        """A line that the quick lane takes, with its value unless it is a piece of a stream."""
        lane = self._lane
        if lane is None or self._hurried or self.broken_at is not None or self._numbers.uncertain:
            return None
        if self.judge is None or self.judge.doubts.active:
            return None
        if not (line.ended and line.sound and line.whole):
            return None
        lane.expected = seq = self._numbers.expected
        if not lane.take_one(line.data):
            return None
        self._numbers.expected = lane.expected
        value = None
        if not line.data.startswith(PREFIXES):
            from sesskit.schemas.json_text import parse_fast  # only for readers of values

            value = parse_fast(line.data)
        return Stored(line, value, [], seq, lane.expected - seq)

    # The header.

    def _first(self, line: Line) -> Stored:
        stored = parse(line, thorough=self.thorough)
        self.header, found = read_first(stored, self.place, self.ruling)
        if not line.sound or line.torn or (self._numbers.uncertain and self.header is None):
            stored.issues = []  # the frame was reported; this follows from it
        if isinstance(found, Foreign):
            self.foreign = found
        elif found is not None and self.header is not None:
            self.generation = found
            self.judge = Judge(found, self.header, self.ruling, keep=self.keep, resync=True)
            self._light = self._wants_quick
            if self._light and not found.seed and not found.listed:
                self._lane = QuickLane(self.judge, self.text, self._watch)
                self.text.hurry(self._lane.take if self._hurried else None)
        return stored

    # Events.

    def _event(self, line: Line, judge: Judge) -> Stored:
        stored = parse(line, thorough=self.thorough)
        if line.more:
            message = f"this line and {line.more:,} behind it are empty"
            stored.issues = [replace(i, message=message) for i in stored.issues]
        if not line.whole:
            message = "the line is longer than any that is decoded; it is stepped over"
            stored.value, stored.issues = DAMAGED, [stored.whole(Issue("size-limit", message))]
        if not line.ended:
            return self._unended(stored)
        if self._light and self._next(stored, judge):
            return stored
        broken = self._broken(stored, judge.generation)
        if not line.sound:
            stored.issues = []  # the frame was reported; this follows from it
        if stored.value is None and not judge.generation.strict:
            self.ruling.refuse(Stage.SCAN, CRASH)
        if broken:
            self._break(line)
        stored.accepted = self.broken_at is None
        self._judge(stored, judge, broken=broken)
        return stored

    def _next(self, stored: Stored, judge: Judge) -> bool:
        """Take a line that is the next event and sound by itself; a shorter way to the same."""
        value, line = stored.value, stored.line
        seq = value.get("seq") if isinstance(value, dict) else None
        ready = line.sound and line.whole and self.broken_at is None and not stored.issues
        if not ready or type(seq) is not int or seq != self._numbers.expected:
            return False
        generation = judge.generation
        faulty = generation.strict and any(row_faults(generation, value))
        faulty = faulty or (generation.version == 3 and any(canonical_faults(value)))
        if faulty or not is_sound(line.data, generation):
            return False
        self._numbers.expected, stored.seq, stored.events = seq + 1, seq, 1
        self._numbers.uncertain = self._no_event = False
        stored.add(judge.see(value, sound=True))
        return True

    def _unended(self, stored: Stored) -> Stored:
        """A last line without its end is dropped unread, so nothing in it counts."""
        line = stored.line
        self._break(line)
        stored.accepted = False
        # Where a frame is torn or damaged, that was reported and this follows from it.
        reported = line.torn or not line.sound
        stored.issues = [] if reported else [stored.whole(cut_line(alone=False))]
        return stored

    def _judge(self, stored: Stored, judge: Judge, *, broken: bool) -> None:
        value = stored.value
        if self.broken_at is not None and ends_turn(value) and not self._no_event:
            self.ruling.refuse(Stage.SCAN, FORMAT if judge.generation.strict else PLAIN)
        if self._lost or not stored.line.sound:
            judge.lose()
        if isinstance(value, dict) and stored.line.sound:
            stored.add(judge.admit(value))
        if not isinstance(value, dict) or (broken and stored.seq is None):
            return
        accepted, stray = stored.accepted, self._numbers.stray
        if judge.generation.rows and is_row(value):
            issues = judge.row(unpack(value), accepted=accepted, stray=stray)
        else:
            sound = accepted and is_sound(stored.line.data, judge.generation)
            issues = judge.see(value, accepted=accepted, sound=sound, stray=stray)
            if broken and stored.issues:
                judge.doubts.lose(str(value.get("type")))
        if stored.line.sound:
            # What is odd about the text is no cause: dsh reads it.
            known = [issue for issue in stored.issues if issue.severity == "error"]
            stored.add(i for i in issues if not (known and follows(i, known)))

    def _broken(self, stored: Stored, generation: Generation) -> bool:
        """Whether the original cannot take a line for the next event; the issues say why."""
        value = stored.value
        self._no_event, self._lost, self._numbers.stray = False, True, False
        if value is DAMAGED:
            self._numbers.uncertain = True
            return True
        if not isinstance(value, dict):
            message = "expected an event, found another kind of value"
            stored.issues.append(stored.whole(Issue("line-no-event", message, expected="object")))
            self._numbers.uncertain = True
            return True
        if generation.rows and is_row(value):
            return self._broken_row(stored, value)
        faults = list(row_faults(generation, value)) if generation.strict else []
        self._no_event = any(not is_number_only(fault, value) for fault in faults)
        if generation.version == 3:
            faults += canonical_faults(value)
        stored.seq = int(value["seq"]) if is_index(value.get("seq")) else None
        stored.events = 1
        stored.add(faults)
        self._lost = self._numbers.take(stored, ("seq",))
        return self._lost or bool(faults)

    def _broken_row(self, stored: Stored, row: Json) -> bool:
        fault = row_fault(row, released=self.generation is not None and self.generation.strict)
        if fault is None:
            stored.seq, stored.events = int(row["seq0"]), members(row)
            self._lost = self._numbers.take(stored, ("seq0",))
            return self._lost
        stored.add([Issue("row-malformed", "not what a row of packed chunks holds", keys=fault)])
        self._numbers.uncertain = True
        return True

    def _break(self, line: Line) -> None:
        if self.broken_at is None:
            self.broken_at = line.number
            self.ruling.cut = True
            if self.compressed and not line.torn:
                # Only the torn last frame may be cut: what a whole one holds was committed.
                strict = self.generation is not None and self.generation.strict
                self.ruling.refuse(Stage.SCAN, FORMAT if strict else PLAIN)

    # The end.

    def _finish(self) -> None:
        if self.lines == 0:
            self.ruling.refuse(Stage.HEADER, PLAIN)
            if not self.issues:
                self.issues.append(empty_file())
        if self.text.refused:
            code = FORMAT if self.generation and self.generation.strict else PLAIN
            self.ruling.refuse(Stage.FRAMES if self.text.stray else Stage.HEADER, code)
        if self.text.cut_at is not None:
            self.ruling.cut = True
        if self.judge is not None:
            last = [replace(i, line=1, column=1, offset=0) for i in self.judge.finish()]
            self.issues += [i for i in last if i.severity == "error" or not self._bound.passed]
        self.issues += self._bound.said(self.text.line, self.text.offset)

"""Every line and every whole event that damaged bytes still hold, and every byte that holds none.

Looks through a whole file, inside damaged frames and damaged lines too, so it finds more than a
reader that goes on with the next line. What it gives is in file order, and of one line at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sesskit.logs.dsh.envelopes import check_envelope, expand_sources, read_sources
from sesskit.logs.dsh.generations import Foreign, Generation, generation_of, is_header
from sesskit.logs.dsh.lanes import is_sound
from sesskit.logs.dsh.material import Frames, Ledger, Material
from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.logs.dsh.plain_rows import is_plain_row
from sesskit.logs.dsh.rows import is_row, members, row_fault, unpack
from sesskit.logs.dsh.spelling import LOST, meant_by
from sesskit.logs.dsh.stored import with_negative_zeros
from sesskit.schemas.dsh_limits import MAX_LOG_LINE_BYTES, MAX_SAFE_INTEGER, SURE_LINE_BYTES
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.json_scan import Ends
from sesskit.schemas.json_text import parse_fast, read_json, skip
from sesskit.schemas.limits import DAMAGE_SCAN_BYTES, MAX_NUMBER_DIGITS

Json = dict[str, Any]

MOST_SOURCES = 5_000_000
"""How many sources of events are written out, all together."""

MOST_STRANGE = 1_000
"""Types that no program knows, of which so many are remembered."""

_BLANKS = b" \t\r"
_BEGINS = b'{"type":'
_FEEDS = re.compile(rb"\n+")
_NEEDED = ("type", "seq", "time", "data")


class Found:
    """One line, or one whole value in a damaged line, and the events that it stands for.

    ``whole`` says that it is all of its line, ``ended`` that a line feed follows. ``record`` is
    the value: an event, or a row of them.
    """

    __slots__ = ("count", "ended", "offset", "record", "seq", "text", "whole")

    def __init__(
        self, offset: int, text: bytes, record: Json, *, whole: bool = False, ended: bool = False
    ) -> None:
        self.offset, self.text, self.record = offset, text, record
        self.whole, self.ended = whole, ended
        row = is_row(record)
        self.seq = int(record["seq0"] if row else record["seq"])
        self.count = members(record) if row else 1

    def under(self, seq: int) -> Found:
        """The line as it would be under another number."""
        record = {**self.record, "seq0" if is_row(self.record) else "seq": seq}
        return Found(self.offset, self.text, record, whole=self.whole, ended=self.ended)

    @property
    def events(self) -> tuple[Json, ...]:
        """The events, in order."""
        return tuple(unpack(self.record)) if is_row(self.record) else (self.record,)


@dataclass(slots=True)
class Values:
    """Lines as values, under the rules of the log's version."""

    generation: Generation | Foreign | None = None
    sources: int = MOST_SOURCES
    """How many sources may still be written out."""

    def record(self, text: bytes) -> Json | None:
        """The event or row that a text holds; None where it is none, or not as it should be."""
        return self._checked(self.value(text))

    def without_signs(self, text: bytes) -> Json | None:
        """The same with every ``-0`` as 0."""
        return self._checked(self.value(text, signed=False))

    def _checked(self, value: Json | None) -> Json | None:
        if value is None:
            return None
        if is_row(value):
            later = isinstance(self.generation, Generation) and not self.generation.rows
            return None if later or not (is_plain_row(value) or row_fault(value) is None) else value
        if not _is_event(value):
            return None
        return self._spelled_out(value) if "sourceEventSeqs" in value else value

    @staticmethod
    def value(text: bytes, *, signed: bool = True) -> Json | None:
        """The object that a text holds, ``-0`` in it as such; None where it holds none."""
        if text[:1] != b"{" or text[-1:] != b"}":
            bare = text.strip(_BLANKS)
            if bare[:1] != b"{" or bare[-1:] != b"}":
                return None
        try:
            value = parse_fast(text)
        except ValueError:
            if len(text) < MAX_NUMBER_DIGITS:
                return None
            read = read_json(text, thorough=False)
            value = read.value if read.sound else None
        if not isinstance(value, dict):
            return None
        return with_negative_zeros(text, value) if signed and has_negative_zero(text) else value

    def _spelled_out(self, event: Json) -> Json:
        """The event with every source by its number: pairs could not be numbered anew."""
        sources, generation = event["sourceEventSeqs"], self.generation
        later = isinstance(generation, Generation) and generation.version >= 1
        if not later or not isinstance(sources, list):
            return event
        if not any(isinstance(item, list) for item in sources):
            return event
        if read_sources(sources, event["seq"], pairs=True).issues:
            return event
        count = sum(item[1] - item[0] + 1 if isinstance(item, list) else 1 for item in sources)
        self.sources -= int(count)
        if self.sources < 0:
            return event  # a few bytes may stand for very many numbers
        return {**event, "sourceEventSeqs": expand_sources(sources)}


def _is_event(value: Json) -> bool:
    """Whether the members that every event has are there, and what they must be."""
    seq, time = value.get("seq"), value.get("time")
    if "data" in value and type(seq) is int and type(time) is int:
        numbers = 0 <= seq <= MAX_SAFE_INTEGER and abs(time) <= MAX_SAFE_INTEGER
        if numbers and type(value.get("type")) is str:
            return True
    if not all(name in value for name in _NEEDED):
        return False
    wrong = any(issue.keys[0] in _NEEDED for issue in check_envelope(value))
    return not wrong and is_index(seq)


class Salvage:
    """One look through a file; iterate once, then ask."""

    def __init__(self, material: Material) -> None:
        self.header: Json | None = None
        self.header_text = b""
        self.values = Values()
        self.frames = Frames()
        self.ledger = Ledger(material.compressed)
        """What is no event."""
        self.spelled: dict[str, str | None] = {}
        """Types that damage made, and what they were; None where that cannot be told."""
        self._strange: set[str] = set()
        self._material = material
        self._budget = DAMAGE_SCAN_BYTES  # for what is inside damaged lines
        self._line = bytearray()
        self._start = 0
        self._hollow = False
        self._header_at = -1

    @property
    def generation(self) -> Generation | Foreign | None:
        """What the header says of the version."""
        return self.values.generation

    def __iter__(self) -> Iterator[Found]:
        """Everything that is found, in file order."""
        # The header may stand behind events, and says of which version those are.
        ahead = Salvage(self._material)
        next(ahead._everything(), None)
        self.header, self.header_text = ahead.header, ahead.header_text
        self.values.generation, self._header_at = ahead.generation, ahead._header_at
        yield from self._everything()

    def _everything(self) -> Iterator[Found]:
        for offset, data, broken in self._material.text(self.frames):
            yield from self._feed(offset, data)
            if broken:
                yield from self._held(ended=False)
        yield from self._held(ended=False)
        self.ledger.close()

    # Lines.

    def _feed(self, offset: int, data: bytes) -> Iterator[Found]:
        at = 0
        while (end := data.find(b"\n", at)) >= 0:
            if self._line or self._hollow:
                yield from self._last(offset + at, data[at:end])
                at = end + 1
            elif end == at:
                run = _FEEDS.match(data, at)
                end = run.end() if run else at + 1
                self.ledger.add(offset + at, data[at:end], "")
                at = end
            else:
                yield from self._take_line(offset + at, data[at:end], ended=True)
                at = end + 1
        if at < len(data):
            yield from self._hold(offset + at, data[at:])

    def _last(self, offset: int, data: bytes) -> Iterator[Found]:
        """The rest of a line that began before."""
        if self._hollow:
            self._note(offset, data + b"\n")
            self._hollow = False
            return
        self._line += data
        yield from self._held(ended=True)

    def _hold(self, offset: int, data: bytes) -> Iterator[Found]:
        """A piece of a line that goes on; what cannot be an event is held up to a length only."""
        if not self._line and not self._hollow:
            rest = data.lstrip(b"\0")
            if len(rest) < len(data):
                self._note(offset, data[: len(data) - len(rest)])
            self._start, data = offset + len(data) - len(rest), rest
        if self._hollow:
            self._note(offset, data)
            return
        held = len(self._line)
        self._line += data
        if held + len(data) <= SURE_LINE_BYTES:
            return
        looked = data if held > SURE_LINE_BYTES else self._line
        long = held + len(data) > MAX_LOG_LINE_BYTES
        if long or not self._line.startswith(b"{") or b"\0" in looked:
            yield from self._held(ended=False)
            self._hollow = True

    def _held(self, *, ended: bool) -> Iterator[Found]:
        """The line that is held, if there is one, as far as it goes."""
        line, self._line, self._hollow = bytes(self._line), bytearray(), False
        if line:
            yield from self._take_line(self._start, line, ended=ended)

    def _take_line(self, offset: int, line: bytes, *, ended: bool) -> Iterator[Found]:
        found = self._take(offset, line, whole=True, ended=ended)
        if found is None:
            yield from self._inside(offset, line + b"\n" if ended else line)
        elif found is not _HEADER:
            yield found

    # Values.

    def _take(
        self, offset: int, text: bytes, *, whole: bool = False, ended: bool = False
    ) -> Found | None:
        """What a text holds; None where that is neither the header nor an event."""
        if offset == self._header_at:
            return _HEADER
        if self.header is None:
            value = self.values.value(text)
            if value is None or not is_header(value):
                return None
            self.header, self.header_text, self._header_at = value, text, offset
            self.values.generation = generation_of(value)
            return _HEADER
        record = self.values.record(text)
        if record is None:
            return None
        self._look_at_type(record)
        return Found(offset, text, record, whole=whole, ended=ended)

    def _look_at_type(self, record: Json) -> None:
        generation = self.values.generation
        if not isinstance(generation, Generation) or record["type"] in generation.known:
            return
        kind = record["type"]
        if is_row(record) or "ignorable" in record or kind in self._strange:
            return
        if len(self._strange) < MOST_STRANGE:
            self._strange.add(kind)
            meant = meant_by(kind, generation.known)
            if meant is not None and is_sound(dumps({**record, "type": meant}), generation):
                self.spelled[kind] = meant
            elif LOST in kind:
                self.spelled[kind] = None

    def _inside(self, offset: int, line: bytes) -> Iterator[Found]:
        """Whole values in a damaged line; the bytes between them are dropped."""
        kept = 0
        ends: Ends = {}
        at = line.find(_BEGINS) if b"}" in line else -1
        while at >= 0 and self._budget > 0:
            end = skip(line, at, ends)
            self._budget -= (end or len(line)) - at
            found = None if end is None else self._take(offset + at, line[at:end])
            if end is None or found is None:
                at = line.find(_BEGINS, at + 1)
                continue
            self._note(offset + kept, line[kept:at])
            if found is not _HEADER:
                yield found
            kept = end
            at = line.find(_BEGINS, end)
        if line[kept:] != b"\n":
            self._note(offset + kept, line[kept:])

    def _note(self, offset: int, data: bytes) -> None:
        if data:
            zeros = not data.strip(b"\0\n")
            self.ledger.add(offset, data, "zeros" if zeros else "no event")


_HEADER = Found(-1, b"", {"seq": 0})
"""Stands for the header line."""

"""A Robota log in numbers, checked and counted in one pass, whatever its length.

Memory holds the turn under way, never the log. The numbers are those that `overview` counts in the
session view of the log; a test holds the two together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any, Final

from sesskit.logs.line_blocks import Block, Lines
from sesskit.logs.log_sources import LogBytes, LogPlace
from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogReading,
    SidecarOptions,
    open_payloads,
)
from sesskit.logs.robota_quick_look import QuickLook
from sesskit.logs.robota_view_lines import Around, LineParts, Open
from sesskit.logs.sidecar_files import PayloadBytes, PayloadSource
from sesskit.logs.sidecars import MAX_TOTAL_BYTES
from sesskit.records.counted_talk import CountedTalk
from sesskit.records.elements import Elements
from sesskit.records.format import Options
from sesskit.records.outline import Span
from sesskit.records.overview import MAX_TOKENS, ROLES, Group, Overview, Part
from sesskit.records.view import FamilyFile, Mark, Ref, Usage
from sesskit.schemas.outcomes import Decoded, Outcome

MOST_ANSWERS: Final = 1_000_000
"""Answers whose usage is known by name, so that one told twice counts once."""

_TAIL: Final = b',"timestamp":"'
_TAIL_BYTES: Final = 512
_ENDING: Final = re.compile(
    rb',"timestamp":"([^"\\]+)","sessionId":"[^"\\]*","event":"([a-z_]+)"\}\n?'
)


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is in a log. ``overview`` is None where nothing could be read; its session has no turns.

    ``lines`` counts physical lines, ``tools`` calls by the tool's name and their state;
    ``sidecars`` are those that its references lead to, ``sidecar_bytes`` what was read of them.
    """

    outcome: Outcome
    overview: Overview | None
    lines: int = 0
    tools: dict[str, dict[str, int]] = field(default_factory=dict)
    sidecars: int = 0
    sidecar_bytes: int = 0
    requests: dict[tuple[str, str], int] = field(default_factory=dict)
    """Requests by provider and model."""
    retries: int = 0


def inspect_log(
    source: LogPlace | Lines,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> Inspection:
    """Read the log of a place, or a stream of one without its sidecars, to its end. Total."""
    work: list[_Work] = []

    def read(reading: LogReading) -> Decoded:
        opening = None if reading.payloads is None else _Opening(reading.payloads)
        work.append(_Work(None if opening is None else opening.open, options.zone))
        reading.check(work[0].block)
        work[0].reading = reading
        return reading.outcome()

    if isinstance(source, Path | LogBytes):
        outcome = open_payloads(source, options, sidecars, read)
    else:
        outcome = read(LogReading(source, options=options))
    reading = work[0].reading if work else None
    if reading is None:
        return Inspection(outcome, None)
    found, verdict = work[0], reading.verdict
    overview = found.overview(reading.end)
    tools = {name: dict(states) for name, states in sorted(found.counted.talk.tools.items())}
    return Inspection(
        outcome,
        overview,
        verdict.lines,
        tools,
        len(verdict.used),
        verdict.spent,
        dict(found.look.requests),
        found.look.retries,
    )


class _Opening:
    """Sidecars that hold a message or a part of one, within the budget of one load."""

    def __init__(self, payloads: PayloadSource) -> None:
        self._payloads = payloads
        self._left = MAX_TOTAL_BYTES

    def open(self, path: str, length: int, digest: str) -> bytes | None:
        if not 0 <= length <= self._left:
            return None
        read = self._payloads.read(path, self._left)
        if not isinstance(read, PayloadBytes):
            return None
        self._left -= len(read.data)
        return read.data if (len(read.data), read.sha256) == (length, digest.lower()) else None


class _Counted:
    """What a look at a log finds, counted."""

    def __init__(self) -> None:
        self.talk = CountedTalk(marked=True)
        self.spoken = CountedTalk(marked=True)
        self.marks: Counter[str] = Counter()
        self.unknown = 0
        self.elements = Elements()
        self._usage: dict[int, tuple[int, int]] = {}
        self._answers = self._prompt = self._output = 0
        self._first: Ref | None = None

    def mark(self, mark: Mark) -> None:
        self.marks[mark.type] += 1
        self.unknown += mark.class_ == "unknown"

    def placed(self, name: str, ref: Ref) -> None:
        self.elements.add(Part(name, name, ref.length, ref))

    def use(self, usage: Usage) -> None:
        """Tokens of an answer; what was told of it before does not count."""
        if len(self._usage) >= MOST_ANSWERS:
            self._usage.clear()
        key, used = hash(usage.key), (usage.prompt, usage.output)
        self._add(self._usage.pop(key, None), -1)
        if all(0 <= count <= MAX_TOKENS for count in used):
            self._usage[key] = used
            self._first = self._first or usage.ref
            self._add(used, 1)

    def belongs(self, file: FamilyFile) -> None:
        """Files are not counted here."""

    def usage(self) -> Usage | None:
        """All of it together."""
        if not self._answers or self._first is None:
            return None
        return Usage("", self._prompt, self._output, self._first)

    def _add(self, used: tuple[int, int] | None, sign: int) -> None:
        if used is not None:
            self._answers += sign
            self._prompt += sign * used[0]
            self._output += sign * used[1]


class _Work:
    """An inspection under way."""

    def __init__(self, sidecars: Open | None, zone: tzinfo) -> None:
        self.counted = _Counted()
        self.reading: LogReading | None = None
        self._around = Around(sidecars, zone)
        self.look = QuickLook(self.counted, zone)

    def block(self, block: Block, unsure: list[int], events: Iterator[Any]) -> None:
        """The lines of a block that was checked."""
        number, offset = block.number, block.offset
        if block.hollow is not None:
            size = Span("", 0, block.hollow.size)
            self.look.look(LineParts(b"", size, number, base=offset))
            return
        doubted = set(unsure)
        for position, (line, event) in enumerate(zip(block.lines, events, strict=True)):
            if event is None or position in doubted or not self._quick(event, line, number, offset):
                self._careful(line, number, offset)
            number += 1
            offset += len(line)

    def overview(self, size: int) -> Overview:
        """All of it together."""
        session = self.look.session(Ref(0, size, 1, ""))
        counted = self.counted
        talks = [counted.talk] if self.look.committed else [counted.talk, counted.spoken]
        for talk in talks:
            talk.finish()
        parts = counted.elements.parts()
        roles = _together(talk.messages for talk in talks)
        times = [time for talk in talks for time in (talk.first, talk.last) if time is not None]
        return Overview(
            session,
            {role: roles[role] for role in ROLES if roles[role]},
            dict(_together(talk.states for talk in talks)),
            dict(counted.talk.calls),
            counted.talk.troubled(),
            {name: Group(total) for name, total in counted.marks.items()},
            min(times, default=None),
            max(times, default=None),
            counted.usage(),
            parts,
            counted.elements.largest(),
            size - sum(part.size for part in parts),
            not session.losses,
            counted.unknown,
        )

    def _quick(self, event: Any, line: bytes, number: int, offset: int) -> bool:
        """Most sound lines are told by their event, and by their instant as it stands there."""
        start = line.rfind(_TAIL, len(line) - _TAIL_BYTES if len(line) > _TAIL_BYTES else 0)
        found = _ENDING.fullmatch(line, start) if start >= 0 else None
        if found is None or not line.startswith(b"{"):
            return False
        length = len(line) - line.endswith(b"\n")
        return self.look.take(event, Ref(offset, length, number, ""), found[1])

    def _careful(self, line: bytes, number: int, offset: int) -> None:
        size = len(line) - line.endswith(b"\n")
        start = size - len(line[:size].lstrip(b" \t\r"))
        if start < size:
            parts = LineParts(line, Span("", start, size), number, base=offset, around=self._around)
            self.look.look(parts)


def _together(counts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return total

"""What of a log file a migration takes: another question than what a load makes of it.

The released steps are given text: of a compressed file that of the whole frames before the first
bytes that are none. They read every whole line of it, cut a torn tail as a load does, and look
neither at where the file lies nor at what surface operations and sources name.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from sesskit.logs.dsh.decode import Log, decode, log_of, open_log, outcome
from sesskit.logs.dsh.envelopes import check_loose_sources
from sesskit.logs.dsh.fates import fate_of
from sesskit.logs.dsh.frames import MAGIC, Piece, Stray, read_frames
from sesskit.logs.dsh.line_faults import ends_turn
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.rows import is_row, row_fault
from sesskit.logs.dsh.stored import Stored
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded, Unsupported

_STORAGE = ("prune-", "replace-", "sources-", "surface-")
"""What the program that loads a log refuses and the released steps never look at."""
_NEWER = frozenset(["type-unknown", "version-other"])
"""Types that 0.1.2 added are such: its steps take them, the reader of 0.1.1 does not."""


class Unsound(ValueError):
    """The log is damaged, or of a version that is not read; ``outcome`` says how."""

    def __init__(self, found: Decoded) -> None:
        super().__init__("only a sound log of a version that is read can be migrated")
        self.outcome = found


@dataclass(frozen=True, slots=True)
class Source:
    """A log as it is migrated.

    ``cut`` is the byte of the file from which on nothing is taken, None where all is; ``left`` how
    many whole events behind it a load would keep.
    """

    log: Log
    cut: int | None = None
    left: int = 0


def released_source(data: bytes, path: PurePath | None = None) -> Source:
    """What the released steps take of a log, plain or compressed; raises `Unsound`."""
    text = _whole_frames(data) if data.startswith(MAGIC) else _Text(data)
    if text is None:
        raise Unsound(decode(data, path))
    # The name says which program wrote the log; where it should lie is another question.
    name = None if path is None else PurePath(path.name.removesuffix(".zstd"))
    reader = open_log(io.BytesIO(text.data), name)
    reading = _Reading(reader)
    log = reading.log()
    if log is None:
        raise Unsound(reading.answer if reading.answer.issues else decode(data, path))
    cut = text.cut(reading.end)
    torn = cut is not None and data.startswith(MAGIC)
    return Source(log, cut, max(0, fate_of(data, path).kept - len(log.events)) if torn else 0)


def loaded_source(data: bytes, path: PurePath | None = None) -> Source:
    """What a load keeps of a log, whole lines of a torn frame too; where it would be refused, what
    the released steps take. Raises `Unsound`."""
    fate = fate_of(data, path)
    if fate.original is None or not fate.original.verdict.startswith("accept"):
        return released_source(data, path)
    reader = open_log(io.BytesIO(data), path)
    for _ in reader:
        pass
    log = log_of(reader)
    return released_source(data, path) if log is None else Source(log, fate.cut)


@dataclass(frozen=True, slots=True)
class _Text:
    """Text of a file; of a compressed one ``ends`` are the places where its frames end in it,
    ``starts`` those where they begin in the file, and ``stop`` is where the whole ones end."""

    data: bytes
    ends: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    stop: int | None = None

    def cut(self, end: int | None) -> int | None:
        """The byte of the file from which on nothing is taken, for one of the text."""
        if end is None or not self.ends:
            return self.stop if end is None else end
        return self.starts[bisect_right(self.ends, end)]


def _whole_frames(data: bytes) -> _Text | None:
    """The frames up to the first bytes that are none; None where one of them is damaged."""
    pieces: list[bytes] = []
    ends: list[int] = []
    starts: list[int] = []
    held: list[bytes] = []
    size = 0
    for event in read_frames(io.BytesIO(data)):
        if isinstance(event, Piece):
            held.append(event.data)
            continue
        if isinstance(event, Stray) or event.state == "torn":
            return _Text(b"".join(pieces), tuple(ends), tuple(starts), event.start)
        if event.state == "damaged":
            return None
        size += event.size
        pieces += held
        held.clear()
        ends.append(size)
        starts.append(event.start)
    return _Text(b"".join(pieces), tuple(ends), tuple(starts))


def is_migratable(answer: Decoded, before: int | None = None) -> bool:
    """Whether all that is wrong before a line, or anywhere, is nothing that the steps look at."""
    errors = {
        issue.code
        for issue in answer.issues
        if issue.severity == "error" and (before is None or (issue.line or 0) < before)
    }
    if isinstance(answer, Unsupported):
        errors -= _NEWER
    return all(code.startswith(_STORAGE) for code in errors)


class _Reading:
    """The text of a log as the decoder of the released steps reads it.

    ``end`` is the byte of the text from which on nothing is taken, None where all is.
    """

    def __init__(self, reader: LogReader) -> None:
        self.end: int | None = None
        self._reader = reader
        self._kept = self._line = 0
        self._garbage = self._committed = self._refused = False
        issues: list[Issue] = []
        for stored in reader:
            issues += stored.issues
            self._take(stored)
        self.answer = outcome(reader, issues)

    def _take(self, stored: Stored) -> None:
        self._garbage |= stored.value is DAMAGED and stored.line.ended
        unread = stored.line.number > 1 and self._is_unread(stored.value)
        if self.end is None and (unread or not stored.accepted):
            self.end, self._line = stored.line.offset, stored.line.number
            self._refused = unread  # what a load takes there, the steps do not
        if self.end is None:
            self._kept += stored.events
        elif stored.line.ended and not unread:
            self._committed |= ends_turn(stored.value)

    def _is_unread(self, value: Any) -> bool:
        """Whether a line of v0 has sources or numbers that make it no event for the steps."""
        judge = self._reader.judge
        loose = judge is not None and judge.generation.version == 0 and isinstance(value, dict)
        if loose and is_row(value):
            return row_fault(value, released=True) is not None
        if not loose or "sourceEventSeqs" not in value:
            return False
        return any(check_loose_sources(value["sourceEventSeqs"], value.get("seq")))

    def log(self) -> Log | None:
        """What is taken; None where the steps would not read the log."""
        log = log_of(self._reader)
        if log is None or self._garbage or not self._is_read(log):
            return None
        return replace(log, events=log.events[: self._kept]) if self.end is not None else log

    def _is_read(self, log: Log) -> bool:
        original = self.answer.original
        if original is not None and original.verdict.startswith("accept"):
            return not (self._refused and self._committed)
        before = self._line if self.end is not None else None
        if log.generation.strict or log.generation.seed:
            # They read these as the program of the version does.
            return isinstance(self.answer, Unsupported) and is_migratable(self.answer, before)
        return not self._committed and is_migratable(self.answer, before)

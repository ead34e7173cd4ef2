"""Every event that damaged bytes still hold, and every byte that holds none.

Works on the whole file: it looks inside damaged frames and damaged lines, so it finds more than a
reader that goes on with the next line. What it gives is in file order.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.envelopes import check_envelope, expand_sources, read_sources
from sesskit.logs.dsh.frames import MAGIC, Frame, Piece, Stray, read_frames
from sesskit.logs.dsh.generations import Foreign, Generation, generation_of, is_header
from sesskit.logs.dsh.rows import is_row, row_fault, unpack
from sesskit.schemas.dsh_limits import MAX_LOG_LINE_BYTES
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.json_scan import Ends
from sesskit.schemas.json_text import read_json, skip
from sesskit.schemas.limits import DAMAGE_SCAN_BYTES

Json = dict[str, Any]

_EMPTY = re.compile(rb"\n+")

MOST_RESTARTS = 1_000
"""How often the walk through the frames begins anew inside a torn one."""

MOST_SOURCES = 5_000_000
"""How many sources of events are written out, all together."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Bytes that are in no repaired log. Offsets are those of the file, or of the text of it where
    ``decompressed``."""

    offset: int
    data: bytes
    reason: str
    decompressed: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """One line, or one whole value in a damaged line, and the events that it stands for."""

    offset: int
    text: bytes
    events: tuple[Json, ...]

    @property
    def seq(self) -> int:
        return int(self.events[0]["seq"])


@dataclass(slots=True)
class Salvage:
    """What a file holds."""

    compressed: bool = False
    header: Json | None = None
    header_text: bytes = b""
    generation: Generation | Foreign | None = None
    found: list[Found] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    budget: int = DAMAGE_SCAN_BYTES
    """How many bytes inside damaged lines may still be looked at."""
    doubtful: list[tuple[int, int]] = field(default_factory=list)
    """Where text is of damaged frames: what it says may be what the damage made of it."""
    sources: int = MOST_SOURCES
    """How many sources may still be written out."""


def salvage(data: bytes) -> Salvage:
    """Look through a whole file; total."""
    result = Salvage(compressed=data.startswith(MAGIC))
    for offset, text in _texts(data, result):
        _lines(offset, text, result)
    return result


def _texts(data: bytes, result: Salvage) -> Iterator[tuple[int, bytes]]:
    """The text in runs without damage between; for a plain file that is one run."""
    if not result.compressed:
        yield 0, data
        return
    start, held, offset = 0, bytearray(), 0
    for _ in range(MOST_RESTARTS):
        again = None
        pieces: list[bytes] = []
        for event in read_frames(io.BytesIO(data[start:])):
            if isinstance(event, Piece):
                pieces.append(event.data)
                continue
            first, last = start + event.start, start + event.end
            text, pieces = b"".join(pieces), []
            held += text
            if text and isinstance(event, Frame) and event.state == "damaged":
                end = offset + len(held)
                result.doubtful.append((end - len(text), end))
            if isinstance(event, Stray):
                result.dropped.append(Dropped(first, data[first:last], "no frame"))
            elif event.state != "whole":
                if event.state == "damaged" or not text.endswith(b"\n"):
                    # Its text is looked through like any other, but may not be all there was.
                    result.dropped.append(Dropped(first, data[first:last], _frame_reason(event)))
                yield offset, bytes(held)
                offset, held = offset + len(held), bytearray()
                # A wrong length may have swallowed frames that are whole.
                found = data.find(MAGIC, first + len(MAGIC), last)
                again = found if found >= 0 and event.state == "torn" else again
        if again is None:
            break
        start = again
    if held:
        yield offset, bytes(held)


def _frame_reason(frame: Frame) -> str:
    return "torn frame" if frame.state == "torn" else "damaged frame"


def _lines(offset: int, text: bytes, result: Salvage) -> None:
    at = 0
    while at < len(text):
        if text.startswith(b"\n", at) and (run := _EMPTY.match(text, at)):
            at = run.end()
            continue
        end = text.find(b"\n", at)
        ended = end >= 0
        line = text[at : end if ended else len(text)]
        here = offset + at
        at = end + 1 if ended else len(text)
        if len(line) > MAX_LOG_LINE_BYTES or not _take(here, line, result):
            _inside(here, line + b"\n" * ended, result)


def _take(offset: int, line: bytes, result: Salvage) -> bool:
    """Take a line that is one value as it should be."""
    text = read_json(line, thorough=False)
    value = text.value if text.sound else None
    if not isinstance(value, dict):
        return False
    if result.header is None:
        if not is_header(value):
            return False
        result.header, result.header_text = value, line
        result.generation = generation_of(value)
        return True
    events = _events(value, result)
    if events:
        result.found.append(Found(offset, line, events))
    return bool(events)


def _events(value: Json, result: Salvage) -> tuple[Json, ...]:
    if is_row(value):
        return tuple(unpack(value)) if row_fault(value) is None else ()
    wrong = any(issue.keys[0] in ("type", "seq", "time", "data") for issue in check_envelope(value))
    if wrong or not is_index(value.get("seq")):
        return ()
    return (_spelled_out(value, result),)


def _spelled_out(event: Json, result: Salvage) -> Json:
    """The event with every source by its number: pairs could not be numbered anew."""
    sources, generation = event.get("sourceEventSeqs"), result.generation
    later = isinstance(generation, Generation) and generation.version >= 1
    if not later or not isinstance(sources, list):
        return event
    if not any(isinstance(item, list) for item in sources):
        return event
    if read_sources(sources, event["seq"], pairs=True).issues:
        return event
    count = sum(item[1] - item[0] + 1 if isinstance(item, list) else 1 for item in sources)
    result.sources -= int(count)
    if result.sources < 0:
        return event  # a few bytes may stand for very many numbers
    return {**event, "sourceEventSeqs": expand_sources(sources)}


def _inside(offset: int, line: bytes, result: Salvage) -> None:
    """Whole values in a damaged line; the bytes between them are dropped."""
    kept = 0
    ends: Ends = {}
    at = line.find(b'{"type":')
    while at >= 0 and result.budget > 0:
        end = skip(line, at, ends)
        result.budget -= (end or len(line)) - at
        if end is not None and _take(offset + at, line[at:end], result):
            _drop(offset + kept, line[kept:at], result)
            kept = end
            at = line.find(b'{"type":', end)
        else:
            at = line.find(b'{"type":', at + 1)
    _drop(offset + kept, line[kept:], result)


def _drop(offset: int, data: bytes, result: Salvage) -> None:
    if data.strip(b"\n"):
        reason = "zeros" if not data.strip(b"\0\n") else "no event"
        result.dropped.append(Dropped(offset, data, reason, result.compressed))

"""What the original would make of a log when it loads it: what it keeps, cuts and adds."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

from sesskit.logs.dsh.decode import open_log, outcome
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded, Original

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fate:
    """``kept`` is how many stored events stay, ``cut`` the byte of the file behind the last one
    where there is something to cut, ``closers`` the events that would end an open turn.

    A log that is refused keeps nothing, and nothing of it is cut. In a compressed log the torn
    frame is cut; what can be read of it is written again. ``header`` is the header line, if there
    is one, ``stored`` how many events stand before the first break, whatever becomes of them.
    """

    original: Original | None
    header: Json | None = None
    stored: int = 0
    kept: int = 0
    cut: int | None = None
    closers: tuple[Json, ...] = ()


class Read(NamedTuple):
    """A fate, the answer of the decoder that it follows from, and whether the log breaks."""

    fate: Fate
    outcome: Decoded
    broken: bool


def fate_of(data: bytes, path: PurePath | None = None) -> Fate:
    """The fate of a whole log; total. ``path`` as in `decode`."""
    return read_fate(io.BytesIO(data), path).fate


def read_fate(source: BinaryIO, path: PurePath | None = None) -> Read:
    """The fate of a log that is read as a stream, in flat memory."""
    reader = open_log(source, path, keep=False)
    issues: list[Issue] = []
    cut = None
    for stored in reader.remarkable():
        issues += stored.issues
        if not stored.accepted and cut is None:
            cut = stored.line.offset
    answer = outcome(reader, issues)
    broken = reader.broken_at is not None or reader.text.refused
    judge, original = reader.judge, answer.original
    kept = judge.count if judge is not None else 0
    loads = original is not None and original.verdict.startswith("accept")
    if not loads or judge is None:
        return Read(Fate(original, reader.header, kept), answer, broken)
    if reader.compressed:
        cut = reader.text.cut_at
    closers = tuple(judge.open_turn.closers())
    return Read(Fate(original, reader.header, kept, kept, cut, closers), answer, broken)

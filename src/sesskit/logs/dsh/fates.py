"""What the original would make of a log when it loads it: what it keeps, cuts and adds."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sesskit.logs.dsh.decode import open_log, outcome
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Original

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


def fate_of(data: bytes, path: PurePath | None = None) -> Fate:
    """The fate of a whole log; total. ``path`` as in `decode`."""
    reader = open_log(io.BytesIO(data), path, keep=False)
    issues: list[Issue] = []
    kept, cut = 0, None
    for stored in reader:
        issues += stored.issues
        if stored.accepted:
            kept += stored.events
        elif cut is None:
            cut = stored.line.offset
    original = outcome(reader, issues).original
    loads = original is not None and original.verdict.startswith("accept")
    if not loads or reader.judge is None:
        return Fate(original, reader.header, kept)
    if reader.compressed:
        cut = reader.text.cut_at
    closers = tuple(reader.judge.open_turn.closers())
    return Fate(original, reader.header, kept, kept, cut, closers)

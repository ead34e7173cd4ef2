"""The text of a log as a load leaves it: without a torn tail, an open turn closed."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import PurePath

from sesskit.logs.dsh.decode import open_log
from sesskit.schemas.ecmascript import dumps


@dataclass(frozen=True, slots=True)
class Loaded:
    """``text`` holds the lines that are kept, as they are, and then the closing events that a load
    adds, ``added`` of them; ``cut`` says whether anything was left out."""

    text: bytes
    added: int = 0
    cut: bool = False


def loaded(data: bytes, path: PurePath | None = None) -> Loaded | None:
    """What a load makes of a log, plain or compressed; None where it is refused. Total."""
    reader = open_log(io.BytesIO(data), path, keep=False)
    lines = [stored.line.data for stored in reader if stored.accepted and stored.line.ended]
    judge = reader.judge
    if judge is None or not reader.ruling.original.verdict.startswith("accept"):
        return None
    closers = [dumps(event) for event in judge.open_turn.closers()]
    text = b"".join(line + b"\n" for line in (*lines, *closers))
    return Loaded(text, len(closers), reader.ruling.cut)

"""One big log checked by several processes: each takes a range of whole lines.

Only issues and counts come back. The byte budget of sidecars is one for the whole log; where that
could matter the log is checked in one go after all.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from pathlib import Path

from sesskit.logs.line_blocks import LONG_BYTES, BoundedLines, Lines
from sesskit.logs.log_sources import open_log
from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogReading,
    SidecarOptions,
    read_log,
)
from sesskit.logs.robota_verdict import Verdict
from sesskit.logs.sidecar_files import PayloadDirectory
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Outcome

WORTH_BYTES = 32 * 1024 * 1024
"""A log smaller than this is checked before another process has begun."""

Range = tuple[int, int]


def check_log(
    path: Path,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
    workers: int = 1,
) -> Outcome:
    """The outcome of the log at a path, without its value, by as many processes.

    The answer is that of `read_log`, however many there are. A process with threads is not
    forked; it checks the log by itself.
    """
    options = options._replace(keep=False)
    ranges = _ranges(path, workers) if _can_fork() else []
    if len(ranges) < 2:
        return read_log(path, options, sidecars=sidecars)
    from sesskit.logs.forked import shared

    parts = shared([partial(_check, path, each, options, sidecars) for each in ranges])
    if any(part is None for part in parts):
        return read_log(path, options, sidecars=sidecars)
    whole = Verdict()
    for part in parts:
        if part is not None:
            whole.add(part, lines=whole.lines)
    over = whole.fault is not None and whole.fault.code == "MAX_TOTAL_BYTES_EXCEEDED"
    limits = whole.fault is not None and whole.fault.code == "INVALID_LIMIT"
    if over or limits or whole.spent > sidecars.max_total_bytes:
        return read_log(path, options, sidecars=sidecars)
    return whole.outcome()


def _check(path: Path, bounds: Range, options: Options, sidecars: SidecarOptions) -> Verdict | None:
    """The verdict of a range; None where it cannot be read."""
    start, end = bounds
    try:
        with open_log(path) as stream, PayloadDirectory(path.parent) as payloads:
            stream.seek(start)
            lines = BoundedLines(stream, end - start)
            return LogReading(
                lines, payloads, options=options, sidecars=sidecars, offset=start
            ).check()
    except OSError:
        return None


def _ranges(path: Path, workers: int) -> list[Range]:
    """Where to cut, always behind a line end; one range or none if it is not worth it."""
    try:
        size = path.stat().st_size
        if workers < 2 or size < WORTH_BYTES:
            return []
        with open_log(path) as stream:
            cuts = [0]
            for part in range(1, workers):
                stream.seek(max(cuts[-1], size * part // workers))
                if not _to_line_end(stream):
                    return []  # a line without end: not for several
                cuts.append(stream.tell())
    except OSError:
        return []
    ends = [*cuts[1:], size]
    return [(start, end) for start, end in zip(cuts, ends, strict=True) if start < end]


def _to_line_end(stream: Lines) -> bool:
    """Step behind the next line end, without holding the line; False if it is far away."""
    for _ in range(WORTH_BYTES // LONG_BYTES):
        piece = stream.readline(LONG_BYTES)
        if piece.endswith(b"\n"):
            return True
        if not piece:
            break
    return False


def _can_fork() -> bool:
    return threading.active_count() == 1 and hasattr(os, "fork")


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Checking many files: what paths stand for, the work over processes, and the report of it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sesskit.cli.progress import Progress
from sesskit.cli.report import Report, Rules, entry_of
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN, Finding, examine
from sesskit.logs.walking import Source, is_folder, sources, taken
from sesskit.records.format import Options
from sesskit.records.reading import ZeroFilled, read_stream, reason_for
from sesskit.records.session_ids import safe_segment, why_unsafe
from sesskit.schemas.outcomes import Unreadable

MANY_FILES = 200
MANY_BYTES = 32 << 20
"""From so many files, or bytes in more than one file, a second process is worth its start."""

STORE_FORMAT, STORED = "robota-record", ".json"
"""What a store holds, and how its files end."""

UNSAFE = "its name is not that of a session: "


class Reading(NamedTuple):
    """How files are read: as which format (None recognises it), and with which options."""

    format: str | None = None
    options: Options = Options()


class Wanted(NamedTuple):
    """One path of the command line and the files that it stands for."""

    path: str
    sources: tuple[Source, ...]
    folder: bool = False


def gather(paths: Sequence[str] | None, store: str | None = None) -> list[Wanted]:
    """The files that paths stand for; with a store, that the session ids ``paths`` stand for.

    Raises `BadUsage` where there are no paths, or an id is unsafe.
    """
    if store is not None:
        return _stored(store, paths)
    if not paths:
        raise BadUsage("name a file or a folder, or - for standard input")
    if list(paths).count(STDIN) > 1:
        raise BadUsage("- is standard input and can be read once only")
    return [Wanted(path, tuple(sources(path)), is_folder(path)) for path in paths]


def _stored(store: str, ids: Sequence[str] | None) -> list[Wanted]:
    """The sessions of a store; without ids all of them, sorted."""
    for session_id in ids or ():
        if not safe_segment(session_id):
            raise BadUsage(f"not a session id: {why_unsafe(session_id)}")
    try:
        names = [path.name for path in Path(store).iterdir()] if not ids else []
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise BadUsage(f"--store {store} cannot be read: {reason_for(error)}") from error
    stored = [name.removesuffix(STORED) for name in sorted(names) if name.endswith(STORED)]
    found = (_session(store, session_id) for session_id in ids or stored)
    return [Wanted(store, tuple(found), folder=True)]


def _session(store: str, session_id: str) -> Source:
    trouble = None if safe_segment(session_id) else f"{UNSAFE}{why_unsafe(session_id)}"
    return Source(str(Path(store, f"{session_id}{STORED}")), trouble=trouble)


def check(
    wanted: Sequence[Wanted],
    reading: Reading,
    rules: Rules | None = None,
    *,
    jobs: int = 1,
    quiet: bool = False,
) -> Report:
    """Examine everything wanted, in order; one bad file never hides the next.

    ``jobs`` is how many processes work, 0 leaves the choice to the amount of work.
    """
    every = [source for one in wanted for source in one.sources]
    with Progress(len(every), "checking", quiet=quiet) as progress:
        found = list(_examined(every, reading, jobs, progress.step))
    kept: list[Finding] = []
    skipped, start = 0, 0
    empty = []
    for one in wanted:
        pairs = zip(one.sources, found[start : start + len(one.sources)], strict=True)
        start += len(one.sources)
        result = taken(pairs, forced=reading.format is not None, again=_again(reading))
        kept += result.findings
        skipped += result.skipped
        if one.folder and not result.findings:
            empty.append(one.path)
    chosen = rules or Rules()
    entries = tuple(entry_of(finding, chosen) for finding in kept)
    return Report(entries, chosen, skipped, tuple(empty))


def look(source: Source, reading: Reading) -> Finding:
    """What is in one source. The garbage collector rests meanwhile: a decode makes no garbage."""
    if source.trouble is not None:
        return Finding(source.path, Unreadable(source.trouble))
    resting = gc.isenabled()
    gc.disable()
    try:
        if source.path == STDIN:
            return _stdin(reading)
        return examine(source.path, format=reading.format, options=reading.options)
    finally:
        if resting:
            gc.enable()


def read_stdin() -> bytes | ZeroFilled | Unreadable:
    """All of standard input, or why there is none."""
    return read_stream(sys.stdin.buffer) if sys.stdin else Unreadable("it is closed")


def _stdin(reading: Reading) -> Finding:
    read = read_stdin()
    if isinstance(read, Unreadable):
        return Finding(STDIN, read)
    data = read if isinstance(read, bytes) else read.sample()
    return examine(data, format=reading.format, options=reading.options)


def _examined(
    every: Sequence[Source], reading: Reading, jobs: int, step: Callable[[int], None]
) -> Iterator[Finding]:
    processes = jobs or fitting(every)
    if min(processes, len(every)) > 1:
        from sesskit.cli.processes import spread

        yield from spread(every, reading, processes, step)
        return
    for source in every:
        yield look(source, reading)
        step(1)


def _again(reading: Reading) -> Callable[[Finding, str], Finding]:
    def examined(finding: Finding, format: str) -> Finding:
        return examine(finding.path, format=format, options=reading.options)

    return examined


def fitting(every: Sequence[Source]) -> int:
    """As many processes as there are processors, if there is enough to do for two."""
    if len(every) < 2:
        return 1
    if len(every) < MANY_FILES and sum(map(_size, every)) < MANY_BYTES:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _size(source: Source) -> int:
    try:
        return Path(source.path).stat().st_size
    except (OSError, ValueError):
        return 0

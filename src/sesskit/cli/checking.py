"""Checking many files: what paths stand for, the work over processes, and the report of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sesskit.cli.looking import Look, Reading, look, survived
from sesskit.cli.naming import shown_name
from sesskit.cli.progress import Progress
from sesskit.cli.report import Report, Rules, entry_of
from sesskit.cli.screen import note, one_line
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN, Finding, identify
from sesskit.logs.walking import Source, is_folder, sources, taken
from sesskit.records.reading import reason_for
from sesskit.records.session_ids import safe_segment, why_unsafe

if TYPE_CHECKING:
    from sesskit.cli.stores import Kind

_UNKNOWN_TOLD = 8
MANY_FILES = 200
MANY_BYTES = 32 << 20
"""From so many files, or bytes in more than one file, a second process is worth its start."""

MOST_PER_PROCESSOR = 2
"""More processes than so many for each processor only take memory, whatever ``--jobs`` says."""

LOG = "robota-log"
UNSAFE = "its name is not that of a session: "
NOWHERE = "it is a symbolic link that leads nowhere"


class Wanted(NamedTuple):
    """One path of the command line and the files that it stands for."""

    path: str
    sources: tuple[Source, ...]
    folder: bool = False


def gather(
    paths: Sequence[str] | None, store: str | None = None, format: str | None = None
) -> list[Wanted]:
    """The files that paths stand for; with a store, that the session ids ``paths`` stand for.

    ``format`` is that of the store, where it was said. Raises `BadUsage` where there are no paths,
    or an id is unsafe.
    """
    if store is not None:
        return _stored(store, format, paths)
    if not paths:
        raise BadUsage("name a file or a folder, or - for standard input")
    if list(paths).count(STDIN) > 1:
        raise BadUsage("- is standard input and can be read once only")
    return [Wanted(path, tuple(sources(path)), is_folder(path)) for path in paths]


def is_one_log(paths: list[str] | None, format: str | None, name: str = LOG) -> bool:
    """Whether the paths are one file, and it is a log of the format of that name."""
    if not paths or len(paths) != 1 or paths[0] == STDIN or is_folder(paths[0]):
        return False
    found = identify(paths[0], format)
    return not isinstance(found, Finding) and found.entry.name == name


def _stored(store: str, format: str | None, ids: Sequence[str] | None) -> list[Wanted]:
    """The sessions of a store; without ids all of them, sorted."""
    from sesskit.cli.stores import store_kind  # only here: most runs have no store

    kind = store_kind(store, format)
    for session_id in ids or ():
        if not (kind.finder or safe_segment(session_id)):
            raise BadUsage(f"not a session id: {why_unsafe(session_id)}")
    try:
        stored = kind.ids(store) if not ids else []
    except FileNotFoundError:
        stored = []
    except OSError as error:
        raise BadUsage(f"--store {store} cannot be read: {reason_for(error)}") from error
    _tell_unknown(kind, store, ids or ())
    if kind.finder:
        found = (Source(kind.path(store, one)) for one in ids or stored)
    else:
        found = (_session(kind.path(store, one), one) for one in ids or stored)
    return [Wanted(store, tuple(found), folder=True)]


def _tell_unknown(kind: Kind, store: str, wanted: Sequence[str]) -> None:
    """Say which ids a store does not hold, and which of those that it holds are like them."""
    unknown = [one for one in wanted if not os.path.lexists(kind.path(store, one))]
    if not unknown or (kind.finder and not kind.folders):  # a database says it itself
        return
    try:
        known = kind.ids(store)
    except OSError:
        return  # whoever reads it says so
    for one in unknown[:_UNKNOWN_TOLD]:
        near = get_close_matches(one, known, 3) or known[:3]
        more = " and others" if near and len(known) > len(near) else ""
        held = f"; it holds {', '.join(map(shown_name, near))}{more}" if near else ""
        note(f"{one_line(store)} holds no session {shown_name(one)}{held}")


def _session(path: str, session_id: str) -> Source:
    trouble = None if safe_segment(session_id) else f"{UNSAFE}{why_unsafe(session_id)}"
    if trouble is None and Path(path).is_symlink() and not Path(path).exists():
        trouble = NOWHERE  # something is there, so it is not missing
    return Source(path, trouble=trouble)


def check(
    wanted: Sequence[Wanted],
    reading: Reading,
    rules: Rules | None = None,
    *,
    jobs: int = 1,
    quiet: bool = False,
    by: Look | None = None,
) -> Report:
    """Examine everything wanted, in order; one bad file never hides the next.

    ``jobs`` is how many processes work, 0 leaves the choice to the amount of work. Where a command
    looks at files in its own way, ``by`` does it, in this process.
    """
    every = [source for one in wanted for source in one.sources]
    with Progress(len(every), "checking", quiet=quiet) as progress:
        if by is None:
            found = list(_examined(every, reading, jobs, progress.step))
        else:
            found = list(_looked_at(every, reading, by, progress.step))
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


def _examined(
    every: Sequence[Source], reading: Reading, jobs: int, step: Callable[[int], None]
) -> Iterator[Finding]:
    jobs = min(jobs, MOST_PER_PROCESSOR * _processors())
    processes = jobs or fitting(every)
    if min(processes, len(every)) > 1:
        from sesskit.cli.processes import spread

        yield from spread(every, reading, processes, step)
        return
    if len(every) == 1:  # several may share one big log
        workers = jobs or (_processors() if _size(every[0]) >= MANY_BYTES else 1)
        reading = reading._replace(options=reading.options._replace(workers=workers))
    yield from _looked_at(every, reading, look, step)


def _looked_at(
    every: Sequence[Source], reading: Reading, by: Look, step: Callable[[int], None]
) -> Iterator[Finding]:
    for source in every:
        yield survived(by, source, reading)
        step(1)


def _again(reading: Reading) -> Callable[[Finding, str], Finding]:
    def examined(finding: Finding, format: str) -> Finding:
        return survived(look, Source(finding.path), reading._replace(format=format))

    return examined


def fitting(every: Sequence[Source]) -> int:
    """As many processes as there are processors, if there is enough to do for two."""
    if len(every) < 2:
        return 1
    if len(every) < MANY_FILES and sum(map(_size, every)) < MANY_BYTES:
        return 1
    return _processors()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _size(source: Source) -> int:
    try:
        return Path(source.path).stat().st_size
    except (OSError, ValueError):
        return 0

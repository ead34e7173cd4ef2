"""Walking folders: which files are looked at, and which of them are taken as session files.

Two steps, so that the work between them can be spread over processes: `sources` lists files by
name alone, sorted; when each was examined, `taken` keeps those that count and counts the others.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

from sesskit.logs.formats import STDIN, Finding
from sesskit.records.reading import reason_for
from sesskit.records.robota_recognition import MENTIONED

SUFFIXES = (".json", ".jsonl", ".zstd", ".bin")
"""Session files are called so: an unreadable file of such a name is told, not skipped."""

PAYLOADS = ".payloads"
"""Folders whose name ends so hold a log's sidecars, which are read through their log."""

NO_FILE = "it is no regular file"
"""Pipes, sockets, devices and links to nothing or to a folder, met in a folder: counted only."""

COPY = "it is a backup or a temporary file"
"""Files whose name says so, met in a folder: counted only. Who wants one names it."""

_COPY_NAME = re.compile(r".*\.(?:bak(?:\.\d+)?|tmp)", re.DOTALL | re.IGNORECASE)


class Source(NamedTuple):
    """A file to examine: ``path`` as typed or walked. A ``walked`` one may turn out to be none.

    ``trouble`` is set where there is nothing to examine: why a folder cannot be listed, or
    `NO_FILE` or `COPY`.
    """

    path: str
    walked: bool = False
    trouble: str | None = None


class Taken(NamedTuple):
    """The findings that count, in their order, and how many walked files were passed by."""

    findings: tuple[Finding, ...]
    skipped: int = 0


def is_folder(path: str) -> bool:
    """Whether a path on a command line is to be walked."""
    return path not in ("", STDIN) and stat.S_ISDIR(mode_of(path))


def mode_of(path: str | Path) -> int:
    """The ``st_mode`` of what a path leads to; 0 where there is nothing, or no asking.

    `pathlib` raises for a folder without permission and for a name that is too long. Whoever reads
    or writes such a path says what is wrong with it.
    """
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError):
        return 0


def sources(path: str) -> Iterator[Source]:
    """What a path on a command line stands for: itself, or the files of a folder, sorted.

    Links to folders are not followed, links to files are; a folder is left once and cannot be come
    to again, so no circle of links is endless. Sidecar folders are not entered.
    """
    if not is_folder(path):
        yield Source(path)
        return
    waiting: list[str | Source] = [path]
    while waiting:
        place = waiting.pop()
        if isinstance(place, Source):
            yield place
        else:
            waiting += reversed(_listed(place))


def _listed(folder: str) -> list[str | Source]:
    """The files (as sources) and folders (as paths) of a folder, sorted by name."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        return [Source(folder, walked=True, trouble=reason_for(error))]
    return [seen for entry in entries if (seen := _seen(entry)) is not None]


def _seen(entry: os.DirEntry[str]) -> str | Source | None:
    try:
        if entry.is_dir(follow_symlinks=False):
            return None if entry.name.endswith(PAYLOADS) else entry.path
        regular = entry.is_file()
    except OSError:
        regular = False  # a circle of links
    trouble = COPY if _COPY_NAME.fullmatch(entry.name) else None
    return Source(entry.path, walked=True, trouble=trouble if regular else NO_FILE)


def taken(
    found: Iterable[tuple[Source, Finding]],
    *,
    forced: bool = False,
    again: Callable[[Finding, str], Finding],
) -> Taken:
    """Keep what was named, and of what was walked the session files; count the rest.

    A walked file that is only guessed to be one counts beside a file that was recognised, as a
    file of the same format: ``again`` examines it anew as that. With ``forced`` every regular file
    counts, because its format was given.
    """
    pairs = list(found)
    neighbours: dict[str, list[str]] = {}
    for source, finding in pairs:
        if finding.format and finding.recognition and finding.recognition.sure != "guess":
            neighbours.setdefault(_folder(source.path), []).append(finding.format)
    kept = []
    for source, finding in pairs:
        beside = neighbours.get(_folder(source.path), [])
        if _counts(source, finding, beside, forced=forced):
            other = _as_neighbours(finding, beside)
            kept.append(again(finding, other) if source.walked and other else finding)
    return Taken(tuple(kept), len(pairs) - len(kept))


def _folder(path: str) -> str:
    return path.rpartition(os.sep)[0]


def _counts(source: Source, finding: Finding, beside: list[str], *, forced: bool) -> bool:
    if not source.walked:
        return True
    if source.trouble in (NO_FILE, COPY) or finding.status == "missing":
        return False
    if forced or source.trouble is not None:
        return True
    if finding.recognition is None:
        return finding.status == "unreadable" and source.path.endswith(SUFFIXES)
    if finding.recognition == MENTIONED or not _plausible(source, finding):
        return False
    return finding.recognition.sure != "guess" or bool(beside)


def _plausible(source: Source, finding: Finding) -> bool:
    """Whether a record that is damaged and not certain to be one is at least called like one."""
    sure = finding.recognition is None or finding.recognition.sure == "certain"
    if sure or finding.status == "valid" or "-record" not in (finding.format or ""):
        return True
    return PurePath(source.path).suffix.lower() in ("", *SUFFIXES)


def _as_neighbours(finding: Finding, beside: list[str]) -> str | None:
    """The format to read a guessed file as instead, because the files beside it have it."""
    if finding.format in beside or finding.recognition is None:
        return None
    return next((name for name in finding.others if name in beside), None)

"""A root of dsh: every session below it, its generations, forks and helpers, and how all lies.

Only names and first lines are read: a listing takes no longer for long logs.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.first_line import GATE
from sesskit.logs.dsh.layout import StoredLog, with_layout
from sesskit.logs.dsh.lines import HEADER_FRAME
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.paths import Place, is_misnamed, place_of
from sesskit.logs.dsh.reader import LogReader
from sesskit.records.reading import reason_for
from sesskit.schemas.instants import Instant
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Original

Json = dict[str, Any]

_FATAL = (
    "header-path",
    "zstd-header-frame",
    "zstd-damaged",
    "retired-field",
    "layout-other-encoding",
    "layout-flat-file",
    "layout-duplicate-id",
)
"""Faults for which the original lists nothing of a root; for others it passes a log by."""
_AT_THE_GATE = ("header-field", "member-missing", "tail-cut")
_LEFTOVER = ".tmp"


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session below a root: its logs, the newest generation first, and who came from it."""

    id: str
    logs: tuple[StoredLog, ...]
    forks: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()

    @property
    def latest(self) -> StoredLog:
        return self.logs[0]


@dataclass(frozen=True, slots=True)
class Root:
    """What lies below a root: sessions by id, files of none, and what writes left over."""

    sessions: tuple[StoredSession, ...]
    strays: tuple[StoredLog, ...] = ()
    leftovers: tuple[Path, ...] = ()

    @property
    def logs(self) -> Iterator[StoredLog]:
        """Every log file, those of sessions first."""
        for session in self.sessions:
            yield from session.logs
        yield from self.strays

    def fatal(self, version: int = 0) -> Issue | None:
        """Why the program that reads a version lists nothing of this root at all; None if it
        does."""
        mine = (log for log in self.logs if log.place.generation in (version, None))
        found = (issue for log in mine for issue in log.issues if issue.code in _FATAL)
        return next(found, None)

    def original(self, version: int = 0) -> Original:
        """Whether the program that reads a version could list this root at all."""
        return Original("accept") if self.fatal(version) is None else Original("reject", "Error")

    def listed(self, version: int = 0) -> Iterator[StoredLog]:
        """The logs that that program lists, where it lists any: those whose header it knows."""
        for log in self.logs:
            if log.place.generation == version and log.header is not None and not _gated(log):
                yield log


def _gated(log: StoredLog) -> bool:
    """Whether the first check of a header fails: then the log is passed by."""
    return any(
        issue.code == "tail-cut" or (issue.keys and issue.keys[0] in GATE)
        for issue in log.issues
        if issue.severity == "error" and issue.code in _AT_THE_GATE
    )


def survey(root: Path, *, compressed: bool | None = None) -> Root:
    """Look through a root; total for what lies in it.

    ``compressed`` is how the root is configured; without it the encoding that most of its logs
    have. Raises `OSError` where the root itself cannot be listed.
    """
    found = _Found()
    for project in _folders(root):
        found.project(Path(project.path))
    logs = with_layout(found.logs, compressed)
    return Root(tuple(_sessions(logs)), _without_id(logs), tuple(found.leftovers))


@dataclass(slots=True)
class _Found:
    logs: list[StoredLog] = field(default_factory=list)
    leftovers: list[Path] = field(default_factory=list)

    def project(self, folder: Path) -> None:
        """One project folder: old logs right in it, a folder for every session since."""
        for entry in _listed(folder):
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                for inner in _listed(path):
                    self._file(Path(inner.path))
            else:
                self._file(path)

    def _file(self, path: Path) -> None:
        place = place_of(path.absolute())
        flat = place.layout is None and path.name.endswith((".jsonl", ".jsonl.zstd"))
        if path.name.endswith(_LEFTOVER) and ".jsonl" in path.name:
            self.leftovers.append(path)
        elif (
            is_misnamed(path)
            or place.layout is not None
            or (flat and place_of(path / "session.jsonl").project)
        ):
            self.logs.append(_log(path, place))


def _folders(root: Path) -> list[os.DirEntry[str]]:
    with os.scandir(root) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    return [entry for entry in entries if entry.is_dir(follow_symlinks=False)]


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listing:
            return sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return []


def _log(path: Path, place: Place) -> StoredLog:
    """The first line of one log."""
    descriptor = opened(path)
    if not isinstance(descriptor, int):
        return StoredLog(path, place, trouble=getattr(descriptor, "reason", "it is gone"))
    try:
        with os.fdopen(descriptor, "rb") as source:
            status = os.fstat(source.fileno())
            reader = open_log(source, path.absolute(), keep=False)
            issues = tuple(_header_issues(reader))
    except OSError as error:
        return StoredLog(path, place, trouble=reason_for(error))
    modified = Instant(status.st_mtime_ns // 1_000_000)
    return StoredLog(path, place, reader.header, status.st_size, modified, issues)


def _header_issues(reader: LogReader) -> Iterator[Issue]:
    lines = iter(reader)
    first = next(lines, None)
    if first is not None:
        yield from first.issues
        second = next(lines, None)  # what is wrong with the first frame is told behind its lines
        if second is not None and second.line.frame == 1:
            yield second.whole(Issue("zstd-header-frame", HEADER_FRAME, expected="one line"))
    yield from (issue for issue in reader.issues if issue.frame in (None, 1))


def _sessions(logs: list[StoredLog]) -> Iterator[StoredSession]:
    """By id, in the order of the folders."""
    by_id: dict[str, list[StoredLog]] = {}
    forks: dict[str, dict[str, None]] = defaultdict(dict)
    helpers: dict[str, dict[str, None]] = defaultdict(dict)
    for log in logs:
        if log.id is None or log.misnamed:
            continue
        by_id.setdefault(log.id, []).append(log)
        if log.parent is not None:
            (helpers if log.helper else forks)[log.parent].setdefault(log.id)
    for session_id, found in by_id.items():
        # By their names, as programs choose; what the header says is looked at later.
        newest = sorted(found, key=lambda log: -(log.place.generation or 0))
        yield StoredSession(
            session_id, tuple(newest), tuple(forks[session_id]), tuple(helpers[session_id])
        )


def _without_id(logs: list[StoredLog]) -> tuple[StoredLog, ...]:
    return tuple(log for log in logs if log.id is None or log.misnamed)

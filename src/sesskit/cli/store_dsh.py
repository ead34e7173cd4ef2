"""A root of dsh as a store: its sessions by id, every generation of them, and what is beside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from sesskit.cli.stores import Listed, Stored, refused
from sesskit.logs.dsh.generations import READ_VERSIONS, Foreign, generation_of
from sesskit.logs.dsh.layout import StoredLog, laid_out
from sesskit.logs.dsh.paths import encoded_id
from sesskit.logs.dsh.roots import Root, survey
from sesskit.logs.formats import examine
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Unsupported, Valid

LOG = "dsh-log"
MOST_CHECKED = 32 << 20
"""Logs of so many bytes together are checked to their ends when they are listed."""
FIRST_LINES = "first line only; sesskit validate checks all"
LONGEST_NAME = 255
NOWHERE = "_no-cwd/_no-session"
"""A path where nothing lies, for ids that are none of the root."""


def path(folder: str, session_id: str) -> str:
    """The latest generation of a session; for one without header that of its folder."""
    real = os.path.realpath(folder)
    try:
        root = surveyed(real)
    except OSError:
        return str(Path(folder, session_id))
    latest = (one.latest for one in root.sessions if one.id == session_id)
    stray = (log for log in root.strays if _name(log) == session_id)
    found = next(latest, None) or next(stray, None)
    if found is None:
        name = encoded_id(session_id or ".")
        nameable = len(name) <= LONGEST_NAME and not os.path.lexists(Path(folder, name))
        return str(Path(folder, name if nameable else NOWHERE))
    return str(Path(folder, found.path.relative_to(real)))


def ids(folder: str) -> list[str]:
    """The ids of all sessions; of logs without header the names of their folders."""
    root = surveyed(os.path.realpath(folder))
    return sorted({*(one.id for one in root.sessions), *map(_name, root.strays)})


@lru_cache(maxsize=4)
def surveyed(folder: str) -> Root:
    """A root, looked through once in a run."""
    return survey(Path(folder))


class DshHome:
    """A root of dsh. It is read; sessions get into it by `import`, and out by nobody."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def list(self) -> list[Listed]:
        """Every log, those of one session together, the session that was written last first."""
        root = survey(self.folder)
        logs = [*root.logs]
        whole = sum(log.size for log in logs) <= MOST_CHECKED
        groups = [list(session.logs) for session in root.sessions] + [[log] for log in root.strays]
        groups.sort(key=lambda group: max(map(_when, group)), reverse=True)
        return [_listed(log, whole=whole) for group in groups for log in group]

    def put(self, value: Any, *, force: bool) -> Stored:
        """Nothing is put: a log alone does not say all that belongs to a session."""
        return refused(
            "not-stored", "a root of dsh takes what sesskit import brings, or dsh itself"
        )

    def load(self, session_id: str) -> Outcome:
        found = path(str(self.folder), session_id)
        return examine(found, format=LOG).outcome if Path(found).exists() else Missing()

    def delete(self, session_id: str) -> bool:
        """Never: other sessions may have grown from it."""
        return False


def _when(log: StoredLog) -> int:
    return log.modified.ms if log.modified is not None else 0


def _name(log: StoredLog) -> str:
    return log.place.session or log.path.name


def _listed(log: StoredLog, *, whole: bool) -> Listed:
    outcome = _outcome(log, whole=whole)
    words = ", ".join(_notes(log, outcome, whole=whole))
    own = None if log.misnamed else log.id
    return Listed(own or _name(log), str(log.path), outcome, log.modified, own, words)


def _outcome(log: StoredLog, *, whole: bool) -> Outcome:
    """What the log is, with what is wrong about where it lies."""
    if log.trouble is not None:
        return Unreadable(log.trouble)
    if whole:
        found = examine(log.path, format=LOG, options=Options(keep=False)).outcome
        return laid_out(found, log) if isinstance(found, Valid | Corrupt) else found
    header = log.header
    if header is not None and isinstance(generation_of(header), Foreign):
        return Unsupported(log.version, READ_VERSIONS, log.issues)
    if header is None or any(issue.severity == "error" for issue in log.issues):
        return Corrupt(log.issues, log.version)
    return Valid(None, log.issues, log.version)


def _notes(log: StoredLog, outcome: Outcome, *, whole: bool) -> Iterator[str]:
    header = log.header
    found = None if header is None else generation_of(header, log.place.generation)
    if isinstance(found, Foreign):
        yield found.reason
    elif found is not None:
        yield found.name
    if log.parent is not None:
        yield f"{'helper' if log.helper else 'fork'} of {log.parent}"
    issues = getattr(outcome, "issues", ())
    errors = [issue.code for issue in issues if issue.severity == "error"]
    if errors and not isinstance(found, Foreign):
        more = f" and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        yield f"{errors[0]}{more}"
    if log.misnamed:
        yield "no program reads this name"
    if not whole:
        yield FIRST_LINES

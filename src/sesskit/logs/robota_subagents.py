"""The logs of subagents: where they lie, and where they belong in the log of their session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from sesskit.logs.robota_moments import Moment, task_event
from sesskit.schemas.instants import Instant
from sesskit.schemas.robota_log import BackgroundTaskEvent

SUBAGENTS: Final = "subagents"
LINK: Final = "a link"
NO_FILE: Final = "no regular file"
UNREADABLE: Final = "it cannot be looked into"

UNPLACED = 1 << 62
"""Stands for the line of a log that has no place: behind all others."""


class SubagentLogs(NamedTuple):
    """The logs of the subagents of one session, sorted, and what is left out, with the reason."""

    logs: list[Path]
    left_out: list[tuple[Path, str]]


def subagent_logs(log: Path, session_id: str | None) -> SubagentLogs:
    """The logs in the folder of a session's subagents, beside its own log.

    Links are not followed, neither to logs nor to folders: one may lead back, or anywhere.
    """
    found = SubagentLogs([], [])
    if not session_id or "/" in session_id or session_id in (".", ".."):
        return found
    home = log.parent / session_id
    folder = home / SUBAGENTS
    try:
        if not folder.is_dir():
            return found
        for place in (home, folder):
            if place.is_symlink():
                found.left_out.append((place, LINK))
                return found
        for path in sorted(path for path in folder.iterdir() if path.name.endswith(".jsonl")):
            reason = LINK if path.is_symlink() else "" if path.is_file() else NO_FILE
            if reason:
                found.left_out.append((path, reason))
            else:
                found.logs.append(path)
    except (OSError, ValueError):  # no access, or no name that a file can have
        found.left_out.append((folder, UNREADABLE))
    return found


def subagent_places(
    moments: Iterable[Moment], starts: Mapping[str, Instant | None]
) -> dict[str, Moment]:
    """The moment of the parent at which each log began, by its file name.

    That is the event which names the log; without one, what stood before the first line that is
    later than the log's own start. ``starts`` has the time of each log's first line.
    """
    told: dict[str, Moment] = {}
    timed: dict[str, Moment] = {}
    known = ((name, start.ms) for name, start in starts.items() if start is not None)
    waiting = sorted(known, key=lambda pair: -pair[1])
    before: Moment | None = None
    for moment in moments:
        name = log_named(moment)
        if name in starts:
            told.setdefault(name, moment)
        while waiting and moment.time is not None and moment.time.ms > waiting[-1][1]:
            timed[waiting.pop()[0]] = before or moment
        before = moment
    if before is not None:
        timed.update((name, before) for name, _ in waiting)
    return timed | told


def log_named(moment: Moment) -> str:
    """The file name of the log of a subagent that an event tells of; empty for all others."""
    if not isinstance(moment.event, BackgroundTaskEvent):
        return ""
    task = getattr(task_event(moment.event), "task", None)
    if task is None or task.kind != "agent":
        return ""
    path = task.transcript_path
    return Path(path).name if isinstance(path, str) and path else f"{task.id}.jsonl"


def in_order(names: Iterable[str], places: Mapping[str, Moment]) -> Iterator[tuple[int, str]]:
    """Line and name of each log, in the order in which they began; what has no place last."""
    lines = ((places[name].line if name in places else UNPLACED, name) for name in names)
    yield from sorted(lines)

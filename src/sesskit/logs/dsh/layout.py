"""A log as it lies below a root, and what is wrong about where it does: no single file shows it."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.paths import Place, is_misnamed
from sesskit.schemas.instants import Instant
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Original, Valid

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredLog:
    """One log file below a root: ``header`` is its first line, None where that is no header.

    ``version`` is what the header says. ``issues`` are those of the header and of where the file
    lies; ``trouble`` says why a file could not be read at all.
    """

    path: Path
    place: Place
    header: Json | None = None
    size: int = 0
    modified: Instant | None = None
    issues: tuple[Issue, ...] = ()
    trouble: str | None = None

    @property
    def misnamed(self) -> bool:
        """Whether no program reads it, for its name."""
        return is_misnamed(self.path)

    @property
    def id(self) -> str | None:
        found = (self.header or {}).get("id")
        return found if isinstance(found, str) else None

    @property
    def parent(self) -> str | None:
        found = (self.header or {}).get("parentSession")
        return found if isinstance(found, str) else None

    @property
    def helper(self) -> bool:
        """Whether it was started by its parent as a subagent, not forked from it."""
        return (self.header or {}).get("origin") == "subagent"

    @property
    def version(self) -> int | float | None:
        found = (self.header or {}).get("version")
        return found if isinstance(found, int | float) else None


def with_layout(logs: list[StoredLog], compressed: bool | None) -> list[StoredLog]:
    """The logs with what is wrong about where they lie."""
    layout = _Layout(logs, compressed)
    marked = [_marked(log, layout.issues(log)) for log in logs]
    stopped = _stopped(marked)
    return [_marked(log, _elsewhere(log, stopped)) for log in marked]


class _Layout:
    """What the logs of a root share."""

    def __init__(self, logs: list[StoredLog], compressed: bool | None) -> None:
        mine = [log.place for log in logs if log.place.layout == "session"]
        kinds = Counter((place.generation, place.compressed) for place in mine)
        # Of the usual name, and where as many are of each kind the kind that is the default.
        self.compressed = {
            place.generation: (
                kinds[place.generation, True] >= kinds[place.generation, False]
                if compressed is None
                else compressed
            )
            for place in mine
        }
        self.folders = Counter((place.project, place.session, place.generation) for place in mine)
        self.projects: dict[tuple[str, int | None], set[str]] = defaultdict(set)
        for place in mine:
            self.projects[place.session, place.generation].add(place.project)

    def issues(self, log: StoredLog) -> Iterator[Issue]:
        """What is wrong about where one of them lies."""
        place = log.place
        if log.misnamed:
            message = "no program reads a log of this name beside those of a session"
            expected = "session.jsonl, or session.vN.jsonl without leading zeros"
            yield Issue("layout-name", message, "warning", expected=expected)
            return
        if place.layout != "session":
            if self.compressed:
                message = "a log lies flat in a project folder: no program lists this root"
                yield Issue("layout-flat-file", message, expected="folder for each session")
            return
        doubled = self.folders[place.project, place.session, place.generation] > 1
        if doubled or place.compressed != self.compressed[place.generation]:
            message = "a root holds logs of one encoding; others make every operation on it fail"
            if doubled:
                message = (
                    "the session has a log of each encoding: every operation on its root fails"
                )
            kinds = ("plain text", "zstd frames")
            expected, found = kinds[not place.compressed], kinds[place.compressed]
            yield Issue("layout-other-encoding", message, expected=expected, found=found)
        if len(self.projects[place.session, place.generation]) > 1:
            message = "another project folder holds a session of the same id"
            yield Issue("layout-duplicate-id", message, expected="one session of an id")


_STOPPING = ("layout-other-encoding", "layout-flat-file")
"""Faults of one log for which the original loads no other of the root either."""


def _stopped(logs: list[StoredLog]) -> dict[int | None, str]:
    """The versions of which nothing is loaded, and what stops their programs; None is any."""
    found = ((log.place.generation, issue.code) for log in logs for issue in log.issues)
    return {generation: code for generation, code in found if code in _STOPPING}


def _elsewhere(log: StoredLog, stopped: dict[int | None, str]) -> Iterator[Issue]:
    """What other logs of a root do to one whose own place is right."""
    place = log.place
    if place.layout != "session" or any(i.code.startswith("layout-") for i in log.issues):
        return
    code = stopped.get(place.generation) or stopped.get(None)
    if code is not None:
        message = "another log of the root lies wrongly: no session of it is loaded"
        yield Issue("layout-elsewhere", message, "warning", found=code)


def _marked(log: StoredLog, found: Iterable[Issue]) -> StoredLog:
    placed = tuple(replace(issue, line=1, column=1, offset=0) for issue in found)
    return dataclasses.replace(log, issues=log.issues + placed) if placed else log


def laid_out(outcome: Valid | Corrupt, log: StoredLog) -> Valid | Corrupt:
    """What a log is when it is known where it lies: with the issues of that, and what its program
    would say then."""
    found = tuple(issue for issue in log.issues if issue.code.startswith("layout-"))
    if not found:
        return outcome
    if log.misnamed:
        # No program looks at it, so none says anything of it.
        return replace(outcome, issues=found + outcome.issues, original=None)
    # Where the container or the header is refused already, that is what the original says.
    refused = outcome.original is not None and outcome.original.verdict not in _LOADS
    original = outcome.original if refused else Original("reject", "Error")
    issues = found + outcome.issues
    if isinstance(outcome, Valid) and all(issue.severity != "error" for issue in found):
        return Valid(outcome.value, issues, outcome.version, original=original)
    return Corrupt(issues, outcome.version, original=original)


_LOADS = ("accept", "accept-with-repair")

"""Scrubbing a session of files that name each other by what they hold, and telling of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from sesskit.artifacts.redaction import Redactor
from sesskit.artifacts.scrub_files import Scrubbed, scrub_session
from sesskit.artifacts.share import Share, Shared
from sesskit.artifacts.share_formats import share_format
from sesskit.cli.redactions import counted, findings, rows_of_found
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.scrub_inputs import Job, is_big, whole_of
from sesskit.cli.writes import told
from sesskit.logs.formats import STDIN, Finding
from sesskit.schemas.outcomes import Outcome

_BY_DIGEST: Final = "its sidecars are named by their digests, which change; use --out DIR"


class Session(NamedTuple):
    """What became of a session: its files, or none of them and why."""

    job: Job
    outcome: Outcome
    inside: frozenset[str]
    files: tuple[Shared, ...] = ()
    why: str = ""

    @property
    def main(self) -> str:
        """The name of the main file of the result."""
        return self.files[0].name if self.files else ""

    def written(self) -> Iterator[tuple[str, bytes]]:
        """Names and bytes of what is to be written, the main file last."""
        return ((file.name, file.data) for file in reversed(self.files))

    def entries(
        self, paths: Iterable[str], place: str, rules: Rules, screen: Screen
    ) -> dict[str, Entry]:
        """The entries of those files that belong to the session."""
        mine = (path for path in paths if path == self.job.path or path in self.inside)
        return {path: self._entry(path, place, rules, screen) for path in mine}

    def _entry(self, path: str, place: str, rules: Rules, screen: Screen) -> Entry:
        if self.why:
            done = Scrubbed(self.outcome, why=self.why)
            return refused(path, done, self.job.session, rules, screen)
        found = tuple(one for file in self.files for one in file.found)
        rows: list[Row] = [("scrubbed", f"with {self.job.path}")]
        if path == self.job.path:
            rows = [("scrubbed", f"{counted(found)}; to {place}")]
            rows += rows_of_found(found, "replaced", main=self.main)
        else:
            found = ()
        entry = entry_of(Finding(path, self.outcome, self.job.session), rules)
        member = member_of(place, len(found), Scrubbed(self.outcome, found=found))
        return told(entry, rows, member, screen)


def session_of_files(
    job: Job, called: str, redactor: Redactor, *, in_place: bool
) -> Session | None:
    """The scrubbed session that a file is the main one of; None if it is no such session.

    ``called`` is the name that the main file is to get.
    """
    adapter = share_format(job.session) if job.path != STDIN and not is_big(job.head) else None
    data = whole_of(job.path, job.head) if adapter is not None else None
    if adapter is None or job.session is None or not isinstance(data, bytes):
        return None
    main = Path(job.path)
    others = tuple(adapter.family(main, data))
    files = ((main.name, data), *others)
    made = scrub_session(files, job.session, redactor, called) if others else None
    if made is None:
        return None
    inside = frozenset(str(main.parent / name) for name, _ in others)
    if isinstance(made, Share):
        return Session(job, made.outcome, inside, why=made.why)
    if in_place and {file.name for file in made.files} != {name for name, _ in files}:
        return Session(job, made.outcome, inside, why=_BY_DIGEST)
    return Session(job, made.outcome, inside, made.files)


def refused(path: str, done: Scrubbed, session: str | None, rules: Rules, screen: Screen) -> Entry:
    """The entry of a file of which there is no result."""
    entry = entry_of(Finding(path, done.outcome, session), rules)
    return told(entry, [("refused", done.why)], member_of(None, 0, done), screen)


def member_of(place: str | None, count: int, done: Scrubbed) -> dict[str, Any]:
    return {
        "redaction": {
            "path": place,
            "count": count,
            "findings": findings(done.found),
            "refused": done.why or None,
        }
    }

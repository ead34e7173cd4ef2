"""Migration of whole files, verified: what `sesskit migrate` does with a log, and what it could.

migrated = migrate_log(path.read_bytes(), 3)
publish(root / migrated.place(compressed=True), migrated.blocks(compressed=True))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from sesskit.logs.dsh.decode import Log, decode
from sesskit.logs.dsh.edge_seed_v0 import seed_to_v0
from sesskit.logs.dsh.edges import Refused
from sesskit.logs.dsh.generations import READ_VERSIONS
from sesskit.logs.dsh.migrate import Migrated, migrate, stored_events, text_of
from sesskit.logs.dsh.migration_source import (
    Source,
    Unsound,
    is_migratable,
    loaded_source,
    released_source,
)
from sesskit.logs.dsh.paths import log_path
from sesskit.logs.dsh.tolerant import Change, migrate_tolerantly
from sesskit.logs.dsh.writing import publish, stored_lines
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded

Json = dict[str, Any]

LATEST = READ_VERSIONS[-1]


@dataclass(frozen=True, slots=True)
class MigratedLog:
    """A log in its new version, read back by the decoder (``outcome``), and what it was made of.

    What the released steps do not look at may still keep the new log from being loaded: ``outcome``
    says so. ``changes`` are what tolerant migration changed to make the steps take it. The closing
    events that a load would add to an open turn are not in it: it has the same open turn.
    """

    log: Migrated
    changes: tuple[Change, ...]
    outcome: Decoded
    source: Source

    def place(self, *, compressed: bool = True) -> PurePath:
        """Where below a root the log lies in its new version."""
        header = self.log.header
        return log_path(
            header["id"], header.get("cwd"), version=self.log.version, compressed=compressed
        )

    def blocks(self, *, compressed: bool = True) -> Iterator[bytes]:
        """The bytes of its file."""
        records = (self.log.header, *stored_events(self.log))
        return stored_lines(map(dumps, records), compressed=compressed)


def migrate_log(
    data: bytes,
    to: int = LATEST,
    *,
    path: PurePath | None = None,
    tolerant: bool = False,
    cut: bool = False,
) -> MigratedLog:
    """A log, plain or compressed, as version ``to`` has it; the source is never changed.

    With ``cut`` a torn tail is left out; of a torn frame the released steps take nothing, tolerant
    migration what a load keeps of it. Raises `Unsound` for what should be repaired first, `Refused`
    where a released step does not take the log (``issue`` says which event), `ValueError` for a
    version there is no way to. Logs of June 2026 have no released step; only tolerant migration
    takes them.
    """
    source = _source(data, path, tolerant=tolerant, cut=cut)
    log = source.log
    _check_way(log, to, tolerant=tolerant)
    if log.generation.seed:
        header, events, earlier = seed_to_v0(log.header, log.events)
        moved, changes = migrate_tolerantly(header, events, 0, to, earlier)
    elif tolerant:
        moved, changes = migrate_tolerantly(log.header, log.events, log.inherited, to)
    else:
        moved, changes = migrate(log.header, log.events, log.inherited, to), ()
    answer = decode(text_of(moved))
    if not is_migratable(answer):
        first = next(issue for issue in answer.issues if issue.severity == "error")
        raise Refused(first)
    return MigratedLog(moved, changes, answer, source)


def migrates(
    data: bytes, path: PurePath | None = None, *, cut: bool = False
) -> dict[int, Issue | None]:
    """For every later version whether the log migrates to it: None, or why not.

    Empty for a log whose lines are not sound (``cut`` as in `migrate_log`) or that has no later
    version.
    "Loads" is another answer: that of the decoder.
    """
    try:
        log = _source(data, path, tolerant=False, cut=cut).log
    except Unsound:
        return {}
    answers: dict[int, Issue | None] = {}
    if log.generation.seed:
        return answers
    refused: Issue | None = None
    header, events, inherited = log.header, log.events, log.inherited
    for to in range(log.generation.version + 1, LATEST + 1):
        if refused is None:
            try:
                moved = migrate(header, events, inherited, to)
                header, events, inherited = moved.header, moved.events, moved.inherited
            except Refused as error:
                refused = error.issue
        answers[to] = refused
    return answers


def _source(data: bytes, path: PurePath | None, *, tolerant: bool, cut: bool) -> Source:
    source = loaded_source(data, path) if tolerant else released_source(data, path)
    if source.cut is not None and not cut:
        raise Unsound(decode(data, path))
    return source


def _check_way(log: Log, to: int, *, tolerant: bool) -> None:
    version = 0 if log.generation.seed else log.generation.version
    if to not in READ_VERSIONS or to < version:
        raise ValueError(f"there is no way from {log.generation.name} to version {to}")
    if log.generation.seed and not tolerant:
        message = "no released step takes a log of June 2026; tolerant migration does"
        raise Refused(Issue("generation-seed", message, keys=("version",)))


def save(migrated: MigratedLog, root: Path, *, compressed: bool = True) -> Path:
    """Publish the log as a generation of its own below a root; nothing there is replaced.

    Raises `FileExistsError` where that generation is there already, and `OSError`.
    """
    path = root / migrated.place(compressed=compressed)
    publish(path, migrated.blocks(compressed=compressed))
    return path

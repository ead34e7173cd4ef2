"""Migration of whole files, verified: what `sesskit migrate` does with a log, and what it could.

migrated = migrate_log(path.read_bytes(), 3)
publish(root / migrated.place(compressed=True), migrated.blocks(compressed=True))
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from sesskit.logs.dsh.decode import Log, decode, log_of, open_log, outcome
from sesskit.logs.dsh.edge_seed_v0 import seed_to_v0
from sesskit.logs.dsh.edges import Refused
from sesskit.logs.dsh.generations import READ_VERSIONS
from sesskit.logs.dsh.migrate import Migrated, migrate, stored_events, text_of
from sesskit.logs.dsh.paths import log_path
from sesskit.logs.dsh.tolerant import Change, migrate_tolerantly
from sesskit.logs.dsh.writing import publish, stored_lines
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported, Valid

Json = dict[str, Any]

LATEST = READ_VERSIONS[-1]


class Unsound(ValueError):
    """The log is damaged, or of a version that is not read; ``outcome`` says how."""

    def __init__(self, found: Decoded) -> None:
        super().__init__("only a sound log of a version that is read can be migrated")
        self.outcome = found


@dataclass(frozen=True, slots=True)
class MigratedLog:
    """A log in its new version, read back by the decoder (``outcome``).

    ``changes`` are what tolerant migration changed to make the steps take it. The closing events
    that a load would add to an open turn are not in it: the migrated log has the same open turn.
    """

    log: Migrated
    changes: tuple[Change, ...]
    outcome: Decoded

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

    With ``cut`` a log that its program would load without the torn tail is taken so, as that
    program does. Raises `Unsound` for what should be repaired first, `Refused` where a released
    step does not take the log (``issue`` says which event), `ValueError` for a version there is no
    way to. Logs of June 2026 have no released step; only tolerant migration takes them.
    """
    log = _sound(data, path, cut=cut)
    _check_way(log, to, tolerant=tolerant)
    if log.generation.seed:
        header, events, earlier = seed_to_v0(log.header, log.events)
        moved, changes = migrate_tolerantly(header, events, 0, to, earlier)
    elif tolerant:
        moved, changes = migrate_tolerantly(log.header, log.events, log.inherited, to)
    else:
        moved, changes = migrate(log.header, log.events, log.inherited, to), ()
    answer = decode(text_of(moved))
    if not (isinstance(answer, Valid) or _newer_types_only(answer) or _storage_only(answer)):
        first = next(issue for issue in answer.issues if issue.severity == "error")
        raise Refused(first)
    return MigratedLog(moved, changes, answer)


def migrates(
    data: bytes, path: PurePath | None = None, *, cut: bool = False
) -> dict[int, Issue | None]:
    """For every later version whether the log migrates to it: None, or why not.

    Empty for a log whose lines are not sound (``cut`` as in `migrate_log`) or that has no later
    version.
    "Loads" is another answer: that of the decoder.
    """
    try:
        log = _sound(data, path, cut=cut)
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


def _sound(data: bytes, path: PurePath | None, *, cut: bool) -> Log:
    reader = open_log(io.BytesIO(data), path)
    issues: list[Issue] = []
    garbage = False
    for stored in reader:
        issues += stored.issues
        garbage |= stored.value is DAMAGED and stored.line.ended
    answer = outcome(reader, issues)
    log = log_of(reader)
    # The released steps read every whole line, also those that are cut.
    cuts = answer.original is not None and answer.original.verdict == "accept-with-repair"
    torn = cut and cuts and not garbage
    sound = torn or isinstance(answer, Valid) or _newer_types_only(answer)
    sound = sound or _storage_only(answer)
    if log is None or not sound:
        raise Unsound(answer)
    return log


_STORAGE = ("prune-", "replace-", "sources-", "surface-", "zstd-header", "zstd-stray")
"""What the loading program refuses and the released steps never look at: the text says it all."""


def _storage_only(answer: Decoded) -> bool:
    """Whether all that is wrong keeps a log from being loaded, not from being migrated.

    "Loads" and "migrates" are two answers; the source itself is never changed.
    """
    errors = [issue.code for issue in answer.issues if issue.severity == "error"]
    return isinstance(answer, Corrupt) and all(code.startswith(_STORAGE) for code in errors)


def _newer_types_only(answer: Decoded) -> bool:
    """Whether all that is wrong is that the program of this version is older than the log.

    The types that 0.1.2 added are such: its steps take them, the reader of 0.1.1 does not.
    """
    errors = {issue.code for issue in answer.issues if issue.severity == "error"}
    return isinstance(answer, Unsupported) and errors <= {"type-unknown", "version-other"}


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

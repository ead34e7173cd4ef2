"""Verifying a Robota log: every sidecar, what lies beside them, and whether a replay is complete.

One pass over the log. Sidecars are read and hashed on several threads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sesskit.logs.line_blocks import Block
from sesskit.logs.robota_completeness import Completeness, Incomplete
from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogReading,
    SidecarOptions,
    open_log,
    open_payloads,
)
from sesskit.logs.sidecar_listing import SidecarListing, list_sidecars
from sesskit.records.format import Options
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded, Outcome, Valid


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify_log` found.

    ``outcome`` is that of the log and its sidecars; ``incomplete`` is empty unless it is valid,
    because nothing partial is replayed. ``sidecars`` and ``bytes`` count what was read.
    """

    outcome: Outcome
    listing: SidecarListing
    incomplete: tuple[Incomplete, ...]
    lines: int
    sidecars: int
    bytes: int

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Everything: the log's own issues, what lies beside it, what a replay would miss."""
        missing = (item.issue() for item in self.incomplete)
        return (*self.outcome.issues, *self.listing.issues, *missing)

    @property
    def broken(self) -> bool:
        """Whether anything does not hold: an error somewhere, or a log that is not valid."""
        is_error = any(issue.severity == "error" for issue in self.issues)
        return is_error or not isinstance(self.outcome, Valid)


def verify_log(
    path: Path,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
    workers: int | None = None,
) -> Verification:
    """Verify the log at a path. Never raises for what it finds."""
    completeness = Completeness()
    counts = {"lines": 0, "bytes": 0}
    used: set[str] = set()

    def look(block: Block, unsure: list[int], events: list[Any]) -> None:
        for number, event in enumerate(events, block.number):
            if event is not None:
                completeness.add(event, line=number)

    def read(reading: LogReading) -> Decoded:
        reading.check(look)
        counts["lines"], counts["bytes"] = reading.verdict.lines, reading.verdict.spent
        used.update(reading.verdict.used)
        return reading.outcome()

    outcome = open_payloads(path, options, sidecars, read, workers=workers or 0)
    whole = isinstance(outcome, Valid) and sidecars.look
    return Verification(
        outcome,
        list_sidecars(path, used),
        tuple(completeness.found()) if whole else (),
        counts["lines"],
        len(used),
        counts["bytes"],
    )


def audit_log(
    path: Path,
    *,
    rules: Collection[str] = (),
    ignore: Collection[str] = (),
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> tuple[Outcome, tuple[Issue, ...]]:
    """The outcome of a log, and the findings of the contract audit, whatever the outcome.

    Lines that cannot be read, and sidecars that cannot be had, are in the outcome; no finding
    accuses the session of what they may have held. Findings are sorted by their places.
    """
    from sesskit.logs.audit import RULES, Audit
    from sesskit.logs.audit_feed import heard

    wanted = set(rules or RULES) - set(ignore)
    auditor = Audit()
    found: list[Issue] = []

    def take(issues: Iterable[Issue]) -> None:
        found.extend(issue for issue in issues if issue.code in wanted)

    def read(reading: LogReading) -> Decoded:
        for number, offset, answer in reading.answers():
            take(auditor.line(number, heard(answer), offset))
        take(auditor.end())
        return reading.outcome()

    outcome = open_payloads(path, Options(keep=False), sidecars, read)
    return outcome, _placed(path, found)


def _placed(path: Path, found: list[Issue]) -> tuple[Issue, ...]:
    from sesskit.logs.audit_feed import placed

    if not found:
        return ()
    try:
        with open_log(path) as stream:
            return placed(stream, found)
    except OSError:
        return tuple(found)  # gone since it was read

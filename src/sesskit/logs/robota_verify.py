"""Verifying a Robota log: every sidecar, what lies beside them, and whether a replay is complete.

One pass over the log. Sidecars are read and hashed on several threads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sesskit.logs.line_blocks import Block
from sesskit.logs.log_sources import LogPlace, homeless, open_place
from sesskit.logs.robota_completeness import Completeness, Incomplete
from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogReading,
    SidecarOptions,
    open_payloads,
)
from sesskit.logs.sidecar_listing import SidecarListing, list_sidecars
from sesskit.records.format import Options
from sesskit.records.session_ids import safe_segment
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Outcome, Unsupported, Valid

UNRESOLVED = "payload-unresolved"
_UNRESOLVED_CODE = "UNRESOLVED_REFERENCE"


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
    unresolved: tuple[Issue, ...] = ()
    """References of a log whose sidecars cannot be had: no fault of the log itself."""

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Everything: the log's own issues, what lies beside it, what a replay would miss."""
        missing = (item.issue() for item in self.incomplete)
        return (*self.outcome.issues, *self.unresolved, *self.listing.issues, *missing)

    @property
    def broken(self) -> bool:
        """Whether anything does not hold: an error somewhere, or a log that is not valid."""
        is_error = any(issue.severity == "error" for issue in self.issues)
        return is_error or not isinstance(self.outcome, Valid)


def verify_log(
    place: LogPlace,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
    workers: int | None = None,
) -> Verification:
    """Verify the log at a path, or one in memory. Never raises for what it finds."""
    completeness = Completeness()
    counts = {"lines": 0, "bytes": 0}
    used: set[str] = set()
    session: str | None = None

    def look(block: Block, unsure: list[int], events: Iterator[Any]) -> None:
        nonlocal session
        for number, event in enumerate(events, block.number):
            if event is not None:
                session = session or getattr(event, "session_id", None)
                completeness.add(event, line=number)

    def read(reading: LogReading) -> Decoded:
        reading.check(look)
        counts["lines"], counts["bytes"] = reading.verdict.lines, reading.verdict.spent
        used.update(reading.verdict.used)
        return reading.outcome()

    outcome = open_payloads(place, options, sidecars, read, workers=workers or 0)
    unresolved: tuple[Issue, ...] = ()
    if homeless(place):
        outcome, unresolved = apart(outcome)
    whole = isinstance(outcome, Valid) and sidecars.look and not unresolved
    return Verification(
        outcome,
        _listing(place, session, used, certain=not any(map(_may_hide, outcome.issues))),
        tuple(completeness.found()) if whole else (),
        counts["lines"],
        len(used),
        counts["bytes"],
        unresolved,
    )


def apart(outcome: Outcome) -> tuple[Outcome, tuple[Issue, ...]]:
    """The outcome of a log whose sidecars cannot be had, without the references to them; and those.

    What the original would say is known only if it would not even ask for sidecars.
    """
    if not isinstance(outcome, Corrupt | Unsupported):
        return outcome, ()
    found = tuple(issue for issue in outcome.issues if issue.code == UNRESOLVED)
    rest = tuple(issue for issue in outcome.issues if issue.code != UNRESOLVED)
    if not found:
        return outcome, ()
    if not any(issue.severity == "error" for issue in rest):
        return Valid(None, rest, outcome.version), found
    original = outcome.original
    if original is not None and original.code == _UNRESOLVED_CODE:
        original = Original("reject")
    return replace(outcome, issues=rest, original=original), found


def _may_hide(issue: Issue) -> bool:
    """Whether references may lie where this was found and nothing could be read."""
    return issue.severity == "error" and issue.code.startswith(_HIDING)


_HIDING = ("json-", "line-cut", "payload-", "size-limit")


def _listing(
    place: LogPlace, session: str | None, used: set[str], *, certain: bool
) -> SidecarListing:
    """What lies beside the log; one in memory would be called after its session."""
    if isinstance(place, Path):
        return list_sidecars(place, used, certain=certain)
    if place.base is None or not session or not safe_segment(session):
        return SidecarListing()
    return list_sidecars(place.base / f"{session}.jsonl", used, certain=certain)


def audit_log(
    place: LogPlace,
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

    outcome = open_payloads(place, Options(keep=False), sidecars, read)
    return outcome, _placed(place, found)


def _placed(place: LogPlace, found: list[Issue]) -> tuple[Issue, ...]:
    from sesskit.logs.audit_feed import placed

    if not found:
        return ()
    try:
        with open_place(place) as stream:
            return placed(stream, found)
    except OSError:
        return tuple(found)  # gone since it was read

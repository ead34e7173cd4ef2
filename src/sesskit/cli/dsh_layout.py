"""Where logs of dsh lie in their root: faults that no single file shows."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sesskit.cli.report import Entry, Report, entry_of
from sesskit.schemas.outcomes import Corrupt, Valid

if TYPE_CHECKING:
    from sesskit.logs.dsh.layout import StoredLog

DSH = "dsh-log"


def with_layout(report: Report) -> Report:
    """The report with what is wrong about where logs lie; each root is looked through once."""
    entries = tuple(_laid_out(entry, report) for entry in report.entries)
    return report if entries == report.entries else report._replace(entries=entries)


def _laid_out(entry: Entry, report: Report) -> Entry:
    finding = entry.finding
    outcome = finding.outcome
    if finding.format != DSH or not isinstance(outcome, Valid | Corrupt):
        return entry
    log = _stored(finding.path)
    if log is None:
        return entry
    from sesskit.logs.dsh.layout import laid_out

    known = laid_out(outcome, log)
    if known is outcome:
        return entry
    return entry_of(finding._replace(outcome=known), report.rules, members=entry.members)


def _stored(path: str) -> StoredLog | None:
    """The log as one of its root; None where it lies in none."""
    from sesskit.logs.dsh.paths import (  # only here: most files are no logs of dsh
        is_misnamed,
        place_of,
    )

    real = Path(os.path.realpath(path))
    place, beside = place_of(real), place_of(real / "session.jsonl")
    if place.layout == "session" or is_misnamed(real):
        root = real.parents[2]
    elif place.layout is None and beside.layout == "session":
        root = real.parents[1]
    else:
        return None
    try:
        return _by_path(str(root)).get(real)
    except OSError:
        return None


@lru_cache(maxsize=4)
def _by_path(root: str) -> dict[Path, StoredLog]:
    from sesskit.cli.store_dsh import surveyed

    return {log.path: log for log in surveyed(root).logs}

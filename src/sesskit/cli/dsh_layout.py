"""Where logs of dsh lie in their root: faults that no single file shows."""

from __future__ import annotations

import os
from pathlib import Path

from sesskit.cli.report import Entry, Report, entry_of
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Original, Valid

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
    found = _layout_issues(finding.path)
    if not found:
        return entry
    # Where the container or the header is refused already, that is what the original says.
    refused = outcome.original is not None and outcome.original.verdict not in _LOADS
    original = outcome.original if refused else Original("reject", "Error")
    worse = Corrupt(found + outcome.issues, outcome.version, original=original)
    return entry_of(finding._replace(outcome=worse), report.rules, members=entry.members)


_LOADS = ("accept", "accept-with-repair")


def _layout_issues(path: str) -> tuple[Issue, ...]:
    from sesskit.logs.dsh.paths import place_of  # only here: most files are no logs of dsh

    real = Path(os.path.realpath(path))
    place, beside = place_of(real), place_of(real / "session.jsonl")
    if place.layout == "session":
        root = real.parents[2]
    elif place.layout is None and beside.layout == "session":
        root = real.parents[1]
    else:
        return ()
    from sesskit.cli.store_dsh import surveyed

    try:
        logs = surveyed(str(root)).logs
    except OSError:
        return ()
    issues = next((log.issues for log in logs if log.path == real), ())
    return tuple(issue for issue in issues if issue.code.startswith("layout-"))

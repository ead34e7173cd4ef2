"""dsh: `replay --as` gives what a load has: a torn tail is cut, an open turn closed."""

from __future__ import annotations

from pathlib import Path

from sesskit.cli.looking import data_of
from sesskit.logs.dsh.loaded import loaded
from sesskit.logs.formats import Finding
from sesskit.schemas.outcomes import Valid


def as_loaded(finding: Finding) -> tuple[Finding, str]:
    """A log as a load leaves it, and in words how that differs from the file; what is refused
    stays what it is."""
    if finding.status not in ("valid", "corrupt"):
        return finding, ""
    path = None if finding.source is not None else Path(finding.path).absolute()
    made = loaded(data_of(finding), path)
    if made is None:
        return finding, ""
    told = ["without the torn tail"] if made.cut else []
    if made.added:
        told.append(f"with the {made.added:,} closing events that a load adds")
    words = f"as dsh loads it, {' and '.join(told)}" if told else ""
    outcome = Valid(None, version=finding.version, original=finding.original)
    return finding._replace(outcome=outcome, source=made.text), words

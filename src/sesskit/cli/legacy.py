"""Records without an envelope that are met where enveloped ones are expected, as in a store."""

from __future__ import annotations

from msgspec.structs import replace

from sesskit.cli.looking import Reading, data_of, look
from sesskit.logs.formats import Finding, recognize
from sesskit.logs.walking import Source
from sesskit.schemas.issues import Issue
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Corrupt, Outcome, Unsupported, Valid

RECORD, BARE = "robota-record", "robota-record-bare"

_ALONE = Issue(
    "bare-record",
    "the record stands alone, without the envelope that names its version",
    "info",
)


def is_bare(finding: Finding) -> bool:
    """Whether a file that was read as a robota-record and names no version is a bare record."""
    outcome = finding.outcome
    if finding.format != RECORD or not isinstance(outcome, Unsupported):
        return False
    if outcome.version is not None:
        return False
    found = recognize(data_of(finding)[:RECOGNITION_BYTES])
    return found is not None and found.entry.name == BARE


def look_at_stored(source: Source, reading: Reading) -> Finding:
    """What is in a file of a store; a bare record is read as what it is."""
    finding = look(source, reading)
    if not is_bare(finding):
        return finding
    bare = look(source, reading._replace(format=BARE))
    return bare._replace(outcome=said_bare(bare.outcome))


def said_bare(outcome: Outcome) -> Outcome:
    """The outcome of a bare record that stands where an enveloped one belongs, with that said."""
    if isinstance(outcome, Valid | Corrupt | Unsupported):
        return replace(outcome, issues=(*outcome.issues, _ALONE))
    return outcome

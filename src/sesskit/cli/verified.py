"""What `sesskit verify` found out about one log: as issues, as members of the report, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sesskit.cli.report import Entry
from sesskit.cli.rows import Row, safe, size_words
from sesskit.logs.log_sources import LogPlace, homeless
from sesskit.logs.robota_completeness import Incomplete
from sesskit.logs.robota_log import SidecarOptions
from sesskit.logs.robota_verify import Verification, apart, audit_log, verify_log
from sesskit.records.format import Options
from sesskit.schemas.issues import Issue
from sesskit.schemas.masking import mask_text
from sesskit.schemas.outcomes import Outcome, Valid
from sesskit.schemas.robota_contract import RULES

_NAME = 60
_LISTED = 5


class Proof(NamedTuple):
    """One log proved: ``further`` are the issues beside those of the outcome.

    ``verification`` is None where the contract was audited, ``rules`` counts those asked then.
    """

    outcome: Outcome
    further: tuple[Issue, ...]
    verification: Verification | None = None
    rules: int = 0
    unresolved: tuple[Issue, ...] = ()
    """References to sidecars that cannot be had."""

    def added(self, entry: Entry, ignored: frozenset[str]) -> Entry:
        """The entry with the further issues, without those that are ignored."""
        further = (*self.unresolved, *self.further)
        more = tuple(issue for issue in further if issue.code not in ignored)
        left = len(further) - len(more)
        return entry._replace(issues=(*entry.issues, *more), ignored=entry.ignored + left)


def prove(
    place: LogPlace, options: Options, sidecars: SidecarOptions, rules: list[str] | None
) -> Proof:
    """Verify a log; with ``rules``, maybe none for all, audit it instead."""
    if rules is not None:
        outcome, findings = audit_log(place, rules=rules, sidecars=sidecars)
        outcome, unresolved = apart(outcome) if homeless(place) else (outcome, ())
        if unresolved:  # what is not known of a conversation breaks no rule
            return Proof(outcome, (), unresolved=unresolved)
        return Proof(outcome, findings, rules=len(rules) or len(RULES))
    found = verify_log(place, options, sidecars=sidecars)
    further = found.issues[len(found.outcome.issues) + len(found.unresolved) :]
    return Proof(found.outcome, further, found, unresolved=found.unresolved)


def proof_members(proof: Proof) -> dict[str, Any]:
    """The members of the JSON report."""
    found = proof.verification
    if found is None:
        return {"contract": {"rules": proof.rules, "findings": len(proof.further)}}
    listing = found.listing
    whole = isinstance(found.outcome, Valid) and not found.unresolved
    return {
        "verification": {
            "lines": found.lines,
            "sidecars": {
                "referred": found.sidecars,
                "bytes": found.bytes,
                "files": len(listing.files),
                "orphans": [mask_text(name) for name in listing.orphans],
                "strange": [mask_text(name) for name in listing.strange],
            },
            "replay": {
                "complete": not found.incomplete if whole else None,
                "missing": [_missing(item) for item in found.incomplete],
            },
        }
    }


def _missing(item: Incomplete) -> dict[str, Any]:
    named = {
        "executionId": item.execution_id and mask_text(item.execution_id),
        "round": item.round,
        "toolCallId": item.tool_call_id and mask_text(item.tool_call_id),
    }
    present = {name: value for name, value in named.items() if value is not None}
    return {"code": item.code, "eventIndex": item.event_index, "line": item.line, **present}


def proof_rows(proof: Proof) -> Iterator[Row]:
    """What was verified, for people."""
    found = proof.verification
    if found is None:
        yield "contract", _contract_words(proof)
        return
    listing = found.listing
    yield "lines", f"{found.lines:,}"
    yield "sidecars", _sidecar_words(found)
    for label, names in (("orphans", listing.orphans), ("strange", listing.strange)):
        for place, name in enumerate(names[:_LISTED]):
            yield "" if place else label, safe(name, _NAME)
        if len(names) > _LISTED:
            yield "", f"and {len(names) - _LISTED:,} more"
    yield "replay", _replay_words(found)


def _contract_words(proof: Proof) -> str:
    if proof.unresolved:
        return "not audited: sidecars could not be read"
    rules = "1 rule" if proof.rules == 1 else f"{proof.rules} rules"
    count = len(proof.further)
    return f"{rules}: {'kept' if not count else f'{count:,} broken'}"


def _sidecar_words(found: Verification) -> str:
    if not found.sidecars:
        return "none is referred to"
    return f"{found.sidecars:,} referred to, {size_words(found.bytes)} read"


def _replay_words(found: Verification) -> str:
    if not isinstance(found.outcome, Valid):
        return "none: nothing of a log that is not valid is replayed"
    if found.unresolved:
        return "not known: sidecars could not be read"
    count = len(found.incomplete)
    if not count:
        return "complete"
    return f"{count:,} {'part is' if count == 1 else 'parts are'} missing"

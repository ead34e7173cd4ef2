"""The answer about a whole Robota log: ours line by line, and what its owner's loader would say.

The loader stops at the first fault of the gravest kind: text that is no JSON, then a sidecar that
fails, then versions, then shapes. We report all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.robota_line_answer import LineAnswer
from sesskit.logs.sidecar_references import PayloadFault
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid

SUPPORTED = (1,)
OUR_LIMITS = frozenset({"json-depth", "size-limit"})
"""Codes of faults that are limits of ours: what the original would say is not known."""


@dataclass(slots=True)
class Verdict:
    """What was found so far; verdicts of parts of a log are put together with `add`."""

    issues: list[Issue] = field(default_factory=list)
    lines: int = 0
    """Physical lines."""
    events: int = 0
    """Lines that are not blank."""
    errors: int = 0
    not_json: bool = False
    ours_only: bool = True
    """Every error is a limit of ours."""
    fault: PayloadFault | None = None
    fault_line: int | None = None
    unsupported: int | None = None
    version: int | None = None
    unresolved: int = 0
    spent: int = 0
    used: set[str] = field(default_factory=set)

    def answer(self, number: int, answer: LineAnswer) -> None:
        """Take in the answer about one line."""
        if answer.blank:
            return
        self.events += 1
        self.not_json |= not answer.is_json
        self.unresolved += answer.unresolved
        fault = next((f for f in answer.faults if not f.is_our_limit), None)
        if fault is not None and self.fault is None:
            self.fault, self.fault_line = fault, number
        if answer.version is not None:
            if answer.version in SUPPORTED:
                self.version = answer.version
            elif self.unsupported is None:
                self.unsupported = answer.version
        self.report(answer.issues)

    def report(self, issues: tuple[Issue, ...]) -> None:
        """Take in issues that say nothing about what the loader would answer, but errors do."""
        self.issues += issues
        for issue in issues:
            if issue.severity == "error":
                self.errors += 1
                self.ours_only &= issue.code in OUR_LIMITS

    def add(self, other: Verdict, *, lines: int, offset: int = 0) -> None:
        """Take in the verdict of a later part, whose numbers begin anew."""
        for issue in other.issues:
            line = None if issue.line is None else issue.line + lines
            place = None if issue.offset is None else issue.offset + offset
            self.issues.append(replace(issue, line=line, offset=place))
        self.lines += other.lines
        self.events += other.events
        self.errors += other.errors
        self.not_json |= other.not_json
        self.ours_only &= other.ours_only
        if self.fault is None and other.fault is not None:
            self.fault, self.fault_line = other.fault, (other.fault_line or 0) + lines
        if self.unsupported is None:
            self.unsupported = other.unsupported
        self.version = self.version or other.version
        self.unresolved += other.unresolved
        self.spent += other.spent
        self.used |= other.used

    def code(self) -> str | None:
        """The loader's own code for the whole; None where it takes the log."""
        if self.not_json:
            return "INVALID_JSON"
        if self.fault is not None:
            return self.fault.code
        if self.unsupported is not None:
            return "UNSUPPORTED_VERSION"
        return "INVALID_EVENT" if self.errors else None

    def outcome(self, value: Any = None) -> Decoded:
        """The outcome of a log that was read to its end."""
        issues, code = tuple(self.issues), self.code()
        if self.unsupported is not None and code == "UNSUPPORTED_VERSION":
            original = Original("unsupported", code)
            return Unsupported(self.unsupported, SUPPORTED, issues, original=original)
        if self.errors:
            known = not self.ours_only
            return Corrupt(
                issues, self.version, original=Original("reject", code) if known else None
            )
        if self.unresolved:  # as far as it was looked at
            return Valid(value, (*issues, _unread(self.unresolved)), self.version)
        return Valid(value, issues, self.version, original=Original("accept"))


def _unread(count: int) -> Issue:
    places = "1 reference was" if count == 1 else f"{count:,} references were"
    message = f"{places} not followed: what lies in sidecars is neither checked nor at hand"
    return Issue("payload-unread", message, "info")

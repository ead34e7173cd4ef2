"""What an issue code means, for people: the row of every code table."""

from __future__ import annotations

from dataclasses import dataclass

from sesskit.schemas.issues import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One issue code. Codes are stable: one that was released keeps its name and its meaning."""

    code: str
    severity: Severity
    summary: str
    """What is wrong, in a sentence."""
    why: str
    """Why it matters: what would go wrong if it passed."""
    next_step: str
    """What to do now."""
    bad: str = ""
    """A snippet that has this fault, if one can be shown."""

"""A rule for values that give themselves away: what it is made of, and how a table of rules reads.

Rules are data. A token is a prefix and a bounded body; where its issuer puts a checksum in, the
rule names it. New rules are lines of the tables ``rules_*``.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

Kind = Literal["secret", "personal", "removed"]
"""``removed`` is what a format has taken out whole: images, sealed reasoning."""

Confidence = Literal["high", "medium", "low"]
CONFIDENCES: Final[tuple[Confidence, ...]] = ("high", "medium", "low")


def word_set(text: str) -> frozenset[str]:
    """The words of a table that is written as text."""
    return frozenset(text.split())


class Rule(NamedTuple):
    """A kind of token: ``pattern`` is matched where one of ``starts`` stands.

    ``name`` is what placeholders and reports call it. ``mixed`` asks for letters and digits in the
    body, for prefixes that ordinary words have too. ``checksum`` names a function of `checksums`;
    where it fits the match is sure. A rule without ``starts`` is asked where its ``hints`` stand.
    """

    name: str
    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    confidence: Confidence = "high"
    checksum: str = ""
    mixed: bool = False
    hints: tuple[str, ...] = ()
    behind: tuple[int, ...] = ()
    """How many characters can stand before the hint, where they are always as many."""
    length: int = 0
    """A rule with neither is asked where a run is exactly so long."""


def rule(
    name: str,
    starts: str,
    body: str,
    *,
    confidence: Confidence = "high",
    checksum: str = "",
    mixed: bool = False,
) -> Rule:
    """A line of a table: prefixes apart by blanks, and the pattern of what follows them.

    The body is bounded, so that no text can make matching slow.
    """
    prefixes = tuple(sorted(starts.split(), key=len, reverse=True))
    either = "|".join(map(re.escape, prefixes))
    pattern = re.compile(rf"(?:{either})(?:{body})", re.ASCII)
    return Rule(name, prefixes, pattern, confidence, checksum, mixed)


def shape(
    name: str,
    pattern: str,
    *,
    starts: str = "",
    hints: str = "",
    behind: tuple[int, ...] = (),
    length: int = 0,
) -> Rule:
    """A line for tokens that no fixed prefix tells: their pattern, and where to ask for it."""
    compiled = re.compile(pattern, re.ASCII)
    return Rule(
        name,
        tuple(starts.split()),
        compiled,
        hints=tuple(hints.split()),
        behind=behind,
        length=length,
    )


NO_MORE: Final = r"(?![A-Za-z0-9])"
"""Behind a body of a fixed length: a longer run of letters is something else."""

UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

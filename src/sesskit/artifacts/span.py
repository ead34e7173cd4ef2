"""Spans: what was found in a text, by which rule, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from sesskit.artifacts.secret_rule import CONFIDENCES, Confidence, Kind, word_set

__all__ = ["Span", "merged"]


class Span(NamedTuple):
    """``text[start:end]`` goes. ``value`` is what makes two spans the same one.

    ``rule`` says why, ``stem`` what its placeholder is called. Where ``parts`` are given, the span
    is replaced by their placeholders with ``@`` between them.
    """

    start: int
    end: int
    rule: str
    value: str
    stem: str = ""
    kind: Kind = "secret"
    confidence: Confidence = "high"
    parts: tuple[tuple[str, str], ...] = ()
    spread: bool = True
    """Whether the value is looked for elsewhere as well."""

    @property
    def called(self) -> str:
        return self.stem or self.rule

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Among spans that overlap, the highest one gives the placeholder.

        What the value itself says counts more than what its place says.
        """
        sure = -_RANKS[self.confidence]
        return (self.kind == "secret", self.rule not in _BY_PLACE, sure, self.end - self.start)


_BY_PLACE: Final = word_set(
    "named-secret command-flag command-password netrc-password prose-password"
    " authorization bearer-token basic-auth cookie url-password url-token query"
    " kubernetes-secret"
)
"""Rules that a place is enough for: they name what the value is worse than a rule for its form."""

_RANKS: Final = {name: number for number, name in enumerate(CONFIDENCES)}


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap made one; it is called as the highest of them is."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if result and span.start < result[-1].end:
            last = result[-1]
            if last.kind != span.kind and not (last.parts or span.parts):
                # A person's name or address that reaches into a secret goes with the secret only.
                if last.kind == "personal":
                    result[-1] = span
                continue
            best = max(last, span, key=lambda s: s.rank)
            start, end = last.start, max(last.end, span.end)
            if (best.start, best.end) != (start, end):
                best = best._replace(start=start, end=end)
            result[-1] = best
        else:
            result.append(span)
    return result

"""Secrets that say they are none: ``ghp_FAKE0000``, ``sk-EXAMPLE-…``.

They stay in text that is scrubbed. In a share they go: nobody knows whether all of it is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span

__all__ = ["is_sample", "samples_in"]

_TAIL: Final = "-sample"

_SAYS_SO: Final = re.compile(
    r"(?<![a-z])(?:FAKE|EXAMPLE|DUMMY|SAMPLE)(?![a-z])|(?<=[_-])fake(?=[_-])"
)
_WORD: Final = re.compile(r"[A-Za-z0-9_.+/=-]{8,512}")
_FILL: Final = re.compile(r"FAKE|EXAMPLE|DUMMY|SAMPLE|fake|([0-9])\1{3,}")
_LEAST_KNOWN: Final = 10
_UPPER: Final = "Q7XK2MWZ5PVBR3TGNY4HDJ6SLC"
_MIXED: Final = "q7Xk2MwZ5pVbR3tGnY8hDj6sLcA9fU4e"


def samples_in(text: str) -> Iterator[Span]:
    """What would be a secret if it did not say that it is none."""
    if not _SAYS_SO.search(text):
        return
    serious = _WORD.sub(_made_serious, text)
    for span in scan(serious):
        value = text[span.start : span.end]
        if span.kind == "secret" and value != serious[span.start : span.end]:
            spread = span.spread and len(value) >= _LEAST_KNOWN
            rule = f"{span.rule}{_TAIL}"
            yield span._replace(
                value=value, rule=rule, stem=span.called, confidence="low", spread=spread
            )


def is_sample(span: Span) -> bool:
    """Whether a span was found as a sample."""
    return span.rule.endswith(_TAIL)


def _made_serious(word: re.Match[str]) -> str:
    """The word with letters and digits, as many, where it says that it is made up."""
    if not _SAYS_SO.search(word[0]):
        return word[0]
    letters = _UPPER if word[0].isupper() else _MIXED

    def drawn(found: re.Match[str]) -> str:
        start = found.start()
        size = found.end() - start
        return "".join(letters[(start + 7 * n) % len(letters)] for n in range(size))

    return _FILL.sub(drawn, word[0])

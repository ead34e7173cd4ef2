"""Tokens in two pieces: over a line end, over quotes that are put together, over a mark.

Only tokens that give themselves away are looked for so, and only where neither piece is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.span import Span
from sesskit.artifacts.tokens_in_text import RULES, tokens_in

__all__ = ["broken_in"]

_LINE_START: Final = rf"(?:{ANY_PREFIX}|\u2502)?[ \t]{{0,40}}[>+|]?[ \t]{{0,8}}"
_LINE_END: Final = rf"[ \t]{{0,120}}[\u2502|]?\\?[ \t]?\r?\n{_LINE_START}"
_PLUS: Final = rf"[ \t]{{0,4}}[+.&,]?(?:{_LINE_END})?[ \t]{{0,4}}(?:[+.&][ \t]{{0,4}})?"
_LISTED: Final = r"\\n[\"'],[ \t\r\n]{0,40}[\"']"
_JOINT: Final = re.compile(rf"(?:{_LINE_END}|[\"'`]{_PLUS}[\"'`]|{_LISTED})")
_PIECE: Final = re.compile(r"[A-Za-z0-9_+/=.~-]{4,400}")
_BEFORE: Final = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<word>[A-Za-z][A-Za-z0-9_-]{{3,40}}){_JOINT.pattern}\Z"
)
_PREFIXED: Final = frozenset(rule.name for rule in RULES if any(len(s) >= 3 for s in rule.starts))
_STARTS: Final = frozenset(start[:3] for rule in RULES for start in rule.starts if len(start) >= 3)
_BEGINS: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(sorted({re.escape(start[:3]) for start in _STARTS}))})"
)
_NAMED: Final = re.compile(r"[A-Za-z_][\w.-]{1,60}=")
_MAY_END: Final = frozenset(" \t\r\n\"'`\\|\u2502")
_WINDOW: Final = 200
_MOST_AFTER: Final = 400


def broken_in(text: str, runs: list[tuple[int, int]]) -> Iterator[Span]:
    """The tokens whose first or second piece is one of the runs of a text."""
    size = len(text)
    for start, end in runs:
        if end < size and text[end] in _MAY_END and _BEGINS.search(text, start, end):
            yield from _over(text, start, end)
        if start and text[start - 1] in "\n \t\"'`" and _is_first(text, start):
            found = _BEFORE.search(text, max(start - _WINDOW, 0), start)
            if found and found["word"][:3] in _STARTS:
                yield from _over(text, *found.span("word"))


def _is_first(text: str, start: int) -> bool:
    """Whether a run is the first in its line or its quotes."""
    if text[start - 1] in "\"'`":
        return True
    return not text[text.rfind("\n", max(start - 60, 0), start) + 1 : start].strip(" \t+>|\u2502")


def _goes_on(text: str, following: re.Match[str]) -> bool:
    """Whether a piece can be the end of a token: no word, and no name with a value behind it."""
    end = following.end()
    named = text[end : end + 1] == ":" or _NAMED.match(following[0])
    return not named and any(map(str.isdigit, following[0]))


def _over(text: str, start: int, end: int) -> Iterator[Span]:
    """The token that goes on behind the joint at ``end``."""
    joint = _JOINT.match(text, end, end + _WINDOW)
    following = _PIECE.match(text, joint.end(), joint.end() + _MOST_AFTER) if joint else None
    if not joint or not following or not _goes_on(text, following):
        return
    joined = text[start:end] + following[0]
    edge = end - start
    for span in tokens_in(joined, [(0, len(joined))]):
        crosses = span.start < edge < span.end and span.rule in _PREFIXED
        if crosses and not any(s.end == edge for s in tokens_in(text[start:end], [(0, edge)])):
            stop = joint.end() + span.end - edge
            yield span._replace(start=start + span.start, end=stop)

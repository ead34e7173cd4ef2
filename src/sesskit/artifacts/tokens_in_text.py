"""Tokens that give themselves away, found in text by their prefixes and shapes.

Every such token is a long run of few kinds of characters. Runs are found first, by translating the
text and searching for so many equal bytes: that is as fast as text can be looked at, and most text
has none. Only where a run or a part of it begins, the rules are asked that begin so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from sesskit.artifacts.checksums import CHECKSUMS
from sesskit.artifacts.literals import flat
from sesskit.artifacts.plausible import is_masked, is_mixed
from sesskit.artifacts.rules_clouds import CLOUDS
from sesskit.artifacts.rules_code import CODE
from sesskit.artifacts.rules_models import MODELS
from sesskit.artifacts.rules_services import SERVICES
from sesskit.artifacts.secret_rule import Rule
from sesskit.artifacts.span import Span

__all__ = ["AT_HINT", "HINTED", "LEAST_RUN", "RULES", "hinted_at", "runs_of", "tokens_in"]

LEAST_RUN: Final = 16
_RUN_CHARACTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~"
_TABLE: Final = bytes(0x61 if byte in _RUN_CHARACTERS else 0x20 for byte in range(256))
_RUN: Final = b"a" * LEAST_RUN

RULES: Final[tuple[Rule, ...]] = (*CODE, *MODELS, *CLOUDS, *SERVICES)
"""All rules for tokens. Among those with a prefix the longer prefix is asked first."""


_KEY: Final = 3
"""So many first letters are looked up; those of shorter beginnings as far as they go."""


def _either(words: set[str]) -> str:
    """A pattern of some words, or of what they begin with; it looks at each letter once."""
    if "" in words:
        return ""
    ways = []
    for first in sorted({word[0] for word in words}):
        ways.append(re.escape(first) + _either({w[1:] for w in words if w[0] == first}))
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


_STARTS: Final = {start for rule in RULES for start in rule.starts}
_BEGINNING: Final = "|".join(
    f"(?=[{letters}]){_either({start for start in _STARTS if re.match(f'[{letters}]', start)})}"
    for letters in ("a-f", "g-o", "p-s", "t-z", "A-Z0-9")
)
_FIRST: Final = re.compile(_BEGINNING)
_LATER: Final = re.compile(rf"[^A-Za-z0-9](?={_BEGINNING})")
"""Where a token may begin; all characters of beginnings are those of runs."""


def _by_start() -> dict[str, list[Rule]]:
    table: dict[str, list[Rule]] = {}
    for rule in RULES:
        for key in {start[:_KEY] for start in rule.starts}:
            table.setdefault(key, []).append(rule)
    for rules in table.values():
        rules.sort(key=lambda rule: -len(rule.starts[0]))
    return table


_BY_START: Final = _by_start()
_WITH_LENGTH: Final = [rule for rule in RULES if rule.length]
_LEAST_WITH_LENGTH: Final = min(rule.length for rule in _WITH_LENGTH)
_MOST_BEFORE: Final = 24
"""A run may begin with a name and a sign before such a token."""

_BY_HINT: Final = {
    hint: [rule for rule in RULES if hint in rule.hints] for rule in RULES for hint in rule.hints
}
HINTED: Final = tuple(_BY_HINT)
"""Literals inside of tokens that have no fixed beginning."""

AT_HINT: Final = {
    hint: rules[0].pattern
    for hint, rules in _BY_HINT.items()
    if len(rules) == 1 and rules[0].behind == (0,)
}
"""The patterns of tokens that begin with their hint."""

_HINTS_OF: Final = {
    key: [hint for hint in HINTED if hint.startswith(key)] for key in {h[0] for h in HINTED}
}
_HINT_WINDOW: Final = 130
_ESCAPES: Final = frozenset("nrtbf")
_LEFT_DIGITS: Final = re.compile(r"[0-9]{6,12}:\Z")


def runs_of(text: str, data: bytes = b"") -> list[tuple[int, int]]:
    """Where in the text tokens could stand: runs of at least so many token characters.

    ``data`` is the `flat` text, if somebody has it.
    """
    runs = []
    classes = (data or flat(text)).translate(_TABLE)
    find = classes.find
    at = find(_RUN)
    while at >= 0:
        end = find(b" ", at)
        if end < 0:
            end = len(classes)
        runs.append((at, end))
        at = find(_RUN, end)
    return runs


def tokens_in(text: str, runs: Iterable[tuple[int, int]]) -> list[Span]:
    """The tokens in the runs of a text, in order."""
    found: list[Span] = []
    for start, end in runs:
        if end - start >= _LEAST_WITH_LENGTH:
            for rule in _WITH_LENGTH:
                if rule.length <= end - start <= rule.length + _MOST_BEFORE:
                    found += _of_length(rule, text, start, end)
        at = start
        refused: dict[re.Pattern[str], int] = {}
        if not start or text[start - 1] in "\\%":
            for begin in _first_starts(text, start, end):
                span = _at(text, begin, refused) if begin >= at else None
                if span:
                    found.append(span)
                    at = span.end
        later = _LATER.search(text, max(at - 1, 0), end)
        while later:
            span = _at(text, later.end(), refused)
            if span:
                found.append(span)
            later = _LATER.search(text, span.end - 1 if span else later.end(), end)
    return found


def _of_length(rule: Rule, text: str, start: int, end: int) -> Iterator[Span]:
    """The token that a run is or ends with, going by its length."""
    match = rule.pattern.search(text, start, end)
    span = _span(rule, text, match) if match else None
    if span:
        yield span


def _first_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Where a token may begin at the start of a run that no common sign stands before."""
    before = text[start - 1 : start]
    if before == "\\" and text[start] in _ESCAPES:
        yield start + 1  # the run begins with an escape of a string that was not decoded
    elif before == "%":
        yield start + 2
    if not start and _FIRST.match(text, start, end):
        yield start


def _at(text: str, begin: int, refused: dict[re.Pattern[str], int]) -> Span | None:
    """The longest token that begins there.

    ``refused`` says up to where a rule matched what cannot be a token: it is not asked again there.
    """
    best: Span | None = None
    for rule in _rules_of(text[begin : begin + _KEY]):
        if refused and refused.get(rule.pattern, 0) > begin:
            continue
        found = rule.pattern.match(text, begin)
        if not found:
            continue
        span = _span(rule, text, found)
        if span and (best is None or span.end > best.end):
            best = span
        elif not span:
            refused[rule.pattern] = found.end()
    return best


@lru_cache(maxsize=4096)
def _rules_of(key: str) -> tuple[Rule, ...]:
    """The rules for what begins so; those that say most about the beginning first."""
    keys = (key[:length] for length in range(len(key), 0, -1))
    return tuple(rule for one in keys for rule in _BY_START.get(one, ()))


def hinted_at(text: str, at: int) -> Iterator[Span]:
    """The token without a fixed beginning that has a hint at ``at``."""
    for hint in _HINTS_OF.get(text[at : at + 1], ()):
        if text.startswith(hint, at):
            for rule in _BY_HINT[hint]:
                yield from _around(rule, text, at)


def _around(rule: Rule, text: str, at: int) -> Iterator[Span]:
    for behind in rule.behind:
        match = rule.pattern.match(text, at - behind) if at >= behind else None
        span = _span(rule, text, match) if match else None
        if span:
            yield span
    if rule.behind:
        return
    for found in rule.pattern.finditer(text, max(at - _HINT_WINDOW, 0), at + _HINT_WINDOW):
        span = _span(rule, text, found) if found.start() <= at < found.end() else None
        if span:
            yield span


def _span(rule: Rule, text: str, found: re.Match[str]) -> Span | None:
    value, start = found[0], found.start()
    certain = bool(rule.checksum) and CHECKSUMS[rule.checksum](value)
    if not certain:
        body = value[len(next(filter(value.startswith, rule.starts), "")) :]
        if is_masked(body) or (rule.mixed and not is_mixed(body)):
            return None
    if rule.name == "telegram-token":
        left = _LEFT_DIGITS.search(text, max(start - 16, 0), start)
        if left:
            start = left.start()
            value = text[start : found.end()]
    return Span(
        start, found.end(), rule.name, value, confidence="high" if certain else rule.confidence
    )

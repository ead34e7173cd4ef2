"""Secrets that stand behind a name: ``KEY=value``, ``"key": "value"``, ``Header: value``, queries.

Every ``=`` and ``:`` is looked at once, with a bounded piece of text to its left and right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.key_names import endings, is_secret_name, words_of
from sesskit.artifacts.span import Span
from sesskit.artifacts.special_names import SPECIAL
from sesskit.artifacts.values_in_text import WEAK, Value, judged, named_value, value_at

__all__ = ["WEAK", "Value", "judged", "named_in", "value_at"]

_SEPARATOR: Final = re.compile(r"[=:]")
_LEFT_WINDOW: Final = 150
# Read backwards, from the separator to the left.
_NAME_LEFT: Final = re.compile(r"[ \t]{0,40}\??\]?(?:[\"'`]\\{0,16})?([\w.$@-]{1,80})")
_TYPE: Final = re.compile(
    r"[ \t]{0,2}(?:&(?:'static[ \t])?)?[A-Za-z][A-Za-z_.\[\], |<>?]{1,50}?[ \t]=(?=[ \t])"
)
_TYPE_LEFT: Final = re.compile(r"(?:gnirts|gnirtS|rts|txet|txeT|rahcrav)[ \t]{1,4}([\w.$@-]{1,80})")
_TAG: Final = re.compile(r"[ \t]{0,4}!!(?:str|binary|string)[ \t]{1,4}")
_NO_SIGN_BEFORE: Final = frozenset("=!<>~+*/|^%-")


def named_in(text: str) -> list[Span]:
    """The secrets of a text that a name gives away."""
    found: list[Span] = []
    last = 0
    for separator in _SEPARATOR.finditer(text):
        at = separator.start()
        if at < last or not _may_be_named(text, at) or not _separates(text, at):
            continue
        for span in _behind(text, at):
            found.append(span)
            last = max(last, span.end)
    return found


def _may_be_named(text: str, at: int) -> bool:
    """Whether a name that ends before ``at`` could be one of a secret: a look at its end."""
    name = text[max(at - _MOST_BESIDE, 0) : at].rstrip(_BESIDE_NAME)
    if name[-1:].isdigit():
        name = name.rstrip("0123456789_-")
    return name[-2:].lower() in _ENDINGS


def _separates(text: str, at: int) -> bool:
    """Whether the sign there stands between a name and a value."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] == ":":
        return after not in (":", "=", "/") and before != ":"
    return after not in ("=", "~") and before not in _NO_SIGN_BEFORE


def _behind(text: str, at: int) -> Iterator[Span]:
    """What the name to the left of a separator says of the value to its right."""
    left = text[max(at - _LEFT_WINDOW, 0) : at][::-1]
    if text[at] == "=" and left[:1] == ":":
        left = left[1:]
    found = _NAME_LEFT.match(left)
    if not found:
        return
    name = found[1][::-1]
    typed_before = _TYPE_LEFT.match(left.lstrip()) if text[at] == "=" else None
    if typed_before:
        name = typed_before[1][::-1]  # as in ``var name string =``
    if left[found.end() : found.end() + 2] == "::":
        return  # a path of names in some language
    begin = at - (1 if text[at - 1 : at] == ":" else 0) - found.end()
    start = at + 2 if text[at + 1 : at + 2] == ">" else at + 1
    if name.startswith("-D"):
        name = name[2:]  # a property on a command line
    lower = name.lower().lstrip("-")
    special = SPECIAL.get(lower)
    if special is None and lower.endswith("id") and words_of(name)[-2:] == ["secret", "id"]:
        special = SPECIAL["secret_id"]
    if special is not None:
        yield from special(text, start, begin)
        return
    if not is_secret_name(name):
        return
    typed = _TYPE.match(text, start) if text[at] == ":" else None
    if typed:
        start = typed.end()  # the value stands behind its type
    else:
        tag = _TAG.match(text, start)
        start = tag.end() if tag else start
    yield from named_value(text, name, start, begin)


_ENDINGS: Final = endings() | {name[-2:] for name in SPECIAL}
_MOST_BESIDE: Final = 48
_BESIDE_NAME: Final = " \t\"'`]\\?:"

"""Values that were found somewhere, looked for everywhere: as they are and as they are written
inside of JSON, addresses, HTML and base64.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from sesskit.artifacts.frames_in_text import key_lines
from sesskit.artifacts.literals import Literals
from sesskit.artifacts.plausible import is_masked
from sesskit.artifacts.samples_in_text import is_sample
from sesskit.artifacts.span import Span

__all__ = ["LEAST", "KnownValues", "forms_of"]

LEAST: Final = 4
"""Shorter values are looked for nowhere."""

_LEAST_ENCODED: Final = 8
_LEAST_BASE64: Final = 10
_LEAST_IN_OTHER_CASE: Final = 5
"""Windows and mail take a login in any case; a short one may be a word in another."""
_NOT_BEFORE: Final = re.compile(r"(?:[A-Za-z0-9]|[^\W_])\Z")
_ESCAPE_BEFORE: Final = re.compile(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,12}m)\Z")


class KnownValues:
    """What to look for. Secrets are found inside of longer words too, names of people are not."""

    def __init__(self) -> None:
        self._spans: dict[str, Span] = {}
        self._forms: dict[str, Span] = {}
        self._literals: Literals | None = None

    def add(self, spans: Iterable[Span]) -> None:
        """Remember the values of spans that may be looked for."""
        for span in spans:
            if span.parts:
                whole = ((stem, value) for stem, value in span.parts)
                self.add(_part(span, stem, value) for stem, value in whole)
            elif span.spread and len(span.value) >= LEAST and span.value not in self._spans:
                self._spans[span.value] = span
                self._literals = None
                for form in forms_of(span):
                    self._forms.setdefault(form, span)

    def spans_in(self, text: str) -> Iterator[Span]:
        """Where known values stand in a text, in any of their forms."""
        if self._literals is None:
            self._literals = Literals(self._forms)
        if not self._literals:
            return
        for start, end, form in self._literals.found_in(text):
            span = self._forms[form]
            if span.kind == "secret" or _is_word(text, start, end):
                yield span._replace(start=start, end=end, rule=f"{span.rule}-again", parts=())


def _part(span: Span, stem: str, value: str) -> Span:
    from sesskit.artifacts.identities_in_text import is_generic

    spread = len(value) >= LEAST and not is_generic(value)
    return span._replace(value=value, stem=stem, parts=(), spread=spread)


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether neither a letter nor a digit goes on before or behind."""
    before = text[max(start - 16, 0) : start]
    if _NOT_BEFORE.search(before) and not _ESCAPE_BEFORE.search(before):
        return False
    return not text[end : end + 1].isalnum()


def forms_of(span: Span) -> set[str]:
    """All the ways in which the value of a span may be written, if they are long enough."""
    value = span.value
    if span.rule == "private-key":
        return {line for line in key_lines(value) if len(line) >= 40}
    if is_masked(value) and not is_sample(span):
        return set()
    found = {value}
    encoded = set() if value.isascii() and value.isalnum() else _escaped(value)
    if span.kind == "secret" or "@" in value:
        data = _bytes_of(value)
        wide = value.encode("utf-16-le", "surrogatepass") if span.kind == "secret" else b""
        encoded |= {*_base64(data), *_base64(wide), *_hex(data)}
    else:
        encoded.add(re.sub(r"[^A-Za-z0-9]", "-", value))  # as a name of a folder of projects
    if span.kind == "personal" and len(value) >= _LEAST_IN_OTHER_CASE:
        found |= {value.lower(), value.upper(), value.capitalize()}
    return found | {form for form in encoded if len(form) >= _LEAST_ENCODED}


def _escaped(value: str) -> set[str]:
    """As it is written in addresses, HTML and JSON."""
    data = _bytes_of(value)
    forms = {
        quote(data, safe=""),
        quote(data),
        quote_plus(data),
        html.escape(value),
        html.escape(value, quote=False),
    }
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        slashed = once.replace("/", "\\/")  # as PHP writes it
        forms |= {once, json.dumps(once)[1:-1], slashed, json.dumps(slashed)[1:-1]}
    return forms


def _bytes_of(value: str) -> bytes:
    """The bytes of a value: those that were no UTF-8 as they were, half a pair as it is written."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


def _base64(data: bytes) -> Iterator[str]:
    """The part of its base64 that stays the same whatever stands before and behind it."""
    for shift in range(3):
        padded = base64.b64encode(bytes(shift) + data)
        start = (0, 2, 3)[shift]
        length = len(data) + shift
        end = length * 8 // 6  # letters that the value alone decides
        core = padded[start:end].decode()
        if len(core) >= _LEAST_BASE64:
            yield core
            yield core.translate(str.maketrans("+/", "-_"))


def _hex(data: bytes) -> Iterator[str]:
    """Its bytes as two digits each, in either case."""
    digits = data.hex()
    yield digits
    yield digits.upper()

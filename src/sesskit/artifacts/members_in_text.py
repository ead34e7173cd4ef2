"""Secrets that rows and members tell together: statements that insert, tokens by host, results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.plausible import is_masked, is_mixed
from sesskit.artifacts.span import Span
from sesskit.artifacts.values_in_text import Value, judged

__all__ = ["hosted_at", "hosted_in", "inserted_at", "stored_in"]

_Q: Final = r"\\{0,16}\""
_IN: Final = rf"{_Q}\s{{0,8}}:\s{{0,8}}"
_HOSTED: Final = re.compile(
    rf"(?:-oauth|itlab-token){_IN}\{{\s{{0,40}}{_Q}[\w.-]{{1,80}}{_IN}{_Q}(?P<value>[\w-]{{20,200}})(?={_Q})"
    rf"|andom_password{_Q}[^{{}}]{{0,200}}(?:\{{[^{{}}]{{0,400}}){{0,2}}?{_Q}result{_IN}{_Q}"
    rf"(?P<result>[^\s\"\\]{{6,200}})(?={_Q})"
)
_STORED: Final = re.compile(
    rf"SecureString{_Q}\s{{0,8}},\s{{0,40}}{_Q}Value{_IN}{_Q}(?P<value>[^\"\\\n]{{6,4096}})(?={_Q})"
)
_INSERT: Final = re.compile(
    r"(?i:into)\s{1,8}[^\s()]{1,120}\s{0,8}\((?P<columns>[^()]{2,1000})\)\s{0,8}(?i:values)\s{0,8}"
)
_CELL: Final = re.compile(
    r"\s{0,20}(?:N?'(?P<text>(?:[^'\\\n]|''|\\.){0,1000})'|(?P<bare>[^,()'\n]{0,200}))\s{0,20}"
)
_NEXT_ROW: Final = re.compile(r"\)\s{0,8},\s{0,8}")
_MOST_ROWS: Final = 1000


def hosted_at(text: str, at: int) -> Iterator[Span]:
    """The token of a host in the credentials of a package manager, a password that was drawn."""
    found = _HOSTED.match(text, at)
    if found:
        group = "value" if found["value"] else "result"
        if is_mixed(found[group]) and not is_masked(found[group]):
            stem = "token" if found["value"] else "password"
            yield Span(*found.span(group), "named-secret", found[group], stem)


def hosted_in(text: str) -> Iterator[Span]:
    """The same, anywhere in a text."""
    for found in re.finditer(r"-oauth|itlab-token|andom_password", text):
        yield from hosted_at(text, found.start())


def stored_in(text: str) -> Iterator[Span]:
    """The value of a parameter that its store says is secret."""
    for found in _STORED.finditer(text):
        span = judged(text, Value(*found.span("value"), quoted=True), "secret", plain=True)
        if span:
            yield span


def inserted_at(text: str, at: int) -> Iterator[Span]:
    """``INTO t (name, password) VALUES ('a', 'VALUE')``: the cells of columns with such names."""
    found = _INSERT.match(text, at)
    if not found:
        return
    names = [name.strip(" \t\r\n`\"'[]") for name in found["columns"].split(",")]
    secret = {number: name for number, name in enumerate(names) if is_secret_name(name)}
    place = found.end()
    for _ in range(_MOST_ROWS if secret else 0):
        if text[place : place + 1] != "(":
            return
        place += 1
        for number in range(len(names)):
            cell = _CELL.match(text, place)
            if not cell:
                return
            if number in secret and cell["text"]:
                value = Value(*cell.span("text"), quoted=True)
                span = judged(text, value, stem_of(secret[number]), plain=True)
                if span:
                    yield span
            place = cell.end()
            if text[place : place + 1] != ",":
                break
            place += 1
        row_end = _NEXT_ROW.match(text, place)
        if not row_end:
            return
        place = row_end.end()

"""Secrets that follow a command, a statement or a call directly, without a flag or a name.

``wandb login VALUE``, ``IDENTIFIED BY 'VALUE'``, ``auth=("user", "VALUE")``, lines of ``.pgpass``.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.names_in_text import Value, judged
from sesskit.artifacts.plausible import is_mixed, weigh
from sesskit.artifacts.positional_rows import POSITIONAL
from sesskit.artifacts.span import Span

__all__ = ["codes_at", "decoded_at", "phrase_at", "positional_at"]

_ECHOED: Final = re.compile(
    r"(?:echo|printf)[ \t]+(?:-n[ \t]+)?[\"']?(?P<value>[A-Za-z0-9+/_=-]{8,2000})"
    r"[\"']?[ \t]*\|[ \t]*\Z"
)
_GOES_TO: Final = re.compile(
    r"(?P<name>[\w.-]{2,60})(?:=|[ \t]{1,4}|[ \t]{0,4}:[ \t]{0,4})[\"']?(?:\$\(|`|<\()[ \t]{0,4}\Z"
)
_LEFT_WINDOW: Final = 500
_LINE_WINDOW: Final = 2400
_LONG: Final = 20
_SEED: Final = re.compile(
    r"(?i:(?:[dy] phrase|nemonic)s?(?:[ \t]+(?:is|was))?)[\"'\\ \t]{0,6}[:=]?[\s\"'\\]{0,6}"
    r"(?P<value>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![ ,]{1,2}[a-z])"
)
_CODES: Final = re.compile(
    r"(?:overy|ackup) codes[^\n:]{0,60}:?[ \t]*(?:\r?\n[ \t]*){1,2}"
    r"(?P<lines>(?:[ \t]*(?:[-*\u2022]|[0-9]{1,2}[.)])?[ \t]*[A-Za-z0-9]{4,12}(?:"
    r"[- ][A-Za-z0-9]{4,12}){0,3}[ \t]*(?:\r?\n|\Z)){1,20})"
)
_CODE: Final = re.compile(r"[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,12}){0,3}(?=[ \t\r]*(?:\n|\Z))")


def positional_at(text: str, at: int, anchor: str) -> Iterator[Span]:
    """The secret that follows the anchor at ``at``."""
    row = POSITIONAL[anchor]
    found = row.pattern.match(text, at)
    if found and row.left:
        before = row.left.search(text, max(at - _LEFT_WINDOW, 0), at)
        found = before and (before if "value" in row.left.groupindex else found)
    if not found:
        return
    name = found.groupdict().get("name")
    if name is not None and not is_secret_name(name):
        return
    start, end = found.span("value")
    end -= len(found["value"]) - len(found["value"].rstrip(".,;:!?"))
    content = text[start:end]
    if row.long:
        if len(content) >= _LONG and weigh(content, quoted=True) in ("high", "medium"):
            yield Span(start, end, "command-token", content, row.stem, confidence="medium")
        return
    stem = row.stem if name is None else stem_of(name)
    span = judged(text, Value(start, end, quoted=True), stem, plain=True)
    if span and (name is not None or is_mixed(content) or not content.islower()):
        yield span._replace(rule="command-password")


def decoded_at(text: str, at: int) -> Iterator[Span]:
    """``$(echo VALUE | base64 -d)`` behind a secret's name; ``base64`` is at ``at``."""
    lowest = max(at - _LINE_WINDOW, 0)
    start = max(text.rfind("echo", lowest, at), text.rfind("printf", lowest, at))
    found = _ECHOED.match(text, start, at) if start >= 0 else None
    goes_to = _GOES_TO.search(text, max(start - 80, 0), start) if found else None
    if not found or not goes_to or not is_secret_name(goes_to["name"].lstrip("-")):
        return
    try:
        plain = base64.b64decode(found["value"] + "=" * (-len(found["value"]) % 4)).decode()
    except (ValueError, binascii.Error):
        return
    if len(plain.strip()) >= 6 and plain.strip().isprintable():
        yield Span(*found.span("value"), "encoded-secret", found["value"], "encoded-text")


def phrase_at(text: str, at: int) -> Iterator[Span]:
    """The words of a wallet's seed phrase."""
    found = _SEED.match(text, at)
    if found and len(set(found["value"].split())) >= 6:
        yield Span(*found.span("value"), "seed-phrase", found["value"], spread=True)


def codes_at(text: str, at: int) -> Iterator[Span]:
    """The codes below a line that announces recovery or backup codes."""
    found = _CODES.match(text, at)
    if not found:
        return
    for code in _CODE.finditer(text, *found.span("lines")):
        plain = code[0].replace("-", "").replace(" ", "")
        if len(plain) >= 8 and any(map(str.isdigit, plain)):
            yield Span(*code.span(), "recovery-code", code[0], confidence="medium")

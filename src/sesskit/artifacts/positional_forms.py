"""Pieces of patterns for what follows a command or a statement, and what a row of them says."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = [
    "BARE",
    "ECHO",
    "FED",
    "MIXED",
    "OPTIONS",
    "PAIR",
    "PIPED",
    "QUOTED",
    "WORD",
    "Q",
    "Row",
    "row",
]

Q: Final = r"\\{0,16}[\"']"
WORD: Final = r"(?P<value>[^\s\"'`\\|;&<>$(){},][^\s\"'`\\|;&<>(){}]{3,199})"
BARE: Final = rf"(?:{Q})?{WORD}"
QUOTED: Final = rf"(?P<q>{Q})(?P<value>(?![^\s\"']{{0,200}}\$[{{(])[^\s\"'`\\<>]{{4,200}})(?P=q)"
OPTIONS: Final = r"(?:[ \t]+--?[\w-]{1,30}){0,3}[ \t]+"
PAIR: Final = (
    rf"[ \t]{{0,4}}(?P<o>{Q})[^\"'\\\s]{{1,100}}(?P=o)[ \t]{{0,4}},"
    rf"[ \t]{{0,4}}(?:\w{{1,20}}=)?{QUOTED}"
)


MIXED: Final = (
    r"(?P<value>(?=[^\s\"'`]{0,60}[0-9])(?=[^\s\"'`]{0,60}[A-Za-z])[^\s\"'`\\|;&<>$(){},]"
    r"[^\s\"'`\\|;&<>(){}]{5,199})"
)
"""What nobody would take for a word."""


class Row(NamedTuple):
    """What may follow an anchor. ``stem`` says what the value is; ``long`` asks for a long one.

    ``left`` has to end where the anchor begins; if it names the value, that stands there.
    """

    pattern: re.Pattern[str]
    stem: str = "password"
    long: bool = False
    left: re.Pattern[str] | None = None


def row(pattern: str, stem: str = "password", *, long: bool = False, left: str = "") -> Row:
    return Row(re.compile(pattern), stem, long, re.compile(left + r"\Z") if left else None)


ECHO: Final = r"(?:echo|printf)[ \t]+(?:-[neE]{1,3}[ \t]+)?(?P<q>[\"']?)"
PIPED: Final = (
    rf"{ECHO}[\w.@-]{{1,60}}:(?P<value>[^\s\"'|$`][^\s\"'|`]{{3,199}})(?P=q)[ \t]*"
    r"\|[ \t]*(?:sudo[ \t]+)?"
)
FED: Final = rf"{ECHO}(?P<value>[^\s\"'|$`][^\s\"'|`]{{3,399}})(?P=q)[ \t]*"

"""The words, numbers and marks of a date, as JavaScript engines cut a text into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# ECMAScript white space and line ends; only U+2028 and U+2029 are letters to the engine here.
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff"
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+)|(?P<mark>[-+:.()])|(?P<space>[{_SPACE}]+)"
    rf"|(?P<word>[^\x00-\x40{_SPACE}]+)|(?P<other>[^-+:.()0-9A-\U0010ffff{_SPACE}]+)"
)
_BRACKET = re.compile(r"[()]")


class Token(NamedTuple):
    kind: str  # number, word, space, other, end, or the mark itself
    text: str

    @property
    def number(self) -> int:
        """The value of nine digits, as the engine reads it; leading zeros do not count."""
        return int(self.text.lstrip("0")[:9] or 0)


END = Token("end", "")


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while found := _TOKEN.match(text, at):
        at = found.end()
        kind = found.lastgroup or "other"
        if kind != "mark":
            yield Token(kind, found[0])
        elif found[0] == "(":
            at = _after_note(text, found.start())
            yield Token("other", "()")
        else:
            yield Token(found[0], found[0])


def _after_note(text: str, at: int) -> int:
    """Where a note in parentheses ends; they nest, and one left open runs to the end."""
    depth = 0
    for bracket in _BRACKET.finditer(text, at):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return bracket.end()
    return len(text)


class Scanner:
    """Tokens with one token of foresight."""

    def __init__(self, text: str) -> None:
        self._rest = _tokens(text)
        self.peek = next(self._rest, END)

    def next(self) -> Token:
        token, self.peek = self.peek, next(self._rest, END)
        return token

    def skip(self, kind: str) -> bool:
        if self.peek.kind != kind:
            return False
        self.next()
        return True

    def digits(self, count: int) -> bool:
        return self.peek.kind == "number" and len(self.peek.text) == count

"""The exact key scrub of JSON text as it streams by: whole values of sensitive members replaced.

Nothing else changes: order, blanks and escapes of all other bytes stay as they are. Text is never
parsed, so strings that hold JSON keep it (robota-record section 8). Time is linear and memory that
of one chunk, whatever the text; damaged text is taken as far as it makes sense, and a value that
does not end is replaced up to the end of its line (of the text, where it is one document).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, cast

from sesskit.schemas.ecmascript import string_text
from sesskit.schemas.sensitive import SENSITIVE_NAMES

__all__ = ["FILL", "KeyScrubber", "scrub_keys"]

FILL: Final = "[REDACTED]"


def _hex(code: int) -> str:
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in f"{code:02x}")


def _letter(mark: str) -> str:
    """A letter of either case, plain or escaped; ``?`` is an optional dash or underscore."""
    if mark == "?":
        return rf"(?:[-_]|\\u00(?:{_hex(0x2D)}|{_hex(0x5F)}))?"
    upper = mark.upper()
    return rf"(?:[{mark}{upper}]|\\u00(?:{_hex(ord(mark))}|{_hex(ord(upper))}))"


_FIRST = "".join(sorted({c for name in SENSITIVE_NAMES for c in name[0] + name[0].upper()}))
_NAMES = "|".join("".join(map(_letter, name)) for name in SENSITIVE_NAMES)
_NAME: Final = re.compile(rf'"(?=[{_FIRST}\\])(?:{_NAMES})"'.encode())
_LONGEST: Final = 6 * max(map(len, SENSITIVE_NAMES)) + 2
"""Bytes of the longest name, every letter of it escaped."""

_BLANK: Final = re.compile(rb"[ \t\r\n]*+")
_IN_STRING: Final = re.compile(rb'[^"\\\n]++|(\n)|(\\)|(")')
_IN_TREE: Final = re.compile(rb'[^"\[\]{}\n]++|(\n)|([\[{])|([\]}])|(")')
_IN_WORD: Final = re.compile(rb'[^\s,\[\]{}":]*+')
_LINE_END, _SECOND, _THIRD, _FOURTH = 1, 2, 3, 4  # groups of the patterns

_SEARCH, _COLON, _VALUE, _STRING, _TREE, _WORD = range(6)


def scrub_keys(
    chunks: Iterable[bytes], fill: str = FILL, *, lines: bool = False
) -> Iterator[bytes]:
    """The chunks of a JSON text with the values of sensitive members replaced by ``fill``."""
    scrubber = KeyScrubber(fill, lines=lines)
    for chunk in chunks:
        yield scrubber.feed(chunk)
    yield scrubber.finish()


class KeyScrubber:
    """Feed it the chunks of a text; what it gives back together is the scrubbed text.

    ``lines`` says that each line is a document of its own. ``count`` is how many values were
    replaced so far.
    """

    def __init__(self, fill: str = FILL, *, lines: bool = False) -> None:
        self.count = 0
        self._fill = string_text(fill).encode()
        self._lines = lines
        self._before = b""  # the byte in front of what is held
        self._held = b""
        self._state = _SEARCH
        self._depth = 0  # brackets open in the value that is left out
        self._escaped = False
        self._steps = (
            self._search,
            self._colon,
            self._value,
            self._string,
            self._tree,
            self._word,
        )

    def feed(self, chunk: bytes) -> bytes:
        """The scrubbed bytes that are certain now; the rest is held back."""
        data, position, out = self._held + chunk, 0, bytearray()
        self._held = b""
        while position < len(data):
            position = self._steps[self._state](data, position, out)
        return bytes(out)

    def finish(self) -> bytes:
        """What was held back, when no more chunks come."""
        held, self._held = self._held, b""
        return held

    # Each step takes what it can from a position on and says where to go on.

    def _search(self, data: bytes, start: int, out: bytearray) -> int:
        """Outside of sensitive members: pass on everything up to the next sensitive name."""
        at = start
        while found := _NAME.search(data, at):
            before = data[found.start() - 1 : found.start()] if found.start() else self._before
            if before != b"\\":  # else the quote is one inside a string
                out += data[start : found.end()]
                self._state = _COLON
                return found.end()
            at = found.start() + 1
        keep = max(len(data) - _LONGEST, start)
        out += data[start:keep]
        if keep:
            self._before = data[keep - 1 : keep]
        self._held = data[keep:]
        return len(data)

    def _colon(self, data: bytes, start: int, out: bytearray) -> int:
        """Behind a sensitive name: is it the name of a member, or just a string?"""
        end, line_ended = self._blank(data, start, out)
        if data[end : end + 1] == b":" and not line_ended:
            out += b":"
            self._state = _VALUE
            return end + 1
        if end < len(data) or line_ended:
            self._resume(data, end)
        return end

    def _value(self, data: bytes, start: int, out: bytearray) -> int:
        """In front of the value of a sensitive member."""
        end, line_ended = self._blank(data, start, out)
        mark = data[end : end + 1]
        if line_ended or mark in (b",", b"]", b"}", b":"):
            self._resume(data, end)  # a member without a value
            return end
        if not mark:
            return end
        out += self._fill
        self.count += 1
        self._depth, self._escaped = 0, False
        if mark == b'"':
            self._state = _STRING
        elif mark in (b"[", b"{"):
            self._depth, self._state = 1, _TREE
        else:
            self._state = _WORD
        return end + 1

    def _string(self, data: bytes, start: int, out: bytearray) -> int:
        """Inside a string that is left out, or that is in a tree that is left out."""
        at = start
        while at < len(data):
            if self._escaped and data[at] != 0x0A:
                self._escaped = False
                at += 1
                continue
            self._escaped = False
            at, kind = self._next(_IN_STRING, data, at)
            if kind == _LINE_END and self._lines:
                return self._resume(data, at - 1)
            if kind == _SECOND:
                self._escaped = True
            elif kind == _THIRD:
                if not self._depth:
                    return self._resume(data, at)
                self._state = _TREE
                return at
        return at

    def _tree(self, data: bytes, start: int, out: bytearray) -> int:
        """Inside an object or list that is left out."""
        at = start
        while at < len(data):
            at, kind = self._next(_IN_TREE, data, at)
            if kind == _LINE_END and self._lines:
                return self._resume(data, at - 1)
            if kind == _SECOND:
                self._depth += 1
            elif kind == _THIRD:
                self._depth -= 1
                if not self._depth:
                    return self._resume(data, at)
            elif kind == _FOURTH:
                self._state = _STRING
                return at
        return at

    def _word(self, data: bytes, start: int, out: bytearray) -> int:
        """Inside a number, a literal, or what else stands there."""
        end = cast("re.Match[bytes]", _IN_WORD.match(data, start)).end()
        return end if end == len(data) else self._resume(data, end)

    def _blank(self, data: bytes, start: int, out: bytearray) -> tuple[int, bool]:
        """Pass on white space; whether it ended the line, where lines are documents."""
        end = cast("re.Match[bytes]", _BLANK.match(data, start)).end()
        out += data[start:end]
        return end, self._lines and data.find(b"\n", start, end) >= 0

    @staticmethod
    def _next(pattern: re.Pattern[bytes], data: bytes, at: int) -> tuple[int, int | None]:
        """One of the branches of these patterns fits whatever stands there."""
        found = cast("re.Match[bytes]", pattern.match(data, at))
        return found.end(), found.lastindex

    def _resume(self, data: bytes, at: int) -> int:
        self._state = _SEARCH
        self._before = data[at - 1 : at]
        return at

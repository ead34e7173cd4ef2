"""Odd tokens of JSON text: read for what they are meant to be, and noted as faults.

`Tokens` reads one token at a time and keeps the notes; how tokens fit together is the reader's.
"""

from __future__ import annotations

import re
from typing import Any, Final, NoReturn, cast

from sesskit.schemas import json_faults as faults
from sesskit.schemas.damaged import DAMAGED, LOST, BrokenText
from sesskit.schemas.issues import Keys
from sesskit.schemas.json_faults import Fault
from sesskit.schemas.json_scan import BLANK, COMMENT, OPEN_STRING, end_of_text
from sesskit.schemas.json_strings import BROKEN, Found, read_text
from sesskit.schemas.json_words import is_cut, overflows, read_word
from sesskit.schemas.limits import MAX_TEXT_FAULTS

BLANKS: Final = b" \t\n\r"
_STRING: Final = re.compile(OPEN_STRING, re.DOTALL)
_BARE: Final = re.compile(rb"[-+.0-9A-Za-z_$]++")
_LOSS: Final = re.compile(rb"\x00|" + BROKEN)
_BARE_NAME: Final = re.compile(rb"([-+.0-9A-Za-z_$]++)" + BLANK + rb"(?=:)")
_END: Final = re.compile(BLANK + rb"\Z")
_BEFORE_END: Final = re.compile(BLANK + rb"(?:[,\]}/#]|\Z)")
_QUOTES: Final = (
    re.compile(rb"'([^'\\\n]*+(?:\\[^\n]?[^'\\\n]*+)*+)'"),
    re.compile(rb"`([^`\\\n]*+(?:\\[^\n]?[^`\\\n]*+)*+)`"),
    re.compile(rb"\xe2\x80\x9c([^\n]*?)\xe2\x80\x9d"),
    re.compile(rb"\xe2\x80\x98([^\n]*?)\xe2\x80\x99"),
)
_QUOTE: Final = re.compile(rb"'|`|\xe2\x80[\x98\x99\x9a\x9c\x9d\x9e]")
_SPACES: Final = rb"\xc2\xa0|\xc2\x85|\xe2\x80[\x80-\x8b\xa8\xa9\xaf]|\xe3\x80\x80|\xef\xbb\xbf"
_NOISE: Final = re.compile(
    BLANK + rb"(?:(?P<comment>" + COMMENT + rb")"
    rb"|(?P<nul>\x00+)|(?P<control>[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]+)"
    rb"|(?P<space>(?:" + _SPACES + rb"){1,4096})|(?P<broken>" + BROKEN + rb"))?"
)

_ROOM_OF_ONE: Final = 8  # a fault weighs as much as so many keys of its place

_FOUND: Final = (
    (re.compile(rb"\Z"), "end of text"),
    (re.compile(rb'"'), "a string"),
    (re.compile(rb"-?[0-9]"), "a number"),
    (re.compile(rb"[A-Za-z_$]"), "a word"),
    (re.compile(rb"\{"), "'{'"),
    (re.compile(rb"\}"), "'}'"),
    (re.compile(rb"\["), "'['"),
    (re.compile(rb"\]"), "']'"),
    (re.compile(rb","), "','"),
    (re.compile(rb":"), "':'"),
    (re.compile(rb"="), "'='"),
    (re.compile(rb"[\x80-\xff]"), "a character outside ASCII"),
)


class Stop(Exception):
    """Nothing further makes sense. Never leaves the reader."""


Note = tuple[int, Fault, Keys, bool]
"""Offset, fault, keys, and whether it is about the member's name."""


class Tokens:
    """The text, what was noted so far, and readers of single tokens."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.stack: list[Any] = []  # the open containers
        self.names: list[str] = []  # for each of them: the member that is being read
        self.notes: list[Note] = []
        self.errors = 0
        self.unlisted = 0
        self.first_error = 0
        self._room = MAX_TEXT_FAULTS * _ROOM_OF_ONE
        self._hole = False  # a run of NULs took something away: brackets need not match any more
        self._damaged_to = -1  # where the last odd token ended
        self._lost_before = -1  # in front of this something was lost
        self._lost_to = -1  # a word that is left of something lost ended here

    def path(self) -> Keys:
        """Keys of the value that is being read."""
        keys = tuple(
            name if type(container) is dict else len(container) - 1
            for container, name in zip(self.stack, self.names, strict=True)
        )
        if keys and type(self.stack[-1]) is list:
            return (*keys[:-1], len(self.stack[-1]))
        return keys

    def note(
        self, offset: int, fault: Fault, *, located: bool = False, at_key: bool = False
    ) -> None:
        """Note a fault; one that is ``located`` gets the keys of the value that is being read."""
        if fault.severity == "error":
            if not self.errors:
                self.first_error = offset
            self.errors += 1
        if self._room <= 0:
            self.unlisted += 1
            return
        keys = self.path() if located else ()
        self._room -= _ROOM_OF_ONE + len(keys)
        self.notes.append((offset, fault, keys, at_key))

    def note_all(self, found: Found, *, at_key: bool = False) -> None:
        """Note the faults of one string: only those that leave the text sound have keys."""
        for offset, fault in found:
            warning = fault.severity == "warning"
            self.note(offset, fault, located=warning, at_key=at_key and warning)
            self._hole = self._hole or fault.code == "json-nul-run"

    def note_damage(self, offset: int, fault: Fault, end: int) -> None:
        """Note an error in a token that ends at ``end``; what cannot follow may come from it."""
        self.note(offset, fault)
        self._damaged_to = end

    def note_next(self, offset: int, fault: Fault, start: int, token_end: int = -2) -> None:
        """Note an error, unless something was lost right in front of ``start``.

        ``token_end`` is where the token before ended.
        """
        if start != self._lost_before and token_end != self._lost_to:
            self.note(offset, fault)

    def note_structure(self, offset: int, fault: Fault, token_end: int = -2) -> None:
        """Note that the text stops making sense, unless that only follows from what was noted."""
        if not self._hole and token_end != self._damaged_to:
            self.note_next(offset, fault, offset, token_end)

    def stop(self, offset: int, fault: Fault, token_end: int = -2) -> NoReturn:
        self.note_structure(offset, fault, token_end)
        raise Stop

    def stop_cut(self, where: str, expected: str) -> NoReturn:
        """The text ends where it must not."""
        if len(self.data) == self._lost_before:
            raise Stop
        self.stop(end_of_text(self.data), faults.cut(where, expected))

    def blank(self, position: int, *, inside: bool = True) -> int:
        """The next offset where something stands; what may not stand between values is noted."""
        data, lost = self.data, False
        while True:
            noise = cast("re.Match[bytes]", _NOISE.match(data, position))  # it may match nothing
            position = noise.end()
            kind = noise.lastgroup
            if kind is None:
                break
            start = noise.start(kind)
            if kind == "nul":
                tail = bool(_END.match(data, position))
                count = position - start
                self.note(start, faults.zero_tail(count) if tail else faults.zero_run(count))
                self._hole = self._hole or inside
                for container in self.stack:
                    if type(container) is dict:
                        container[LOST] = DAMAGED
            elif not (lost and kind == "broken"):
                self.note(start, _noise(kind, noise[kind]))
            lost = lost or kind in ("nul", "broken")
        if lost:
            self._lost_before = position
        return position

    def string(self, start: int, *, name: bool = False) -> tuple[str, int, Found]:
        """A double-quoted string, where it ends, and its faults, not yet noted."""
        end = cast("re.Match[bytes]", _STRING.match(self.data, start)).end()
        raw = self.data[start + 1 : end]
        if self.data[end : end + 1] != b'"':
            self._stop_unclosed(raw, start, "a member name" if name else "a string")
        text, found = self.odd_text(raw, start + 1)
        if self._hole and any(fault is faults.LINE_BREAK for _, fault in found):
            raise Stop  # its quotes are not the ones that belong together
        if any(fault.severity == "error" for _, fault in found):
            self._damaged_to = end + 1
        return text, end + 1, found

    def odd_text(self, raw: bytes, start: int) -> tuple[str, Found]:
        """The text between two quotes, marked where it has errors, and its faults."""
        text, found = read_text(raw, start)
        broken = any(fault.severity == "error" for _, fault in found)
        return BrokenText(text) if broken else text, found

    def _stop_unclosed(self, raw: bytes, start: int, where: str) -> NoReturn:
        """A string that is not closed: cut, or ended by NULs, or its quote is missing."""
        written = raw.rstrip(b"\x00")
        zeros = len(raw) - len(written)
        line = written.partition(b"\n")[0]
        if written[len(line) :].strip(BLANKS):
            written, fault = line, faults.LINE_BREAK
        elif zeros:
            fault = faults.zero_tail(zeros)
        else:
            written, fault = line.rstrip(b"\r"), faults.cut(where, "a closing quote")
        self.note_all(read_text(written, start + 1, cut=True)[1])
        if zeros or not self._hole:
            self.note(start + 1 + len(written), fault)
        raise Stop

    def quoted(self, start: int, *, name: bool = False) -> tuple[str, int] | None:
        """A string in quotes of another kind, noted as such; None if no quote stands there."""
        quote = _QUOTE.match(self.data, start)
        if not quote:
            return None
        found = "a single quote" if quote[0] == b"'" else "another quote"
        fault = faults.quotes("member name" if name else "string", found)
        for pattern in _QUOTES:
            if whole := pattern.match(self.data, start):
                self.note_damage(start, fault, whole.end())
                return whole[1].replace(b"\\'", b"'").decode("utf-8", "replace"), whole.end()
        return self.stop(start, fault)

    def bare_name(self, start: int) -> tuple[str, int] | None:
        """A member name without quotes, noted as such; None if none stands there."""
        bare = _BARE_NAME.match(self.data, start)
        if not bare:
            return None
        self.note_damage(start, faults.quotes("member name", "no quotes"), bare.end(1))
        return bare[1].decode(), bare.end(1)

    def word(self, start: int) -> tuple[Any, int] | None:
        """A number, literal or other bare word, and where it ends; None if none stands there."""
        bare = _BARE.match(self.data, start)
        if not bare:
            return None
        word, end = bare[0], bare.end()
        answer = read_word(word)
        if start == self._lost_before or _LOSS.match(self.data, end):
            self._lost_to = end
            if answer is None or answer[1]:
                return DAMAGED, end  # what is left of something that is noted as lost
        if (answer is None or answer[1]) and is_cut(word) and _END.match(self.data, end):
            self.stop(end, faults.cut("a number or word", "the rest of it"))
        if answer is None:
            fault = faults.syntax(
                "this word is no JSON value; a string stands in double quotes", "a value", "a word"
            )
            if not _BEFORE_END.match(self.data, end):
                self.stop(start, fault)
            answer = DAMAGED, fault
        value, mistake = answer
        if mistake:
            self.note_damage(start, mistake, end)
        elif isinstance(value, int | float) and overflows(value, word):
            self.note(start, faults.OVERFLOW, located=True)
        return value, end

    def what_stands_at(self, offset: int) -> str:
        """What a person would call it; never the thing itself."""
        for pattern, words in _FOUND:
            if pattern.match(self.data, offset):
                return words
        return "another character"


def _noise(kind: str, raw: bytes) -> Fault:
    if kind == "broken":
        return faults.bytes_outside(len(raw))
    if kind == "space":
        message = "a space stands here that JSON does not know"
        return faults.syntax(message, "an ordinary space", "another space")
    if kind == "control":
        message = "a control character stands outside of any string"
        return faults.syntax(message, "JSON", "a control character")
    is_open = raw.startswith(b"/*") and (len(raw) < 4 or not raw.endswith(b"*/"))
    return faults.OPEN_COMMENT if is_open else faults.COMMENT

"""The structure of JSON text: open containers, and what may stand where, however odd it is."""

from __future__ import annotations

import re
from typing import Any, Final

from sesskit.schemas import json_faults as faults
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.json_faults import Fault
from sesskit.schemas.json_odd import Stop, Tokens
from sesskit.schemas.json_scan import BLANK, STRING, skip
from sesskit.schemas.limits import MAX_DEPTH

_AFTER: Final = re.compile(BLANK + rb"([,\]}])")
_ELISION: Final = re.compile(rb"(?:," + BLANK + rb")++")
_ELEMENT_FOLLOWS: Final = re.compile(rb'["\[{]|-?[0-9]|(?:true|false|null)(?![\w$])')
_MEMBER_FOLLOWS: Final = re.compile(STRING + BLANK + rb":", re.DOTALL)


class Structure(Tokens):
    """Tokens put together: containers open and close, and odd text is given its likely sense.

    Positions go in and out: where to read, and where to go on after a whole value and whatever
    follows it. The open containers are on a stack of our own, so nesting costs no Python frames.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.value: Any = DAMAGED

    def open(self, position: int) -> int:
        if len(self.stack) == MAX_DEPTH:
            self.note(position, faults.DEPTH)
            end = skip(self.data, position)
            if end is None:
                raise Stop
            self._put(DAMAGED)
            return self._after(end)
        container: Any = {} if self.data[position] == 0x7B else []
        self._put(container)
        self.stack.append(container)
        self.names.append("")
        end_mark = _AFTER.match(self.data, position + 1)
        if end_mark and end_mark[1] == self._closing():
            return self.close(end_mark.end())
        return position + 1

    def _put(self, value: Any) -> None:
        if not self.stack:
            self.value = value
        elif type(self.stack[-1]) is list:
            self.stack[-1].append(value)
        else:
            self.stack[-1][self.names[-1]] = value

    def _closing(self) -> bytes:
        return b"}" if type(self.stack[-1]) is dict else b"]"

    def close(self, position: int) -> int:
        self.stack.pop()
        self.names.pop()
        return self._after(position)

    def _after(self, position: int) -> int:
        """What follows a whole value: a comma, or the end of as many containers as end here."""
        while self.stack:
            found = _AFTER.match(self.data, position)
            if found and found[1] == b",":
                return found.end()
            if found and found[1] == self._closing():
                self.stack.pop()
                self.names.pop()
                position = found.end()
                continue
            start = self.blank(position)
            if self._no_comma(position, start):
                return start
            position = start
        return position

    def _no_comma(self, position: int, start: int) -> bool:
        """Whether the next value follows without a comma; stops at anything that cannot follow."""
        mark = self.data[start : start + 1]
        if mark in (b",", self._closing()):
            return False
        self._stop_if_cut(mark)
        is_object = type(self.stack[-1]) is dict
        follows = (_MEMBER_FOLLOWS if is_object else _ELEMENT_FOLLOWS).match(self.data, start)
        if not follows:
            self.stop(start, self._unexpected(position, start), position)
        fault = faults.missing_comma("member" if is_object else "element")
        self.note_next(start, fault, start, position)
        return True

    def _unexpected(self, position: int, start: int) -> Fault:
        """The fault of something that can follow no value."""
        closing = self._closing()
        expected = f"',' or '{closing.decode()}'"
        found = self.what_stands_at(start)
        if self.data[start : start + 1] in (b"]", b"}"):
            noun = "an object" if closing == b"}" else "an array"
            return faults.syntax(f"{noun} is closed by the wrong bracket", expected, found)
        if self.data[position - 1 : position] == b'"':
            message = (
                'the string ends here, yet the text goes on; a quote in a string is written \\"'
            )
            return faults.syntax(message, expected, found)
        return faults.syntax("the value has ended and something else follows", expected, found)

    def _stop_if_cut(self, mark: bytes) -> None:
        if not mark:
            noun = "an object" if self._closing() == b"}" else "an array"
            self.stop_cut(noun, f"'{self._closing().decode()}'")

    def odd_item(self, position: int) -> int:
        start = self.blank(position)
        return self._gap(position, start) or self.any_value(start)

    def _gap(self, position: int, start: int) -> int:
        """Where to go on if the container ends or a comma has nothing before it; else 0."""
        mark = self.data[start : start + 1]
        if mark == self._closing():
            if self.data[position - 1 : position] == b",":
                self.note_next(position - 1, faults.TRAILING_COMMA, start)
            return self.close(start + 1)
        if elision := _ELISION.match(self.data, start):
            fault = faults.syntax("nothing stands in front of this comma", "a value", "','")
            self.note_next(start, fault, start)
            start = elision.end()
            end = self.blank(start)
            return self.close(end + 1) if self.data[end : end + 1] == self._closing() else end
        return 0

    def any_value(self, start: int) -> int:
        """Any value, and what follows it."""
        mark = self.data[start : start + 1]
        if mark in (b"[", b"{"):
            return self.open(start)
        if mark == b'"':
            value, end, found = self.string(start)
            self.note_all(found)
        elif answer := self.quoted(start) or self.word(start):
            value, end = answer
        else:
            if self.stack:
                self._stop_if_cut(mark)
            found_words = self.what_stands_at(start)
            self.stop(start, faults.syntax("this begins no JSON value", "a value", found_words))
        self._put(value)
        return self._after(end)

    def odd_member(self, position: int) -> int:
        start = self.blank(position)
        if gap := self._gap(position, start):
            return gap
        name, name_end = self._odd_name(start)
        self.names[-1] = name
        if name in self.stack[-1]:
            self.note(start, faults.DUPLICATE, located=True, at_key=True)
        colon = self.blank(name_end)
        mark = self.data[colon : colon + 1]
        if mark != b":":
            self._stop_if_cut(mark)
            message = "a member name is followed by a colon and a value"
            fault = faults.syntax(message, "':'", self.what_stands_at(colon))
            self.stop(colon, fault, name_end)
        value = self.blank(colon + 1)
        if self.data[value : value + 1] in (b",", b"}"):
            message = "the member has no value"
            fault = faults.syntax(message, "a value", self.what_stands_at(value))
            self.note_next(value, fault, value)
            self._put(DAMAGED)
            return self._after(value)
        return self.any_value(value)

    def _odd_name(self, start: int) -> tuple[str, int]:
        mark = self.data[start : start + 1]
        self._stop_if_cut(mark)
        if mark == b'"':
            name, end, found = self.string(start, name=True)
            self.names[-1] = name
            self.note_all(found, at_key=True)
            return name, end
        answer = self.quoted(start, name=True) or self.bare_name(start)
        if answer is None:
            found_words = self.what_stands_at(start)
            message = "an object holds members: a name, a colon and a value"
            self.stop(start, faults.syntax(message, "a member name", found_words))
        return answer

"""The tolerant reader: JSON text to values, noting every fault on the way.

Regular text goes through two short loops, one match for each element or member. Whatever they do
not match is looked at token by token; where that makes sense of it, the loops go on. Open
containers are on a stack of our own, so nesting costs no Python frames.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from sesskit.schemas import json_faults as faults
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_odd import Stop
from sesskit.schemas.json_position import START, Base, Ruler
from sesskit.schemas.json_scan import BLANK
from sesskit.schemas.json_strings import sound_text
from sesskit.schemas.json_structure import Structure
from sesskit.schemas.json_whole import beginning, follower
from sesskit.schemas.json_words import LITERALS, NUMBER, overflows, value_of_number
from sesskit.schemas.limits import DAMAGE_SCAN_BYTES

_TEXT: Final = rb'"([^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f]?[^"\\\x00-\x1f]*+)*+)"'
_WORD: Final = rb"(true|false|null)"
_VALUE: Final = rb"(?:(?:" + _TEXT + rb"|" + NUMBER + rb"|" + _WORD + rb")" + BLANK
_ITEM: Final = re.compile(BLANK + _VALUE + rb"([,\]])|([\[{]))", re.DOTALL)
_MEMBER: Final = re.compile(
    BLANK + _TEXT + BLANK + rb":" + BLANK + _VALUE + rb"([,}])|([\[{]))", re.DOTALL
)
_MEMO: Final = 4096
_MEMO_LENGTH: Final = 64


class JsonText(msgspec.Struct, frozen=True):
    """What a text says, and what is wrong with it.

    ``value`` is the value as well as the faults allow, with `DAMAGED` wherever one could not be
    read; it is `DAMAGED` itself where reading had to stop before the document ended. ``partial``
    is then what had been read, its innermost containers unfinished; otherwise it is the value.
    ``sound``: there is no error among the issues, JSON.parse of ECMAScript would take the text.
    """

    value: Any
    issues: tuple[Issue, ...]
    sound: bool
    partial: Any


class Reader(Structure):
    """One reading of one text."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._memo: dict[bytes, str] = {}

    def read(self, base: Base = START) -> JsonText:
        value: Any = DAMAGED
        try:
            self._document()
            value = self.value
        except Stop:
            pass
        if self.unlisted:
            self.notes.append((len(self.data), faults.unlisted(self.unlisted), (), False))
        return JsonText(value, self._issues(base), not self.errors, self.value)

    def _issues(self, base: Base) -> tuple[Issue, ...]:
        ruler = Ruler(self.data, base)
        issues = []
        for offset, fault, keys, at_key in sorted(self.notes, key=lambda note: note[0]):
            line, column = ruler.position(offset)
            issues.append(
                Issue(
                    fault.code,
                    fault.message,
                    fault.severity,
                    keys,
                    fault.expected,
                    fault.found,
                    line,
                    column,
                    base.offset + offset,
                    at_key,
                )
            )
        return tuple(issues)

    def _document(self) -> None:
        start, fault = beginning(self.data)
        if fault:
            self.note(0, fault)
            if not start:
                raise Stop
        position = self.blank(start)
        if position == len(self.data):
            self.stop(position, faults.NOTHING)
        position = self.any_value(position)
        while self.stack:
            if self.errors and position - self.first_error > DAMAGE_SCAN_BYTES:
                self.note(position, faults.unread(len(self.data) - position))
                raise Stop
            top = self.stack[-1]
            read = self._members if type(top) is dict else self._items
            position = read(top, position)
        start = self.blank(position, inside=False)
        if start < len(self.data):
            found = self.what_stands_at(start)
            self.note_structure(start, follower(self.data, position, start, found), position)

    def _items(self, items: list[Any], position: int) -> int:
        """Read elements until a container begins or the array ends."""
        data, match, put = self.data, _ITEM.match, items.append
        while found := match(data, position):
            raw, whole, fraction, word, end, opening = found.groups()
            if opening:
                return self.open(found.end() - 1)
            if raw is not None:
                text = sound_text(raw)
                put(self._odd_text(raw, found.start(1)) if text is None else text)
            elif word:
                put(LITERALS[word])
            else:
                put(self._number(whole, fraction, found.start(2)))
            position = found.end()
            if end == b"]":
                return self.close(position)
        return self.odd_item(position)

    def _members(self, members: dict[str, Any], position: int) -> int:
        """Read members until a container begins or the object ends."""
        data, match, memo, names = self.data, _MEMBER.match, self._memo, self.names
        while found := match(data, position):
            label, raw, whole, fraction, word, end, opening = found.groups()
            name = memo.get(label)
            if name is None:
                name = self._new_name(label, found.start(1))
            names[-1] = name
            if name in members:
                self.note(found.start(1) - 1, faults.DUPLICATE, located=True, at_key=True)
            if opening:
                return self.open(found.end() - 1)
            if raw is not None:
                text = sound_text(raw)
                members[name] = self._odd_text(raw, found.start(2)) if text is None else text
            elif word:
                members[name] = LITERALS[word]
            else:
                members[name] = self._number(whole, fraction, found.start(3))
            position = found.end()
            if end == b"}":
                return self.close(position)
        return self.odd_member(position)

    def _new_name(self, raw: bytes, start: int) -> str:
        name = sound_text(raw)
        if name is None:
            name, found = self.odd_text(raw, start)
            self.names[-1] = name
            self.note_all(found, at_key=True)
        elif len(raw) <= _MEMO_LENGTH and len(self._memo) < _MEMO:
            self._memo[raw] = name
        return name

    def _odd_text(self, raw: bytes, start: int) -> str:
        text, found = self.odd_text(raw, start)
        self.note_all(found)
        return text

    def _number(self, whole: bytes, fraction: bytes, start: int) -> int | float:
        value = value_of_number(whole, fraction)
        if overflows(value, whole):
            self.note(start, faults.OVERFLOW, located=True)
        return value

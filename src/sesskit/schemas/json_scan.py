"""Stepping through JSON text without reading it: brackets balanced, strings passed over.

Nothing is decoded and nothing is recursive; time is linear and memory bounded whatever the text.
Damage inside a value is passed over as long as quotes and brackets pair up, and any closing
bracket closes any opening one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, cast

from sesskit.schemas.issues import Key
from sesskit.schemas.json_strings import read_text, sound_text
from sesskit.schemas.limits import MAX_DEPTH

_LEVELS: Final = 5
_SHALLOW: Final = 32
_LONG: Final = 4096

BLANK: Final = rb"[ \t\n\r]*+"
_COMMAS: Final = rb"[ \t\n\r,]*+"
# Possessive, so that a string of a hundred million escapes takes no memory. The body of each
# repetition cannot fail half-way: Python before 3.11.5 would go on from where it failed.
OPEN_STRING: Final = rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+'
STRING: Final = OPEN_STRING + rb'"'
_QUOTED: Final = rb"'[^'\\\n]*+(?:\\[^\n]?[^'\\\n]*+)*+'"
_BARE: Final = rb"[^\s\",:\[\]{}'/#\x00-\x1f\x80-\xff][^\s\",:\[\]{}/#\x00-\x1f\x80-\xff]*+"
COMMENT: Final = rb"//[^\n]*+|#[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
_NOISE: Final = rb"(?:[\x00-\x20\x80-\xff]++|" + COMMENT + rb"|(?!))*+"


def _low(levels: int) -> bytes:
    """Text of whole containers up to ``levels`` deep, and all that stands between containers."""
    pattern = rb'[^"\[\]{}]++|' + STRING
    # The last branch always fails and puts Python before 3.11.5 back to where the branches began.
    flat, last = pattern, rb"|(?!)"
    for _ in range(levels):
        pattern = flat + rb"|[\[{](?:" + pattern + last + rb")*+[\]}]" + last
    return rb"(?:" + pattern + rb")"


_LOW: Final = _low(_LEVELS)
_CONTAINER: Final = rb"[\[{]" + _low(_LEVELS - 1) + rb"*+[\]}]"
_VALUE: Final = STRING + rb"|" + _QUOTED + rb"|" + _BARE
_NAME: Final = STRING + rb"|" + _QUOTED + rb"|[-+.0-9A-Za-z_$]++"
_RUNS: Final = rb"|([\[{]%s)|([\]}]++)|" + OPEN_STRING

_TALL_RUN: Final = re.compile(_LOW + rb"++" + _RUNS % rb"", re.DOTALL)
_FLAT_RUN: Final = re.compile(
    rb'(?:[^"\[\]{}]++|' + STRING + rb"|(?!))++" + _RUNS % rb"[\[{]*+", re.DOTALL
)
_SIMPLE: Final = re.compile(rb"(?:" + _VALUE + rb"|" + _CONTAINER + rb")", re.DOTALL)
_ELEMENT: Final = re.compile(
    _COMMAS + rb"(" + _VALUE + rb"|" + _CONTAINER + rb"|(?=[\"\[{]))", re.DOTALL
)
_MEMBER: Final = re.compile(
    _COMMAS + rb"(" + _NAME + rb")" + _NOISE + rb":" + BLANK + rb"(" + _VALUE + rb"|)", re.DOTALL
)
_ONLY_NOISE: Final = re.compile(_NOISE)
_END: Final = re.compile(_COMMAS + rb"([\]}])?")

Member = tuple[Key, int, int, int]
"""Name or index, where the name starts, where the value starts, where it ends."""

Ends = dict[int, int]
"""Where containers end, by where they start; only ever a help."""


def too_deep(data: bytes) -> int | None:
    """Offset of the first bracket that opens more than `MAX_DEPTH` levels; None if none does.

    Cheap where the text has no more brackets than that.
    """
    if len(data) <= MAX_DEPTH or data.count(b"{") + data.count(b"[") <= MAX_DEPTH:
        return None
    depth = 0
    for offset, step in _brackets(data, 0):
        if depth + step > MAX_DEPTH:
            return offset + MAX_DEPTH - depth
        depth = max(depth + step, 0)
    return None


def skip(data: bytes, start: int, ends: Ends | None = None) -> int | None:
    """Where the value ends that starts at ``start``; None if the text ends first.

    ``ends`` remembers tall and long containers, so that stepping into them costs nothing again.
    """
    if ends and start in ends:
        return ends[start]
    simple = _SIMPLE.match(data, start)
    if simple:
        return simple.end()
    if data[start : start + 1] not in (b"[", b"{"):
        return None
    return _skip_tall(data, start, {} if ends is None else ends)


def _skip_tall(data: bytes, start: int, ends: Ends) -> int | None:
    """`skip` of a container; those inside that are deeper than any value may be are not noted."""
    starts: list[int] = []
    depth = 0
    for offset, step in _brackets(data, start):
        if step > 0:
            noted = min(step, MAX_DEPTH - len(starts))
            starts.extend(range(offset, offset + noted))
            depth += step
            continue
        at = offset + min(-step, depth - len(starts))
        closed = min(offset - step - at, len(starts))
        for end in range(at + 1, at + closed + 1):
            begin = starts.pop()
            if end - begin > _LONG:
                ends[begin] = end
        depth += step
        if depth <= 0:
            return at + closed
    return None


def _brackets(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Runs of brackets outside strings: where, and how many (closing ones count below zero).

    What opens and closes within a few levels is left out as a whole.
    """
    size, depth, position = len(data), 0, start
    while position < size:
        pattern = _TALL_RUN if depth < _SHALLOW else _FLAT_RUN
        # One of the branches fits whatever stands there.
        run = cast("re.Match[bytes]", pattern.match(data, position))
        position = run.end()
        if run.lastindex:
            step = position - run.start() if run.lastindex == 1 else run.start() - position
            depth = max(depth + step, 0)
            yield run.start(), step


def behind_noise(data: bytes, offset: int) -> int:
    """Where something stands that may be meant as JSON: behind blanks, comments and stray bytes."""
    return cast("re.Match[bytes]", _ONLY_NOISE.match(data, offset)).end()


def end_of_text(data: bytes) -> int:
    """The offset behind the last byte that is not white space."""
    end = len(data)
    while end:
        piece = data[max(end - _LONG, 0) : end]
        if written := piece.rstrip(b" \t\n\r"):
            return end - len(piece) + len(written)
        end -= len(piece)
    return 0


def name_of(raw: bytes) -> str:
    """The name that is written as ``raw``, with its quotes if it has any; never raises."""
    if raw[:1] == b"'":
        return raw[1:-1].replace(b"\\'", b"'").decode("utf-8", "replace")
    if raw[:1] != b'"':
        return raw.decode("utf-8", "replace")
    name = sound_text(raw[1:-1])
    return read_text(raw[1:-1], 0)[0] if name is None else name


class Members:
    """The members of the object, or the elements of the list, that starts at ``start``.

    Iterate once; nothing is kept. Afterwards ``end`` is the offset behind the closing bracket, or
    None; then ``stopped`` is the offset where the structure stops making sense. A last value that
    does not end is still given, up to the end of the text.
    """

    def __init__(self, data: bytes, start: int, ends: Ends | None = None) -> None:
        self.start = start
        self.end: int | None = None
        self.stopped: int | None = None
        self._data = data
        self._ends = ends

    def __iter__(self) -> Iterator[Member]:
        opening = self._data[self.start : self.start + 1]
        if opening == b"[":
            return self._elements()
        if opening == b"{":
            return self._members()
        self.stopped = self.start
        return iter(())

    def _elements(self) -> Iterator[Member]:
        data, match = self._data, _ELEMENT.match
        index = 0
        position: int | None = self.start + 1
        while position is not None:
            found = match(data, position)
            if not found:
                position = self._odd(position)
                continue
            begin, position = found.span(1)
            if begin == position:
                position = self._open_end(begin)
            yield index, begin, begin, len(data) if position is None else position
            index += 1

    def _members(self) -> Iterator[Member]:
        data, match = self._data, _MEMBER.match
        position: int | None = self.start + 1
        while position is not None:
            found = match(data, position)
            if not found:
                position = self._odd(position)
                continue
            begin, position = found.span(2)
            if begin == position:
                begin = behind_noise(data, begin)
                if data[begin : begin + 1] in (b"", b",", b"}", b"]", b":"):
                    continue  # a name without a value
                position = self._open_end(begin)
            end = len(data) if position is None else position
            yield name_of(found[1]), found.start(1), begin, end

    def _open_end(self, begin: int) -> int | None:
        end = skip(self._data, begin, self._ends)
        if end is None:
            self.stopped = begin
        return end

    def _odd(self, position: int) -> int | None:
        """Where to go on when neither a member nor an element stands there."""
        end = cast("re.Match[bytes]", _END.match(self._data, position))
        if end[1]:
            self.end = end.end()
            return None
        behind = behind_noise(self._data, end.end())
        if behind > end.end():
            return behind
        self.stopped = behind
        return None

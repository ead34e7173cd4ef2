"""Walking JSON text: its strings, names and secret members, each with its place.

Iterative and linear; damaged text is walked as far as it makes sense. A string that never ends goes
to the end of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import orjson

from sesskit.artifacts.json_frames import Frame, holds_pieces, is_piece
from sesskit.artifacts.pair_labels import LABELS, LOOSE_LABELS, VALUED
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.schemas.sensitive import is_sensitive_key

__all__ = ["Frame", "Leaf", "is_json", "json_lines", "leaves", "text_of"]

_TOKEN: Final = re.compile(
    r"\"([^\"\\]*+(?:\\.?[^\"\\]*+)*+)(?:\"([ \t\n\r]*+:)?|\Z)"
    r"|([\[{])|([\]}])|[^\s,\[\]{}\":]++",
    re.DOTALL,
)
_LINE_END: Final = re.compile(r"[}\]](?=[ \t\r]{0,80},?(?:\n|\Z))")
_LINE_START: Final = re.compile(r"[^\n{\[]{0,60}([{\[])")
_SHORTEST_LINE: Final = 18
_NAME_END, _OPEN, _CLOSE = 2, 3, 4
_ESCAPE: Final = re.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|(\\)")
_decode: Final = json.JSONDecoder(strict=False).raw_decode
_MOST_LISTED: Final = 512
_LONGEST_LABEL: Final = 100
_VALUES: Final = frozenset(
    {"value", "val", "Value", "ParameterValue", "OutputValue", "v", "new_value", "text", "content"}
    | {"input", "answer"}
)
_NOTED: Final = LABELS | LOOSE_LABELS | _VALUES | {"type"}
_ROLES: Final = {"text": "text", "keep": "", "blank": "blank", "drop": "", "secret": "secret"}


class Leaf(NamedTuple):
    """Something to look at: ``role`` says what ``text[start:end]`` is.

    ``name`` and ``text``: what is between the quotes of a member name or a string. ``secret``: the
    whole value of a member with a secret name. ``blank`` and ``neutral``: a whole value that is
    replaced. ``drop``: a member to be left out, with its comma. ``pair``: the text of ``value`` in
    an object that has a ``name`` too. ``list``: a list with strings, which `Frame.listed` has.
    ``stream``: the text of a piece of a longer text; `Frame.stream` says of which.
    """

    role: str
    start: int
    end: int
    frame: Frame


def text_of(raw: str) -> str:
    """The string that is written as ``raw`` between its quotes; what is no escape stays."""
    if "\\" not in raw:
        return raw
    try:
        return str(_decode(f'"{raw}"')[0])
    except ValueError:
        mended = _ESCAPE.sub(lambda found: found[0] + (found[1] or ""), raw)
        return str(_decode(f'"{mended}"')[0])


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return False
    return True


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """What may be JSON in lines of a text, behind whatever a tool put before it, and its place."""
    for end in _LINE_END.finditer(text):
        start = _LINE_START.match(text, text.rfind("\n", 0, end.start()) + 1, end.start())
        line = text[start.start(1) : end.end()] if start else ""
        if len(line) >= _SHORTEST_LINE:
            yield end.end() - len(line), line


def leaves(
    text: str,
    place: Treatment = TEXT,
    is_secret: Callable[[str], bool] = is_sensitive_key,
    as_a_whole: Callable[[str], bool] = is_sensitive_key,
    *,
    least_name: int = 0,
) -> Iterator[Leaf]:
    """All there is to look at in a JSON text, or in several one after another, in order.

    ``is_secret`` says which names make their value secret, ``as_a_whole`` of which of them also
    objects and lists are given as one value; in others each string is given as secret. Names
    shorter than ``least_name`` are left out.
    """
    holder = Treatment()
    holder.elements = place
    root = Frame(None, holder, 0, is_list=True)
    return _Walk(text, root, is_secret, as_a_whole).leaves(least_name)


class _Walk:
    def __init__(
        self,
        text: str,
        root: Frame,
        is_secret: Callable[[str], bool],
        as_a_whole: Callable[[str], bool],
    ) -> None:
        self.text = text
        self.frame = root
        self.is_secret = is_secret
        self.as_a_whole = as_a_whole
        self.depth = 0  # brackets open in a value that is passed over as a whole
        self.role = ""  # and what it is passed over as
        self.start = 0

    def leaves(self, least_name: int) -> Iterator[Leaf]:
        for token in _TOKEN.finditer(self.text):
            kind = token.lastindex
            if self.depth:
                yield from self.passing(token, kind)
            elif kind == _NAME_END and not self.frame.is_list:
                frame = self.frame
                frame.key = text_of(token[1])
                frame.key_start = token.start()
                frame.secret = frame.place.names and self.is_secret(frame.key)
                if token.end(1) - token.start(1) >= least_name:
                    yield Leaf("name", token.start(1), token.end(1), frame)
            elif kind == _CLOSE:
                yield from self.close(token.end())
            else:
                yield from self.value(token, kind)
        if self.depth and self.role:
            yield Leaf(self.role, self.start, len(self.text), self.frame)

    def value(self, token: re.Match[str], kind: int | None) -> Iterator[Leaf]:
        """A string, a number or literal, or the beginning of a container."""
        frame = self.frame
        role, place = self.treated(frame)
        if kind == _OPEN:
            whole = frame.secret and self.as_a_whole(str(frame.key))
            if role == "secret" and place.way == "text" and not whole:
                role = "text"
            if role == "text":
                self.frame = Frame(frame, place, token.start(), token[0] == "[")
            else:
                self.depth, self.role, self.start = 1, role, token.start()
            return
        inherited = role == "secret" and place.way == "text" and not frame.secret
        if role == "text" or inherited:
            yield from self.read(frame, token, kind)
        if role and role != "text" and not (inherited and kind is None and not frame.typed):
            yield Leaf(role, token.start(), token.end(), frame)
        elif not role and kind is not None and frame.key == "type":
            frame.tag = token[1]
        self.remember(frame, token, kind, is_text=role == "text")
        if frame.children is not None:
            frame.children.append((frame.key_start, token.end(), place.way == "drop"))

    def read(self, frame: Frame, token: re.Match[str], kind: int | None) -> Iterator[Leaf]:
        """A value that is looked into, if it is a string."""
        if kind is None:
            return
        if frame.is_list or frame.key in _NOTED:
            self.note(frame, token)
        yield Leaf("text", token.start(1), token.end(1), frame)
        if not frame.place.pieces and is_piece(frame):
            yield Leaf("stream", token.start(1), token.end(1), frame)

    def remember(
        self, frame: Frame, token: re.Match[str], kind: int | None, *, is_text: bool
    ) -> None:
        """Keep what a format says gives its neighbours their sense."""
        place = frame.place
        if place.pieces or place.scope:
            self.mark(frame, token, is_text=is_text and kind is not None)
        elif kind is None:
            return
        elif place.pair and frame.key == 0:
            frame.label = text_of(token[1])
            frame.secret = self.is_secret(frame.label)
        elif frame.parent is not None and frame.parent.place.pair:
            self.name_next(frame, token)

    def treated(self, frame: Frame) -> tuple[str, Treatment]:
        """What becomes of the value that begins now, and what leads further into it."""
        if frame.is_list:
            frame.key = int(frame.key) + 1
        place = frame.place_of_value()
        named = frame.place.named_secret
        if named is not None and not frame.is_list and self.is_secret(str(frame.key)):
            place = named
        if place.way == "text" and place.names and (frame.secret or frame.secret_name):
            return "secret", place
        return _ROLES[place.way], place

    def note(self, frame: Frame, token: re.Match[str]) -> None:
        """Keep what gets its sense from its neighbours."""
        if frame.is_list:
            if len(frame.listed) < _MOST_LISTED or holds_pieces(frame):
                frame.listed.append(token.span(1))
        elif frame.key == "type":
            frame.tag = token[1]
        elif frame.key in _VALUES:
            if frame.valued not in VALUED:  # which no looser name takes the place of
                frame.value, frame.valued = token.span(1), str(frame.key)
        elif len(token[1]) <= _LONGEST_LABEL and frame.labelled not in LABELS:
            frame.label, frame.labelled = text_of(token[1]), str(frame.key)

    def mark(self, frame: Frame, token: re.Match[str], *, is_text: bool) -> None:
        """The same in an object that is, or holds, a piece of a longer text."""
        place, key = frame.place, str(frame.key)
        if key in place.pieces:
            frame.pieces += [token.span(1)] if is_text else []
        elif key in place.stream or key in place.scope:
            frame.marks[key] = token[0]

    def name_next(self, frame: Frame, token: re.Match[str]) -> None:
        """A pair that is called ``key``: what it holds is the name of what follows it."""
        pair, name = frame.parent, text_of(token[1])
        if pair and pair.parent and pair.label == "key" and self.is_secret(name):
            pair.parent.secret_name, pair.parent.typed = name, True

    def passing(self, token: re.Match[str], kind: int | None) -> Iterator[Leaf]:
        """Inside a value that is passed over."""
        self.depth += (kind == _OPEN) - (kind == _CLOSE)
        if self.depth:
            return
        if self.role:
            yield Leaf(self.role, self.start, token.end(), self.frame)
        frame = self.frame
        if frame.children is not None:
            frame.children.append(
                (frame.key_start, token.end(), frame.place.member(str(frame.key)).way == "drop")
            )

    def close(self, end: int) -> Iterator[Leaf]:
        """The end of the innermost container; what is closed twice is passed by."""
        frame = self.frame
        if frame.parent is None:
            return
        self.frame = frame.parent
        if frame.tag in frame.place.neutral or frame.key in frame.place.tagged:
            yield Leaf("neutral", frame.start, end, frame)
        elif frame.pieces:
            yield from (Leaf("stream", *span, frame) for span in frame.pieces)
        elif holds_pieces(frame):
            self.frame.pieces += frame.listed
        elif frame.value and frame.label:
            yield Leaf("pair", *frame.value, frame)
        elif len(frame.listed) > 1:
            yield Leaf("list", frame.start, end, frame)
        if frame.children:
            yield from (Leaf("drop", *span, frame) for span in _removals(frame.children))
        parent = self.frame
        if parent.children is not None:
            parent.children.append((parent.key_start, end, False))


def _removals(children: list[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """What to cut out so that the members that stay are parted by one comma each."""
    first = next((n for n, child in enumerate(children) if not child[2]), len(children))
    if first == len(children):
        yield children[0][0], children[-1][1]
        return
    if first:
        yield children[0][0], children[first][0]
    for before, child in zip(children[first:], children[first + 1 :], strict=False):
        if child[2]:
            yield before[1], child[1]

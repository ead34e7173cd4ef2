"""Walking JSON text: its strings, names and secret members, each with its place.

Iterative and linear; damaged text is walked as far as it makes sense. A string that never ends goes
to the end of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.schemas.issues import Keys
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.sensitive import is_sensitive_key

__all__ = ["Frame", "Leaf", "leaves", "text_of"]

_TOKEN: Final = re.compile(
    r"\"([^\"\\]*+(?:\\.?[^\"\\]*+)*+)(?:\"([ \t\n\r]*+:)?|\Z)"
    r"|([\[{])|([\]}])|[^\s,\[\]{}\":]++",
    re.DOTALL,
)
_NAME_END, _OPEN, _CLOSE = 2, 3, 4
_ESCAPE: Final = re.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|(\\)")
_decode: Final = json.JSONDecoder(strict=False).raw_decode
_MOST_LISTED: Final = 512
_LONGEST_LABEL: Final = 100
_VALUES: Final = frozenset({"value", "val"})
_NOTED: Final = frozenset({"type", "name", "key", "header", "variable"}) | _VALUES
_STREAMED: Final = frozenset({"delta", "text_delta", "partial_json", "chunk"})
"""Members that are pieces of a longer text, in formats that nobody has described."""

_ROLES: Final = {"text": "text", "keep": "", "blank": "blank", "drop": "", "secret": "secret"}


class Frame:
    """An open object or list. ``key`` leads to the value that is being read in it."""

    __slots__ = (
        "children",
        "is_list",
        "key",
        "key_start",
        "label",
        "listed",
        "parent",
        "place",
        "secret",
        "secret_name",
        "start",
        "tag",
        "value",
    )

    def __init__(self, parent: Frame | None, place: Treatment, start: int, is_list: bool) -> None:
        self.parent = parent
        self.place = place
        self.start = start
        self.is_list = is_list
        self.key: str | int = -1 if is_list else ""
        self.key_start = start
        self.secret = False
        # The secret name that all in here belongs to, if the container was not taken as a whole.
        self.secret_name = parent.own_secret_name() if parent else ""
        if parent is not None and parent.place.named_secret is place:
            self.secret_name = str(parent.key)
        self.tag = ""  # the member ``type``
        self.label = ""  # the member ``name`` of a name and a value
        self.value: tuple[int, int] | None = None  # the text of the member ``value``
        self.listed: list[tuple[int, int]] = []  # the texts of the strings of a list
        self.children: list[tuple[int, int, bool]] | None = [] if place.drops else None

    def own_secret_name(self) -> str:
        """The secret name that the value that is being read belongs to."""
        return str(self.key) if self.secret else self.secret_name

    def place_of_value(self) -> Treatment:
        """The place of the value that is being read."""
        return self.place.elements if self.is_list else self.place.member(str(self.key))

    def keys(self) -> Keys:
        """The way from the root to the value that is being read; of the deepest ones its end."""
        found: list[str | int] = []
        frame: Frame | None = self
        while frame is not None and len(found) <= MAX_DEPTH:
            found.append(frame.key)
            frame = frame.parent
        return tuple(reversed(found[:-1]))


class Leaf(NamedTuple):
    """Something to look at: ``role`` says what ``text[start:end]`` is.

    ``name`` and ``text``: what is between the quotes of a member name or a string. ``secret``: the
    whole value of a member with a secret name. ``blank`` and ``neutral``: a whole value that is
    replaced. ``drop``: a member to be left out, with its comma. ``pair``: the text of ``value`` in
    an object that has a ``name`` too. ``list``: a list with strings, which `Frame.listed` has.
    ``stream``: the text of a piece of a longer text; `Frame.label` says of which.
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
            if kind is not None:
                if frame.is_list or frame.key in _NOTED or frame.place.stream:
                    self.note(frame, token)
                yield Leaf("text", token.start(1), token.end(1), frame)
                if frame.place.stream is None and _is_piece(frame):
                    yield Leaf("stream", token.start(1), token.end(1), frame)
                if inherited:
                    yield Leaf(role, token.start(), token.end(), frame)
        elif role:
            yield Leaf(role, token.start(), token.end(), frame)
        elif kind is not None:
            self.note_kept(frame, token)
        if frame.children is not None:
            frame.children.append((frame.key_start, token.end(), place.way == "drop"))

    def treated(self, frame: Frame) -> tuple[str, Treatment]:
        """What becomes of the value that begins now, and what leads further into it."""
        if frame.is_list:
            frame.key = int(frame.key) + 1
            place = frame.place.elements
        else:
            place = frame.place.member(str(frame.key))
            if frame.place.named_secret is not None and self.is_secret(str(frame.key)):
                place = frame.place.named_secret
        if place.way == "text" and place.names and (frame.secret or frame.secret_name):
            return "secret", place
        return _ROLES[place.way], place

    def note(self, frame: Frame, token: re.Match[str]) -> None:
        """Keep what gets its sense from its neighbours."""
        stream = frame.place.stream
        if frame.is_list:
            if len(frame.listed) < _MOST_LISTED:
                frame.listed.append(token.span(1))
        elif stream and frame.key == stream[0]:
            frame.value = token.span(1)
        elif frame.key == "type":
            frame.tag = token[1]
        elif frame.key in _VALUES:
            frame.value = token.span(1)
        elif len(token[1]) <= _LONGEST_LABEL:
            frame.label = text_of(token[1])

    def note_kept(self, frame: Frame, token: re.Match[str]) -> None:
        """The same of a string that stays: the tag of an object, the name of a stream."""
        if frame.key == "type":
            frame.tag = token[1]
        if frame.place.stream and frame.key == frame.place.stream[1]:
            frame.label = token[1]

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
        if frame.tag in frame.place.neutral:
            yield Leaf("neutral", frame.start, end, frame)
        elif frame.value and frame.place.stream:
            yield Leaf("stream", *frame.value, frame)
        elif frame.value and frame.label:
            yield Leaf("pair", *frame.value, frame)
        elif len(frame.listed) > 1:
            yield Leaf("list", frame.start, end, frame)
        if frame.children:
            yield from (Leaf("drop", *span, frame) for span in _removals(frame.children))
        parent = self.frame
        if parent.children is not None:
            parent.children.append((parent.key_start, end, False))


def _is_piece(frame: Frame) -> bool:
    """Whether a string is a piece of a longer text, as far as names can tell."""
    return frame.key in _STREAMED or (frame.parent is not None and frame.parent.key == "delta")


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

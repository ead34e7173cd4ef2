"""A sketch of the beginning of a text: which JSON it seems to be, and the names of its members.

Nothing is decoded and nothing is refused: a sketch of damaged text is as good as the text. One pass
over the bytes, in linear time, without recursion.
"""

from __future__ import annotations

import re

import msgspec

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:(")|\\?\Z)|[{}\[\]:,]', re.DOTALL)
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_KINDS = {b"{": "object", b"[": "array", b'"': "string"}
_SCALAR = re.compile(rb"(?:-?\d[-+.\deE]*|true|false|null)\s*\Z")
MAX_NAMES = 64
"""Members of one object whose names are kept; the rest is passed by."""


class Sketch(msgspec.Struct):
    """What the beginning of a text looks like.

    ``kind`` is a JSON kind, or "" for anything else; ``members`` are those of the outermost object
    and ``inner`` those of the objects right inside it, by the name of the member that holds them.
    ``ended`` says that the outermost value ended and ``more`` that something followed it;
    ``before`` that something other than blanks stood in front.
    """

    kind: str = ""
    members: list[str] = msgspec.field(default_factory=list)
    inner: dict[str, list[str]] = msgspec.field(default_factory=dict)
    ended: bool = False
    more: bool = False
    before: bool = False


def sketch(head: bytes) -> Sketch:
    """Sketch the beginning of a text; where an object starts late, from there."""
    text = head.lstrip(_BLANK)
    drawn = Sketch()
    start = text.find(b"{")
    if text[:1] not in _KINDS and start >= 0:
        drawn.before = True
        text = text[start:]
    drawn.kind = _KINDS.get(text[:1], "")
    if drawn.kind in {"object", "array"}:
        _draw(text, drawn)
    elif drawn.kind == "string":
        first = _TOKEN.match(text)
        drawn.ended = bool(first and first[1] and not text[first.end() :].strip(_BLANK))
    elif _SCALAR.match(text):
        drawn.kind, drawn.ended = "scalar", True
    return drawn


def _draw(text: bytes, drawn: Sketch) -> None:
    """Follow brackets and note the names in front of colons, one and two levels down."""
    depth = 0
    word = b""
    owner = ""
    objects: list[bool] = []  # of the two outermost levels: is it an object?
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in (b"{", b"["):
            depth += 1
            if depth <= 2:
                objects.append(mark == b"{")
        elif mark in (b"}", b"]"):
            if depth <= 2 and objects:
                objects.pop()
            depth -= 1
            if depth <= 0:
                drawn.ended = True
                drawn.more = bool(text[token.end() :].strip(_BLANK))
                return
        elif mark == b":":
            if depth == 1 and objects[0]:
                owner = _note(drawn.members, word)
            elif depth == 2 and all(objects):
                _note(drawn.inner.setdefault(owner, []), word)
        elif mark != b",":
            word = mark


def _note(names: list[str], word: bytes) -> str:
    name = word[1:-1].decode("utf-8", "replace")
    if len(names) < MAX_NAMES:
        names.append(name)
    return name

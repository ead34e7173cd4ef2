"""The pieces of a line of JSON source, and what may be shown of each.

A line is rarely a whole JSON text: it may begin or end anywhere, and it is looked at because
something is wrong with it. So pieces are told by their look, and what is in doubt is elided.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sesskit.schemas.masking import mask_text, shorten
from sesskit.schemas.sensitive import is_sensitive_key

ELLIPSIS: Final = "…"

_NAME_COLUMNS = 40
_NUMBER_COLUMNS = 24

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<mark>[{}\[\]:,])"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*(?:"|\\?\Z))|(?P<quoted>'(?:[^'\\]|\\.)*(?:'|\\?\Z))"""
    r"""|(?P<note>//.*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)|(?P<word>[^\s{}\[\]:,"']+)""",
    re.DOTALL,
)
_REST_OF_TEXT = re.compile(r'(?:[^"\\]|\\.)*(?:"|\\?\Z)', re.DOTALL)
_NAME_WORDS = re.compile(r"[A-Za-z](?:[A-Za-z_-]*[A-Za-z])?")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LITERALS: Final = frozenset(
    ("true", "false", "null", "True", "False", "None", "NaN", "Infinity", "-Infinity", "undefined")
)
_OPENING, _CLOSING = ("{", "["), ("}", "]")
_DOUBTFUL: Final = frozenset(("quoted", "note", "junk"))


@dataclass(slots=True)
class Piece:
    """Some source text, from ``start`` up to ``end`` of the window, and what is shown for it.

    Kinds: space, mark, name, text (quoted properly), quoted (with apostrophes), number, literal,
    note (a comment), rest (of a text that began before the window), junk, hidden.
    """

    kind: str
    start: int
    end: int
    source: str

    @property
    def shown(self) -> str:
        return _SHOWN.get(self.kind, _elided)(self.source)


def _elided(source: str) -> str:
    return ELLIPSIS


def _text(source: str) -> str:
    if len(source) == 2 and source[0] == source[1]:
        return source
    closing = source[0] if len(source) > 1 and source[-1] == source[0] else ""
    return f"{source[0]}{ELLIPSIS}{closing}"


def _name(source: str) -> str:
    return f"{source[0]}{shorten(mask_text(source[1:-1]), _NAME_COLUMNS)}{source[0]}"


_SHOWN: Final[dict[str, Callable[[str], str]]] = {
    "space": lambda source: " " * len(source),
    "mark": str,
    "literal": str,
    "number": lambda source: shorten(source, _NUMBER_COLUMNS),
    "name": _name,
    "text": _text,
    "quoted": _text,
    "rest": lambda source: ELLIPSIS + '"' if source.endswith('"') else ELLIPSIS,
    "note": lambda source: source[:2] + ELLIPSIS,
}


def pieces_of(window: str, caret: int, *, cut: bool) -> list[Piece]:
    """The pieces of a window, adjacent elided ones as one. ``caret`` is an index of the window.

    Where the line was ``cut`` before the window, it may begin inside a text; then whichever reading
    leaves less nonsense is taken.
    """
    pieces = _scan(window, inside=False)
    if cut and _doubt(pieces):
        other = _scan(window, inside=True)
        pieces = min(pieces, other, key=_doubt)
    _find_names(pieces)
    _hide_sensitive(pieces)
    _hide_nameless(pieces, caret)
    return _merged(pieces)


def _scan(window: str, *, inside: bool) -> list[Piece]:
    pieces = []
    at = 0
    if inside and (found := _REST_OF_TEXT.match(window)):
        at = found.end()
        pieces.append(Piece("rest", 0, at, found[0]))
    while found := _TOKEN.match(window, at):
        kind = _word_kind(found[0]) if found["word"] else found.lastgroup or ""
        pieces.append(Piece(kind, at, found.end(), found[0]))
        at = found.end()
    return pieces


def _word_kind(word: str) -> str:
    if word in _LITERALS:
        return "literal"
    return "number" if _NUMBER.fullmatch(word) else "junk"


def _doubt(pieces: list[Piece]) -> int:
    return sum(len(piece.source) for piece in pieces if piece.kind in _DOUBTFUL)


def _find_names(pieces: list[Piece]) -> None:
    """Texts before a colon are names, except in an array, where a comma was forgotten."""
    dense = [piece for piece in pieces if piece.kind != "space"]
    holders: list[str] = []
    for piece, after in pairwise(dense):
        if piece.source in _OPENING:
            holders.append(piece.source)
        elif piece.source in _CLOSING:
            del holders[-1:]
        elif piece.kind in ("text", "quoted") and after.source == ":" and holders[-1:] != ["["]:
            piece.kind = "name"


def _hide_sensitive(pieces: list[Piece]) -> None:
    """Hide the value after a sensitive name, also where the name or its colon is damaged."""
    due = False
    depth = 0
    for piece in pieces:
        if piece.kind == "space":
            continue
        source = piece.source
        if depth or (due and source not in (":", ",", *_CLOSING)):
            # More may follow where something odd stands around the value: up to the next comma.
            depth += (source in _OPENING) - (source in _CLOSING)
            piece.kind = "hidden"
        elif source != ":":
            due = _is_sensitive(piece)


def _is_sensitive(piece: Piece) -> bool:
    if piece.kind == "junk":
        return any(map(is_sensitive_key, _NAME_WORDS.findall(piece.source)))
    if piece.kind not in ("name", "text", "quoted"):
        return False
    inner = piece.source[1:-1]
    if "\\" not in inner:
        return is_sensitive_key(inner.strip())
    try:
        return is_sensitive_key(json.loads(f'"{inner}"', strict=False))
    except ValueError:
        return True  # nobody can tell


def _hide_nameless(pieces: list[Piece], caret: int) -> None:
    """Hide values before the caret whose name is out of sight, or whose container's name is."""
    depth, lowest, end = 0, 0, 0
    before = [piece for piece in pieces if piece.end <= caret]
    for at, piece in enumerate(before):
        depth += (piece.source in _OPENING) - (piece.source in _CLOSING)
        if depth < lowest:
            lowest, end = depth, at
    dense = [piece for piece in pieces if piece.kind != "space"]
    colon = dense[0] if dense and dense[0].source == ":" else None
    for piece in before[: end or _nameless(before)]:
        if piece.kind != "space" and piece is not colon:
            piece.kind = "hidden"
    for piece in dense[1:2] if colon else ():  # its name is above, wherever the caret is
        if piece.kind != "mark" and not piece.start <= caret < piece.end:
            piece.kind = "hidden"


def _nameless(before: list[Piece]) -> int:
    """The index up to which a line begins with the value of a name that is not in it."""
    dense = [(at, piece) for at, piece in enumerate(before) if piece.kind != "space"]
    if not dense:
        return 0
    first = next((piece.source for _, piece in dense if piece.kind == "mark"), "")
    if dense[0][1].source == ":" or dense[0][1].kind == "number" or first == ",":
        return next((at for at, piece in dense if piece.source == ","), dense[-1][0] + 1)
    return 0


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Runs of pieces of which nothing is shown become one."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        gap = None
        if last and last.kind == "space" and len(merged) > 1:
            gap, last = last, merged[-2]
        if last and last.shown == piece.shown == ELLIPSIS:
            if gap:
                merged.pop()
            last.kind, last.end = "hidden", piece.end
        else:
            merged.append(piece)
    return merged

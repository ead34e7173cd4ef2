"""Edits: replacements at places of a text, brought together and applied.

All text between two edits stays as it is, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from sesskit.artifacts.span import Span
from sesskit.artifacts.views import View

__all__ = ["Edit", "applied", "combined", "lifted"]


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``text``. ``span`` is why; ``pointer`` where, as far as known.

    ``rank`` decides between edits that overlap.
    """

    start: int
    end: int
    text: str
    span: Span
    pointer: str = ""
    rank: tuple[int, ...] = (0,)


def combined(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in order, those that overlap made one with the text of the highest."""
    result: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, -e.end)):
        if result and edit.start < result[-1].end:
            last = result[-1]
            best = edit if edit.rank > last.rank else last
            result[-1] = best._replace(start=last.start, end=max(last.end, edit.end))
        else:
            result.append(edit)
    return result


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits (combined ones) made."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces)


def lifted(edits: Iterable[Edit], view: View, origin: int) -> list[Edit]:
    """Edits of a decoded string as edits of the JSON text in which it begins at ``origin``."""
    found = []
    for edit in edits:
        start, end = view.back(edit.start, edit.end)
        text = json.dumps(edit.text, ensure_ascii=False)[1:-1]
        found.append(edit._replace(start=origin + start, end=origin + end, text=text))
    return found

"""Long texts as indented lines of a screen: folded to its width, and made harmless."""

from __future__ import annotations

from collections.abc import Iterator

from sesskit.schemas.masking import columns, printable

LEAST = 20
"""Columns that a text gets at least, however far it is indented."""


def folded(text: str, width: int, *, indent: int = 0, lines: int | None = None) -> Iterator[str]:
    """The text, line by line, as far as it is to be shown: at most so many ``lines``.

    Where something is left out, one more line says how much.
    """
    room, shown, position = max(width - indent, LEAST), 0, 0
    margin = " " * indent
    while position < len(text) and (
        lines is None or shown < lines or _is_last(text, position, room)
    ):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        size = _fitting(text, position, end, room)
        yield f"{margin}{printable(text[position : position + size])}".rstrip()
        position += size
        position += position == end
        shown += 1
    rest = len(text) - position
    if rest > 0:
        unit = "character" if rest == 1 else "characters"
        yield f"{margin}... {rest:,} more {unit}; --full shows all"


def _is_last(text: str, position: int, room: int) -> bool:
    """Whether the rest is one line, which takes no more room than saying that it was left out."""
    rest = text[position : position + room + 1]
    return len(rest) <= room and "\n" not in rest.rstrip("\n") and columns(printable(rest)) <= room


def _fitting(text: str, start: int, end: int, width: int) -> int:
    """How many characters go into a line: up to the last blank that fits, at least one."""
    size = min(end - start, width)
    while size > 1 and columns(printable(text[start : start + size])) > width:
        size -= 1 + size // 8
    if start + size == end:
        return size
    blank = text.rfind(" ", start + size // 2, start + size)
    return size if blank < 0 else blank + 1 - start

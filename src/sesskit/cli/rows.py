"""Rows of a label and a text, as `inspect` and the commands that write files show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from sesskit.cli.screen import Screen, one_line
from sesskit.schemas.masking import mask_text, shorten

LABEL_WIDTH = 14
"""Where the texts start: behind an indent of two and the labels."""

_LEAST_WIDTH = 20
_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))

Row = tuple[str, str]
"""A label, empty where it is that of the row before, and its text."""


def rows_of(rows: Iterable[Row], screen: Screen) -> Iterator[str]:
    """The lines of some rows; texts too long go on in the next line, escapes are made visible."""
    width = max(screen.width - LABEL_WIDTH, _LEAST_WIDTH)
    for label, text in rows:
        first, *more = wrap(one_line(text), width, break_on_hyphens=False) or [""]
        yield f"  {screen.paint('faint', label.ljust(LABEL_WIDTH - 2))}{first}".rstrip()
        yield from (" " * LABEL_WIDTH + line for line in more)


def size_words(size: int) -> str:
    """``1.2 MB``; whole bytes below a kilobyte."""
    for unit, word in _UNITS:
        if size >= unit:
            return f"{size / unit:.1f} {word}"
    return f"{size} B"


def safe(text: str, width: int) -> str:
    """Text of the data, masked and in at most so many columns."""
    return shorten(mask_text(text[: 8 * width]), width)

"""Bad usage: what was asked for cannot be done as it was asked. One kind line, exit code 2."""

from __future__ import annotations

from collections.abc import Iterable


class BadUsage(Exception):
    """Ends a command with exit code 2; the text is one sentence that says what was meant."""


def refuse_name(option: str, path: str | None) -> None:
    """Raise `BadUsage` for what no file can be called."""
    if path is not None and "\0" in path:
        raise BadUsage(f"{option} cannot be the name of a file: it holds a NUL")


def suggestion(word: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` for a slip of the keyboard, or the empty text."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def one_of(words: Iterable[str]) -> str:
    """``a, b or c``."""
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last

"""Types of events that damage misspelled: one character away from one that programs know."""

from __future__ import annotations

from collections.abc import Iterable

LOST = "\ufffd"
"""What stands for bytes that are no text: no program writes it into a type."""


def meant_by(kind: str, known: Iterable[str]) -> str | None:
    """The one known type that is a character away; None where there is none, or several."""
    near = [name for name in known if _is_near(kind, name)]
    return near[0] if len(near) == 1 else None


def _is_near(one: str, other: str) -> bool:
    """Whether one character was changed, lost or put in."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    short, long = sorted((one, other), key=len)
    at = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return long[at + 1 :] == (short[at + 1 :] if len(short) == len(long) else short[at:])

"""Placeholders: ``[github-token-1]`` stands for a value, the same one for the same value.

A placeholder tells neither length nor beginning nor hash of what it stands for. Those that the
input has already, from an earlier run or forged, keep their numbers to themselves.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PLACEHOLDER", "REDACTED", "Placeholders"]

REDACTED: Final = "[REDACTED]"
PLACEHOLDER: Final = re.compile(
    r"\[(?P<stem>[a-z0-9]+(?:-[a-z0-9]+){0,4})-(?P<number>[0-9]{1,9})\]"
)
"""What a placeholder looks like. Anything of this form counts as one, whoever wrote it."""


class Placeholders:
    """Gives out placeholders in the order in which values are met."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._last: dict[str, int] = {}

    def reserve(self, text: str) -> int:
        """Numbers that ``text`` uses already are not given out; says how many it uses."""
        count = 0
        for found in PLACEHOLDER.finditer(text):
            stem, number = found["stem"], int(found["number"])
            self._last[stem] = max(self._last.get(stem, 0), number)
            count += 1
        return count

    def name(self, stem: str, value: str) -> str:
        """The placeholder of a value; the stem is that with which it was met first."""
        given = self._given.get(value)
        if given is None:
            self._last[stem] = number = self._last.get(stem, 0) + 1
            given = self._given[value] = f"[{stem}-{number}]"
        return given

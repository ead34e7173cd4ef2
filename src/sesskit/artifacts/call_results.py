"""A call read together with its result: what a command prints that prints one secret.

The command stands in one text, what it printed in a later one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span

__all__ = ["Calls"]

_COMMANDS: Final = frozenset({"command", "cmd", "script"})
_RESULTS: Final = frozenset({"content", "output", "text", "result", "stdout", "message"})
_MOST: Final = 8
_LONGEST_COMMAND: Final = 380
_SHORTEST, _LONGEST = 6, 400
_PRINTED: Final = "printed-secret"


class Calls:
    """The commands of which no result was seen yet."""

    def __init__(self) -> None:
        self._commands: list[str] = []
        self._answered = False

    def spans(self, key: str | int, content: str) -> Iterator[Span]:
        """What has to go from a text that is called so because a command before it printed it."""
        if key in _COMMANDS:
            if self._answered:
                self._commands.clear()
                self._answered = False
            if len(content) <= _LONGEST_COMMAND and "\n" not in content:
                self._commands = [*self._commands[1 - _MOST :], content]
            return
        if not self._commands or key not in _RESULTS:
            return
        value = content.strip()
        if "{" not in content[:1]:  # which are arguments, not what was printed
            self._answered = True
        if not _SHORTEST <= len(value) <= _LONGEST or any(map(str.isspace, value)):
            return
        start = content.find(value)
        for command in self._commands:
            head = f"$ {command}\n"
            for span in scan(head + value):
                if span.rule == _PRINTED and span.start >= len(head):
                    by = start - len(head)
                    yield span._replace(start=span.start + by, end=span.end + by)
                    return

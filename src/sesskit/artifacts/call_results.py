"""A call read together with its result: what a command prints that prints one secret.

The command stands in one text, what it printed in a later one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.outputs_in_text import OUTPUTS
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span

__all__ = ["HEARD", "Calls"]

_COMMANDS: Final = frozenset({"command", "cmd", "script"})
_RESULTS: Final = frozenset({"content", "output", "text", "result", "stdout", "message"})
HEARD: Final = _COMMANDS | _RESULTS
"""How texts are called that are looked at here."""

_MOST: Final = 8
_LONGEST_COMMAND: Final = 380
_SHORTEST, _LONGEST = 6, 400
_PRINTED: Final = "printed-secret"


class Calls:
    """The commands of which no result was seen yet."""

    def __init__(self) -> None:
        self._commands: list[str] = []
        self._answered = False

    def spans(self, key: str | int, content: str) -> list[Span]:
        """What has to go from a text that is called so because a command before it printed it."""
        if key in _COMMANDS:
            if self._answered:
                self._commands.clear()
                self._answered = False
            if len(content) <= _LONGEST_COMMAND:
                self._commands = [*self._commands[1 - _MOST :], content]
        elif self._commands:
            self._answered = self._answered or content[:1] != "{"  # which begins arguments
            if len(content) <= _LONGEST:
                return list(self._printed(content))
        return []

    def _printed(self, content: str) -> Iterator[Span]:
        value = content.strip()
        if len(value) < _SHORTEST or any(map(str.isspace, value)):
            return
        for command in self._commands:
            if not any(hint in command for hint in OUTPUTS):
                continue
            head = f"$ {command}\n"
            by = content.find(value) - len(head)
            for span in scan(head + value):
                if span.rule == _PRINTED and span.start >= len(head):
                    yield span._replace(start=span.start + by, end=span.end + by)
                    return

"""What events call things by, and when it was first named: ids say which events belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_IDS = frozenset(
    [
        "id",
        "agentId",
        "callId",
        "childId",
        "commandId",
        "compactionId",
        "deliveryId",
        "goalId",
        "messageId",
        "parentCallId",
        "requestId",
        "retryId",
        "rootCallId",
        "runId",
        "sourceCommandId",
        "subCallId",
        "toolCallId",
    ]
)
MOST_NAMES = 100_000
"""Ids of one writer that are remembered."""

_MOST = 64
_LOOKED_AT = 400


def ids_of(data: Json) -> set[str]:
    """The ids that an event names, as far as a short look finds them."""
    found: set[str] = set()
    held: list[Any] = [data]
    for _ in range(_LOOKED_AT):
        if not held or len(found) >= _MOST:
            break
        value = held.pop()
        if isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, str):
                    if name in _IDS and inner:
                        found.add(inner)
                elif isinstance(inner, dict | list) and inner:
                    held.append(inner)
        else:
            held += [inner for inner in value[:_MOST] if isinstance(inner, dict | list)]
    return found


def content_of(data: Json) -> Any:
    """The content of the message that an event holds or is."""
    message = data.get("message", data)
    return message.get("content") if isinstance(message, dict) else None


def named(values: Any, member: str) -> Iterator[str]:
    """The texts that a member of each value holds."""
    for value in values if isinstance(values, list) else ():
        text = value.get(member) if isinstance(value, dict) else None
        if isinstance(text, str):
            yield text


class Seen:
    """When a writer first named something, and whether everything is remembered.

    Copies share what was settled, so that they are cheap.
    """

    __slots__ = ("_fresh", "_settled", "full")

    def __init__(self) -> None:
        self._settled: dict[Any, int] = {}
        self._fresh: dict[Any, int] = {}
        self.full = False

    def __contains__(self, name: Any) -> bool:
        return name in self._fresh or name in self._settled

    def add(self, name: Any, seq: int) -> None:
        """Remember when it was first named."""
        if name not in self._settled and name not in self._fresh and not self.full:
            self._fresh[name] = seq
            self.full = len(self._settled) + len(self._fresh) >= MOST_NAMES

    def copy(self) -> Seen:
        """One that goes its own way."""
        made = Seen()
        made._settled, made._fresh, made.full = self._settled, dict(self._fresh), self.full
        return made

    def settle(self) -> None:
        """No copy needs what was there before any more."""
        self._settled |= self._fresh
        self._fresh = {}

    def before(self, seq: int) -> Seen:
        """What was named before an event."""
        made = Seen()
        every = (*self._settled.items(), *self._fresh.items())
        made._settled = {name: first for name, first in every if first < seq}
        made.full = self.full
        return made

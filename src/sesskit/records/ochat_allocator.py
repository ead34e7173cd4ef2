"""ochat: the allocator of history ids, and items that get their ids from it.

An allocator belongs to a session: its namespace is the session's id, its next number the
session's high-water mark, which nothing lowers.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from sesskit.schemas.binprot import INT_HIGH
from sesskit.schemas.ochat_ids import HistoryId
from sesskit.schemas.ochat_items import Item
from sesskit.schemas.ochat_sessions import Entry, SessionV5

AllocatorFault = Literal["empty-session-id", "negative-high-water", "negative-count", "exhausted"]

_MESSAGES: dict[AllocatorFault, str] = {
    "empty-session-id": "a session without an id cannot give ids to its history",
    "negative-high-water": "the next history number is below zero",
    "negative-count": "a negative number of ids was asked for",
    "exhausted": "the numbers of this session are used up",
}


class AllocatorError(ValueError):
    """Ids that cannot be given out; ``reason`` says why."""

    def __init__(self, reason: AllocatorFault) -> None:
        super().__init__(_MESSAGES[reason])
        self.reason = reason


class Allocator:
    """Gives out ids, each once, to any number of threads.

    Two allocators made from one session know nothing of each other and give out the same ids.
    Raises `AllocatorError` for an empty namespace or a negative number.
    """

    def __init__(self, namespace: str | bytes, next_sequence: int) -> None:
        if not namespace:
            raise AllocatorError("empty-session-id")
        if next_sequence < 0:
            raise AllocatorError("negative-high-water")
        self.namespace = namespace
        self._next = next_sequence
        self._lock = threading.Lock()

    @property
    def next_sequence(self) -> int:
        """The number that the next id gets: the high-water mark."""
        return self._next

    def reserve(self, count: int) -> list[HistoryId]:
        """So many ids in a row. Raises `AllocatorError`, and then gives out none."""
        with self._lock:
            first = self._next
            if count < 0:
                raise AllocatorError("negative-count")
            if count > INT_HIGH - first:
                raise AllocatorError("exhausted")
            self._next = first + count
        return [HistoryId(self.namespace, first + number) for number in range(count)]


def allocator_of(session: SessionV5) -> Allocator:
    """The allocator of a session. Raises `AllocatorError` where the session breaks its rules."""
    return Allocator(session.id, session.next_history_sequence)


def with_items(session: SessionV5, items: Sequence[Item]) -> SessionV5:
    """The session with items at the end of its history, each under a new id."""
    allocator = allocator_of(session)
    new = [
        Entry(identity.text(), item)
        for identity, item in zip(allocator.reserve(len(items)), items, strict=True)
    ]
    return replace(
        session,
        history=[*session.history, *new],
        next_history_sequence=allocator.next_sequence,
    )

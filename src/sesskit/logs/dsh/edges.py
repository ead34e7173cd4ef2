"""A step from one format version to the next, and what it refuses.

A step is fed the events of a sound log in order and gives those of the next version; it is pure
and is never edited once released. Checks before and after are those of the released program, so
that what goes through here goes through there, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from sesskit.schemas.issues import Issue

Json = dict[str, Any]


class Refused(Exception):
    """A step does not take the log; ``issue`` says where and why, its ``seq`` which event."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(issue.message)
        self.issue = issue


class Step(Protocol):
    """One step for one log."""

    def feed(self, event: Json) -> Iterator[Json]:
        """The events that are settled once ``event`` was seen; raises `Refused`."""
        ...

    def finish(self) -> Iterator[Json]:
        """The events that were held back until the end; raises `Refused`."""
        ...

    @property
    def inherited(self) -> int:
        """How many of the events that came out were copied from a parent; known at the end."""
        ...


MakeStep = Callable[[Json, int], Step]
"""From the header before the step, and the number of events that came from a seed."""


def refuse(code: str, message: str, event: Json | None = None, *keys: str | int) -> Refused:
    """A refusal of an event, to be raised."""
    seq = event.get("seq") if event is not None else None
    return Refused(Issue(code, message, keys=keys, seq=seq if isinstance(seq, int) else None))

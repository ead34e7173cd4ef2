"""Showing things at the pace at which they happened, with idle time cut short."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from sesskit.logs.robota_moments import Moment


class Timed(Protocol):
    @property
    def moment(self) -> Moment: ...


Thing = TypeVar("Thing", bound=Timed)


def paced(
    things: Iterable[Thing],
    speed: float | None,
    idle: float,
    sleep: Callable[[float], None] | None = None,
) -> Iterator[Thing]:
    """The things, each after the time that lay between it and the one before, ``speed`` times as
    fast and at most ``idle`` seconds. Without a speed at once; times that go back do not wait."""
    before: int | None = None
    for thing in things:
        at = thing.moment.time
        if speed is not None and at is not None:
            if before is not None and at.ms > before:
                wait = min((at.ms - before) / 1000 / speed, idle)
                (time.sleep if sleep is None else sleep)(wait)
            before = at.ms
        yield thing

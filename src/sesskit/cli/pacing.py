"""Showing things at the pace at which they happened, with idle time cut short."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from sesskit.schemas.instants import Instant


class Timely(Protocol):
    @property
    def time(self) -> Instant | None: ...


class Timed(Protocol):
    @property
    def moment(self) -> Timely: ...


Thing = TypeVar("Thing", bound=Timed)


class Clock:
    """Waits before each thing as long as it lay behind the one before, ``speed`` times as fast and
    at most ``idle`` seconds. Without a speed it never waits; times that go back do not."""

    def __init__(
        self, speed: float | None, idle: float, sleep: Callable[[float], None] | None = None
    ) -> None:
        self._speed = speed
        self._idle = idle
        self._sleep = sleep
        self._before: int | None = None

    def wait(self, at: Instant | None) -> None:
        """Wait for what happened ``at`` that time; not for what says none."""
        if self._speed is None or at is None:
            return
        if self._before is not None and at.ms > self._before:
            wait = min((at.ms - self._before) / 1000 / self._speed, self._idle)
            (time.sleep if self._sleep is None else self._sleep)(wait)
        self._before = at.ms


def paced(
    things: Iterable[Thing],
    speed: float | None,
    idle: float,
    sleep: Callable[[float], None] | None = None,
) -> Iterator[Thing]:
    """The things, each after the time that lay between it and the one before, ``speed`` times as
    fast and at most ``idle`` seconds. Without a speed at once; times that go back do not wait."""
    clock = Clock(speed, idle, sleep)
    for thing in things:
        clock.wait(thing.moment.time)
        yield thing

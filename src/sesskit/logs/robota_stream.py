"""A log in two readings: checked as a whole, then handed out line by line.

For what shows or converts logs of any length in flat memory and still hands out nothing of a log
that is not whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from sesskit.logs.line_blocks import BoundedLines
from sesskit.logs.log_sources import LogPlace, open_place, payloads_of
from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogLine,
    LogReading,
    SidecarOptions,
    open_payloads,
)
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Decoded, Outcome, Valid


class LogChanged(Exception):
    """The log is not the one that was checked any more. What was handed out before was whole."""


class CheckedLog:
    """A log that is valid. Each call of `lines` reads it again, up to where it was checked."""

    def __init__(self, place: LogPlace, outcome: Valid, size: int, options: Options) -> None:
        self.place = place
        self.outcome = outcome
        self._size = size
        self._options = options

    def lines(self, sidecars: SidecarOptions = DEFAULT_SIDECARS) -> Iterator[LogLine]:
        """Its lines, all with their events; lines appended since are left out.

        Raises `LogChanged` where it was rewritten, OSError where it cannot be read any more.
        """
        with open_place(self.place) as stream, payloads_of(self.place) as payloads:
            if stream.seek(0, os.SEEK_END) < self._size:
                raise LogChanged("the log is shorter than it was")
            stream.seek(0)
            bounded = BoundedLines(stream, self._size)
            for line in LogReading(bounded, payloads, options=self._options, sidecars=sidecars):
                if line.event is None:
                    raise LogChanged(f"line {line.number} was sound before")
                yield line


def checked_log(
    place: LogPlace,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> CheckedLog | Outcome:
    """The log of a place once it is known to be whole, or why there is nothing to hand out.

    Sidecars are looked at: a log with references that are not resolved has no events.
    """
    size = 0

    def read(reading: LogReading) -> Decoded:
        nonlocal size
        reading.check()
        size = reading.end
        return reading.outcome()

    sidecars = replace(sidecars, look=True)
    outcome = open_payloads(place, options, sidecars, read)
    return CheckedLog(place, outcome, size, options) if isinstance(outcome, Valid) else outcome

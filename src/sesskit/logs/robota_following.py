"""Following a Robota log that is still being written: what is there first, then what comes.

What is there is checked as a whole before any of it is handed out, as for every replay. A line
that comes later is handed out once it is whole and sound; sidecars may come after their line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sesskit.logs.growing_lines import GrowingLines
from sesskit.logs.log_sources import open_log
from sesskit.logs.robota_log import LogLine, LogReading
from sesskit.logs.robota_stream import LogChanged
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import PayloadFault
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported

__all__ = ["FollowedLog", "LineBroken", "LogChanged"]

PATIENCE_SECONDS = 10.0
"""How long sidecars that are not there, or not whole, are waited for, in all until lines come."""

SOONEST, LATEST = 0.05, 0.5
"""Seconds between two looks at the log: few when lines come, more when they do not."""

Wait = Callable[[float], None]
"""Lets so many seconds pass. What it raises ends the following."""


class LineBroken(Exception):
    """A line that came is not sound. ``outcome`` is that of the log up to it."""

    def __init__(self, outcome: Corrupt | Unsupported, number: int) -> None:
        super().__init__(f"line {number} is not sound")
        self.outcome, self.number = outcome, number


class FollowedLog:
    """A log that grows, as a context manager. Raises OSError where it cannot be opened."""

    def __init__(
        self,
        path: Path,
        options: Options,
        wait: Wait = time.sleep,
        *,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._path, self._options, self._wait = path, options, wait
        self._payloads = PatientPayloads(PayloadDirectory(path.parent), wait, patience)

    def __enter__(self) -> FollowedLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._payloads.close()

    def check(self) -> Decoded:
        """The outcome of the lines that are whole by now, a last one without its end left out."""
        with open_log(self._path) as file:
            lines = GrowingLines(file, self._path)
            lines.grow()
            reading = LogReading(lines, self._payloads, options=self._options)
            reading.check()
            return reading.outcome()

    def lines(self, *, broken: bool = False) -> Iterator[LogLine]:
        """Every line from the first on, for as long as they come.

        Raises `LineBroken` at one that is not sound unless ``broken`` ones are wanted, `LogChanged`
        where the log is not what it was, OSError where it cannot be read any more; and what
        waiting raises.
        """
        with open_log(self._path) as file:
            lines = GrowingLines(file, self._path)
            reading = LogReading(lines, self._payloads, options=self._options)
            pause = SOONEST
            while True:
                if lines.grow():
                    pause = SOONEST
                    self._payloads.renew()
                    yield from reading if broken else _sound(reading)
                else:
                    self._wait(pause)
                    pause = min(pause * 1.5, LATEST)


def _sound(reading: LogReading) -> Iterator[LogLine]:
    for line in reading:
        if line.event is None:
            outcome = reading.outcome()
            if isinstance(outcome, Corrupt | Unsupported):
                raise LineBroken(outcome, line.number)
        yield line


class PatientPayloads:
    """A `PayloadSource` that waits a while for a sidecar that is not there yet, or not whole.

    It is not whole where its digest is another than the one it is called by.
    """

    def __init__(self, directory: PayloadDirectory, wait: Wait, patience: float) -> None:
        self._directory, self._wait, self._patience = directory, wait, patience
        self._left = patience

    def renew(self) -> None:
        """Be patient anew."""
        self._left = self._patience

    def close(self) -> None:
        """Let go of the directory."""
        self._directory.close()

    def read(self, relative_path: str, budget: int) -> PayloadBytes | PayloadFault:
        """The sidecar as it is once it is there and whole, or when patience ends."""
        while True:
            answer = self._directory.read(relative_path, budget)
            if _is_final(answer, relative_path) or self._left <= 0:
                return answer
            self._wait(SOONEST)
            self._left -= SOONEST


def _is_final(answer: PayloadBytes | PayloadFault, path: str) -> bool:
    if isinstance(answer, PayloadFault):
        return answer.code not in ("PAYLOAD_NOT_FOUND", "PAYLOAD_UNREADABLE")
    named = Path(path).stem.lower()
    return len(named) != len(answer.sha256) or named == answer.sha256

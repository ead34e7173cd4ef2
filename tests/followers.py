"""The real program following a log, for the tests of what is shown while it grows."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import sesskit as package

SOURCE = Path(package.__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
LONG = 30.0


class Follower:
    """The real program following a log, and what it has shown so far."""

    def __init__(self, log: Path, *options: str, verb: str = "replay") -> None:
        command = [sys.executable, "-m", "sesskit", verb, "--follow", *options, str(log)]
        self.process = subprocess.Popen(
            command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.shown = b""

    def until(self, text: str) -> str:
        """What was shown once it holds the text."""
        out = self.process.stdout
        assert out is not None
        end = time.monotonic() + LONG
        while text.encode() not in self.shown:
            assert time.monotonic() < end, self.shown
            if select.select([out], [], [], 0.1)[0]:
                piece = os.read(out.fileno(), 1 << 16)
                assert piece, (self.shown, self.process.communicate())
                self.shown += piece
        return self.shown.decode()

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=LONG)
        return self.process.returncode, (self.shown + out).decode(), err.decode()


def following() -> Iterator[Callable[..., Follower]]:
    """What starts one; all of them end with the test."""
    started: list[Follower] = []

    def follows(log: Path, *options: str, verb: str = "replay") -> Follower:
        started.append(Follower(log, *options, verb=verb))
        return started[-1]

    yield follows
    for follower in started:
        follower.process.kill()
        follower.process.communicate()

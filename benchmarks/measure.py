"""Ratios between two commands, or two calls, measured in turn within one run.

Machines are noisy and differ; a ratio of medians of pairs measured side by side holds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    seconds: float
    peak: int
    """The largest resident size of the process, in bytes."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What ours takes for each second (byte) of theirs; below 1 is less."""

    time: float
    ours: Run
    theirs: Run


LAUNCHER = """
import os, sys, time
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    (os.POSIX_SPAWN_DUP2, 1, 2),
])
usage = os.wait4(pid, 0)[2]
seconds = time.perf_counter() - start
os.write(1, f"{seconds} {usage.ru_maxrss * 1024}".encode())
"""
"""Starts the command from a small process: no peak is below that of where it came from."""


def whole_process(command: Sequence[str]) -> Run:
    """One run of a command, its output thrown away; exit codes do not matter."""
    launcher = [sys.executable, "-S", "-c", LAUNCHER, *command]
    answer = subprocess.run(launcher, stdout=subprocess.PIPE, check=True).stdout
    seconds, peak = answer.split()
    return Run(float(seconds), int(peak))


def call(function: Callable[[], Any]) -> Run:
    start = time.perf_counter()
    function()
    return Run(time.perf_counter() - start, 0)


def pairs(one: Callable[[], Run], other: Callable[[], Run], count: int = 7) -> Ratio:
    """Measures both in turn, ``count`` times after a warm-up, and compares medians."""
    one(), other()
    ours, theirs = [], []
    for _ in range(count):
        ours.append(one())
        theirs.append(other())
    ratio = statistics.median(a.seconds / b.seconds for a, b in zip(ours, theirs, strict=True))
    return Ratio(ratio, _median(ours), _median(theirs))


def commands(ours: Sequence[str], theirs: Sequence[str], count: int = 7) -> Ratio:
    return pairs(lambda: whole_process(ours), lambda: whole_process(theirs), count)


def calls(ours: Callable[[], Any], theirs: Callable[[], Any], count: int = 7) -> Ratio:
    return pairs(lambda: call(ours), lambda: call(theirs), count)


def _median(runs: list[Run]) -> Run:
    return Run(
        statistics.median(run.seconds for run in runs), int(statistics.median(r.peak for r in runs))
    )

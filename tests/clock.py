"""How long something takes, for tests that time is linear: processor time, the best of a few."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], tries: int = 3) -> float:
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best

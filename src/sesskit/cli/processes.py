"""The same work over several processes: order kept, and no file takes another one with it.

Workers are forked (where the system can) before any thread is started. A worker that the system
ends takes its batch along; the files of that batch are then examined alone, each in a process of
its own, and the one that ends its process again is answered as unreadable.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext

from sesskit.cli.looking import Reading, look, survived
from sesskit.logs.formats import STDIN, Finding
from sesskit.logs.walking import Source
from sesskit.schemas.outcomes import Unreadable

BATCH = 32
"""Most files that a worker is given at once; of fewer files it gets fewer, so that all share."""

ENDED = "the process that read it was ended by the system; there may be too little memory"


def spread(
    every: Sequence[Source], reading: Reading, processes: int, step: Callable[[int], None]
) -> Iterator[Finding]:
    """The findings of all sources, in their order; ``step`` is told how many more are done."""
    typed = [i for i, source in enumerate(every) if source.path == STDIN]
    answers = {i: survived(look, every[i], reading) for i in typed}
    others = [i for i in range(len(every)) if i not in answers]
    processes = min(processes, len(others)) or 1
    size = max(1, min(BATCH, len(others) // (processes * 4)))
    batches = [others[i : i + size] for i in range(0, len(others), size)]
    left = []
    with _pool(processes) as pool:
        futures = [pool.submit(_work, [every[i] for i in batch], reading) for batch in batches]
        for batch, future in zip(batches, futures, strict=True):
            try:
                answers.update(zip(batch, future.result(), strict=True))
                step(len(batch))
            except (BrokenProcessPool, MemoryError, SystemError):
                left.append(batch)
    for batch in left:
        answers.update(zip(batch, _careful([every[i] for i in batch], reading), strict=True))
        step(len(batch))
    yield from (answers[i] for i in range(len(every)))


def _careful(batch: list[Source], reading: Reading) -> list[Finding]:
    """A batch in a process of its own; if that is ended too, each of its files in one."""
    try:
        with _pool(1) as pool:
            return pool.submit(_work, batch, reading).result()
    except (BrokenProcessPool, MemoryError, SystemError):
        if len(batch) == 1:
            return [Finding(batch[0].path, Unreadable(ENDED))]
        return [finding for source in batch for finding in _careful([source], reading)]


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Workers that go when their owner is interrupted, whatever they are at."""
    pool = ProcessPoolExecutor(processes, mp_context=_context(), initializer=_begin)
    try:
        yield pool
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _context() -> BaseContext:
    """Forking shares what is imported; elsewhere than on Linux it is not safe."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _begin() -> None:
    # Interrupted at the keyboard, a worker ends without a word: its owner says what there is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _work(batch: list[Source], reading: Reading) -> list[Finding]:
    return [survived(look, source, reading) for source in batch]

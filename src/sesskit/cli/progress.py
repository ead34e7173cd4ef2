"""Progress on standard error: only on a terminal, and only once the work has become long."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE = 1.0
"""Seconds of silence before a bar appears."""

_EVERY = 0.1


class Progress:
    """Counts steps; shows a bar with the time left if there are many and it takes long.

    The bar is drawn from the steps themselves, without a thread: processes may still be forked.
    """

    def __init__(self, total: int, what: str, *, quiet: bool = False) -> None:
        self._total, self._what = total, what
        self._done = 0
        self._shown: tuple[Bar, TaskID] | None = None
        self._next = time.monotonic() + PATIENCE
        self._wanted = total > 1 and not quiet and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown is not None:
            self._shown[0].stop()

    def step(self, count: int) -> None:
        """So many more are done."""
        self._done += count
        now = time.monotonic() if self._wanted else 0.0
        if not self._wanted or now < self._next:
            return
        self._next = now + _EVERY
        bar, task = self._shown = self._shown or self._begun()
        bar.update(task, completed=self._done)
        bar.refresh()

    def _begun(self) -> tuple[Bar, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        bar.start()
        return bar, bar.add_task(self._what, total=self._total)

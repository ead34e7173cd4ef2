"""A session together with what must end before it does, ended once and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from sesskit.logs.dsh.session import Session

Stop = Callable[[], Awaitable[object]]


class SessionHandle:
    """Who owns a session: `dispose` ends it, and every caller waits for the same end."""

    def __init__(
        self,
        session: Session,
        flush: Callable[[Session], Awaitable[object]],
        detach: Callable[[], None],
        *,
        stop: Stop | None = None,
        close: Stop | None = None,
    ) -> None:
        self.session = session
        self._flush = flush
        self._detach = detach
        self._stop = stop
        self._close = close
        self._ending: asyncio.Task[None] | None = None

    async def dispose(self) -> None:
        """Stop the work, flush, close, take the session out of the store; once.

        Concurrent and later callers wait for the same teardown and see the same failure. A caller
        that is cancelled stops waiting; the teardown goes on. A step that fails, or is cancelled,
        does not keep the later ones from running; the first failure is raised when all are done.
        That ``stop`` ends in the cancellation of the work it stopped is no failure.
        """
        if self._ending is not None and asyncio.current_task() is self._ending:
            return  # asked for by the teardown itself, which cannot wait for its own end
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._teardown())
        await asyncio.shield(self._ending)

    async def _teardown(self) -> None:
        failures: list[BaseException] = []
        try:
            for step in (self._stop, self._last_flush, self._close):
                try:
                    if step is not None:
                        await step()
                except asyncio.CancelledError as error:
                    if step is not self._stop or _is_cancelled():
                        failures.append(error)
                except Exception as error:  # noqa: BLE001 - raised when the end is reached
                    failures.append(error)
        finally:
            self._detach()
        if failures:
            raise failures[0]

    async def _last_flush(self) -> None:
        await self._flush(self.session)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.dispose()


def _is_cancelled() -> bool:
    """Whether the task that runs was itself cancelled, and not something that it waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

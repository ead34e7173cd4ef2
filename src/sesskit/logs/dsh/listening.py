"""Who hears of live sessions, and what becomes of a listener that fails."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sesskit.logs.dsh.session import Event, Session

Listener = Callable[[Session], object]
EventListener = Callable[[Session, Event], object]
FlushListener = Callable[[Session], Awaitable[object] | object]
Detach = Callable[[], None]

_Any = TypeVar("_Any")
_log = logging.getLogger(__name__)


def added(listeners: list[_Any], listener: _Any) -> Detach:
    """Add a listener; gives the function that takes it away, once."""
    listeners.append(listener)
    gone = False

    def remove() -> None:
        nonlocal gone
        if not gone:
            gone = True
            listeners.remove(listener)

    return remove


async def awaited(listener: FlushListener, session: Session) -> None:
    """Ask a listener, and wait for it if it wants time."""
    answer = listener(session)
    if inspect.isawaitable(answer):
        await answer


def report(error: BaseException) -> None:
    """The kind of failure only: its text may hold anything."""
    _log.error("a session listener failed: %s", type(error).__name__)

"""A session store whose sessions are kept on the disk.

Events are written when the store is flushed, and a session's last events when its handle is
disposed. Writing happens in a thread, so the event loop never waits for a disk.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.decode import Log
from sesskit.logs.dsh.session import Session
from sesskit.logs.dsh.store import SessionStore

Detach = Callable[[], None]
NOT_META = ("type", "version")
_Any = TypeVar("_Any")


def persist(store: SessionStore, backend: Persistence) -> Detach:
    """Keep the sessions of a store in a backend, from now on; gives the function that stops it.

    A session that is announced is a new log, or goes on with the one that `resume` opened. What a
    flush cannot write makes the flush fail; its events are written by the next one. Who is
    cancelled while it waits for a flush only stops waiting: what is being written is written.
    """
    kept: set[Session] = set()

    def created(session: Session) -> None:
        if not backend.take_over(session.id):
            backend.create(session.header)
            backend.take_over(session.id)
        kept.add(session)

    async def flush(session: Session) -> None:
        if session in kept:
            await to_the_end(backend.keep, session.id, session.events)

    def disposed(session: Session) -> None:
        if session in kept:
            kept.remove(session)
            backend.release(session.id)

    removals = (
        store.on_created(created),
        store.on_flush(flush),
        store.on_disposed(disposed),
    )

    def stop() -> None:
        for remove in removals:
            remove()

    return stop


async def to_the_end(work: Callable[..., _Any], *arguments: Any) -> _Any:
    """What ``work`` gives, done in a thread. Who is cancelled stops waiting; the work goes on."""
    return await asyncio.shield(asyncio.to_thread(work, *arguments))


async def resume(store: SessionStore, backend: Persistence, session_id: str) -> Session:
    """A live session that goes on with a stored log, repaired on the disk if it broke off.

    Its log ends in `session/end-seed`, which the next flush stores. Raises what
    `Persistence.load` and `SessionStore.create` raise; then, or when it is cancelled, the log is
    free again.
    """
    loading = _Loading(backend, session_id)
    try:
        log = await to_the_end(loading.load)
        meta = {name: value for name, value in log.header.items() if name not in NOT_META}
        return store.create(session_id, seed=log.all_events, meta=meta)
    except BaseException:
        loading.give_up()
        raise


class _Loading:
    """A log that a thread opens; whoever wanted it may have gone when it is open."""

    def __init__(self, backend: Persistence, session_id: str) -> None:
        self._backend = backend
        self._id = session_id
        self._guard = threading.Lock()
        self._open = self._unwanted = False

    def load(self) -> Log:
        log = self._backend.load(self._id)
        with self._guard:
            self._open = True
            if self._unwanted:
                self._backend.release(self._id)
        return log

    def give_up(self) -> None:
        """Let the log go: now, or as soon as it is open."""
        with self._guard:
            if self._open:
                self._backend.release(self._id)
            self._unwanted = True

"""A session store whose sessions are kept on the disk.

Events are written when the store is flushed, and a session's last events when its handle is
disposed. Writing happens in a thread, so the event loop never waits for a disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.session import Session
from sesskit.logs.dsh.store import SessionStore

Detach = Callable[[], None]


@dataclass(slots=True, eq=False)
class _Written:
    """How far one session is on the disk."""

    count: int
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


def persist(store: SessionStore, backend: Persistence) -> Detach:
    """Keep the sessions of a store in a backend, from now on; gives the function that stops it.

    A session that is announced is a new log, or goes on with the one that `resume` opened. What a
    flush cannot write makes the flush fail; its events are written by the next one.
    """
    written: dict[Session, _Written] = {}

    def created(session: Session) -> None:
        opened = backend.stored_events(session.id)
        if opened is None:
            backend.create(session.header)
        written[session] = _Written(opened or 0)

    async def flush(session: Session) -> None:
        state = written.get(session)
        if state is None:
            return
        async with state.lock:
            batch = session.events[state.count :]
            await asyncio.to_thread(backend.append, session.id, batch)
            state.count += len(batch)

    def disposed(session: Session) -> None:
        written.pop(session, None)
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


async def resume(store: SessionStore, backend: Persistence, session_id: str) -> Session:
    """A live session that goes on with a stored log, repaired on the disk if it broke off.

    Its log ends in `session/end-seed`, which the next flush stores. Raises what
    `Persistence.load` and `SessionStore.create` raise; then the log is free again.
    """
    log = await asyncio.to_thread(backend.load, session_id)
    meta = {name: value for name, value in log.header.items() if name not in ("type", "version")}
    try:
        return store.create(session_id, seed=log.all_events, meta=meta)
    except BaseException:
        backend.release(session_id)
        raise

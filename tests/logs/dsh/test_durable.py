"""Sessions that are on the disk: flushing, resuming, failing, disposing."""

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

from sesskit.logs.dsh import backend as backend_module
from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.durable import persist, resume
from sesskit.logs.dsh.errors import SessionError, SessionPersistenceError
from sesskit.logs.dsh.session import END_SEED, Session
from sesskit.logs.dsh.store import SessionStore
from sesskit.schemas.outcomes import Valid

END = {"turn": 1, "reason": {"kind": "completed"}}
USER = {"id": "u", "role": "user", "content": [], "source": {"kind": "user"}}


def stored(backend: Persistence, session: Session) -> list[str]:
    path = backend.path(session.header)
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    return [event["type"] for event in answer.value.events]


def test_a_flush_writes_what_came_since_the_last(tmp_path: Path) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        stop = persist(store, backend)
        session = store.create("s", meta={"cwd": "/w"})
        session.append("turn/start", {"turn": 1})
        assert await store.flush(session)
        session.append("turn/end", END)
        await asyncio.gather(*(store.flush(session) for _ in range(5)))
        assert stored(backend, session) == ["turn/start", "turn/end"]
        fork = store.fork(session, child_id="f")
        await store.flush(fork)
        assert stored(backend, fork) == ["turn/start", "turn/end", END_SEED]
        store.close()
        stop()

    asyncio.run(run())


def test_resuming_closes_the_turn_and_marks_the_lifetime(tmp_path: Path) -> None:
    async def first() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        async with store.own("s", meta={"cwd": "/w", "createdAt": 5}) as handle:
            handle.session.append("turn/start", {"turn": 1})
            handle.session.append("user/message", USER, surface_op="append")

    async def second() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        session = await resume(store, backend, "s")
        assert [e.type for e in session.events[2:]] == ["turn/end", END_SEED]
        assert session.header.created_at == 5
        assert session.derive_messages() == [USER]
        session.append("turn/start", {"turn": 2})
        await store.flush(session)
        kinds = ["turn/start", "user/message", "turn/end", END_SEED, "turn/start"]
        assert stored(backend, session) == kinds
        with pytest.raises(SessionPersistenceError, match="being written"):
            await resume(store, backend, "s")
        store.close()

    asyncio.run(first())
    asyncio.run(second())


def test_a_failed_flush_keeps_the_events_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        session = store.create("s")
        session.append("turn/start", {"turn": 1})

        def full(path: Path, blocks: Any) -> int:
            raise OSError(errno.ENOSPC, "disk full")

        with monkeypatch.context() as patch:
            patch.setattr(backend_module, "publish", full)
            with pytest.raises(SessionPersistenceError, match="disk full"):
                await store.flush(session)
        await store.flush(session)
        assert stored(backend, session) == ["turn/start"]
        store.close()

    asyncio.run(run())


def test_a_resume_that_fails_leaves_the_log_free(tmp_path: Path) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        stop = persist(store, backend)
        session = store.create("s")
        session.append("turn/start", {"turn": 1})
        await store.flush(session)
        store.close()
        stop()
        other = SessionStore()
        other.create("s")
        with pytest.raises(SessionError, match="live session"):
            await resume(other, backend, "s")
        assert backend.stored_events("s") is None, "not open any more"
        assert (await resume(SessionStore(), backend, "s")).id == "s"

    asyncio.run(run())


def test_sessions_from_before_are_not_written(tmp_path: Path) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        session = store.create("early")
        persist(store, backend)
        session.append("turn/start", {"turn": 1})
        assert await store.flush(session)
        assert list(tmp_path.rglob("session*")) == []
        store.close()

    asyncio.run(run())

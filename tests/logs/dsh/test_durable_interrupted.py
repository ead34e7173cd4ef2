"""Durable sessions whose writers are slow, cancelled, closed early, or not alone."""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.logs.dsh import backend as backend_module
from sesskit.logs.dsh import writing
from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.durable import persist, resume
from sesskit.logs.dsh.errors import SessionPersistenceError
from sesskit.logs.dsh.session import Session
from sesskit.logs.dsh.store import SessionStore
from sesskit.records.files import LockTimeout
from sesskit.schemas.outcomes import Valid

END = {"turn": 1, "reason": {"kind": "completed"}}


class Disk:
    """A disk that keeps writes waiting, before they change anything, until it is let go."""

    def __init__(self) -> None:
        self.may, self.asked = threading.Event(), threading.Event()

    def go(self) -> None:
        self.may.set()

    async def begun(self) -> None:
        while not self.asked.is_set():
            await asyncio.sleep(0)


@contextlib.contextmanager
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()

    def held(real: Callable[..., int]) -> Callable[..., int]:
        def wait(*arguments: Any, **named: Any) -> int:
            disk.asked.set()
            assert disk.may.wait(20)
            return real(*arguments, **named)

        return wait

    with monkeypatch.context() as patch:
        patch.setattr(backend_module, "publish", held(writing.publish))
        patch.setattr(backend_module, "append", held(writing.append))
        yield disk
        disk.go()


def stored(root: Path) -> list[int]:
    (path,) = (path for path in root.rglob("session.jsonl*") if path.suffix != ".lock")
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    return [event["seq"] for event in answer.value.events]


def started(store: SessionStore, name: str = "s") -> Session:
    session = store.create(name, meta={"cwd": "/w"})
    session.append("turn/start", {"turn": 1})
    return session


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_flush_that_is_cancelled_writes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        session = started(store)
        with slow_disk(monkeypatch) as disk:
            flush = asyncio.ensure_future(store.flush(session))
            await disk.begun()
            await cancelled(flush)
            session.append("turn/end", END)
            disk.go()
            assert await store.flush(session)
        assert stored(tmp_path) == [0, 1]
        backend.close()

    asyncio.run(run())


def test_a_lock_is_held_until_the_write_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        session = started(store)
        await store.flush(session)
        session.append("turn/end", END)
        with slow_disk(monkeypatch) as disk:
            flush = asyncio.ensure_future(store.flush(session))
            await disk.begun()
            store.close()
            other = Persistence(tmp_path, lock_seconds=0.05)
            with pytest.raises(LockTimeout):
                other.load("s")
            disk.go()
            assert await flush
        log = Persistence(tmp_path, lock_seconds=5).load("s")
        assert [event["seq"] for event in log.all_events] == [0, 1]

    asyncio.run(run())


def test_a_backend_that_is_closed_waits_for_its_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        store = SessionStore()
        with slow_disk(monkeypatch) as disk:
            with Persistence(tmp_path) as backend:
                persist(store, backend)
                session = started(store)
                flush = asyncio.ensure_future(store.flush(session))
                await disk.begun()
                threading.Timer(0.05, disk.go).start()
            assert stored(tmp_path) == [0], "written when the backend is closed"
            assert await flush
            with pytest.raises(SessionPersistenceError, match="create or load"):
                await store.flush(session)
        assert not list(tmp_path.rglob("*.lock"))

    asyncio.run(run())


def test_a_resume_that_is_cancelled_leaves_the_log_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        async with store.own("s", meta={"cwd": "/w"}) as handle:
            handle.session.append("turn/start", {"turn": 1})
        with slow_disk(monkeypatch) as disk:
            going_on = asyncio.ensure_future(resume(store, backend, "s"))
            await disk.begun()
            await cancelled(going_on)
            assert store.get("s") is None
            disk.go()
            while backend.stored_events("s") is not None or list(tmp_path.rglob("*.lock")):
                await asyncio.sleep(0.001)
        session = await resume(store, backend, "s")
        assert session.seq == 3, "the turn was closed once"
        backend.close()

    asyncio.run(run())


def test_a_log_has_one_live_session(tmp_path: Path) -> None:
    async def run() -> None:
        backend = Persistence(tmp_path)
        stores = SessionStore(), SessionStore()
        for store in stores:
            persist(store, backend)
        mine = started(stores[0])
        with pytest.raises(SessionPersistenceError, match="written already"):
            stores[1].create("s")
        assert stores[1].list() == []
        await stores[0].flush(mine)
        assert stored(tmp_path) == [0], "who was refused has released nothing"
        backend.close()

    asyncio.run(run())


@pytest.mark.parametrize("ends", ["cancelled", "failed"])
def test_a_handle_flushes_whatever_stopping_does(tmp_path: Path, ends: str) -> None:
    async def run() -> None:
        store, backend = SessionStore(), Persistence(tmp_path)
        persist(store, backend)
        work = asyncio.ensure_future(asyncio.sleep(60))
        closed = []

        async def stop() -> None:
            work.cancel()
            await work
            raise AssertionError

        async def fail() -> None:
            work.cancel()
            raise OSError("not today")

        async def close() -> None:
            closed.append(True)

        handle = store.own("s", stop=stop if ends == "cancelled" else fail, close=close)
        handle.session.append("turn/start", {"turn": 1})
        expected = pytest.raises(OSError, match="today")
        with contextlib.nullcontext() if ends == "cancelled" else expected:
            await handle.dispose()
        assert closed == [True]
        assert stored(tmp_path) == [0]
        assert store.list() == []

    asyncio.run(run())


def test_a_loop_that_ends_still_ends_its_sessions(tmp_path: Path) -> None:
    """`asyncio.run` cancels what is left: the teardown goes on, and tells that it was cancelled."""
    store, backend = SessionStore(), Persistence(tmp_path)
    persist(store, backend)
    seen: list[BaseException] = []

    async def run() -> None:
        handle = store.own("s", stop=lambda: asyncio.sleep(60))
        handle.session.append("turn/start", {"turn": 1})

        async def ending() -> None:
            try:
                await handle.dispose()
            except asyncio.CancelledError as error:
                seen.append(error)
                raise

        task = asyncio.ensure_future(ending())
        await asyncio.sleep(0.01)
        assert not task.done()

    asyncio.run(run())
    assert seen
    assert stored(tmp_path) == [0]
    assert store.list() == []


Step = Callable[["Life"], Awaitable[None]]


class Life:
    """One session of a store on a disk of uneven speed; tasks are cancelled at any time."""

    def __init__(self, root: Path) -> None:
        self.store, self.backend = SessionStore(), Persistence(root, compressed=False)
        persist(self.store, self.backend)
        self.session = self.store.create("s")
        self.flushes: list[asyncio.Task[bool]] = []

    async def append(self) -> None:
        self.session.append("feedback/record", {"text": "-", "rating": 1})

    async def flush(self) -> None:
        self.flushes.append(asyncio.ensure_future(self.store.flush(self.session)))
        await asyncio.sleep(0)

    async def cancel(self) -> None:
        for task in self.flushes:
            task.cancel()
        await asyncio.sleep(0)

    async def wait(self) -> None:
        await asyncio.sleep(0.001)


STEPS: list[Step] = [Life.append, Life.flush, Life.cancel, Life.wait]


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.sampled_from(STEPS), max_size=25), pace=st.integers(0, 3))
def test_nothing_is_lost_or_doubled_however_tasks_are_cancelled(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], pace: int
) -> None:
    root = tmp_path_factory.mktemp("root")
    sync = os.fsync

    def slow(descriptor: int) -> None:
        time.sleep(pace * 0.0007)
        sync(descriptor)

    async def run() -> None:
        life = Life(root)
        for step in steps:
            await step(life)
        await life.append()
        await life.store.flush(life.session)
        await asyncio.gather(*life.flushes, return_exceptions=True)
        assert stored(root) == list(range(life.session.seq))
        assert life.backend.stored_events("s") == life.session.seq
        life.store.close()
        life.backend.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", slow)
        asyncio.run(run())
    assert not list(root.rglob("*.lock"))

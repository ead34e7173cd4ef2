"""The store against a simple model, and under tasks that get in each other's way."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from sesskit.logs.dsh.errors import ForkError, SessionError
from sesskit.logs.dsh.session import END_SEED, Session
from sesskit.logs.dsh.store import SessionStore

IDS = st.sampled_from(["a", "b", "c", "session-2"])


class StoreMachine(RuleBasedStateMachine):
    """Every order of calls; the model is a dict of who is live and what was announced."""

    sessions = Bundle("sessions")
    stays = Bundle("stays")

    def __init__(self) -> None:
        super().__init__()
        self.store = SessionStore()
        self.live: dict[str, Session] = {}
        self.announced: set[int] = set()
        self.told: Counter[tuple[str, int]] = Counter()
        self.published: list[tuple[int, int]] = []
        self.expected: list[tuple[int, int]] = []
        self.everyone: list[Session] = []
        self.store.on_created(lambda s: self.told.update([("created", id(s))]))
        self.store.on_disposed(lambda s: self.told.update([("disposed", id(s))]))
        self.store.on_event(lambda s, e: self.published.append((id(s), e.seq)))

    def known(self, session: Session) -> Session:
        self.everyone.append(session)  # keeps it alive, so that no id() is used twice
        return session

    @rule(target=sessions, name=IDS, seeded=st.booleans())
    def prepare(self, name: str, seeded: bool) -> Session:
        if name in self.live:
            with pytest.raises(SessionError):
                self.store.prepare(name)
            return self.live[name]
        return self.known(self.store.prepare(name, seed=[] if seeded else None))

    @rule(target=sessions, name=st.none() | IDS)
    def create(self, name: str | None) -> Session:
        if name in self.live:
            with pytest.raises(SessionError):
                self.store.create(name)
            return self.live[str(name)]
        session = self.known(self.store.create(name))
        assert session.id not in self.live
        self.live[session.id] = session
        self.announced.add(id(session))
        return session

    @rule(target=stays, session=sessions)
    def enter(self, session: Session) -> tuple[Session, Callable[[], None]]:
        if session.id in self.live:
            with pytest.raises(SessionError):
                self.store.enter(session)
            return session, lambda: None
        self.live[session.id] = session
        self.announced.discard(id(session))
        detach = self.store.enter(session)

        def leave() -> None:
            detach()

        return session, leave

    @rule(session=sessions)
    def announce(self, session: Session) -> None:
        if self.live.get(session.id) is session and id(session) not in self.announced:
            self.store.announce(session)
            self.announced.add(id(session))
        else:
            with pytest.raises(SessionError):
                self.store.announce(session)

    @rule(stay=stays)
    def detach(self, stay: tuple[Session, Callable[[], None]]) -> None:
        session, leave = stay
        before = self.store.list()
        leave()
        gone = [s for s in before if s not in self.store.list()]
        assert gone in ([], [session])
        if gone:
            del self.live[session.id]

    @rule(session=sessions)
    def append(self, session: Session) -> None:
        event = session.append("todo/write", {"todos": []})
        if self.live.get(session.id) is session:
            self.expected.append((id(session), event.seq))

    @rule(session=sessions, cut=st.integers(-1, 3))
    def fork(self, session: Session, cut: int) -> None:
        if self.live.get(session.id) is not session or not 0 <= cut < session.seq:
            with pytest.raises(ForkError):
                self.store.fork(session, cut)
            return
        child = self.known(self.store.fork(session, cut))
        self.live[child.id] = child
        assert child.events[: cut + 1] == session.events[: cut + 1]
        assert child.events[-1].type == END_SEED

    @invariant()
    def the_store_is_the_model(self) -> None:
        assert {s.id: s for s in self.store.list()} == self.live
        assert all(self.store.get(name) is session for name, session in self.live.items())

    @invariant()
    def notifications_are_paired(self) -> None:
        for session in self.everyone:
            created, disposed = (self.told[(w, id(session))] for w in ("created", "disposed"))
            assert created - disposed in (0, 1)
            if self.live.get(session.id) is not session:
                assert created == disposed

    @invariant()
    def live_events_are_published_in_order(self) -> None:
        assert self.published == self.expected

    @invariant()
    def logs_have_no_gap(self) -> None:
        for session in self.everyone:
            assert [e.seq for e in session.events] == list(range(session.seq))


StoreMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestStoreMachine = StoreMachine.TestCase


STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "flush", "fork", "dispose", "pause"]), st.integers(0, 3)),
    max_size=12,
)


async def worker(
    store: SessionStore, name: str, steps: list[tuple[str, int]], durable: dict[int, int]
) -> None:
    """One task that owns a session of a contested id, or loses the race for it."""
    try:
        handle = store.own(name)
    except SessionError:
        assert store.get(name) is not None
        return
    for word, number in steps:
        session = handle.session
        if word == "append":
            before = session.seq
            assert session.append("todo/write", {"n": number}).seq == before
        elif word == "dispose":
            count = session.seq if store.get(name) is session else 0
            await asyncio.gather(*(handle.dispose() for _ in range(number + 1)))
            assert store.get(name) is not session
            assert durable.get(id(session), 0) >= count
        else:
            with contextlib.suppress(SessionError):
                if word == "flush":
                    await store.flush(session)
                elif word == "fork":
                    store.fork(session)
        await asyncio.sleep(0)
    await handle.dispose()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), STEPS), max_size=5), st.integers(0, 2))
def test_concurrent_tasks(workers: list[tuple[str, Any]], delay: int) -> None:
    told: list[tuple[str, int]] = []
    durable: dict[int, int] = {}
    kept: list[Session] = []

    async def flush(session: Session) -> None:
        count = session.seq
        for _ in range(delay):
            await asyncio.sleep(0)
        durable[id(session)] = max(count, durable.get(id(session), 0))

    async def run() -> None:
        store = SessionStore()
        store.on_created(kept.append)
        store.on_created(lambda s: told.append(("created", id(s))))
        store.on_disposed(lambda s: told.append(("disposed", id(s))))
        store.on_flush(flush)
        await asyncio.gather(*(worker(store, name, steps, durable) for name, steps in workers))
        owned = [s for s in kept if s.id in ("a", "b")]
        assert not [s for s in store.list() if s in owned]
        store.close()

    asyncio.run(run())
    counts = Counter(told)
    assert all(counts[("created", id(s))] == counts[("disposed", id(s))] == 1 for s in kept)

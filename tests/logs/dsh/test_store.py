"""The store: lifecycle, notifications, flush, fork, disposal."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from logs.dsh.vectors import rows, table
from sesskit.logs.dsh.errors import ForkError, SessionError
from sesskit.logs.dsh.session import Event, Session
from sesskit.logs.dsh.store import SessionStore

START = {"type": "turn/start", "seq": 0, "time": 5, "data": {"turn": 1}}
END = {
    "type": "turn/end",
    "seq": 1,
    "time": 6,
    "data": {"turn": 1, "reason": {"kind": "completed"}},
}


class Heard:
    """A store and everything its listeners were told, as short words."""

    def __init__(self, **options: Any) -> None:
        self.words: list[str] = []
        self.store = SessionStore(**options)
        self.store.on_created(lambda s: self.words.append(f"created:{s.id}"))
        self.store.on_disposed(lambda s: self.words.append(f"disposed:{s.id}"))
        self.store.on_event(lambda s, e: self.words.append(f"event:{s.id}:{e.type}:{e.seq}"))


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(SessionError) as caught:
        call()
    return caught.value.code


# The recorded scenarios, step by step; what comes back is compared with the table.


def mints(h: Heard) -> list[Any]:
    first, second = h.store.create().id, h.store.create("session-2").id
    third = h.store.create().id
    ids = ",".join(s.id for s in h.store.list())
    return [first, second, third, ids, h.store.get("no")]


def duplicates(h: Heard) -> list[Any]:
    created = h.store.create("a").id
    return [created, code_of(lambda: h.store.create("a")), code_of(lambda: h.store.prepare("a"))]


def deferred_detach(h: Heard) -> list[Any]:
    session = h.store.prepare("a")
    detach = h.store.enter(session)
    h.store.on_created(lambda _: detach())
    h.store.announce(session)
    return [None, None, h.store.get("a")]


def reentrant(h: Heard) -> list[Any]:
    session, codes = h.store.create("a"), []
    h.store.on_event(lambda s, _: codes.append(code_of(lambda: s.append("x", {}))))
    seq = session.append("turn/start", {"turn": 1}).seq
    return [seq, *(f"<error: {code}>" for code in codes), len(session.events)]


def flush_live(h: Heard) -> list[Any]:
    h.store.on_flush(lambda s: h.words.append(f"flush:{s.id}"))
    live = asyncio.run(h.store.flush(h.store.create("a")))
    return [live, code_of(lambda: asyncio.run(h.store.flush(Session("b"))))]


def flush_failing(h: Heard) -> list[Any]:
    def fails(session: Session) -> None:
        h.words.append(f"flush:{session.id}")
        raise OSError("disk full")

    async def slow(_: Session) -> None:
        await asyncio.sleep(0.01)
        h.words.append("slow done")

    h.store.on_flush(fails)
    h.store.on_flush(slow)
    session = h.store.create("a")
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(h.store.flush(session))
    return ["listener-error"]


META_ROWS: list[dict[str, Any]] = [
    {"cwd": "relative"},
    {"createdAt": -1},
    {"createdAt": float("nan")},
    {"cwd": 5},
    {"origin": "robot"},
    {"delegationDepth": 1.5},
    {"seedLength": -1},
    {"parentSession": 5},
    {"agentPreset": 5},
]
GOOD_META = {"createdAt": 5, "cwd": "/w", "parentSession": "p", "seedLength": 0}
GOOD_META |= {"origin": "subagent", "delegationDepth": 1, "agentPreset": "z"}


def metas(h: Heard) -> list[Any]:
    codes = [code_of(partial(h.store.create, "m", meta=meta)) for meta in META_ROWS]
    empty = h.store.create("").id
    good = h.store.create("ok", meta=GOOD_META).header.to_json()
    return [*codes, empty, json.dumps(good, separators=(",", ":"))]


def seeds(h: Heard) -> list[Any]:
    bad: list[list[dict[str, Any]]] = [
        [{**START, "seq": 1}],
        [START, {**START, "seq": 2}],
        [{**START, "extra": 1}],
        [{**START, "time": "5"}],
        [{k: v for k, v in START.items() if k != "data"}],
        [{**START, "data": float("nan")}],
    ]
    marker = {"type": "session/end-seed", "seq": 0, "time": 1, "data": {}}
    codes = [code_of(partial(h.store.create, "b", seed=seed)) for seed in bad]
    return [
        *codes,
        ",".join(e.type for e in h.store.create("u", seed=[{**START, "type": "acme/x"}]).events),
        h.store.create("em", seed=[]).events[0].type,
        len(h.store.create("em2", seed=[marker]).events),
        len(h.store.create("em3").events),
        h.store.create("em4", seed=[START]).first_live_seq,
    ]


SCENARIOS: dict[str, Callable[[Heard], list[Any]]] = {
    "create mints ids, list keeps creation order": mints,
    "duplicate id rejected at create and prepare": duplicates,
    "detach inside session/created is deferred": deferred_detach,
    "reentrant append rejected": reentrant,
    "flush needs a live session": flush_live,
    "flush waits for all and reports first failure": flush_failing,
    "create meta validation": metas,
    "seed validation": seeds,
}


def recorded(step: dict[str, Any]) -> Any:
    if "error" in step:
        return step["error"]["reason"]
    return None if step.get("returns") == "undefined" else step.get("returns")


@pytest.mark.parametrize("row", rows("store"), ids=lambda r: r["label"])
def test_recorded_scenario(row: dict[str, Any]) -> None:
    heard = Heard()
    answers = SCENARIOS[row["label"]](heard)
    heard.store.close()
    assert answers == [recorded(step) for step in row["steps"]]
    assert heard.words == row["events"]


def test_every_difference_from_june_is_meant() -> None:
    """The old table shows a stale detach that removes the successor, and a second announcement."""
    steps = {step["do"]: recorded(step) for step in table("seed-store")["steps"]}
    assert steps["get b after the stale detach"] is None
    heard = Heard()
    store = heard.store
    first, second = store.prepare("b"), store.prepare("b")
    detach = store.enter(first)
    assert code_of(lambda: store.enter(second)) == "id-exists"
    assert first.append("turn/start", {}).seq == 0
    detach()
    assert first.append("user/message", {}, surface_op="append").seq == 1
    store.enter(second)
    detach()
    assert store.get("b") is second
    store.announce(second)
    assert code_of(lambda: store.announce(second)) == "already-announced"
    assert heard.words == ["event:b:turn/start:0", "created:b"]


def test_unannounced_sessions_are_never_heard_of() -> None:
    heard = Heard()
    heard.store.enter(heard.store.prepare("a"))()
    assert heard.words == []


def test_entering_twice_is_refused() -> None:
    store = SessionStore()
    session = store.create("a")
    assert code_of(lambda: store.enter(session)) == "already-attached"
    assert code_of(lambda: SessionStore().enter(session)) == "already-attached"
    assert code_of(lambda: store.announce(Session("a"))) == "not-live"


def test_a_failing_created_listener_rolls_the_creation_back() -> None:
    heard = Heard()

    def fail(_: Session) -> None:
        raise RuntimeError("no")

    remove = heard.store.on_created(fail)
    with pytest.raises(RuntimeError):
        heard.store.create("a")
    assert heard.store.list() == []
    assert heard.words == ["created:a", "disposed:a"]
    remove()
    remove()
    assert heard.store.create("a").id == "a"


def test_failing_listeners_are_contained(caplog: pytest.LogCaptureFixture) -> None:
    heard = Heard()
    told: list[Event] = []

    def fail(_session: Session, _event: Event) -> None:
        raise ValueError("secret text")

    heard.store.on_event(fail)
    heard.store.on_event(lambda _, event: told.append(event))
    event = heard.store.create("a").append("x", {})
    assert told == [event]
    assert [r.getMessage() for r in caplog.records] == ["a session listener failed: ValueError"]


def test_listener_failures_can_be_heard() -> None:
    failures: list[Exception] = []
    heard = Heard(on_listener_error=failures.append)
    heard.store.on_disposed(lambda _: 1 / 0)
    heard.store.create("a")
    heard.store.close()
    assert [type(f) for f in failures] == [ZeroDivisionError]
    assert heard.words == ["created:a", "disposed:a"]


def test_flush_without_listeners_says_so() -> None:
    store = SessionStore()
    assert asyncio.run(store.flush(store.create("a"))) is False


# Forks.


def forkable() -> tuple[SessionStore, Session]:
    store = SessionStore(clock=lambda: 9)
    meta = {"cwd": "/w", "origin": "subagent", "delegationDepth": 2, "agentPreset": "z"}
    parent = store.create("p", meta=meta)
    for turn in (1, 2):
        parent.append("turn/start", {"turn": turn})
        parent.append("turn/end", {"turn": turn, "reason": {"kind": "completed"}})
    return store, parent


def test_fork_copies_the_prefix_and_little_of_the_header() -> None:
    store, parent = forkable()
    child = store.fork(parent, 1, "c")
    assert child.events[:2] == parent.events[:2]
    assert [e.type for e in child.events[2:]] == ["session/end-seed"]
    expected = {"version": 0, "id": "c", "createdAt": 9, "cwd": "/w", "parentSession": "p"}
    assert child.header.to_json() == {**expected, "seedLength": 2}
    assert child.first_live_seq == 2
    assert store.get("c") is child


def test_fork_takes_everything_by_default() -> None:
    store, _ = forkable()
    assert store.fork("p").header.seed_length == 4
    assert store.fork(store.create("empty")).header.seed_length == 0


@pytest.mark.parametrize(
    ("boundary", "child", "code"),
    [
        (0, None, "OPEN_TURN"),
        (2, None, "OPEN_TURN"),
        (4, None, "INVALID_BOUNDARY"),
        (-1, None, "INVALID_BOUNDARY"),
        (1.0, None, "INVALID_BOUNDARY"),
        (True, None, "INVALID_BOUNDARY"),
        (1, "p", "SESSION_ALREADY_EXISTS"),
    ],
)
def test_fork_refusals(boundary: Any, child: str | None, code: str) -> None:
    store, parent = forkable()
    assert code_of(lambda: store.fork(parent, boundary, child)) == code
    assert store.list() == [parent]


def test_fork_needs_a_live_source() -> None:
    store, parent = forkable()
    assert code_of(lambda: store.fork("nobody")) == "SESSION_NOT_FOUND"
    with pytest.raises(ForkError, match="not in this store"):
        store.fork(Session("p"))
    store.close()
    assert code_of(lambda: store.fork(parent)) == "SESSION_NOT_LIVE"


# Disposal.


def test_dispose_is_one_teardown_for_all_callers() -> None:
    async def run() -> None:
        heard = Heard()
        gate = asyncio.Event()

        async def flush(_: Session) -> None:
            heard.words.append("flushing")
            await gate.wait()
            heard.words.append("flushed")

        async def stop() -> None:
            heard.words.append("stop")

        async def close() -> None:
            heard.words.append("close")

        heard.store.on_flush(flush)
        handle = heard.store.own("a", stop=stop, close=close)
        first = asyncio.create_task(handle.dispose())
        second = asyncio.create_task(handle.dispose())
        await asyncio.sleep(0.01)
        assert not first.done()
        assert not second.done()
        first.cancel()
        gate.set()
        await second
        await handle.dispose()
        order = ["created:a", "stop", "flushing", "flushed", "close", "disposed:a"]
        assert heard.words == order
        assert first.cancelled()

    asyncio.run(run())


def test_a_failing_step_does_not_keep_the_session_alive() -> None:
    async def run() -> None:
        heard = Heard()

        async def stop() -> None:
            raise RuntimeError("stuck")

        async def close() -> None:
            heard.words.append("close")
            await handle.dispose()

        handle = heard.store.own("a", stop=stop, close=close)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="stuck"):
                await handle.dispose()
        assert heard.words == ["created:a", "close", "disposed:a"]

    asyncio.run(run())


def test_a_handle_is_a_context_and_its_end_is_not_a_successors() -> None:
    async def run() -> None:
        heard = Heard()
        async with heard.store.own("a") as handle:
            assert heard.store.get("a") is handle.session
        with heard.store as store:
            successor = store.create("a")
            await handle.dispose()
            assert store.get("a") is successor
        assert heard.words == ["created:a", "disposed:a"] * 2

    asyncio.run(run())


def test_leaving_while_an_event_is_published_waits_until_all_were_told() -> None:
    store = SessionStore()
    told: list[str] = []
    session = store.prepare("s")
    leave = store.enter(session)
    store.announce(session)

    def first(_session: Session, event: Event) -> None:
        leave()
        told.append(f"first {event.type}, live {store.get('s') is session}")

    def disposed(gone: Session) -> None:
        told.append("disposed")
        assert store.get("s") is None
        gone.append("plan/mode", {"active": False})  # nobody hears of it, and nothing is in its way

    store.on_event(first)
    store.on_event(lambda _session, event: told.append(f"second {event.type}"))
    store.on_disposed(disposed)
    session.append("plan/mode", {"active": True})
    assert told == ["first plan/mode, live True", "second plan/mode", "disposed"]
    assert session.seq == 2
    leave()
    assert told[-1:] == ["disposed"]
    assert store.create("s") is not session


def test_leaving_from_a_nested_publication_waits_for_the_announcement() -> None:
    store = SessionStore()
    told: list[str] = []
    session = store.prepare("s")
    leave = store.enter(session)
    store.on_created(lambda s: told.append(s.append("plan/mode", {"active": True}).type))
    store.on_created(lambda s: told.append(f"live {store.get('s') is s}"))
    store.on_event(lambda _s, _e: leave())
    store.on_disposed(lambda _s: told.append("disposed"))
    store.announce(session)
    assert told == ["plan/mode", "live True", "disposed"]


@pytest.mark.parametrize("failure", [ValueError, asyncio.CancelledError])
def test_listeners_harm_neither_the_log_nor_each_other(
    failure: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_told: object) -> None:
        raise failure

    seen: list[int] = []
    store = SessionStore(on_listener_error=fail)
    store.on_event(fail)
    store.on_event(lambda session, event: seen.append(event.seq))
    store.on_disposed(fail)
    session = store.create("a")
    session.append("turn/start", {"turn": 1})
    store.close()
    assert seen == [0]
    assert [failure.__name__ in message for message in caplog.messages] == [True, True]


def test_numbers_are_kept_as_a_log_holds_them() -> None:
    event = SessionStore().create("a").append("x", {"n": 2**53 + 1, "in": [-(2**60) - 1]})
    assert event.data == {"n": 2**53, "in": [-(2**60)]}
    with pytest.raises(SessionError):
        SessionStore().create("a").append("x", {"n": 2**1024 - 1})

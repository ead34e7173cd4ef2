"""The store of live sessions: who is in it, who hears of it, and how a session ends.

It keeps sessions in memory and tells listeners; persistence is one of them. Everything but
`SessionStore.flush` and the disposal of a handle is synchronous, so between two awaits of a task
no other task can see a half-done change. One event loop, one thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from sesskit.logs.dsh.errors import ForkError, SessionError
from sesskit.logs.dsh.handle import SessionHandle, Stop
from sesskit.logs.dsh.header import Clock, now
from sesskit.logs.dsh.listening import (
    Detach,
    EventListener,
    FlushListener,
    Listener,
    added,
    awaited,
    report,
)
from sesskit.logs.dsh.session import Event, Session, turn_is_open

Meta = Mapping[str, Any]
Seed = Iterable[Mapping[str, Any]]


@dataclass(slots=True, eq=False)
class _Entry:
    """One stay of a session in the store."""

    session: Session
    announced: bool = False
    announcing: bool = False
    publishing: bool = False
    leave_later: bool = False
    left: bool = False


class SessionStore:
    """Live sessions by id, in the order they entered.

    A listener that fails never harms the log: failures of event and disposed listeners go to
    ``on_listener_error`` (by default one line in the `logging` system) and the others still run.
    A created listener that fails makes `announce` and `create` fail; a flush listener `flush`.
    """

    def __init__(
        self,
        *,
        clock: Clock = now,
        on_listener_error: Callable[[BaseException], object] | None = None,
    ) -> None:
        self._clock = clock
        self._on_listener_error = on_listener_error or report
        self._entries: dict[str, _Entry] = {}
        self._minted = 0
        self._created: list[Listener] = []
        self._disposed: list[Listener] = []
        self._appended: list[EventListener] = []
        self._flushed: list[FlushListener] = []

    # Listeners; each call gives the function that takes the listener away again.

    def on_created(self, listener: Listener) -> Detach:
        """Hear of each session that is announced."""
        return added(self._created, listener)

    def on_disposed(self, listener: Listener) -> Detach:
        """Hear of each announced session that left; as often as `on_created` was told of it."""
        return added(self._disposed, listener)

    def on_event(self, listener: EventListener) -> Detach:
        """Hear of each event that is appended to a session in the store."""
        return added(self._appended, listener)

    def on_flush(self, listener: FlushListener) -> Detach:
        """Be asked to make a session durable; may be a coroutine function, and is awaited."""
        return added(self._flushed, listener)

    # Sessions.

    def get(self, session_id: str) -> Session | None:
        """The live session of that id."""
        entry = self._entries.get(session_id)
        return entry.session if entry else None

    def list(self) -> list[Session]:
        """All live sessions, in the order they entered."""
        return [entry.session for entry in self._entries.values()]

    def create(
        self, session_id: str | None = None, *, seed: Seed | None = None, meta: Meta | None = None
    ) -> Session:
        """Prepare, enter and announce a session as one step: afterwards it is live, or nothing is.

        Without an id, the next free ``session-<n>``. ``seed`` are the events of an earlier log, as
        they are stored; ``meta`` the members of the header by their stored names. Raises
        `SessionError`, or what a created listener raised.
        """
        session = self.prepare(session_id, seed=seed, meta=meta)
        self._enter_announced(session)
        return session

    def prepare(
        self, session_id: str | None = None, *, seed: Seed | None = None, meta: Meta | None = None
    ) -> Session:
        """A session that nobody hears of yet; the same id may be prepared again meanwhile."""
        chosen = self._mint() if session_id is None else session_id
        self._refuse_taken(chosen)
        return Session(chosen, meta=meta, seed=seed, clock=self._clock)

    def enter(self, session: Session) -> Detach:
        """Put a prepared session into the store; gives the function that takes it out.

        That function may be called again, also after another session took the id: it only ever
        ends this stay. It waits until every listener was told of what is being announced or
        published. Raises `SessionError` where the id is taken or the session is in a store.
        """
        if session.publish is not None:
            raise SessionError("already-attached", "the session is in a store already")
        self._refuse_taken(session.id)
        entry = self._entries[session.id] = _Entry(session)
        session.publish = lambda event: self._publish(entry, event)
        session.appended = lambda: self._published(entry)
        return lambda: self._leave(entry)

    def announce(self, session: Session) -> None:
        """Tell the created listeners of an entered session, once.

        A detach meanwhile takes effect when all of them were told. What a listener raises is
        raised here; the session is then still in the store.
        """
        entry = self._live(session)
        if entry.announced:
            raise SessionError("already-announced", "the session was announced before")
        entry.announced = entry.announcing = True
        try:
            for listener in tuple(self._created):
                listener(session)
        finally:
            entry.announcing = False
            self._settle(entry)

    async def flush(self, session: Session) -> bool:
        """Have every flush listener make the session durable; False if there is none.

        Waits for all of them, then raises the first failure. Raises `SessionError` for a session
        that is not live.
        """
        self._live(session)
        listeners = tuple(self._flushed)
        answers = await asyncio.gather(
            *(awaited(listener, session) for listener in listeners), return_exceptions=True
        )
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return bool(listeners)

    def fork(
        self,
        source: Session | str,
        boundary: int | None = None,
        child_id: str | None = None,
    ) -> Session:
        """A new live session that begins with the events of another, up to seq ``boundary``.

        The boundary is inclusive and by default the last event; no turn may be open there. Of the
        header only ``cwd`` is kept; ``parentSession`` and ``seedLength`` say where it comes from.
        Raises `ForkError`.
        """
        parent = self._fork_source(source)
        if child_id is not None and child_id in self._entries:
            raise ForkError("SESSION_ALREADY_EXISTS", "there is a live session of that id")
        seed = parent.events
        if boundary is not None:
            if type(boundary) is not int or not 0 <= boundary < len(seed):
                raise ForkError("INVALID_BOUNDARY", "the boundary must be the seq of an event")
            seed = seed[: boundary + 1]
        if turn_is_open(seed):
            raise ForkError("OPEN_TURN", "a turn is open at the boundary")
        meta: dict[str, Any] = {"parentSession": parent.id, "seedLength": len(seed)}
        if parent.header.cwd is not None:
            meta["cwd"] = parent.header.cwd
        return self.create(child_id, seed=seed, meta=meta)

    def own(
        self,
        session_id: str | None = None,
        *,
        seed: Seed | None = None,
        meta: Meta | None = None,
        stop: Stop | None = None,
        close: Stop | None = None,
    ) -> SessionHandle:
        """Create a session together with what must end before it does.

        The handle's `SessionHandle.dispose` runs ``stop`` (end the loop and drain it), flushes,
        runs ``close``, then takes the session out of the store.
        """
        session = self.prepare(session_id, seed=seed, meta=meta)
        detach = self._enter_announced(session)
        return SessionHandle(session, self._flush_if_live, detach, stop=stop, close=close)

    def close(self) -> None:
        """Take every session out, the last one first; without flushing."""
        for entry in reversed(tuple(self._entries.values())):
            self._leave(entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Inside.

    def _enter_announced(self, session: Session) -> Detach:
        detach = self.enter(session)
        try:
            self.announce(session)
        except BaseException:
            detach()
            raise
        return detach

    def _mint(self) -> str:
        while True:
            self._minted += 1
            if f"session-{self._minted}" not in self._entries:
                return f"session-{self._minted}"

    def _refuse_taken(self, session_id: str) -> None:
        if session_id in self._entries:
            raise SessionError("id-exists", "there is a live session of that id")

    def _live(self, session: Session) -> _Entry:
        entry = self._entries.get(session.id)
        if entry is None or entry.session is not session:
            raise SessionError("not-live", "the session is not in this store")
        return entry

    def _fork_source(self, source: Session | str) -> Session:
        if isinstance(source, Session):
            if self.get(source.id) is not source:
                raise ForkError("SESSION_NOT_LIVE", "the session is not in this store")
            return source
        found = self.get(source)
        if found is None:
            raise ForkError("SESSION_NOT_FOUND", "there is no live session of that id")
        return found

    def _leave(self, entry: _Entry) -> None:
        if entry.left:
            return
        if entry.announcing or entry.publishing:
            entry.leave_later = True
            return
        entry.left = True
        del self._entries[entry.session.id]
        entry.session.publish = entry.session.appended = None
        if entry.announced:
            for listener in tuple(self._disposed):
                self._contained(listener, entry.session)

    def _publish(self, entry: _Entry, event: Event) -> None:
        entry.publishing = True
        for listener in tuple(self._appended):
            self._contained(listener, entry.session, event)

    def _published(self, entry: _Entry) -> None:
        entry.publishing = False
        self._settle(entry)

    def _settle(self, entry: _Entry) -> None:
        if entry.leave_later:
            self._leave(entry)

    def _contained(self, listener: Callable[..., object], *told: object) -> None:
        # Whatever a listener does, the log goes on and the others are told.
        try:
            listener(*told)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - as said
            try:
                self._on_listener_error(error)
            except (Exception, asyncio.CancelledError) as worse:  # noqa: BLE001 - as said
                report(worse)

    async def _flush_if_live(self, session: Session) -> None:
        if self.get(session.id) is session:
            await self.flush(session)

"""A session in memory: an append-only log of events, from which everything else is derived.

Events are checked, copied and frozen when they are appended; nothing is ever changed or removed.
A `Session` does no I/O and knows no store; `sesskit.logs.dsh.store` publishes what it appends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from sesskit.logs.dsh.errors import SessionError
from sesskit.logs.dsh.header import Clock, make_header, now
from sesskit.logs.dsh.messages import check_message, check_request_header, derive
from sesskit.logs.dsh.surface import Surface
from sesskit.schemas.dsh_values import FrozenDict, frozen, is_count, is_json_value, is_safe_integer
from sesskit.schemas.issues import Issue

END_SEED = "session/end-seed"
_ENVELOPE = {"type", "seq", "time", "data"}
_OPTIONAL = {"ignorable", "sourceEventSeqs", "surfaceOp"}


class Event(FrozenDict):
    """One event of a log: its members as they are stored, frozen, also as attributes."""

    __slots__ = ()

    @property
    def type(self) -> str:
        return cast(str, self["type"])

    @property
    def seq(self) -> int:
        return cast(int, self["seq"])

    @property
    def time(self) -> int:
        """Milliseconds since 1970; may be negative, and may go backwards from event to event."""
        return cast(int, self["time"])

    @property
    def data(self) -> Any:
        return self["data"]

    @property
    def ignorable(self) -> bool:
        return "ignorable" in self

    @property
    def surface_op(self) -> Any:
        """``"append"``, a replacement, or None."""
        return self.get("surfaceOp")

    @property
    def source_event_seqs(self) -> tuple[int, ...] | None:
        seqs = self.get("sourceEventSeqs")
        return None if seqs is None else tuple(seqs)


def envelope_faults(event: Mapping[str, Any]) -> list[str]:
    """The members of an event that break the envelope: wrong, unknown or missing."""
    wrong = [name for name in event if name not in _ENVELOPE and name not in _OPTIONAL]
    wrong += sorted(_ENVELOPE - event.keys())
    if not isinstance(event.get("type", ""), str):
        wrong.append("type")
    if not is_count(event.get("seq", 0)):
        wrong.append("seq")
    if not is_safe_integer(event.get("time", 0)):
        wrong.append("time")
    if event.get("ignorable", True) is not True:
        wrong.append("ignorable")
    return wrong


class Session:
    """The log of one session, and what follows from it.

    ``seed`` starts it with the events of an earlier log; then the log ends in `session/end-seed`.
    ``meta`` goes into the header. Raises `SessionError` when either is wrong.
    """

    def __init__(
        self,
        session_id: str,
        *,
        meta: Mapping[str, Any] | None = None,
        seed: Iterable[Mapping[str, Any]] | None = None,
        clock: Clock = now,
    ) -> None:
        self.header = make_header(session_id, meta, clock)
        self._clock = clock
        self._events: list[Event] = []
        self._surface = Surface()
        self._appending = False
        self.publish: Callable[[Event], None] | None = None
        """Called with each event that is appended; set by the store that the session is in."""
        self.appended: Callable[[], None] | None = None
        """Called when an append is over, whatever came of it; set by the store, too."""
        for index, event in enumerate(seed or ()):
            self._seed(index, event)
        self.first_live_seq = len(self._events)
        """The seq of the first event that did not come from the seed."""
        if seed is not None and (not self._events or self._events[-1].type != END_SEED):
            self._take(Event(type=END_SEED, seq=self.seq, time=clock(), data=FrozenDict()))

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def seq(self) -> int:
        """The seq that the next event will have; how many events there are."""
        return len(self._events)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far, as a snapshot."""
        return tuple(self._events)

    @property
    def surface(self) -> tuple[int, ...]:
        """The seqs of the events that are model messages now, in order."""
        return tuple(self._surface.nodes())

    @property
    def request_header(self) -> dict[str, Any] | None:
        """The latest request header, without members that are empty; None before the first."""
        header = (self._latest("request/header") or {}).get("header")
        if not isinstance(header, dict):
            return None
        empty = ("system", "tools", "adapterDefaults")
        return {k: v for k, v in header.items() if k not in empty or v}

    @property
    def request_context(self) -> dict[str, Any] | None:
        """The latest route with the size of its context window; None before the first."""
        return self._latest("request/context")

    def _latest(self, kind: str) -> dict[str, Any] | None:
        event = next((e for e in reversed(self._events) if e.type == kind), None)
        return event.data if event is not None and isinstance(event.data, dict) else None

    def derive_messages(self) -> list[Any]:
        """The messages that the next model request would hold, verbatim, in order."""
        return list(derive(self._events[seq] for seq in self._surface.nodes()))

    def append(
        self,
        kind: str,
        data: Any,
        *,
        surface_op: Any = None,
        source_event_seqs: Iterable[int] | None = None,
    ) -> Event:
        """Add one event: checked, copied, frozen, then published. Never blocks, does no I/O.

        ``data`` must be a lossless JSON value. Message events must, and no others may, have a
        ``surface_op``. Raises `SessionError`, and then nothing has changed. The message inside is
        not checked, as in the original: a program can append what it cannot read back.
        """
        if self._appending:
            raise SessionError("reentrant-append", "an event is being appended; wait for it")
        if not isinstance(kind, str):
            raise SessionError("invalid-envelope", "the type of an event is text")
        members: dict[str, Any] = {
            "type": kind,
            "seq": self.seq,
            "time": self._clock(),
            "data": data,
        }
        if source_event_seqs is not None:
            members["sourceEventSeqs"] = list(source_event_seqs)
        if surface_op is not None:
            members["surfaceOp"] = surface_op
        if not is_json_value(members):
            raise SessionError("data-not-json-value", "the event holds what JSON cannot")
        event = Event({name: frozen(value) for name, value in members.items()})
        self._appending = True
        try:
            self._take(event)
            if self.publish is not None:
                self.publish(event)
        finally:
            self._appending = False
            if self.appended is not None:
                self.appended()
        return event

    def _seed(self, index: int, event: Mapping[str, Any]) -> None:
        if not isinstance(event, Mapping) or ... in event.values() or envelope_faults(event):
            raise SessionError("invalid-envelope", "not the envelope of an event", index=index)
        if event["seq"] != index:
            message = "the events of a seed are numbered from 0 without a gap"
            raise SessionError("seed-seq", message, index=index, expected=index)
        if not is_json_value(dict(event)):
            raise SessionError(
                "seed-not-json-value", "the event holds what JSON cannot", index=index
            )
        whole = {name: int(event[name]) for name in ("seq", "time")}
        copy = Event({name: frozen(value) for name, value in {**event, **whole}.items()})
        issues = check_message(copy)
        if copy.type == "request/header":
            issues += check_request_header(copy)
        self._refuse(issues, index)
        self._take(copy, index)

    def _take(self, event: Event, index: int | None = None) -> None:
        self._refuse(self._surface.take(event), index)
        self._events.append(event)

    def _refuse(self, issues: list[Issue], index: int | None) -> None:
        if issues:
            first = issues[0]
            place = first.path or "the event"
            raise SessionError(first.code, f"{place}: {first.message}", index=index)


def turn_is_open(events: tuple[Event, ...]) -> bool:
    """Whether the last turn that began has not ended."""
    for event in reversed(events):
        if event.type in ("turn/start", "turn/end"):
            return event.type == "turn/start"
    return False

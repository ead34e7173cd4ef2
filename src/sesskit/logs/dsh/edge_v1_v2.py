"""From v1 to v2: the pieces of an answer move into the message that they gave.

Events are numbered anew, and every reference follows. A stream that gave no message becomes an
event of its own, where its last piece stood.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.edge_v0_v1 import checked_as_v1, expanded
from sesskit.logs.dsh.edges import Refused, refuse
from sesskit.logs.dsh.generations import V1, check_header
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.references import remapped
from sesskit.logs.dsh.released import Released
from sesskit.logs.dsh.streams import grouped
from sesskit.logs.dsh.surface import Surface, forbidden_fields
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.issues import Issue

Json = dict[str, Any]

GONE = -1
"""What became of an event that is no event any more."""


def next_header(header: Json) -> Json:
    """The stored header as v2 has it: whether there is a seed is said, how long it is is not."""
    for issue in check_header(V1, header):
        raise Refused(issue)
    seeded = "seedLength" in header
    head = ("type", "version", "id", "createdAt", "cwd", "parentSession")
    tail = ("origin", "delegationDepth", "agentPreset")
    first = {name: header[name] for name in head if name in header}
    rest = {name: header[name] for name in tail if name in header}
    return {**first, "version": 2, "isSeeded": seeded, **rest}


@dataclass(slots=True)
class _Attempt:
    """A stream that is not settled yet, and the events behind its last piece."""

    turn: Any
    step: Any
    seqs: list[int] = field(default_factory=list)
    chunks: list[tuple[int, Json]] = field(default_factory=list)
    behind: list[Json] = field(default_factory=list)
    finished: bool = False


@dataclass(slots=True)
class V1ToV2:
    """The step for one log."""

    header: Json
    seed: int = 0
    inherited: int = 0
    _next: int = 0
    _seen: int = 0
    _time: int = 0
    _new: array[int] = field(default_factory=lambda: array("q"))
    _attempt: _Attempt | None = None
    _open_turn: int | None = None
    _open_step: bool = False
    _last: Json | None = None
    _marked: bool = False
    _cut: tuple[Any, Any] | None = None
    _surface: Surface = field(default_factory=lambda: Surface(2, keep=False))
    _rules: Released = field(init=False)

    def __post_init__(self) -> None:
        self._rules = Released(self._surface.is_span, 2, self.header)
        self._time = int(self.header["createdAt"])
        self._marked = "seedLength" not in self.header

    def feed(self, event: Json) -> Iterator[Json]:
        """The events of v2 that are settled now; raises `Refused`."""
        event = expanded(checked_as_v1(event))
        if not self._marked and self._seen == self.seed:
            yield from self._mark(event)
            if event["type"] == "session/end-seed":
                self._seen += 1
                return
        self._seen += 1
        self._new.append(GONE)
        if event["type"] == "assistant/chunk":
            yield from self._chunk(event)
        elif event["type"] == "assistant/message":
            yield from self._message(event)
        elif event["type"] == "turn/start":
            yield from self._turn(event)
        elif event["type"] in ("llm/retry", "turn/end", "step/end"):
            self._cut = None
            yield from self._settle()
            yield from self._pass_on(event)
        elif self._attempt is not None:
            self._attempt.behind.append(event)
        else:
            yield from self._pass_on(event)
        self._last, self._time = event, int(event["time"])

    def finish(self) -> Iterator[Json]:
        """What was held back: a stream without message, and the mark of the seed."""
        yield from self._settle()
        if not self._marked:
            if self._seen != self.seed:
                raise refuse("seed-length", "more events are said to be inherited than there are")
            yield from self._mark(None)
        for issue in self._rules.finish(self.inherited):
            raise Refused(issue)

    # Streams.

    def _chunk(self, event: Json) -> Iterator[Json]:
        for issue in check_payload(1, event):
            raise Refused(replace(issue, seq=event["seq"]))
        data = event["data"]
        attempt = self._attempt
        place = (data["turn"], data["step"])
        if self._cut == place:
            message = "the inherited events end in the middle of a stream"
            raise refuse("seed-cut", message, event)
        if attempt is not None and (attempt.finished or (attempt.turn, attempt.step) != place):
            yield from self._settle()
        elif attempt is not None:
            # What came between two pieces of one stream stays before it.
            behind, attempt.behind = attempt.behind, []
            for held in behind:
                yield from self._pass_on(held)
        if self._attempt is None:
            self._attempt = _Attempt(*place)
        attempt = self._attempt
        attempt.seqs.append(event["seq"])
        attempt.chunks.append((int(event["time"]), data["chunk"]))
        attempt.finished = data["chunk"]["type"] == "finish"

    def _message(self, event: Json) -> Iterator[Json]:
        data, sources = event["data"], event.get("sourceEventSeqs")
        attempt = self._attempt
        if attempt is not None and (attempt.turn, attempt.step) != (data["turn"], data["step"]):
            yield from self._settle()
            attempt = None
        if attempt is not None and sources == []:
            yield from self._settle()
            attempt = None
        if (sources or []) != (attempt.seqs if attempt is not None else []):
            message = "must name the pieces of its stream, all of them and in order"
            raise refuse("stream-sources", message, event, "sourceEventSeqs")
        self._attempt = None
        for held in attempt.behind if attempt is not None else ():
            yield from self._pass_on(held)
        stream = grouped(attempt.chunks) if attempt is not None else []
        bare = {name: value for name, value in event.items() if name != "sourceEventSeqs"}
        yield from self._pass_on({**bare, "data": {**data, "stream": stream}})

    def _settle(self) -> Iterator[Json]:
        """A stream without message becomes an event, where its last piece stood."""
        attempt, self._attempt = self._attempt, None
        if attempt is None:
            return
        data = {"turn": attempt.turn, "step": attempt.step, "stream": grouped(attempt.chunks)}
        time = attempt.chunks[-1][0]
        yield from self._emit({"type": "assistant/attempt", "time": time, "data": data})
        for held in attempt.behind:
            yield from self._pass_on(held)

    # Turns and the seed.

    def _turn(self, event: Json) -> Iterator[Json]:
        yield from self._settle()
        if self._open_turn is not None:
            # Old builds began the next turn without an end where a new message woke them.
            if self._open_step or not _wakes(self._last):
                raise refuse("turn-not-next", "a turn starts while another is open", event)
            reason = {"kind": "interrupted"}
            data = {"turn": self._open_turn, "reason": reason}
            yield from self._emit({"type": "turn/end", "time": event["time"], "data": data})
        yield from self._pass_on(event)

    def _mark(self, event: Json | None) -> Iterator[Json]:
        """The mark behind the inherited events: the one that is there, or a new one."""
        if self._attempt is not None and not self._attempt.finished:
            self._cut = (self._attempt.turn, self._attempt.step)
        yield from self._settle()
        self._marked = True
        self.inherited = self._next
        data = {"inherited": True}
        if event is not None and event["type"] == "session/end-seed":
            self._new.append(self._next)
            yield from self._emit({**event, "data": data})
            self._last, self._time = event, int(event["time"])
        else:
            time = self._time if event is None else event["time"]
            yield from self._emit({"type": "session/end-seed", "time": time, "data": data})

    # Out.

    def _pass_on(self, event: Json) -> Iterator[Json]:
        """An event of the source under its new number."""
        own = int(event["seq"])

        def new(seq: int) -> int:
            if seq > own or self._new[seq] == GONE:
                raise refuse("reference-to-chunk", "names a piece of a stream", event)
            return self._new[seq]

        self._new[own] = self._next  # an event may name itself: the step does not mind
        moved = remapped(event, self._next, new)
        yield from self._emit(moved, own)

    def _emit(self, event: Json, own: int | None = None) -> Iterator[Json]:
        numbered = {**event, "seq": self._next}
        whole = {name: numbered[name] for name in _ORDER if name in numbered}
        _asked([*self._rules.see(whole), *self._surfaced(whole)], own)
        self._track(whole)
        self._next += 1
        yield whole

    def _surfaced(self, event: Json) -> list[Issue]:
        """The surface rules that this step asks for; v3 asks for more."""
        fields = forbidden_fields(event) if event["type"] not in SURFACE[2] else ()
        issues = [*fields, *self._surface.take(event)]
        return [i for i in issues if i.code not in _NOT_ASKED]

    def _track(self, event: Json) -> None:
        kind = event["type"]
        if kind == "turn/start":
            self._open_turn = event["data"]["turn"]
        elif kind == "turn/end":
            self._open_turn, self._open_step = None, False
        elif kind in ("step/start", "step/end"):
            self._open_step = kind == "step/start"


_ORDER = ("type", "seq", "time", "data", "ignorable", "sourceEventSeqs", "surfaceOp")
_NOT_ASKED = frozenset(["sources-duplicate", "sources-not-earlier", "sources-empty"])


def _asked(issues: list[Issue], own: int | None) -> None:
    if issues:
        raise Refused(replace(issues[0], seq=own))


def _wakes(event: Json | None) -> bool:
    """Whether an event puts a message into the inbox that the next turn is for."""
    if event is None or event["type"] != "agent/inbox/spliced":
        return False
    return event["data"].get("target") == "next-turn" and bool(event["data"].get("inserted"))

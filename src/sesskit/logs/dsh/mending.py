"""Turns and steps of v2 and v3 logs made whole again where events of them were lost.

Programs of these versions refuse a log whose turns and steps do not fit together, so what begins or
ends one is made up where it is lost, as dsh makes up what closes a turn. Nothing else is invented:
what belongs to something that is lost, and cannot stand without it, is set aside.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.released import Released
from sesskit.schemas.dsh_values import is_count

Json = dict[str, Any]
Made = Generator[Json, None, Json]
"""Gives the events that must stand before an event, each once the one before it was taken in; and
returns the event itself, with the numbers of its turn and step as they are now."""

_IN_STEP = frozenset(
    ["assistant/message", "assistant/attempt", "tool/call", "tool/result", "system/message"]
)
_IN_TURN = frozenset(
    [
        "request/header",
        "request/context",
        "tool/code-dispatch-start",
        "tool/code-dispatch",
        "tool/ptc-dispatch-start",
        "tool/ptc-dispatch",
    ]
)
_RETRIES = ("llm/retry", "llm/retry-started")
_COMPACTIONS = ("compaction/start", "compaction/end")
_LOST = "the event that ended it is lost"


@dataclass(slots=True)
class Mender:
    """What one log needs; ``inherited`` are compactions that rightly never ended."""

    judge: Judge
    relations: Released
    inherited: frozenset[int] = frozenset()
    _turn: Any = None
    _step: Any = None
    _time: int = 0
    _compaction: Json | None = field(default=None)

    def fit(self, event: Json, number: int) -> Made:
        """What must be made up before an event, from this number on, and what it is then."""
        kind, data = event["type"], event["data"]
        self._time, self.judge.open_turn.next_seq = int(event["time"]), number
        if not isinstance(data, dict):
            return event
        if kind in ("turn/start", "turn/end"):
            yield from self._end_compaction()
        if kind == "turn/start":
            yield from self._close_turn()
            self._turn = data.get("turn", self.relations.next_turn)
            return _at(event, turn=self.relations.next_turn)
        if kind == "turn/end":
            yield from self._open_turn(data)
            yield from self._close_step()
            return _at(event, turn=self.relations.turn)
        if kind in ("step/start", "step/end") or (kind in _IN_STEP and _is_added(event)):
            return (yield from self._in_step(event, data))
        if kind in _IN_TURN and self.relations.turn is None:
            self._turn = None
            yield from self._begin_turn()
        if kind == "compaction/start" and data.get("turn", 0) is None:
            yield from self._close_turn()  # it began between turns
        event = self._placed(event, data)
        self._watch(event)
        return event

    @property
    def is_even(self) -> bool:
        """Whether the open turn and step have the numbers that they had."""
        relations = self.relations
        turn = relations.turn is None or self._turn == relations.turn
        return turn and (relations.step is None or self._step == relations.step)

    def keep_even(self) -> None:
        """A line was taken in that fits as it is."""
        if self.relations.turn is not None:
            self._turn = self.relations.turn
        if self.relations.step is not None:
            self._step = self.relations.step

    def _placed(self, event: Json, data: Json) -> Json:
        """An event that only names the open turn, and maybe the step, with the numbers of today."""
        relations, kind = self.relations, event["type"]
        here = relations.turn is not None and data.get("turn") == self._turn
        if here and kind in _RETRIES and data.get("step") == self._step:
            step = relations.next_step - 1 if relations.step is None else relations.step
            return _at(event, turn=relations.turn, step=step)
        return _at(event, turn=relations.turn) if here and kind in _COMPACTIONS else event

    def _in_step(self, event: Json, data: Json) -> Made:
        yield from self._open_turn(data)
        relations, kind = self.relations, event["type"]
        if kind == "step/start":
            yield from self._close_step()
            self._step = data.get("step")
            return _at(event, turn=relations.turn, step=relations.next_step)
        named = data.get("step", self._step)
        if relations.step is None or named != self._step:
            yield from self._close_step()
            self._step = named
            begun = {"turn": relations.turn, "step": relations.next_step}
            yield self._made("step/start", begun)
        if kind == "step/end":
            yield from self._results()
        elif kind == "tool/result":
            yield from self._recorded(data)
        return _at(event, turn=relations.turn, step=relations.step)

    def _open_turn(self, data: Json) -> Iterable[Json]:
        """The start of the turn that an event names, unless it is open."""
        named = data.get("turn", self._turn)
        if self.relations.turn is not None and self._turn is None:
            self._turn = named  # its start was made up before anything named it
        if self.relations.turn is None or named != self._turn:
            yield from self._close_turn()
            self._turn, self._step = named, None
            yield from self._begin_turn()

    def _begin_turn(self) -> Iterable[Json]:
        yield from self._end_compaction()
        yield self._made("turn/start", {"turn": self.relations.next_turn})

    def _close_turn(self) -> Iterable[Json]:
        if self.relations.turn is not None:
            yield from self._end_compaction()
            yield from self.judge.open_turn.closers()

    def _close_step(self) -> Iterable[Json]:
        if self.relations.step is not None:
            yield from self.judge.open_turn.closers()[:-1]

    def _results(self) -> Iterable[Json]:
        closers = self.judge.open_turn.closers()
        yield from (event for event in closers if event["type"] == "tool/result")

    def _recorded(self, data: Json) -> Iterable[Json]:
        """The record of a call that has a result."""
        message = data.get("message")
        source = message.get("source") if isinstance(message, dict) else None
        call = source.get("callId") if isinstance(source, dict) else None
        asked = self.relations.calls.unrecorded(call)
        error = data.get("error")
        if asked is None or (isinstance(error, dict) and error.get("code") == "TOOL_NOT_STARTED"):
            return
        here = {"turn": self.relations.turn, "step": self.relations.step}
        yield self._made("tool/call", {**here, "callId": call, **asked})

    def _watch(self, event: Json) -> None:
        """Remember a compaction until it ends."""
        data = event["data"]
        if event["type"] == "compaction/start" and int(event["seq"]) not in self.inherited:
            self._compaction = {n: v for n, v in data.items() if n != "error"}
        elif event["type"] in ("compaction/end", "session/end-seed"):
            self._compaction = None

    def _end_compaction(self) -> Iterable[Json]:
        opened, self._compaction = self._compaction, None
        if opened is not None:
            yield self._made("compaction/end", {**opened, "error": _LOST})

    def _made(self, kind: str, data: Json) -> Json:
        seq = self.judge.open_turn.next_seq
        return {"type": kind, "seq": seq, "time": self._time, "data": data}


def mender_of(judge: Judge, inherited: frozenset[int]) -> Mender | None:
    """A mender for one log; None for versions whose turns need not fit together."""
    if not isinstance(judge.relations, Released):
        return None
    return Mender(judge, judge.relations, inherited)


def ended_by_seed(events: Iterable[Json]) -> frozenset[int]:
    """The compactions that a seed ended."""
    found: set[int] = set()
    opened: int | None = None
    for event in events:
        if event["type"] == "compaction/start":
            opened = int(event["seq"])
        elif event["type"] == "compaction/end":
            opened = None
        elif event["type"] == "session/end-seed":
            found |= {opened} if opened is not None else set()
            opened = None
    return frozenset(found)


def _is_added(event: Json) -> bool:
    return event["type"] != "tool/result" or event.get("surfaceOp") == "append"


def _at(event: Json, **place: Any) -> Json:
    data = event["data"]
    same = all(is_count(data.get(n)) and data[n] == number for n, number in place.items())
    return event if same else {**event, "data": {**data, **place}}

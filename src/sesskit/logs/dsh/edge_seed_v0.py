"""From the logs of June 2026 to v0. No released program does that, so it is part of tolerant mode.

Messages stay in their order, with what was injected between the two texts that named its source.
Usage joins the message it was counted for. What v0 has no place for is told as a `Change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.edges import Refused
from sesskit.logs.dsh.legacy import Malformed, Upgrader
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.seed import seed_messages
from sesskit.logs.dsh.tolerant import Change
from sesskit.logs.dsh.vocabulary import KNOWN_SEED
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.issues import Keys, dotted

Json = dict[str, Any]

UNKNOWN = "unknown"
"""The provider and the model of answers that do not name theirs."""

_INJECTED = ("context/message", "steering/message")
_SAID = ("user/message", *_INJECTED)
_HEADER = ("type", "version", "id", "createdAt", "cwd", "parentSession")


def seed_to_v0(
    header: Json, events: Iterable[Json]
) -> tuple[Json, tuple[Json, ...], tuple[Change, ...]]:
    """The stored header and the events as v0 has them, and what had to change; raises `Refused`."""
    known = {name: header[name] for name in _HEADER if name in header}
    work = _Work(Upgrader(str(header["id"])))
    stored = list(events)
    work.usage = {_step(e): e["data"].get("usage") for e in stored if e["type"] == "usage"}
    ordered = work.behind_the_first_step(stored)
    made = tuple(event for old in ordered for event in work.event(old))
    return {**known, "version": 0, "delegationDepth": 0}, made, tuple(work.changes)


@dataclass(slots=True)
class _Work:
    upgrader: Upgrader
    usage: dict[Any, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    count: int = 0
    streamed: list[int] = field(default_factory=list)

    def behind_the_first_step(self, events: list[Json]) -> list[Json]:
        """Later versions take no message before the first step: those go right behind its start."""
        first = next((n for n, e in enumerate(events) if e["type"] == "step/start"), None)
        held = [e for e in events[:first] if e["type"] in _SAID]
        if first is None or not held or any(e["type"] == "turn/end" for e in events[:first]):
            return events
        for event in held:
            self._note(event, (), "moved behind the start of the first step", None)
        before = [event for event in events[:first] if event["type"] not in _SAID]
        return [*before, events[first], *held, *events[first + 1 :]]

    def event(self, old: Json) -> Iterator[Json]:
        """What becomes of one event: one of v0, or nothing."""
        event = {name: old[name] for name in ("type", "seq", "time", "data")}
        for name in old.keys() - event.keys():
            self._note(old, (name,), "taken out: no member of an event", old[name])
        kind = event["type"]
        if kind == "usage":
            return
        if kind == "error" or kind not in KNOWN_SEED:
            self._note(old, (), "taken out: v0 has no such event", old)
            return
        new = self._today({**event, "seq": self.count}, old)
        for issue in check_payload(0, new):
            raise Refused(issue)
        self.count += 1
        yield new

    def _today(self, event: Json, old: Json) -> Json:
        data = event["data"] if isinstance(event["data"], dict) else {}
        kind = event["type"]
        if kind == "assistant/message":
            event = self._answer(event, data, old)
        elif kind == "turn/end":
            event = self._end(event, data, old)
        elif kind in _INJECTED:
            (message,) = seed_messages([event])
            said = {"content": message["content"], "source": data.get("source")}
            event = {**event, "type": "user/message", "data": said}
            self._note(old, ("type",), "now a message of a user", kind)
        try:
            event = self.upgrader.upgrade(event)
        except Malformed as error:
            raise Refused(error.issue) from error
        if kind == "assistant/chunk":
            self.streamed.append(self.count)
        elif kind in ("step/start", "step/end"):
            self.streamed = []
        return {**event, "surfaceOp": "append"} if event["type"] in SURFACE[0] else event

    def _answer(self, event: Json, data: Json, old: Json) -> Json:
        """An answer; who gave it is not known."""
        said = {**data, "provenance": {"provider": UNKNOWN, "model": UNKNOWN}}
        self._note(old, ("data",), "the provider and the model are not known", None)
        usage = self.usage.get(_step(old))
        if isinstance(usage, dict):
            said["usage"] = usage
        sources, self.streamed = self.streamed, []
        event = {**event, "data": said}
        return {**event, "sourceEventSeqs": sources} if sources else event

    def _end(self, event: Json, data: Json, old: Json) -> Json:
        """The two reasons that the upgrade of old v0 logs does not take."""
        reason = data.get("reason")
        if not isinstance(reason, dict):
            return event
        if reason.get("kind") == "error" and isinstance(reason.get("message"), str):
            code = reason.get("code")
            error = {"message": reason["message"], "code": code if code else "UNKNOWN"}
            return {**event, "data": {**data, "reason": {"kind": "error", "error": error}}}
        if reason.get("kind") == "aborted" and isinstance(reason.get("reason"), str):
            self._note(old, ("data", "reason"), "now an abort of old", reason)
            return {**event, "data": {**data, "reason": {"kind": "aborted"}}}
        return event

    def _note(self, event: Json, keys: Keys, what: str, value: Any) -> None:
        self.changes.append(Change(int(event["seq"]), dotted(keys), what, value))


def _step(event: Json) -> tuple[Any, Any]:
    data = event["data"] if isinstance(event["data"], dict) else {}
    return (data.get("turn"), data.get("step"))

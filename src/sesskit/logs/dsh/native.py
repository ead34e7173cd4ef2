"""Rules that only v3 has: exact envelopes, the system head, spellings of v2 that it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.ruling import FORMAT, MIGRATION
from sesskit.logs.dsh.script_values import UNDEFINED, member, same
from sesskit.logs.dsh.vocabulary import KNOWN_V3
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.dsh_values import is_count, is_index, is_negative_zero
from sesskit.schemas.issues import Issue, Keys

Json = dict[str, Any]

_EMPTY_WHEN: dict[str, Any] = {"tools": [], "adapterDefaults": {}}
_RETIRED = frozenset(["tool/code-dispatch-start", "tool/code-dispatch"])
_SPAN = ("startSeq", "endSeq")
_OP = {"op", *_SPAN}
_MESSAGES = SURFACE[3]


def hard_refusal(event: Json) -> tuple[Issue, str] | None:
    """What v3 refuses wherever it stands, even behind damage, and the class of its error."""
    kind = event.get("type")
    if kind == "request/header":
        return _header_refusal(event)
    if kind == "system/message":
        if not isinstance(event.get("data"), dict):
            return no_object("data"), FORMAT
        found = check_payload(3, event)
        return (found[0], FORMAT) if found else None
    if isinstance(kind, str) and kind in _RETIRED and event.get("ignorable") is not True:
        message = "an event type of v2, which has another name in this version"
        return Issue("type-unknown", message, keys=("type",)), MIGRATION
    return None


def _header_refusal(event: Json) -> tuple[Issue, str] | None:
    data = event.get("data")
    if not isinstance(data, dict):
        return no_object("data"), FORMAT
    header = data.get("header")
    if not isinstance(header, dict):
        return no_object("data", "header"), FORMAT
    if "system" not in header:
        return None
    message = "the system prompt is an event of its own in this version"
    keys = ("data", "header", "system")
    return Issue("retired-header-system", message, keys=keys, at_key=True), MIGRATION


def no_object(*keys: str) -> Issue:
    """Something that the program looks into is no object."""
    return Issue("type", "expected an object", keys=keys, expected="object")


def canonical_faults(event: Json) -> Iterator[Issue]:
    """What makes a line with a sound envelope no event of v3."""
    kind = event.get("type")
    if is_negative_zero(event.get("seq")):
        yield Issue("envelope", "must be: count", keys=("seq",), expected="count")
    if not isinstance(kind, str):
        return
    if kind in _MESSAGES:
        yield from _operation(event)
        yield from _sources(event)
    elif kind in KNOWN_V3:
        for name, code in (("surfaceOp", "surface-op"), ("sourceEventSeqs", "sources")):
            if name in event:
                message = "an event of this type may not have it"
                yield Issue(f"{code}-forbidden", message, keys=(name,), at_key=True)
    if kind == "request/header":
        yield from _empty(event)
    elif kind == "tool/result":
        yield from _error(event)


def _operation(event: Json) -> Iterator[Issue]:
    """Whether the surface operation has one of its two forms, exactly."""
    words = '"append" or an object with op, startSeq and endSeq'
    op = event.get("surfaceOp")
    if "surfaceOp" not in event:
        message = "an event of this type must have it"
        yield Issue("surface-op-missing", message, keys=("surfaceOp",), expected=words)
    elif isinstance(op, dict):
        if op.keys() != _OP or op["op"] != "replace":
            message = "a replacement has exactly op, startSeq and endSeq"
            yield Issue("surface-replace-invalid", message, keys=("surfaceOp",), expected=words)
            return
        own = event.get("seq")
        for key in _SPAN:
            if not is_count(op[key]) or (is_index(own) and op[key] >= own):
                message = "expected the number of an earlier event"
                yield Issue("surface-replace-invalid", message, keys=("surfaceOp", key))
    elif op != "append":
        message = f"expected {words}"
        yield Issue("surface-op-unknown", message, keys=("surfaceOp",), expected=words)


def _sources(event: Json) -> Iterator[Issue]:
    keys: Keys = ("sourceEventSeqs",)
    if "sourceEventSeqs" not in event:
        return
    if event["type"] == "assistant/message":
        message = "an assistant message has no source events"
        yield Issue("sources-forbidden", message, keys=keys, at_key=True)
    elif event["sourceEventSeqs"] == []:
        message = "must name a source event, or be left out"
        yield Issue("sources-empty", message, keys=keys)


def _empty(event: Json) -> Iterator[Issue]:
    header = member(event.get("data"), "header")
    for name, empty in _EMPTY_WHEN.items():
        if member(header, name) == empty:
            message = "must be left out when it is empty"
            keys = ("data", "header", name)
            yield Issue("empty-header-field", message, keys=keys, at_key=True)


def _error(event: Json) -> Iterator[Issue]:
    """An error stands only beside a result that says that there was one."""
    data = event.get("data")
    if not isinstance(data, dict):
        yield no_object("data")
        return
    if "error" not in data:
        return
    content = member(data.get("message"), "content")
    block = content[0] if isinstance(content, list) and len(content) == 1 else None
    if member(block, "type") != "tool-result" or member(block, "isError") is not True:
        message = "has an error, but its result says that there was none"
        yield Issue("result-not-an-error", message, keys=("data", "error"), at_key=True)


class SystemHead(Struct):
    """The system message that stands first on the surface, and what may touch it."""

    head: int | None = None
    _place: tuple[Any, Any] | None = None
    _surfaced: bool = False

    def see(self, event: Json) -> list[Issue]:
        """The rules that an accepted event breaks."""
        kind, data = event["type"], event["data"]
        issues: list[Issue] = []
        if kind == "step/start":
            self._place = (member(data, "turn"), member(data, "step"))
            if not isinstance(data, dict):
                issues = [no_object("data")]
        elif kind in ("step/end", "turn/end"):
            self._place = None
        elif kind in ("compaction/prune", "compaction/summary"):
            issues = list(self._hidden(data))
        elif kind in _MESSAGES:
            issues = list(self._message(event))
            self._surfaced = True
        return issues

    def enter(self, turn: int, step: int) -> None:
        """A step starts."""
        self._place = (turn, step)

    def leave(self) -> None:
        """The step ends."""
        self._place = None

    def surfaced(self) -> None:
        """A message is added that is no system message."""
        self._surfaced = True

    def _message(self, event: Json) -> Iterator[Issue]:
        if event["type"] == "system/message":
            yield from self._system(event)
            return
        if self._touched(event["surfaceOp"]):
            message = "only a system message may replace the system head, and it alone"
            yield Issue("replace-system-head", message, keys=("surfaceOp",))
        error = event["data"].get("error", {}) if event["type"] == "tool/result" else {}
        if not isinstance(error, dict):
            yield no_object("data", "error")

    def _system(self, event: Json) -> Iterator[Issue]:
        data, op = event["data"], event["surfaceOp"]
        place = self._place or (None, None)
        here = same(place[0], member(data, "turn")) and same(place[1], member(data, "step"))
        if self._place is None or not here:
            message = "a system message names the open turn and step"
            yield Issue("not-the-open-step", message, keys=("data",))
        if self._surfaced and self.head is None:
            message = "a system message needs one that stands first on the surface"
            yield Issue("system-head-missing", message, keys=("type",))
        if op == "append":
            if not self._surfaced:
                self.head = event["seq"]
        elif self._touched(op):
            if op["startSeq"] != self.head or op["endSeq"] != self.head:
                message = "a system message replaces the system head alone"
                yield Issue("replace-system-head", message, keys=("surfaceOp",))
            self.head = event["seq"]

    def _touched(self, op: Any) -> bool:
        ends = (member(op, name) for name in _SPAN)
        return self.head is not None and any(same(end, self.head) for end in ends)

    def _hidden(self, data: Any) -> Iterator[Issue]:
        if not isinstance(data, dict):
            yield no_object("data")
            return
        seqs = data.get("shadowedSeqs", UNDEFINED)
        touched = isinstance(seqs, list) and any(same(seq, self.head) for seq in seqs)
        if touched and self.head is not None:
            message = "a compaction may not hide the system head"
            yield Issue("replace-system-head", message, keys=("data", "shadowedSeqs"))

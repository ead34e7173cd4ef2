"""The surface: which events are model messages now, in which order.

It is a list of event seqs. A surface event appends its own seq, or puts it in the place of a span
of the list. Positions count, not numbers: after a replacement a smaller seq may stand behind a
larger one. Costs are linear in the log, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.envelopes import Sources, read_sources
from sesskit.schemas.dsh_payloads import SURFACE
from sesskit.schemas.dsh_values import digest, is_index
from sesskit.schemas.issues import Issue, Keys

APPEND = "append"
SYSTEM = "system/message"
_FORBIDDEN_CODES = {"surfaceOp": "surface-op-forbidden", "sourceEventSeqs": "sources-forbidden"}
_SPAN_KEYS = {False: ("start", "end"), True: ("startSeq", "endSeq")}


@dataclass(frozen=True, slots=True)
class Replacement:
    """One span that was replaced: by which event, from where to where, and what it hid."""

    seq: int
    start: int
    end: int
    shadowed: tuple[int, ...]


@dataclass(slots=True)
class _Node:
    seq: int
    place: int
    type: str
    rest: bytes
    before: _Node | None = None
    after: _Node | None = None


@dataclass(slots=True)
class Surface:
    """The fold of the surface operations seen so far, for one format version.

    ``keep`` remembers every replacement; without it memory grows with the surface alone.
    """

    version: int = 0
    keep: bool = True
    replacements: list[Replacement] = field(default_factory=list)
    _by_seq: dict[int, _Node] = field(default_factory=dict)
    _first: _Node | None = None
    _last: _Node | None = None

    @property
    def lenient(self) -> bool:
        """v1 and v2 leave more to the running session than v0 and v3 do."""
        return self.version in (1, 2)

    def nodes(self) -> Iterator[int]:
        """The seqs on the surface, in order."""
        node = self._first
        while node is not None:
            yield node.seq
            node = node.after

    def is_span(self, seqs: list[Any]) -> bool:
        """Whether the numbers stand on the surface one behind the other."""
        node = self._by_seq.get(int(seqs[0])) if is_index(seqs[0]) else None
        for seq in seqs:
            if node is None or node.seq != seq:
                return False
            node = node.after
        return True

    def __len__(self) -> int:
        return len(self._by_seq)

    def take(self, event: Mapping[str, Any]) -> list[Issue]:
        """Fold one event in, or say every rule it breaks (then nothing has changed).

        The envelope must be sound: a text `type`, a count `seq`, members of `data` as they are.
        Keys of the issues lead from the event.
        """
        if event["type"] not in SURFACE[self.version]:
            return list(_forbidden(event))
        sources = self._sources(event)
        issues = [*_operation(self.version, event), *sources.issues]
        first = self._first.type if self._first is not None else SYSTEM
        if event["type"] == SYSTEM and first != SYSTEM:
            message = "a system message needs one that stands first on the surface"
            issues.append(_issue("system-head-missing", message, ("type",)))
        if issues:
            return issues
        if event["surfaceOp"] == APPEND:
            self._link(_node(event, int(event["seq"])), self._last, None)
            return []
        return self._replace(event, sources)

    def _sources(self, event: Mapping[str, Any]) -> Sources:
        stored, kind = event.get("sourceEventSeqs"), event["type"]
        if self.version >= 3 and kind == "assistant/message" and "sourceEventSeqs" in event:
            message = "an assistant message has no source events"
            keys: Keys = ("sourceEventSeqs",)
            return Sources(issues=[Issue("sources-forbidden", message, keys=keys, at_key=True)])
        if "sourceEventSeqs" not in event:
            return Sources()
        sources = read_sources(stored, event["seq"], pairs=self.version >= 1)
        if stored == [] and kind != "assistant/message" and not self.lenient:
            message = "only an assistant message may name no source events"
            sources.issues.append(_issue("sources-empty", message, ("sourceEventSeqs",)))
        return sources

    def _replace(self, event: Mapping[str, Any], sources: Sources) -> list[Issue]:
        start_key, end_key = _SPAN_KEYS[self.version >= 3]
        op, seq = event["surfaceOp"], int(event["seq"])
        start, end = (self._by_seq.get(int(op[key])) for key in (start_key, end_key))
        missing = [k for k, node in ((start_key, start), (end_key, end)) if node is None]
        if start is None or end is None:
            message = "names an event that is not on the surface"
            return [
                _issue("replace-not-on-surface", message, ("surfaceOp", key)) for key in missing
            ]
        if start.place > end.place:
            message = "the span ends before it starts on the surface"
            return [_issue("replace-order", message, ("surfaceOp", end_key))]
        span = list(_span(start, end))
        issues = [*self._shadowing(event, span, sources)]
        if self.version == 0:
            issues += _rewriting(event, span)
        if issues:
            return issues
        if self.keep:
            shadowed = tuple(node.seq for node in span)
            self.replacements.append(Replacement(seq, start.seq, end.seq, shadowed))
        for node in span:
            del self._by_seq[node.seq]
        self._link(_node(event, start.place), start.before, end.after)
        return []

    def _link(self, node: _Node, before: _Node | None, after: _Node | None) -> None:
        node.before, node.after = before, after
        if before is None:
            self._first = node
        else:
            before.after = node
        if after is None:
            self._last = node
        else:
            after.before = node
        self._by_seq[node.seq] = node

    def _shadowing(
        self, event: Mapping[str, Any], span: list[_Node], sources: Sources
    ) -> Iterator[Issue]:
        if any(node.seq not in sources for node in span):
            message = "must name every event that the replacement hides"
            yield _issue("sources-miss-shadowed", message, ("sourceEventSeqs",), "hidden events")
        head = self._first
        guarded = head is not None and head.type == SYSTEM and head in span
        if guarded and (len(span) > 1 or event["type"] != "system/message"):
            message = "only a system message may replace the system head, and it alone"
            yield _issue("replace-system-head", message)


def _node(event: Mapping[str, Any], place: int) -> _Node:
    kind = event["type"]
    rest = _beside_content(event["data"]) if kind == "tool/result" else b""
    return _Node(int(event["seq"]), place, kind, rest)


def _span(start: _Node, end: _Node) -> Iterator[_Node]:
    node: _Node | None = start
    while node is not None:
        yield node
        node = None if node is end else node.after


def _issue(
    code: str, message: str, keys: Keys = ("surfaceOp",), expected: str | None = None
) -> Issue:
    return Issue(code, message, keys=keys, expected=expected)


def _forbidden(event: Mapping[str, Any]) -> Iterator[Issue]:
    for key, code in (
        ("surfaceOp", "surface-op-forbidden"),
        ("sourceEventSeqs", "sources-forbidden"),
    ):
        if key in event:
            yield Issue(code, "an event of this type may not have it", keys=(key,), at_key=True)


def _operation(version: int, event: Mapping[str, Any]) -> Iterator[Issue]:
    """Whether the operation itself has one of its two forms."""
    start, end = _SPAN_KEYS[version >= 3]
    words = f'"append" or an object with op, {start} and {end}'
    op = event.get("surfaceOp")
    if "surfaceOp" not in event:
        yield _issue("surface-op-missing", "an event of this type must have it", (), words)
    elif isinstance(op, dict):
        exact = op.keys() == {"op", start, end} or (version in (1, 2) and {start, end} <= op.keys())
        if op.get("op") != "replace" or not exact:
            message = f"a replacement has exactly op, {start} and {end}"
            yield _issue("surface-replace-invalid", message, expected=words)
        else:
            for key in (start, end):
                if not is_index(op[key]):
                    message = "expected the number of an event"
                    yield _issue("surface-replace-invalid", message, ("surfaceOp", key))
    elif op != APPEND:
        yield _issue("surface-op-unknown", f"expected {words}", expected=words)


def _rewriting(event: Mapping[str, Any], span: list[_Node]) -> Iterator[Issue]:
    """A tool result may replace one tool result, and change nothing but what the tool said."""
    if event["type"] != "tool/result":
        return
    if len(span) != 1:
        yield _issue("prune-not-one-node", "a tool result may replace one event only")
    elif span[0].type != "tool/result":
        yield _issue("prune-not-a-result", "a tool result may only replace a tool result")
    elif span[0].rest != _beside_content(event["data"]):
        message = "a tool result that replaces another may change nothing but its content"
        yield _issue("prune-changes-more-than-content", message, ("data",))


def _beside_content(data: Any) -> bytes:
    """A digest of a tool result without what the tool said."""
    message = data.get("message") if isinstance(data, dict) else None
    blocks = message.get("content") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(blocks, list):
        return digest(data)
    bare = [{**b, "content": None} if isinstance(b, dict) and "content" in b else b for b in blocks]
    return digest({**data, "message": {**message, "content": bare}})

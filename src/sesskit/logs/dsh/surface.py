"""The surface: which events are model messages now, in which order.

It is a list of event seqs. A surface event appends its own seq, or puts it in the place of a span
of the list. Positions count, not numbers: after a replacement a smaller seq may stand behind a
larger one. Costs are linear in the log, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.envelopes import Sources, read_sources
from sesskit.logs.dsh.result_marks import beside_content
from sesskit.logs.dsh.script_values import UNDEFINED, crash, member, same
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue, Keys

APPEND = "append"
_FORBIDDEN_CODES = {"surfaceOp": "surface-op-forbidden", "sourceEventSeqs": "sources-forbidden"}
_SPAN_KEYS = {False: ("start", "end"), True: ("startSeq", "endSeq")}


class Replacement(Struct, frozen=True):
    """One span that was replaced: by which event, from where to where, and what it hid."""

    seq: int
    start: int
    end: int
    shadowed: tuple[int, ...]


class _Node(Struct):
    seq: int
    place: int
    type: str
    rest: bytes
    before: _Node | None = None
    after: _Node | None = None


class Surface(Struct):
    """The fold of the surface operations seen so far, for one format version.

    ``keep`` remembers every replacement; without it memory grows with the surface alone.
    """

    version: int = 0
    keep: bool = True
    replacements: list[Replacement] = field(default_factory=list)
    _by_seq: dict[int, _Node] = field(default_factory=dict)
    _first: _Node | None = None
    _last: _Node | None = None

    def nodes(self) -> Iterator[int]:
        """The seqs on the surface, in order."""
        node = self._first
        while node is not None:
            yield node.seq
            node = node.after

    def is_span(self, first: Any, last: Any, seqs: Any) -> bool:
        """Whether the numbers stand on the surface one behind the other, from first to last.

        Ends that are not there, or the other way round, make a span of nothing.
        """
        start, end = self._node(first), self._node(last)
        if start is None or end is None or end.place < start.place:
            return seqs in ("", [])
        node: _Node | None = start
        before: _Node | None = None
        for seq in seqs if isinstance(seqs, list) else ():
            if node is None or before is end or not same(seq, node.seq):
                return False
            before, node = node, node.after
        return before is end

    def _node(self, seq: Any) -> _Node | None:
        return self._by_seq.get(int(seq)) if is_index(seq) else None

    def __len__(self) -> int:
        return len(self._by_seq)

    def take(self, event: Mapping[str, Any]) -> list[Issue]:
        """Fold one event in, or say every rule it breaks (then nothing has changed).

        The envelope must be sound: a text `type`, a count `seq`, members of `data` as they are.
        Keys of the issues lead from the event.
        """
        if self.version >= 2:
            return self._released(event)
        if event["type"] not in SURFACE[self.version]:
            return list(forbidden_fields(event))
        sources = self._sources(event)
        issues = [*_operation(event), *sources.issues]
        if issues:
            return issues
        op = event["surfaceOp"]
        if op == APPEND:
            self._unlink(int(event["seq"]))
            self._link(self._new(event, int(event["seq"])), self._last, None)
            return []
        return self._replace(event, self._node(op["start"]), self._node(op["end"]), sources)

    def look(self, event: Mapping[str, Any]) -> list[Issue]:
        """What is wrong with the surface fields by themselves, whatever is on the surface."""
        surfaced = event["type"] in SURFACE[self.version]
        if self.version >= 2:
            return list(self._look_later(event)) if surfaced else []
        if not surfaced:
            return list(forbidden_fields(event))
        return [*_operation(event), *self._sources(event).issues]

    def _look_later(self, event: Mapping[str, Any]) -> Iterator[Issue]:
        op = event.get("surfaceOp", UNDEFINED)
        if op is UNDEFINED:
            yield _issue("surface-op-missing", "an event of this type must have it", ())
        elif self.version == 2 and op != APPEND:  # v3 looks at the form of every line
            ends = _SPAN_KEYS[False]
            if not all(is_index(member(op, key)) for key in ends if op is not None):
                yield _issue("surface-op-unknown", 'expected "append" or a replacement')

    def append(self, seq: int, kind: str, mark: bytes = b"") -> None:
        """Add an event that is known to be sound; a tool result of v0 with its `result_mark`."""
        if seq in self._by_seq:
            self._unlink(seq)
        self._link(_Node(seq, seq, kind, mark), self._last, None)

    def _sources(self, event: Mapping[str, Any]) -> Sources:
        stored, kind = event.get("sourceEventSeqs"), event["type"]
        if "sourceEventSeqs" not in event:
            return Sources()
        sources = read_sources(stored, event["seq"], pairs=self.version >= 1)
        if stored == [] and kind != "assistant/message" and self.version == 0:
            message = "only an assistant message may name no source events"
            sources.issues.append(_issue("sources-empty", message, ("sourceEventSeqs",)))
        return sources

    def _released(self, event: Mapping[str, Any]) -> list[Issue]:
        """The same from v2 on: the form of the operation is left to whoever reads the line."""
        if event["type"] not in SURFACE[self.version]:
            return []
        op = event.get("surfaceOp", UNDEFINED)
        if op is UNDEFINED:
            return [_issue("surface-op-missing", "an event of this type must have it", ())]
        if op == APPEND:
            self._unlink(int(event["seq"]))
            self._link(self._new(event, int(event["seq"])), self._last, None)
            return []
        if op is None:
            return [crash("surfaceOp")]
        keys = _SPAN_KEYS[self.version >= 3]
        start, end = (self._node(member(op, key)) for key in keys)
        sources = read_sources(event.get("sourceEventSeqs", []), event["seq"], pairs=True)
        return self._replace(event, start, end, sources)

    def _replace(
        self, event: Mapping[str, Any], start: _Node | None, end: _Node | None, sources: Sources
    ) -> list[Issue]:
        start_key, end_key = _SPAN_KEYS[self.version >= 3]
        missing = [k for k, node in ((start_key, start), (end_key, end)) if node is None]
        if start is None or end is None:
            message = "names an event that is not on the surface"
            if not isinstance(event["surfaceOp"], Mapping):
                return [_issue("replace-not-on-surface", "names no event of the surface")]
            return [
                _issue("replace-not-on-surface", message, ("surfaceOp", key)) for key in missing
            ]
        if start.place > end.place:
            message = "the span ends before it starts on the surface"
            return [_issue("replace-order", message, ("surfaceOp", end_key))]
        span = list(_span(start, end))
        issues = []
        if any(node.seq not in sources for node in span):
            message = "must name every event that the replacement hides"
            keys = ("sourceEventSeqs",)
            issues.append(_issue("sources-miss-shadowed", message, keys, "hidden events"))
        if self.version == 0:
            issues += _rewriting(event, span)
        if issues:
            return issues
        if self.keep:
            shadowed = tuple(node.seq for node in span)
            done = Replacement(int(event["seq"]), start.seq, end.seq, shadowed)
            self.replacements.append(done)
        for node in span:
            del self._by_seq[node.seq]
        before, after = start.before, end.after
        stale = self._unlink(int(event["seq"]))
        if stale is not None:
            before = stale.before if stale is before else before
            after = stale.after if stale is after else after
        self._link(self._new(event, start.place), before, after)
        return []

    def _unlink(self, seq: int) -> _Node | None:
        """Take off an event whose number another one gets: it was set aside after it was seen."""
        node = self._by_seq.pop(seq, None)
        if node is None:
            return None
        if node.before is None:
            self._first = node.after
        else:
            node.before.after = node.after
        if node.after is None:
            self._last = node.before
        else:
            node.after.before = node.before
        return node

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

    def _new(self, event: Mapping[str, Any], place: int) -> _Node:
        """A node for an event; only v0 compares what a result was rewritten from."""
        kind = event["type"]
        compared = self.version == 0 and kind == "tool/result"
        rest = beside_content(event["data"]) if compared else b""
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


def forbidden_fields(event: Mapping[str, Any]) -> Iterator[Issue]:
    """The surface fields of an event that may not have them."""
    for key, code in _FORBIDDEN_CODES.items():
        if key in event:
            yield Issue(code, "an event of this type may not have it", keys=(key,), at_key=True)


def _operation(event: Mapping[str, Any]) -> Iterator[Issue]:
    """Whether the operation itself has one of its two forms."""
    words = '"append" or an object with op, start and end'
    op = event.get("surfaceOp")
    if "surfaceOp" not in event:
        yield _issue("surface-op-missing", "an event of this type must have it", (), words)
    elif isinstance(op, dict):
        if op.get("op") != "replace" or op.keys() != {"op", "start", "end"}:
            message = "a replacement has exactly op, start and end"
            yield _issue("surface-replace-invalid", message, expected=words)
            return
        for key in ("start", "end"):
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
    elif span[0].rest != beside_content(event["data"]):
        message = "a tool result that replaces another may change nothing but its content"
        yield _issue("prune-changes-more-than-content", message, ("data",))

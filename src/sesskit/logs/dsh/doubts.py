"""The rules between events behind damage: a fault is said once, and what follows from it is not.

Where a line is lost, nobody knows what it opened or closed. The walk then believes the next event
that names its place, and keeps quiet about partners that may have stood on the lost line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from sesskit.logs.dsh.relational import Relations
from sesskit.logs.dsh.released import Released
from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]

_STARTS = {"turn/start": "turn", "step/start": "step"}
_BOUNDARIES = frozenset(["turn/start", "turn/end", "step/start", "step/end"])

_OF_PLACE = frozenset(
    [
        "turn-nested",
        "turn-number",
        "turn-not-next",
        "turn-end-mismatch",
        "turn-end-open-step",
        "step-outside-turn",
        "step-nested",
        "step-number",
        "step-order",
        "step-end-mismatch",
        "not-the-open-step",
        "not-in-a-turn",
        "replacement-outside-turn",
        "retry-place",
        "compaction-turn",
    ]
)
_OF_CALLS = frozenset(
    ["call-unanswered", "call-unasked", "result-without-call", "unresolved-tool-call"]
)
_OF_PARTNERS = frozenset(
    [
        "command-unknown",
        "compaction-end-without-summary",
        "compaction-open",
        "compaction-span",
        "compaction-turn",
        "compaction-unknown",
        "dispatch-parent",
        "dispatch-root",
        "dispatch-unknown",
        "replace-not-on-surface",
        "retry-id",
        "retry-number",
        "retry-provider",
        "retry-unscheduled",
        "sources-miss-shadowed",
        "system-head-missing",
        "title-messages",
        "title-request",
    ]
)
"""Rules that an event may break only because the one that it belongs to was lost."""

_CALLING = frozenset(["assistant/message", "tool/call", "tool/result"])
_WITH_PARTNERS = frozenset(
    [
        "assistant/message",
        "command/run",
        "compaction/start",
        "compaction/summary",
        "llm/retry",
        "system/message",
        "tool/code-dispatch-start",
        "tool/ptc-dispatch-start",
        "tool/result",
        "user/message",
    ]
)
"""Types that other events refer to."""


def is_placed(event: Json) -> bool:
    """Whether an event says what it is and where it stands, whatever else is wrong with it."""
    return "data" in event and isinstance(event.get("type"), str) and is_index(event.get("seq"))


class Doubts(Struct):
    """What is not known for certain, for the rules of one log.

    Without ``resync`` nothing is ever in doubt: then every rule is asked of every event.
    """

    relations: Relations | Released
    resync: bool = False
    lossy: bool = False
    lost: bool = False
    """Whether an event was lost of which not even the type is certain."""
    unplaced: bool = False
    gap: bool = False

    @property
    def active(self) -> bool:
        """Whether the open turn and step, or their calls, are in doubt now."""
        return self.unplaced or self.gap

    def lose(self, kind: str | None = None) -> None:
        """An event is lost; ``kind`` is its type where that and its place are known all the same,
        so that it is lost only to those that belong to it."""
        if self.resync:
            self.gap = self.gap or kind is None or kind in _CALLING
            self.lossy = self.lossy or kind is None or kind in _WITH_PARTNERS
            self.unplaced = self.unplaced or kind is None
            self.lost = self.lost or kind is None

    def blinded(self, event: Json, related: Collection[str]) -> bool:
        """Take in an event of which nobody can tell what it says of the turns, steps and calls
        around it, and say so; ``related`` are the types that say something of them."""
        kind = event.get("type")
        unknown = not isinstance(kind, str)
        if not unknown and (isinstance(event.get("data"), dict) or kind not in related):
            return False
        if unknown or isinstance(self.relations, Released):
            self.lose()
        elif self.resync:  # no program of v0 or v1 minds that
            self.unplaced = self.gap = True
        return True

    def confuse(self, kind: str) -> None:
        """An event of that type says something wrong that the program does not mind."""
        self.gap = self.gap or kind in _CALLING

    def see(self, event: Json) -> list[Issue]:
        """The rules between events that this one breaks by itself."""
        if not self.resync:
            return self.relations.see(event)
        kind, data = event["type"], event["data"]
        if self.unplaced and isinstance(data, Mapping):
            self.unplaced = not self._believe(kind, data, appended=event.get("surfaceOp"))
        found = self.believable(self.relations.see(event))
        if kind in _BOUNDARIES:
            self.gap = False
        if kind in _STARTS and self._is_misnumbered(found):
            self.unplaced = True
        return found

    def believable(self, issues: Iterable[Issue]) -> list[Issue]:
        """Those of the issues that need not follow from something lost."""
        if not (self.lossy or self.active):
            return list(issues)
        hidden: frozenset[str] = _OF_PARTNERS if self.lossy else frozenset()
        hidden |= (_OF_PLACE if self.unplaced else frozenset()) | (
            _OF_CALLS if self.gap else frozenset()
        )
        return [issue for issue in issues if issue.code not in hidden]

    def _is_misnumbered(self, found: list[Issue]) -> bool:
        """Whether a start has the wrong number, so that it says nothing of where the log is."""
        return any(issue.code in _OF_PLACE and issue.keys for issue in found)

    def _believe(self, kind: str, data: Json, *, appended: Any) -> bool:
        """Take the place that an event names for the open one; False if it names none."""
        turn, step = data.get("turn"), data.get("step")
        if not is_index(turn):
            return False
        if kind == "turn/start":
            self.relations.expect_turn(int(turn))
        elif kind == "turn/end":
            self.relations.expect_step(int(turn), 1)
        elif not is_index(step):
            return False
        elif kind == "step/start":
            self.relations.expect_step(int(turn), int(step))
        elif kind in _IN_STEP and (kind != "tool/result" or appended == "append"):
            self.relations.enter(int(turn), int(step))
        else:
            return False
        return True


_IN_STEP = frozenset(
    [
        "step/end",
        "assistant/chunk",
        "assistant/message",
        "assistant/attempt",
        "tool/call",
        "tool/result",
    ]
)

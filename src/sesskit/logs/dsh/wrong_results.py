"""Results of tools that are wrong, and old rewrites of them: those have what the first ones had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]

RESULT = "tool/result"


@dataclass(slots=True)
class WrongResults:
    """The numbers of the results that a program refuses for what they hold."""

    seqs: set[int] = field(default_factory=set)

    def note(self, event: Json, issues: list[Issue]) -> None:
        """Take in what is wrong with an event."""
        refused = any(issue.severity == "error" for issue in issues)
        if refused and event.get("type") == RESULT and is_index(event.get("seq")):
            self.seqs.add(int(event["seq"]))

    def rest(self, event: Json, issues: list[Issue], *, lossy: bool) -> list[Issue]:
        """The issues of an event that are not those of the result that it rewrites; ``lossy`` says
        that that one may be lost, and with it the id that an old rewrite has from it."""
        if not issues or event["type"] != RESULT:
            return issues
        op = event.get("surfaceOp")
        rewritten = op.get("start", op.get("startSeq")) if isinstance(op, dict) else None
        wrong = is_index(rewritten) and rewritten in self.seqs
        hidden = {"prune-changes-more-than-content"} if wrong else set()
        if lossy and rewritten is not None:
            hidden.add("message-no-id")
        return [issue for issue in issues if issue.code not in hidden]

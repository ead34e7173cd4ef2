"""What speaks for and against an event as the next one of a writer."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh.evidence import conflicts
from sesskit.logs.dsh.standing import Standing

HERE = {"turn": 1, "step": 1}


def event(kind: str, data: Any, seq: int = 0, **more: Any) -> Any:
    return {"type": kind, "seq": seq, "time": seq, "data": data, **more}


def chunk(kind: str, index: int | None = 0, seq: int = 0, **more: Any) -> Any:
    place = {} if index is None else {"index": index}
    return event("assistant/chunk", {**HERE, "chunk": {"type": kind, **place, **more}}, seq)


def said(*calls: str) -> Any:
    content = [{"type": "tool-call", "id": call} for call in calls]
    return event("assistant/message", {**HERE, "message": {"content": content}})


def result(call: str) -> Any:
    return event("tool/result", {**HERE, "message": {"source": {"callId": call}}})


START = [event("turn/start", {"turn": 1}), event("step/start", HERE)]
TEXT = [*START, chunk("block-start", blockType="text", seq=4)]
ASKED = [*START, said("c1")]
WAITS = [*START, event("agent/inbox/spliced", {"inserted": [{"id": "u1"}, 3]})]


@pytest.mark.parametrize(
    ("before", "after", "sign"),
    [
        ([], event("turn/start", {"turn": 1}), 0),
        (START, event("turn/start", {"turn": 2}), 1),
        (START, event("turn/end", {"turn": 1}), 1),
        ([*START, event("step/end", HERE)], event("turn/end", {"turn": 1}), 0),
        (START, event("turn/end", {"turn": 2}), 1),
        ([], event("turn/end", {"turn": 1}), 1),
        (START, event("step/start", {"turn": 1, "step": 2}), 1),
        (START, event("step/end", HERE), 0),
        (ASKED, event("step/end", HERE), 1),
        ([*ASKED, result("c1")], event("step/end", HERE), 0),
        (ASKED, event("tool/call", {**HERE, "callId": "c1"}), -1),
        (ASKED, event("tool/call", {**HERE, "callId": "c2"}), 1),
        (ASKED, result("c1"), -1),
        ([*ASKED, result("c1")], result("c1"), 1),
        (TEXT, chunk("text-delta"), 0),
        (TEXT, chunk("reasoning-delta"), 1),
        (TEXT, chunk("text-delta", 1), 1),
        (TEXT, chunk("block-start"), 1),
        (TEXT, chunk("block-end"), 0),
        (TEXT, chunk("usage", None), 1),
        ([*TEXT, chunk("block-end")], chunk("usage", None), 0),
        (TEXT, said(), 1),
        (TEXT, {**said(), "sourceEventSeqs": [4]}, 0),
        (TEXT, {**said(), "sourceEventSeqs": [3]}, 1),
        (WAITS, event("user/message", {"id": "u1"}), -1),
        (WAITS, event("user/message", {"id": "u2"}), 1),
        ([event("x", 3), chunk("x"), event("assistant/chunk", {"chunk": 3})], event("y", None), 0),
    ],
)
def test_conflicts(before: list[Any], after: Any, sign: int) -> None:
    standing = Standing()
    for one in before:
        standing.see(one, one["seq"])
    found = conflicts(standing, after)
    assert (found > 0) - (found < 0) == sign

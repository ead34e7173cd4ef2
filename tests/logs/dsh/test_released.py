"""The rules between events that decide from v2 on: each one kept, each one broken."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh.closers import NOT_STARTED, NOT_STARTED_TEXT
from sesskit.logs.dsh.released import Released

Event = tuple[Any, ...]

TURN: Event = ("turn/start", {"turn": 1})
STEP: Event = ("step/start", {"turn": 1, "step": 1})
STEP_END: Event = ("step/end", {"turn": 1, "step": 1})
TURN_END: Event = ("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
HERE = {"turn": 1, "step": 1}
HEADER: Event = ("request/header", {"header": {"config": {"provider": "p", "model": "m"}}})


def asks(*calls: str, place: dict[str, int] = HERE, op: Any = "append") -> Event:
    content = [{"type": "tool-call", "id": c, "name": "n", "arguments": "{}"} for c in calls]
    return ("assistant/message", {**place, "message": {"content": content}}, op)


def called(call: str, name: str = "n") -> Event:
    return ("tool/call", {**HERE, "callId": call, "name": name, "arguments": "{}"})


def answered(call: str, op: Any = "append", **more: Any) -> Event:
    message = {"id": "r", "content": [], "source": {"kind": "tool", "callId": call}}
    return ("tool/result", {**HERE, "message": {**message, **more.pop("message", {})}, **more}, op)


def not_started(call: str, number: str = "3") -> Event:
    text = [{"type": "text", "text": NOT_STARTED_TEXT}]
    block = {"type": "tool-result", "toolCallId": call, "isError": True, "content": text}
    own = {"id": f"interrupted-tool-result-{call}-{number}", "content": [block]}
    return answered(call, message=own, error=NOT_STARTED)


def retry(number: int = 1, **more: Any) -> Event:
    named = {"retryId": "r1", "provider": "p", "policyKey": "k", "retry": number, "maxRetries": 2}
    return ("llm/retry", {**HERE, **named, **more})


def started(number: Any = 1, retry_id: str = "r1") -> Event:
    return ("llm/retry-started", {**HERE, "retryId": retry_id, "retry": number})


def compaction(end: str = "start", turn: Any = None, name: str = "c", **more: Any) -> Event:
    return (f"compaction/{end}", {"compactionId": name, "turn": turn, **more})


def hidden(seqs: Any) -> dict[str, Any]:
    return {"shadowedSeqs": seqs, "shadowedRange": {"start": 1, "end": 1}}


def summary(seqs: Any = (1,), name: str = "c", **more: Any) -> Event:
    return ("compaction/summary", {"compactionId": name, **hidden(list(seqs)), **more})


def dispatch(sub: str, parent: str = "root", root: str = "root", **more: Any) -> dict[str, Any]:
    named = {"rootCallId": root, "parentCallId": parent, "subCallId": sub, "name": "n"}
    return {**named, "arguments": 1, **more}


def begins(*args: str, **more: Any) -> Event:
    return ("tool/ptc-dispatch-start", dispatch(*args, **more))


def ends(*args: str, **more: Any) -> Event:
    return ("tool/ptc-dispatch", dispatch(*args, **more))


def run(name: str = "k") -> Event:
    return ("command/run", {"commandId": name})


def done(name: str = "k", **more: Any) -> Event:
    return ("command/done", {"commandId": name, "kind": "success", **more})


SAID: Event = ("user/message", {"source": {"kind": "user"}, "content": []}, "append")
MUTE: Event = ("user/message", {"source": {"kind": "user"}}, "append")
REPLACES = {"op": "replace", "start": 1, "end": 1}
END_SEED: Event = ("session/end-seed", {})
CHECKPOINT = {"kind": "plugin", "plugin": "compact", "compactionId": "c"}


def title(kind: str, seqs: Any) -> Event:
    return ("session/title", {"source": {"kind": kind}, "messageSeqs": seqs})


def ask(seqs: Any, messages: Any) -> Event:
    return ("session/title-llm-request", {"messageSeqs": seqs, "messages": messages})


FRAMED: dict[str, Any] = {
    "role": "user",
    "source": {"kind": "plugin", "plugin": "dsh-session-title-llm"},
    "content": [{"type": "text", "text": "x"}],
}


def delivery(**data: Any) -> Event:
    return ("session-log-deepseek/delivery-accepted", {"sessionFormatVersion": 2, **data})


def codes(*events: Event, version: int = 2, header: Any = (), inherited: int = 0) -> list[str]:
    rules = Released(lambda first, last, seqs: seqs == [1], version, dict(header))
    found = []
    for seq, (kind, data, *op) in enumerate(events):
        event = {"type": kind, "seq": seq, "data": data}
        if op:
            event["surfaceOp"] = op[0]
        found += [issue.code for issue in rules.see(event)]
    return found + [issue.code for issue in rules.finish(inherited)]


@pytest.mark.parametrize(
    "events",
    [
        (TURN, STEP, SAID, HEADER, asks("a"), called("a"), answered("a"), STEP_END, TURN_END),
        (TURN, STEP, asks("a", "b"), not_started("a"), not_started("b", "4"), STEP_END, TURN_END),
        (TURN, STEP, asks("a"), called("a"), answered("a"), answered("a", {"op": "replace"})),
        (TURN, STEP, asks("a", op=REPLACES), called("a"), answered("a"), STEP_END, TURN_END),
        (TURN, STEP, HEADER, retry(), started(), retry(2), started(2)),
        (compaction(), summary(), compaction("end"), TURN),
        (compaction(), compaction("end", error="x")),
        (compaction(), ("user/message", {"source": CHECKPOINT}, REPLACES)),
        (("user/message", {"source": CHECKPOINT}, "append"),),
        (compaction(), TURN, END_SEED, TURN_END),
        (TURN, begins("a"), begins("b", "a"), ends("b", "a"), ends("a"), begins("c", "a")),
        (run(), done(sourceEventSeq=3)),
        (SAID, title("provider", [0]), title("user", [])),
        (title("provider", [1]), SAID),
        (SAID, ask([0], [FRAMED])),
        (delivery(sessionId="s"), delivery(sessionFormatVersion=1)),
        (("unknown/type", {}), ("turn/start", [])),
    ],
    ids=lambda events: events[-1][0],
)
def test_kept(events: tuple[Event, ...]) -> None:
    assert codes(*events, header={"id": "s"}) == []


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ((("turn/start", {"turn": 2}),), "turn-not-next"),
        ((TURN, TURN), "turn-not-next"),
        ((compaction(), TURN), "compaction-open"),
        ((TURN, compaction(turn=1), TURN_END), "compaction-open"),
        ((TURN_END,), "turn-end-mismatch"),
        ((TURN, ("turn/end", {"turn": 2})), "turn-end-mismatch"),
        ((TURN, STEP, TURN_END), "turn-end-open-step"),
        ((STEP,), "step-order"),
        ((TURN, ("step/start", {"turn": 1, "step": 2})), "step-order"),
        ((TURN, STEP, ("step/end", {"turn": 1, "step": 2})), "step-order"),
        ((TURN, asks()), "not-the-open-step"),
        ((TURN, STEP, asks(place={"turn": 1, "step": 2})), "not-the-open-step"),
        ((TURN, STEP, ("assistant/attempt", {"turn": 2, "step": 1})), "not-the-open-step"),
        ((TURN, STEP, asks("a"), STEP_END), "unresolved-tool-call"),
        ((TURN, STEP, asks("a", "a")), "call-repeated"),
        ((TURN, STEP, called("a")), "call-unasked"),
        ((TURN, STEP, asks("a"), called("a", "other")), "call-unasked"),
        ((TURN, STEP, asks("a"), called("a"), called("a")), "call-unasked"),
        ((TURN, STEP, answered("a")), "result-without-call"),
        ((TURN, STEP, asks("a"), answered("a")), "result-without-call"),
        ((TURN, STEP, asks("a"), not_started("a", "x")), "result-without-call"),
        ((TURN, STEP, asks("a"), answered("a", message={"content": 1})), "result-without-call"),
        ((answered("a", {"op": "replace"}),), "not-in-a-turn"),
        ((HEADER,), "not-in-a-turn"),
        ((("request/context", {}),), "not-in-a-turn"),
        ((TURN, HEADER, retry()), "retry-place"),
        ((TURN, STEP, retry()), "retry-provider"),
        ((TURN, STEP, HEADER, retry(provider="q")), "retry-provider"),
        ((TURN, STEP, HEADER, retry(), retry(policyKey="o")), "retry-id"),
        ((TURN, STEP, HEADER, retry(), retry(2, retryId="r2")), "retry-id"),
        ((TURN, STEP, HEADER, retry(2)), "retry-number"),
        ((TURN, STEP, HEADER, retry(), retry(3)), "retry-number"),
        ((started(),), "retry-unscheduled"),
        ((TURN, STEP, HEADER, retry(), started("1")), "retry-unscheduled"),
        ((TURN, STEP, HEADER, retry(), started(), started()), "retry-repeated"),
        ((compaction(), compaction()), "compaction-open"),
        ((compaction(turn=1),), "compaction-turn"),
        ((TURN, compaction(turn=1), summary(), compaction("end")), "compaction-turn"),
        ((summary(),), "compaction-unknown"),
        ((compaction("end"),), "compaction-unknown"),
        ((compaction(), summary(name="d")), "compaction-unknown"),
        ((compaction(), compaction("end", sourceCommandId="k")), "compaction-unknown"),
        ((("user/message", {"source": CHECKPOINT}, REPLACES),), "compaction-unknown"),
        ((compaction(), TURN, compaction("end", error="x"), END_SEED), "compaction-open"),
        ((("compaction/prune", {"shadowedSeqs": [1]}),), "program-crash"),
        ((("compaction/prune", {"shadowedRange": {}}),), "program-crash"),
        ((("user/message", {}, "append"),), "message-no-source"),
        ((TURN, STEP, ("assistant/message", {**HERE})), "message-missing"),
        ((TURN, STEP, ("assistant/message", {**HERE, "message": {}})), "program-crash"),
        ((TURN, STEP, asks(), ("tool/result", {**HERE}, "append")), "message-no-source"),
        ((TURN, STEP, asks("a"), answered("a", message={"content": None})), "program-crash"),
        ((TURN, STEP, asks("a"), called("a"), answered("a", error=1)), "type"),
        ((TURN, ("request/header", {"header": {}})), "program-crash"),
        ((TURN, STEP, HEADER, retry(), started(), STEP_END, retry(2, step=2)), "retry-place"),
        ((compaction(), summary(), summary()), "compaction-repeated"),
        ((compaction(), summary([2])), "compaction-span"),
        ((("compaction/prune", hidden([2])),), "compaction-span"),
        ((compaction(), compaction("end")), "compaction-end-without-summary"),
        ((run(), run()), "command-repeated"),
        ((done(),), "command-unknown"),
        ((run(), done(sourceEventSeq=0)), "reference"),
        ((title("user", [0]),), "title-messages"),
        ((title("provider", []),), "title-messages"),
        ((title("provider", [0]),), "title-messages"),
        ((title("provider", [{}]),), "title-messages"),
        ((title("provider", [2]),), "title-messages"),
        ((title("provider", None),), "program-crash"),
        ((title("provider", 1),), "program-crash"),
        ((("session/title", {"messageSeqs": []}),), "title-messages"),
        (
            (("user/message", {"source": {"kind": "user"}}, "append"), title("x", [0])),
            "program-crash",
        ),
        ((SAID, ask([0], None)), "program-crash"),
        ((SAID, ask([0], [None])), "program-crash"),
        ((SAID, ask([0], [{**FRAMED, "content": [None]}])), "program-crash"),
        ((SAID, ask([0], [FRAMED, FRAMED])), "title-request"),
        ((SAID, ask([0], [{**FRAMED, "role": "system"}])), "title-request"),
        ((SAID, ask([0], [{**FRAMED, "content": []}])), "title-request"),
        ((delivery(sessionId="t"),), "delivery-session"),
        ((done(sourceEventSeq=1), run()), "reference"),
        ((run(), done(kind="error", sourceEventSeq=5)), "reference"),
        ((begins("a"),), "not-in-a-turn"),
        ((TURN, begins("a"), begins("a")), "dispatch-repeated"),
        ((TURN, begins("a"), begins("a", root="other", parent="other")), "dispatch-root"),
        ((TURN, begins("a", "parent")), "dispatch-parent"),
        ((TURN, ends("a")), "dispatch-unknown"),
        ((TURN, begins("a"), ends("a"), ends("a")), "dispatch-unknown"),
        ((TURN, begins("a"), ends("a", root="x")), "dispatch-root"),
        ((TURN, begins("a"), ends("a", arguments=2)), "dispatch-differs"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_broken(events: tuple[Event, ...], code: str) -> None:
    assert code in codes(*events)

"""Single steps of the migration: what each brings up to date, and what each refuses."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh import edge_v0_v1, edge_v1_v2, edge_v2_v3
from sesskit.logs.dsh.edge_seed_v0 import seed_to_v0
from sesskit.logs.dsh.edges import Refused

Json = dict[str, Any]

STEPS = {1: edge_v0_v1.V0ToV1, 2: edge_v1_v2.V1ToV2, 3: edge_v2_v3.V2ToV3}
HEADER = {"type": "session", "id": "x", "createdAt": 1, "delegationDepth": 0}
HERE = {"turn": 1, "step": 1}
SAID = {"id": "u", "role": "user", "content": [], "source": {"kind": "user"}}
CONFIG = {"provider": "p", "model": "m"}


def event(kind: str, data: Any, **more: Any) -> Json:
    return {"type": kind, "data": data, **more}


TURN = event("turn/start", {"turn": 1})
STEP = event("step/start", HERE)
STEP_END = event("step/end", HERE)
USER = event("user/message", SAID, surfaceOp="append")


def header(system: str | None = None, **more: Any) -> Json:
    members = {"config": CONFIG, **more} | ({} if system is None else {"system": system})
    return event("request/header", {"header": members, "reason": "initial"})


def result(**more: Any) -> Json:
    block = {"type": "tool-result", "toolCallId": "c", "content": []}
    source = {"kind": "tool", "callId": "c"}
    message = {"id": "r", "role": "user", "content": [block], "source": source}
    return event("tool/result", {**HERE, "message": message, **more}, surfaceOp="append")


def through(to: int, *events: Json, inherited: int = 0, **members: Any) -> list[Json]:
    step = STEPS[to]({**HEADER, "version": to - 1, **members}, inherited)
    made: list[Json] = []
    for seq, item in enumerate(events):
        made += step.feed({"type": item["type"], "seq": seq, "time": seq + 1, **item})
    return [*made, *step.finish()]


def refusal(to: int, *events: Json, **members: Any) -> str:
    with pytest.raises(Refused) as caught:
        through(to, *events, **members)
    return caught.value.issue.code


def test_names_and_ids_of_old_compactions() -> None:
    span = {"shadowedRange": {"start": 0, "end": 0}, "shadowedSeqs": [0], "shadowedTokenCount": 1}
    summary = {**span, "summary": [], "provider": "p", "model": "m"}
    checkpoint = {**SAID, "source": {"kind": "plugin", "plugin": "compact"}}
    events = through(
        1,
        USER,
        event("compact/start", {"turn": None}),
        event("compact/summary", summary),
        event("user/message", checkpoint, surfaceOp="append"),
        event("compact/end", {"turn": None}),
        event("compact/prune", span),
    )
    assert [e["type"] for e in events[1:3]] == ["compaction/start", "compaction/summary"]
    minted = "legacy-compaction:x:1"
    assert [e["data"].get("compactionId") for e in events[1:3]] == [minted] * 2
    assert events[3]["data"]["source"]["compactionId"] == minted
    assert events[4]["data"]["compactionId"] == minted
    assert "compactionId" not in events[5]["data"]


def test_ids_of_old_retries() -> None:
    failure = {"message": "m", "code": "c"}
    named = {**HERE, "provider": "p", "mode": "always", "policyKey": "k", "delayMs": 1}
    one = event("llm/retry", {**named, "retry": 1, "failure": failure})
    two = event("llm/retry", {**named, "retry": 2, "failure": failure})
    own = event("llm/retry", {**named, "retry": 3, "failure": failure, "retryId": "mine"})
    four = event("llm/retry", {**named, "retry": 4, "failure": failure})
    found = [e["data"]["retryId"] for e in through(1, one, two, own, four)]
    assert found == ["legacy-retry:x:0", "legacy-retry:x:0", "mine", "mine"]


def test_prefixes_go_and_pairs_are_written_out() -> None:
    (old,) = through(1, header(messagePrefix=[]))
    assert "messagePrefix" not in old["data"]["header"]
    events = through(1, USER, USER, USER, {**USER, "sourceEventSeqs": [[0, 2]]})
    assert events[3]["sourceEventSeqs"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([event("request/header-delta", {})], "retired-vocabulary"),
        ([event("turn/start", {"turn": 1, "trigger": 5})], "legacy-malformed"),
        ([header(messagePrefix=1)], "legacy-malformed"),
        ([event("todo/write", [])], "type"),
        ([{"type": 5, "data": {}}], "envelope"),
        ([{"type": "todo/write", "data": {"todos": []}, "time": "x"}], "envelope"),
        ([USER, {**USER, "sourceEventSeqs": [[5, 6]]}], "sources-not-earlier"),
        ([USER, {**USER, "sourceEventSeqs": [0, 0]}], "sources-not-earlier"),
        ([USER, {**USER, "sourceEventSeqs": 1}], "type"),
        ([event("compaction/prune", {"shadowedRange": {"start": 0, "end": 0},
                                     "shadowedSeqs": [0], "shadowedTokenCount": 1})], "reference"),
        ([USER, event("session/title", {"title": "t", "messageSeqs": [0, 0],
                                        "source": {"kind": "fallback"}})], "reference"),
    ],
)  # fmt: skip
def test_the_first_step_refuses(events: list[Json], code: str) -> None:
    assert refusal(1, *events) == code


def test_the_second_step_refuses() -> None:
    assert (
        refusal(2, event("todo/write", {"todos": []}), seedLength=5, inherited=5) == "seed-length"
    )
    piece = {**HERE, "chunk": {"type": "text-delta", "index": 0, "text": "a"}}
    assert refusal(2, TURN, STEP, event("assistant/chunk", {**piece, "x": 1})) == "member-unknown"
    chunk = event("assistant/chunk", piece, surfaceOp="append", sourceEventSeqs=[9])
    (attempt,) = through(2, TURN, STEP, chunk)[2:]
    assert (attempt["type"], "surfaceOp" in attempt) == ("assistant/attempt", False)
    with pytest.raises(Refused):
        edge_v1_v2.next_header({"type": "session", "version": 1})
    with pytest.raises(Refused):
        edge_v2_v3.next_header({"type": "session", "version": 2})


def test_the_system_head() -> None:
    events = through(3, TURN, STEP, header("Be brief."), USER, header("Be brief."), header(""))
    kinds = [e["type"] for e in events]
    assert kinds[2:5] == ["system/message", "system/message", "request/header"]
    assert kinds.count("system/message") == 3
    first, second, third = (e for e in events if e["type"] == "system/message")
    assert first["surfaceOp"] == "append"
    assert second["surfaceOp"] == {"op": "replace", "startSeq": 2, "endSeq": 2}
    assert second["data"]["message"]["content"] == [{"type": "text", "text": "Be brief."}]
    assert third["data"]["message"]["content"] == []
    assert all("system" not in e["data"].get("header", {}) for e in events)


def test_names_of_the_last_step() -> None:
    mode = {**SAID, "id": "v", "source": {"kind": "plugin", "plugin": "tools-code-mode"}}
    inbox = {"target": "next-turn", "start": 0, "inserted": [mode]}
    asked = {
        "titleProvider": "p", "messageSeqs": [2], "route": CONFIG, "system": "s",
        "messages": [mode], "maxTokens": 1,
    }  # fmt: skip
    call = {"rootCallId": "r", "parentCallId": "r", "subCallId": "s", "name": "n", "arguments": 1}
    events = through(
        3,
        TURN,
        STEP,
        event("user/message", {**mode, "id": "w"}, surfaceOp="append"),
        event("agent/inbox/spliced", inbox),
        event("session/title-llm-request", asked),
        event("agent-preset/selected", {"agentPreset": "code"}),
        event("tool/code-dispatch-start", call),
        header(tools=[], adapterDefaults={}),
    )
    ptc = {"kind": "plugin", "plugin": "tools-ptc"}
    assert events[3]["data"]["source"] == ptc
    assert events[4]["data"]["inserted"][0]["source"] == ptc
    assert events[5]["data"]["messages"][0]["source"] == ptc
    assert events[5]["data"]["messageSeqs"] == [3]
    assert events[6]["data"] == {"agentPreset": "ptc"}
    assert events[7]["type"] == "tool/ptc-dispatch-start"
    assert events[8]["data"]["header"] == {"config": CONFIG}


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([event("todo/write", {"todos": []}, colour=1)], "member-unknown"),
        ([event("acme/x", {}, ignorable=True)], "type-unknown"),
        ([event("todo/write", {})], "member-missing"),
        ([TURN, USER], "surface-before-step"),
        ([TURN, STEP, result(error={"name": "n", "code": "c"})], "result-not-an-error"),
        ([TURN, STEP, event("todo/write", {"todos": []}, sourceEventSeqs=[0])],
         "sources-forbidden"),
        ([TURN, STEP, {**USER, "sourceEventSeqs": []}], "sources-not-earlier"),
        ([TURN, STEP, {**USER, "sourceEventSeqs": [0, 0]}], "sources-not-earlier"),
        ([TURN, STEP, {**USER, "sourceEventSeqs": [7]}], "sources-not-earlier"),
        ([TURN, STEP, STEP_END, header("new")], "prompt-outside-step"),
        ([TURN, STEP, event("user/message", {**SAID, "source": {"kind": "acme"}},
                            surfaceOp="append")], "unclassified-source"),
        ([TURN, STEP, event("user/message", {**SAID, "content": [{"type": "acme"}]},
                            surfaceOp="append")], "unclassified-content"),
        ([TURN, STEP, event("session/title", {"title": "t", "messageSeqs": [9],
                            "source": {"kind": "fallback"}})], "reference"),
    ],
)  # fmt: skip
def test_the_last_step_refuses(events: list[Json], code: str) -> None:
    assert refusal(3, *events) == code


def test_the_mark_of_a_seed() -> None:
    assert refusal(3, TURN, isSeeded=True) == "seed-marker-missing"
    step = edge_v2_v3.V2ToV3({**HEADER, "version": 2, "isSeeded": True}, 0)
    marked = event("session/end-seed", {"inherited": True})
    assert len(list(step.feed({**marked, "seq": 0, "time": 1}))) == 1
    assert list(step.finish()) == []
    assert step.inherited == 0


def test_ids_of_system_messages_are_their_own() -> None:
    (minted,) = (e for e in through(3, TURN, STEP) if e["type"] == "system/message")
    taken = event("user/message", {**SAID, "id": minted["data"]["message"]["id"]})
    assert refusal(3, TURN, STEP, {**taken, "surfaceOp": "append"}) == "message-id-taken"
    inbox = {"target": "next-turn", "start": 0, "inserted": [taken["data"]]}
    early = event("agent/inbox/spliced", inbox)
    (later,) = (e for e in through(3, early, TURN, STEP) if e["type"] == "system/message")
    inbox["inserted"] = [{**taken["data"], "id": later["data"]["message"]["id"]}]
    assert refusal(3, early, TURN, STEP) == "message-id-taken"


def seed(*events: Json) -> tuple[list[Json], list[tuple[int | None, str]]]:
    numbered = [{**e, "seq": n, "time": n} for n, e in enumerate(events)]
    _, made, changes = seed_to_v0({"type": "session", "version": 1, "id": "x"}, numbered)
    return list(made), [(change.seq, change.path) for change in changes]


def test_what_june_2026_had_and_v0_has_not() -> None:
    aborted = {"turn": 1, "reason": {"kind": "aborted", "reason": "by hand"}}
    made, changes = seed(
        event("turn/start", {"turn": 1}, colour="red"),
        event("acme/x", {}),
        event("turn/end", aborted),
    )
    assert [(e["type"], e["seq"]) for e in made] == [("turn/start", 0), ("turn/end", 1)]
    assert made[1]["data"]["reason"] == {"kind": "aborted", "reason": {"kind": "legacy"}}
    assert changes == [(0, "colour"), (1, ""), (2, "data.reason")]


@pytest.mark.parametrize(
    "wrong",
    [
        event("turn/end", {"turn": 1, "reason": 5}),
        event("turn/start", {"turn": 1, "trigger": 5}),
        event("step/start", {"turn": 1}),
    ],
)
def test_what_no_program_of_june_2026_wrote(wrong: Json) -> None:
    with pytest.raises(Refused):
        seed(wrong)


def test_what_sources_name_is_not_asked() -> None:
    own = event("user/message", SAID, surfaceOp="append", sourceEventSeqs=[3, 0])
    for to in (1, 2):
        assert through(to, TURN, STEP, USER, own)[3]["sourceEventSeqs"] == [3, 0]
    assert refusal(2, TURN, STEP, {**USER, "sourceEventSeqs": [3]}) == "reference-to-chunk"
    pairs = event("user/message", SAID, surfaceOp="append", sourceEventSeqs=[[0, 1], 2])
    for to in (1, 2):
        assert through(to, TURN, STEP, USER, pairs)[3]["sourceEventSeqs"] == [0, 1, 2]


def test_the_end_of_a_seed_ends_an_old_compaction() -> None:
    start, end = event("compact/start", {"turn": None}), event("compact/end", {"turn": None})
    assert len(through(1, start, end)) == 2
    assert refusal(1, start, event("session/end-seed", {}), end) == "member-missing"

"""The payloads of events: what annotations cannot say, each rule kept and broken.

The fast path and the collecting path look at each of them, and both must say the same.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import msgspec
import pytest

from sesskit.logs.dsh.payloads import check_payload
from sesskit.schemas.check import check
from sesskit.schemas.dsh_payloads import PAYLOADS
from sesskit.schemas.shapes import shape_of

GOAL = {"id": "g", "revision": 1, "objective": "o", "phase": "active", "maxGoalRounds": 3}
CREATED = {"kind": "goal/change", "version": 1, "operation": "create", "goal": GOAL}
TIMES = {"roundsStarted": 0, "createdAt": 1, "updatedAt": 1}
CLEARED = {"cleared": {"id": "g", "revision": 1}, "clearedAt": 2}
BLOCKED = {**GOAL, "phase": "blocked"}
REASON = {"blockedReason": {"code": "c", "message": "m"}}
RETRY = {
    "retryId": "r", "turn": 1, "step": 1, "provider": "p", "mode": "normal", "policyKey": "k",
    "retry": 1, "delayMs": 5, "failure": {"message": "m", "code": "c"}, "maxRetries": 2,
}  # fmt: skip
AT = {"kind": "at", "id": "s", "prompt": "p", "scheduledAt": "2026-03-04T09:00:00.000Z"}
SUMMARY = {
    "compactionId": "c", "summary": [], "shadowedRange": {"start": 1, "end": 3},
    "shadowedSeqs": [1, 3], "shadowedTokenCount": 9, "provider": "p", "model": "m",
}  # fmt: skip
HELPER = {"version": 3, "provider": "p", "mode": "continuable", "label": "l"}
ASKED = {"role": "user", "content": [{"type": "text", "text": "t"}]}
TOOL = {"type": "web_search_20250305", "name": "web_search", "max_uses": 1}
BODY = {"model": "m", "max_tokens": 9, "messages": [ASKED], "tools": [TOOL]}
HOOK = {"turn": 1, "point": "p", "handlerId": "h", "decision": "allow", "durationMs": 0.5}


def said(**source: Any) -> dict[str, Any]:
    return {"id": "m", "role": "user", "content": [], "source": source}


def recalled(**more: Any) -> dict[str, Any]:
    one = {
        "sessionId": "s", "capturedThroughSeq": 1, "label": "l", "compacted": False,
        "originalMessages": 3, "retainedMessages": 2, "omittedMessages": 1, "omittedBytes": 0,
        "truncated": False, "inputIndex": 0, **more,
    }  # fmt: skip
    return said(kind="session-reference", form="recall", version=1, references=[one])


def result(content: list[Any], call: str = "c") -> dict[str, Any]:
    message = {"id": "r", "role": "user", "content": content}
    return {
        "turn": 1,
        "step": 1,
        "message": {**message, "source": {"kind": "tool", "callId": call}},
    }


def block(call: str = "c") -> dict[str, Any]:
    return {"type": "tool-result", "toolCallId": call, "content": []}


def header(**defaults: Any) -> dict[str, Any]:
    config = {"provider": "p", "model": "m", "maxTokens": 9}
    return {"header": {"config": config, "adapterDefaults": defaults}, "reason": "initial"}


SOUND = [
    ("goal/change", {**CREATED, **TIMES}),
    ("goal/change", {**CREATED, **TIMES, "goal": {**BLOCKED, **REASON}}),
    ("goal/change", {"kind": "goal/change", "version": 1, "operation": "clear", **CLEARED}),
    ("llm/retry", RETRY),
    ("schedule/change", {"operation": "create", "version": 1, "schedule": AT}),
    ("schedule/change", {"operation": "dispatch", "version": 1, "id": "s"}),
    ("compaction/summary", SUMMARY),
    ("compaction/summary", {**SUMMARY, "llmStreamCall": True, "rawOutput": []}),
    ("compaction/start", {"compactionId": "c", "turn": None}),
    ("subagent/descriptor", {**HELPER, "agentProvider": "p", "agentModel": "m"}),
    ("subagent/descriptor", {**HELPER, "toolFilter": {"deny": ["x"]}}),
    ("web/deepseek-search-llm-request", {"endpoint": "e", "apiVersion": "1", "body": BODY}),
    ("hook/result", HOOK),
    ("user/message", said(kind="plugin", plugin="p", form="notice", summary="s")),
    ("user/message", said(kind="plugin", plugin="compact", compactionId="c")),
    ("user/message", said(kind="acme", whatever=1)),
    ("user/message", recalled()),
    ("tool/result", result([block()])),
    ("request/header", header(maxTokens=True)),
    ("subagent/model-selection-policy", {"allowedModels": [{"provider": "p", "model": "m"}]}),
]

BROKEN = [
    ("goal/change", CREATED, ["member-missing"] * 3),
    ("goal/change", {**CREATED, **TIMES, **CLEARED}, ["member-foreign"] * 2),
    ("goal/change", {**CREATED, **TIMES, "goal": BLOCKED}, ["member-missing"]),
    ("goal/change", {**CREATED, **TIMES, "goal": {**GOAL, **REASON}}, ["member-foreign"]),
    ("llm/retry", {k: v for k, v in RETRY.items() if k != "maxRetries"}, ["member-missing"]),
    ("llm/retry", {**RETRY, "mode": "always"}, ["member-foreign"]),
    ("llm/retry", {**RETRY, "delayMs": -1}, ["range"]),
    ("llm/retry", {**RETRY, "delayMs": 2**31}, ["range"]),
    (
        "llm/retry",
        {**RETRY, "failure": {"message": "m", "code": "c", "providerRetryAfterMs": 0}},
        ["range"],
    ),
    (
        "schedule/change",
        {"operation": "create", "version": 1, "schedule": {**AT, "scheduledAt": "soon"}},
        ["instant"],
    ),
    ("compaction/summary", {**SUMMARY, "shadowedSeqs": []}, ["empty"]),
    ("compaction/summary", {**SUMMARY, "shadowedSeqs": [1, 2]}, ["range-of-list"]),
    ("compaction/summary", {**SUMMARY, "llmStreamCall": True}, ["member-missing"]),
    ("compaction/summary", {**SUMMARY, "llmStreamCall": False, "rawOutput": []}, ["choice"]),
    ("compaction/start", {"compactionId": "c", "turn": -1}, ["range"]),
    ("compaction/start", {"compactionId": "", "turn": 1}, ["empty"]),
    ("subagent/descriptor", {**HELPER, "agentModel": "m"}, ["member-missing"]),
    ("subagent/descriptor", {**HELPER, "toolFilter": {}}, ["member-missing"]),
    (
        "web/deepseek-search-llm-request",
        {"endpoint": "e", "apiVersion": "1", "body": {**BODY, "tools": []}},
        ["not-one"],
    ),
    (
        "web/deepseek-search-llm-request",
        {
            "endpoint": "e",
            "apiVersion": "1",
            "body": {**BODY, "messages": [{"role": "user", "content": []}]},
        },
        ["not-one"],
    ),
    ("hook/result", {**HOOK, "durationMs": -0.5}, ["range"]),
    ("user/message", said(kind="plugin", plugin="p", form="notice"), ["member-missing"]),
    (
        "user/message",
        said(kind="plugin", plugin="p", summary="s", form="snapshot", sections=[]),
        ["member-foreign"],
    ),
    ("user/message", said(kind="plugin", plugin="compact"), ["member-missing"]),
    ("user/message", said(kind="plugin", plugin="p", compactionId="c"), ["member-foreign"]),
    ("user/message", recalled(omittedMessages=5), ["count-differs"]),
    ("tool/result", result([]), ["not-one-tool-result-block"]),
    ("tool/result", result([block(), block()]), ["not-one-tool-result-block"]),
    ("tool/result", result([block("d")]), ["tool-call-id-mismatch"]),
    ("request/header", header(temperature=True), ["member-unknown"]),
    ("request/header", header(reasoningEffort=True), ["request-header-bad-defaults"]),
    ("subagent/model-selection-policy", {"allowedModels": []}, ["empty"]),
]  # fmt: skip


def event(kind: str, data: Any) -> dict[str, Any]:
    return {"type": kind, "seq": 0, "time": 1, "data": data}


@pytest.mark.parametrize(("kind", "data"), SOUND)
def test_sound(kind: str, data: Any) -> None:
    assert check_payload(1, event(kind, data)) == []
    assert check(shape_of(PAYLOADS[1][kind]), deepcopy(data), ())[1] == []


@pytest.mark.parametrize(("kind", "data", "codes"), BROKEN)
def test_broken(kind: str, data: Any, codes: list[str]) -> None:
    found = check_payload(1, event(kind, data))
    assert sorted(issue.code for issue in found) == sorted(codes)
    assert all(issue.keys[0] == "data" for issue in found)
    with pytest.raises((msgspec.ValidationError, ValueError)):
        msgspec.convert(data, PAYLOADS[1][kind])


@pytest.mark.parametrize("kind", sorted({kind for kind, _ in SOUND}))
def test_names_and_texts_may_hold_half_a_character(kind: str) -> None:
    for data in (data for name, data in SOUND if name == kind and isinstance(data, dict)):
        (issue,) = check_payload(1, event(kind, {**data, "\ud800": "\udc00"}))
        assert (issue.code, issue.keys) == ("member-unknown", ("data", "\ud800"))


def test_types_that_are_not_known_are_not_looked_into() -> None:
    assert check_payload(1, event("acme/x", None)) == []
    assert check_payload(9, event("turn/start", None)) == []


def mutated(value: Any) -> list[Any]:
    """The value with one thing changed, in every way for every place."""
    made: list[Any] = []
    if isinstance(value, dict):
        made.append({**value, "zz": 1})
        for name, inner in value.items():
            made.append({k: v for k, v in value.items() if k != name})
            made += [{**value, name: other} for other in mutated(inner)]
    elif isinstance(value, list):
        made += [value[:-1]] if value else []
        for place, inner in enumerate(value):
            made += [[*value[:place], other, *value[place + 1 :]] for other in mutated(inner)]
    others: list[Any] = [None, "", -1, 0.5, True, {}, []]
    return made + [other for other in others if type(other) is not type(value)]


@pytest.mark.parametrize("kind", sorted({kind for kind, _ in SOUND}))
def test_both_paths_agree_on_every_small_change(kind: str) -> None:
    for sound in (data for name, data in SOUND if name == kind):
        for data in mutated(sound):
            issues = check(shape_of(PAYLOADS[1][kind]), deepcopy(data), ())[1]
            try:
                msgspec.convert(data, PAYLOADS[1][kind])
            except (msgspec.ValidationError, ValueError):
                continue  # it may refuse what the rules take
            assert issues == [], data


@pytest.mark.parametrize("version", [2, 3])
def test_an_answer_of_later_versions_needs_its_stream(version: int) -> None:
    source = {"kind": "model", "provider": "p", "model": "m"}
    message = {"id": "a", "role": "assistant", "source": source, "content": []}
    said = {"turn": 1, "step": 1, "message": message, "stream": []}
    assert check_payload(version, event("assistant/message", said)) == []
    del said["stream"]
    (issue,) = check_payload(version, event("assistant/message", said))
    assert (issue.code, issue.keys) == ("member-missing", ("data", "stream"))

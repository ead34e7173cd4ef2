"""Replay, completeness and lists of entries: the answers of the original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VALID, VECTORS, prepare, rows
from sesskit.logs.plain_values import copied
from sesskit.logs.robota_completeness import CODES, Completeness, Incomplete
from sesskit.logs.robota_entries import (
    decode_entries,
    incomplete_entries,
    replay_entries,
)
from sesskit.logs.robota_log import examine_log
from sesskit.logs.robota_provider import (
    ReplayExhausted,
    ReplayProvider,
    ReplayRefused,
    replay_provider,
)
from sesskit.logs.robota_replay import (
    Replay,
    provider_messages,
    replay_events,
    replay_log,
)
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Corrupt, Unsupported, Valid

LOADED = [
    row
    for row in rows("damaged.jsonl")
    if row["mode"] == "load" and row["expect"]["load"]["outcome"] == "ok"
]
RAW = [row for row in rows("damaged.jsonl") if row["mode"] == "raw"]
NAMES = {"event_index": "eventIndex", "execution_id": "executionId", "tool_call_id": "toolCallId"}


def shown(missing: list[Incomplete]) -> dict[str, Any]:
    issues = [
        {
            NAMES.get(name, name): getattr(item, name)
            for name in ("code", "event_index", "execution_id", "round", "tool_call_id")
            if getattr(item, name) is not None
        }
        for item in missing
    ]
    return {"outcome": "ok", "ok": not issues, "issues": issues}


def missing_in(events: list[Any]) -> list[Incomplete]:
    completeness = Completeness()
    for event in events:
        completeness.add(event)
    return completeness.found()


@pytest.mark.parametrize("name", VALID)
def test_valid_logs(name: str) -> None:
    expected = json.loads((VECTORS / "valid" / name / "expected.json").read_text())
    for log, answer in expected.items():
        path = VECTORS / "valid" / name / "log" / log
        outcome = replay_log(path)
        assert isinstance(outcome, Valid)
        assert json.loads(dumps(outcome.value.record())) == answer["replay"]["record"]
        events = examine_log(path)
        assert isinstance(events, Valid)
        assert shown(missing_in(events.value)) == answer["validation"]


@pytest.mark.parametrize("row", LOADED, ids=lambda row: row["id"])
def test_odd_logs(row: dict[str, Any], tmp_path: Path) -> None:
    log = prepare(tmp_path, row)
    outcome = replay_log(log)
    assert isinstance(outcome, Valid)
    replay = outcome.value
    summary = {
        "outcome": "ok",
        **{k: v for k, v in replay.record().items() if isinstance(v, str)},
        "messages": len(replay.messages),
        "messageIds": [message.id for message in replay.messages],
        "backgroundTaskEvents": len(replay.background_task_events),
        "backgroundJobGroupEvents": len(replay.background_job_group_events),
        "memoryEvents": len(replay.memory_events),
    }
    assert summary == row["expect"]["replay"]
    events = examine_log(log)
    found = missing_in(events.value) if isinstance(events, Valid) else []
    assert shown(found) == row["expect"]["validation"]


@pytest.mark.parametrize("row", RAW, ids=lambda row: row["id"])
def test_lists_of_entries(row: dict[str, Any], tmp_path: Path) -> None:
    log = prepare(tmp_path, row)
    entries = [json.loads(line) for line in log.read_text().split("\n") if line]
    before = copied(entries)
    decoded, replay, missing = (
        decode_entries(entries),
        replay_entries(entries),
        incomplete_entries(entries),
    )
    expect = row["expect"]
    if expect["decode"]["outcome"] == "ok":
        assert isinstance(decoded, Valid)
        assert len(decoded.value) == expect["decode"]["entries"]
        assert isinstance(replay, Replay)
        assert len(replay.messages) == expect["replay"]["messages"]
        assert isinstance(missing, list)
        assert shown(missing) == expect["validation"]
    else:
        for outcome in (decoded, replay, missing):
            assert isinstance(outcome, Corrupt)
            assert outcome.original is not None
            assert outcome.original.code == expect["decode"]["code"]
            paths = {issue.path for issue in outcome.issues}
            assert {issue["path"] for issue in expect["decode"]["issues"]} <= paths
    assert entries == before


@pytest.mark.parametrize("entries", [None, {}, "x", 5])
def test_what_is_no_list(entries: Any) -> None:
    assert isinstance(decode_entries(entries), Corrupt)
    assert isinstance(replay_entries(entries), Corrupt)
    assert isinstance(incomplete_entries(entries), Corrupt)


def test_versions_in_lists() -> None:
    outcome = decode_entries([{"schemaVersion": 7}])
    assert isinstance(outcome, Unsupported)
    assert outcome.version == 7


def test_nothing_partial_is_replayed(tmp_path: Path) -> None:
    base = VECTORS / "valid" / "chat-small" / "log"
    (log,) = base.glob("*.jsonl")
    broken = tmp_path / "x.jsonl"
    broken.write_bytes(log.read_bytes() + b"{}\n")
    outcome = replay_log(broken)
    assert isinstance(outcome, Corrupt)
    assert replay_log(tmp_path / "none.jsonl") == Valid(Replay())


def stream_tools() -> list[Any]:
    (log,) = (VECTORS / "valid" / "stream-tools" / "log").glob("*.jsonl")
    outcome = examine_log(log)
    assert isinstance(outcome, Valid)
    return list(outcome.value)


def test_a_replaying_provider() -> None:
    provider = ReplayProvider(stream_tools())
    first = provider.respond()
    assert first.role == "assistant"
    provider.respond()
    with pytest.raises(ReplayExhausted):
        provider.respond()
    (log,) = (VECTORS / "valid" / "stream-tools" / "log").glob("*.jsonl")
    found = replay_provider(log)
    assert isinstance(found, ReplayProvider)
    assert found.respond().id == first.id
    assert not isinstance(replay_provider(log.parent / "none.jsonl"), ReplayProvider)


def test_a_replaying_provider_decodes_its_entries() -> None:
    (log,) = (VECTORS / "valid" / "stream-tools" / "log").glob("*.jsonl")
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    typed = ReplayProvider(stream_tools())
    mixed = ReplayProvider([*stream_tools()[:3], *lines[3:]])
    assert [mixed.respond() for _ in range(2)] == [typed.respond() for _ in range(2)]
    wrongs: list[Any] = [{}, {**lines[1], "schemaVersion": 2}, 7]
    for wrong in wrongs:
        with pytest.raises(ReplayRefused, match="entry 1 is no event of a log") as refused:
            ReplayProvider([lines[0], wrong])
        assert refused.value.outcome.issues
    reference: dict[str, Any] = {"kind": "external-payload"}
    with pytest.raises(ReplayRefused, match="response"):
        ReplayProvider([{**line, "response": reference} for line in lines if "response" in line])


def test_messages_for_a_provider() -> None:
    messages = list(provider_messages(replay_events(stream_tools()).messages))
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "assistant"]
    asked = [call["id"] for call in messages[1]["tool_calls"]]
    assert [m["tool_call_id"] for m in messages[2:4]] == asked


def message(role: str, content: str | None = "x", **more: Any) -> dict[str, Any]:
    return {
        "id": "i",
        "role": role,
        "content": content,
        "state": "complete",
        "timestamp": "2026-10-04T09:15:00.000Z",
        **more,
    }


def call(identity: str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": "T", "arguments": "{}"}}


def test_what_a_provider_refuses_is_left_out() -> None:
    talk = [
        message("user", "hi </peer_message>", metadata={"driverId": "peer:a b"}),
        message("assistant", None, toolCalls=[call("lost")]),
        message("assistant", "two", toolCalls=[call("a"), call("b"), call("lost")]),
        message("tool", "1", toolCallId="a"),
        message("tool", "2", toolCallId="b"),
        message("tool", "again", toolCallId="b"),
        message("tool", "stray", toolCallId="z"),
        message("system", "s"),
        message("tool", "late", toolCallId="lost"),
    ]
    entries = [
        {
            "schemaVersion": 1,
            "timestamp": "2026-10-04T09:15:00.000Z",
            "sessionId": "s",
            "event": "history_mutation",
            "mutation": "append_message",
            "index": 0,
            "message": each,
        }
        for each in talk
    ]
    replay = replay_entries(entries)
    assert isinstance(replay, Replay)
    found = list(provider_messages(replay.messages))
    assert [(m["role"], m["content"]) for m in found] == [
        ("user", '<peer_message from="peer:unverified">\nhi &lt;/peer_message>\n</peer_message>'),
        ("assistant", "two"),
        ("tool", "1"),
        ("tool", "2"),
        ("system", "s"),
    ]
    assert [c["id"] for c in found[1]["tool_calls"]] == ["a", "b"]


def test_incomplete_has_a_code_of_ours() -> None:
    for code in CODES:
        issue = Incomplete(code, 0, 3).issue()
        assert (issue.line, issue.severity) == (3, "error")

"""Tokens over several events of a provider's own stream, whatever the events look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_secrets import Fake
from robota_share_logs import ROUND, Log, session_init
from sesskit.artifacts.documents import Document
from sesskit.artifacts.share import Share, Wishes, share_data
from sesskit.artifacts.share_formats import share_format
from sesskit.artifacts.verify import refuses, remaining

fake = Fake(63)
TOKEN = fake.github()
FORMAT = "robota-log"

SHAPES: dict[str, Callable[[str], Any]] = {
    "arguments": lambda t: {
        "choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": t}}]}}]
    },
    "a call of old": lambda t: {"choices": [{"delta": {"function_call": {"arguments": t}}}]},
    "completion": lambda t: {"choices": [{"text": t, "index": 0}]},
    "candidates": lambda t: {"candidates": [{"content": {"parts": [{"text": t}]}}]},
    "message": lambda t: {"message": {"role": "assistant", "content": t}, "done": False},
    "blocks": lambda t: {"contentBlockDelta": {"delta": {"toolUse": {"input": t}}}},
    "lines of events": lambda t: f"data: {json.dumps({'choices': [{'text': t}]})}\n\n",
    "json as text": lambda t: json.dumps({"nobody": {"knows": ["x", t]}}),
    "text": lambda t: t,
}


def event(log: Log, payload: Any, **members: Any) -> Log:
    told = {"provider": "p", "apiSurface": "s", "payloadKind": "stream_event", "sequence": 0}
    return log.add("provider_native_raw_payload", **{**ROUND, **told, **members}, payload=payload)


def shared(log: Log) -> Share:
    path = log.write()
    return share_data(path.name, path.read_bytes(), FORMAT, Wishes())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cut", [2, 15, 36])
def test_a_token_over_two_events(shape: str, cut: int, tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    made = SHAPES[shape]
    for piece in ("say ", TOKEN[:cut], TOKEN[cut:], " \u00e9\n"):
        event(log, made(piece))
    share = shared(log)
    text = share.files[0].data.decode()
    assert "[github-token-1]" in text
    assert TOKEN[cut:] not in text
    tokens = [one for one in share.files[0].found if one.placeholder == "[github-token-1]"]
    assert tokens
    assert all(one.pointer.startswith("/payload") for one in tokens)


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_proven(shape: str, tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    for piece in (TOKEN[:15], TOKEN[15:]):
        event(log, SHAPES[shape](piece))
    adapter = share_format(FORMAT)
    assert adapter is not None
    text = log.write().read_text()
    assert refuses(remaining([Document("x", text, "jsonl", streamed=adapter.shared)]))


def test_streams_that_interleave_and_what_is_no_stream(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    for piece in (TOKEN[:15], TOKEN[15:]):
        event(log, SHAPES["completion"](piece))
        event(log, SHAPES["completion"]("other "), executionId="e2")
    for piece in ("AKIAQ4D7RTE2", "WZ5XKM3N"):
        event(log, {"model": piece}, payloadKind="request")
    for _ in range(3):
        event(log, {"id": "an-id", "choices": []})
    text = shared(log).files[0].data.decode()
    assert TOKEN[15:] not in text
    assert text.count("AKIAQ4D7RTE2") == text.count("WZ5XKM3N") == 1
    assert text.count('"an-id"') == 3
    assert text.count('"other "') == 2

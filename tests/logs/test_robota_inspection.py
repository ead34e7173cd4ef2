"""Inspection of a Robota log in one pass: the numbers of its session view, in flat memory."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robota_log_cases import VECTORS
from sesskit.logs.line_blocks import LONG_BYTES
from sesskit.logs.robota_inspection import Inspection, inspect_log
from sesskit.logs.robota_log import DEFAULT_OPTIONS, SidecarOptions, decode_log
from sesskit.logs.robota_log_view import view
from sesskit.records import counted_talk
from sesskit.records.counted_talk import CountedTalk
from sesskit.records.overview import ROLES, Overview, overview
from sesskit.records.talk import Asked, Talk, Talking
from sesskit.records.view import CallRefs, Message, Ref, Result, Session
from sesskit.schemas.instants import Instant

LOGS = sorted(VECTORS.rglob("*.jsonl"))
AT = "2026-10-04T09:15:00.137Z"
ENVELOPE = {"schemaVersion": 1, "timestamp": AT, "sessionId": "s"}


def line(event: str, **members: Any) -> bytes:
    text = json.dumps({**members, **ENVELOPE, "event": event}, separators=(",", ":"))
    return text.encode() + b"\n"


def committed(number: int, role: str, content: Any = "c", **more: Any) -> dict[str, Any]:
    named = {"id": f"m{number}", "role": role, "content": content, "state": "complete"}
    return {**named, "timestamp": AT, **more}


def mutation(message: Any, execution: str = "e1", **more: Any) -> bytes:
    at = {"executionId": execution, "mutation": "append_message", "index": 0}
    return line("history_mutation", **at, message=message, **more)


def agree(data: bytes, found: Inspection, seen: Session) -> None:
    expected = overview(seen)
    got = found.overview
    assert got is not None
    bare = msgspec.structs.replace(seen, turns=(), marks=(), usage=(), family=())
    assert got.session == bare
    same: dict[str, Any] = {"session": bare, "troubled": (), "largest": (), "parts": ()}
    assert plain(replace(got, **same)) == plain(replace(expected, **same))
    assert [(c.id, c.name, c.state, *place(c.refs)) for c in got.troubled] == [
        (c.id, c.name, c.state, *place(c.refs)) for c in expected.troubled
    ]
    assert set(got.parts) == set(expected.parts)
    assert [p.size for p in got.largest] == [p.size for p in expected.largest]
    tools = Counter((call.name, call.state) for call in seen.calls())
    assert {(n, s): c for n, states in found.tools.items() for s, c in states.items()} == tools


def place(refs: CallRefs) -> tuple[int | None, str | None]:
    ref = refs.call or refs.results[0]
    return ref.line, ref.pointer


def plain(seen: Overview) -> Overview:
    usage = seen.usage
    return seen if usage is None else replace(seen, usage=msgspec.structs.replace(usage, ref=AREF))


AREF = Ref(0, 1, 1, "")


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}-{log.stem}")
def test_same_as_the_view(log: Path, *, thorough: bool) -> None:
    data = log.read_bytes()
    found = inspect_log(io.BytesIO(data), DEFAULT_OPTIONS._replace(thorough=thorough))
    assert found.outcome.issues == decode_log(data, DEFAULT_OPTIONS._replace(keep=False)).issues
    assert found.lines == len(data.removesuffix(b"\n").split(b"\n")) if data else True
    agree(data, found, view(data))


def test_same_as_the_view_when_cut_or_damaged() -> None:
    data = (VECTORS / "audit/logs/tool-outcomes/tool-outcomes.jsonl").read_bytes()
    for end in range(0, len(data), 211):
        for damaged in (data[:end], data[end:], data[:end] + b"\0" * 40 + data[end:]):
            agree(damaged, inspect_log(io.BytesIO(damaged)), view(damaged))


def test_same_as_the_view_without_committed_messages() -> None:
    for log in LOGS:
        lines = log.read_bytes().splitlines(keepends=True)
        data = b"".join(one for one in lines if b"history_mutation" not in one)
        agree(data, inspect_log(io.BytesIO(data)), view(data))


def test_a_hole_is_an_unread_line() -> None:
    data = line("user", content="a") + bytes(2 * LONG_BYTES) + b"\n" + line("user", content="b")
    found = inspect_log(io.BytesIO(data))
    agree(data, found, view(data))
    assert found.overview is not None
    assert not found.overview.whole
    assert found.overview.unknown == 1


def spilled(folder: Path, value: Any) -> dict[str, Any]:
    data = json.dumps(value, separators=(",", ":")).encode()
    digest = hashlib.sha256(data).hexdigest()
    place = folder / "s.payloads"
    place.mkdir(mode=0o700, exist_ok=True)
    (place / f"{digest}.json").write_bytes(data)
    path = f"s.payloads/{digest}.json"
    kind = {"kind": "external-payload", "encoding": "json", "sha256": digest}
    return {**kind, "byteLength": len(data), "relativePath": path}


@pytest.fixture
def log_with_sidecars(tmp_path: Path) -> Path:
    function = spilled(tmp_path, {"name": "read", "arguments": "{}"})
    call = {"id": "c1", "type": "function", "function": function}
    usage = spilled(tmp_path, {"inputTokens": 20, "outputTokens": 3})
    answer = committed(2, "assistant", toolCalls=spilled(tmp_path, [call]), metadata=usage)
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        mutation(spilled(tmp_path, committed(1, "user", spilled(tmp_path, "long"))))
        + mutation(spilled(tmp_path, answer))
        + mutation(spilled(tmp_path, committed(3, "tool", toolCallId="c1")))
    )
    return path


def test_messages_in_sidecars_are_seen(log_with_sidecars: Path) -> None:
    found = inspect_log(log_with_sidecars)
    assert found.outcome.status == "valid"
    assert found.overview is not None
    assert found.overview.messages == {"user": 1, "assistant": 1, "tool": 1}
    assert found.tools == {"read": {"answered": 1}}
    assert found.overview.usage is not None
    assert (found.overview.usage.prompt, found.overview.usage.output) == (20, 3)
    assert found.overview.whole
    assert found.sidecars == 7
    assert found.sidecar_bytes > 400


@pytest.mark.parametrize("why", ["changed", "missing", "not looked at"])
def test_messages_in_sidecars_that_cannot_be_had(log_with_sidecars: Path, why: str) -> None:
    for file in (log_with_sidecars.parent / "s.payloads").iterdir():
        if why == "changed":
            file.write_bytes(file.read_bytes()[:-1] + b" ")
        elif why == "missing":
            file.unlink()
    options = SidecarOptions(look=why != "not looked at")
    found = inspect_log(log_with_sidecars, sidecars=options)
    assert found.outcome.status == ("valid" if why == "not looked at" else "corrupt")
    assert found.overview is not None
    assert found.overview.messages == {}
    assert not found.overview.whole


def test_what_cannot_be_read_has_no_overview(tmp_path: Path) -> None:
    assert inspect_log(tmp_path / "none.jsonl").overview is None
    assert inspect_log(tmp_path).outcome.status == "unreadable"
    found = inspect_log(io.BytesIO(b"")).overview
    assert found is not None
    assert found.messages == {}


IDS = st.sampled_from(["a", "b", None])
NAMES = st.sampled_from(["read", "write"])
SAID = st.sampled_from([("user", "person"), ("assistant", "model"), ("system", "machine")])
STATES = st.sampled_from(["answered", "failed", "denied"])
TIMES = st.none() | st.integers(0, 10**6)
STEP = st.one_of(
    st.tuples(st.just("say"), SAID, st.lists(st.tuples(IDS, NAMES), max_size=3), TIMES),
    st.tuples(st.just("answer"), IDS, STATES, TIMES),
    st.tuples(st.just("begin")),
    st.tuples(st.just("end"), st.sampled_from([None, "complete", "error", "interrupted"])),
)


def play(talk: Talking, steps: list[tuple[Any, ...]]) -> None:
    for number, step in enumerate(steps):
        ref = Ref(number, 1, number, "")
        if step[0] == "say":
            time = None if step[3] is None else Instant(step[3])
            message = Message(step[1][0], step[1][1], (), (ref,), time=time)
            talk.say(message, [Asked(name, tool, ref) for name, tool in step[2]])
        elif step[0] == "answer":
            time = None if step[3] is None else Instant(step[3])
            talk.answer(step[1], Result(()), ref, state=step[2], name="read", time=time)
        elif step[0] == "begin":
            talk.begin()
        else:
            talk.end(step[1])


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(STEP, max_size=14), marked=st.booleans())
def test_a_counted_talk_counts_what_a_talk_holds(
    steps: list[tuple[Any, ...]], *, marked: bool
) -> None:
    talk, counted = Talk(marked=marked), CountedTalk(marked=marked)
    play(talk, steps)
    play(counted, steps)
    counted.finish()
    seen = overview(Session("robota-log", Ref(0, 99), turns=talk.turns()))
    roles = {role: counted.messages[role] for role in ROLES if counted.messages[role]}
    assert roles == seen.messages
    assert counted.states == seen.turns
    assert counted.calls == seen.calls
    assert (counted.first, counted.last) == (seen.first, seen.last)
    assert [(c.id, c.state, c.refs.call) for c in counted.troubled()] == [
        (c.id, c.state, c.refs.call) for c in seen.troubled
    ]


def test_calls_beyond_the_limits_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_talk, "MOST_WAITING", 2)
    monkeypatch.setattr(counted_talk, "MOST_KNOWN", 1)
    talk = CountedTalk()
    for name in "abcd":
        talk.say(Message("assistant", "model", (), ()), [Asked(name, "read", AREF)])
    for name in "cdcd":
        talk.answer(name, Result(()), AREF)
    talk.finish()
    assert talk.calls == {"unanswered": 2, "answered": 2, "orphan": 1}

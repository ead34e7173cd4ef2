"""Logs of v4: shown as far as they are known, carried whole, never judged."""

from __future__ import annotations

import io
from pathlib import PurePath
from typing import Any

import pytest

from sesskit.logs.dsh.decode import decode, log_of, open_log
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.inspection import inspect_log
from sesskit.logs.dsh.migration_source import Unsound
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.repair import plan_repair
from sesskit.logs.dsh.view import view
from sesskit.records.view import Compaction
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Unsupported

Json = dict[str, Any]

HEADER: Json = {
    "type": "session", "version": 4, "id": "s4", "createdAt": 1, "cwd": "/srv/demo",
    "isSeeded": False, "delegationDepth": 0,
}  # fmt: skip
HERE = {"turn": 1, "step": 1}


def said(kind: str, role: str, source: Json, text: str, **more: Any) -> Json:
    content = [{"type": "text", "text": text}]
    return {"id": f"{kind}-1", "role": role, "content": content, "source": source, **more}


def events() -> list[Json]:
    asks = {"type": "tool-call", "id": "c1", "name": "read", "arguments": "{}"}
    answer = said("a", "assistant", {"kind": "model", "provider": "p", "model": "m-1"}, "Yes")
    answer["content"].append(asks)
    result = said("t", "tool", {"kind": "tool", "callId": "c1"}, "done", toolCallId="c1")
    made: list[tuple[str, Any, Any]] = [
        ("turn/start", {"turn": 1}, None),
        ("step/start", HERE, None),
        ("system/message", {**HERE, "message": said("s", "system", {"kind": "x"}, "Be")}, "append"),
        ("user/message", said("u", "user", {"kind": "user"}, "Hi"), "append"),
        ("assistant/message", {**HERE, "message": answer, "stream": []}, "append"),
        ("tool/call", {**HERE, "callId": "c1", "name": "read", "arguments": "{}"}, None),
        ("tool/result", {**HERE, "message": result}, "append"),
        ("subagent/catalog", {"anything": [1]}, None),
        ("acme/unheard-of", {"deep": {"er": None}}, None),
        ("step/end", HERE, None),
        ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}, None),
    ]
    found = []
    for seq, (kind, data, op) in enumerate(made):
        event: Json = {"type": kind, "seq": seq, "time": 5 + seq, "data": data}
        found.append({**event, "surfaceOp": op} if op else event)
    return found


def log(*lines: Json, **header: Any) -> bytes:
    return b"".join(dumps(line) + b"\n" for line in ({**HEADER, **header}, *lines))


def answered(data: bytes, path: PurePath | None = None) -> Unsupported:
    answer = decode(data, path)
    assert isinstance(answer, Unsupported)
    return answer


def codes(data: bytes) -> list[str]:
    return [i.code for i in answered(data).issues if i.severity == "error"]


@pytest.mark.parametrize("compressed", [False, True])
def test_whole(compressed: bool) -> None:
    data = log(*events())
    if compressed:
        head, rest = data.split(b"\n", 1)
        data = write_frame(head + b"\n") + write_frame(rest)
    answer = answered(data)
    assert [(i.code, i.severity) for i in answer.issues] == [
        ("version-unsupported", "error"),
        ("type-unknown", "info"),
    ]
    assert (answer.version, answer.original) == (4, None)
    reader = open_log(io.BytesIO(data))
    for _ in reader:
        pass
    read = log_of(reader)
    assert read is not None
    assert list(read.events) == events(), "carried whole"
    assert [m["role"] for m in read.messages()] == ["system", "user", "assistant", "tool"]


def test_the_name_of_another_version_refuses_it() -> None:
    original = answered(log(*events()), PurePath("session.v3.jsonl")).original
    assert original is not None
    assert (original.verdict, original.code) == ("unsupported", "SessionFormatUnsupportedError")
    assert answered(log(*events()), PurePath("session.v4.jsonl")).original is None


CITING: Json = {**events()[3], "seq": 1}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (log(*events()[:3], *events()[4:]), "seq-gap"),
        (log(*events()[:3], *events()[2:]), "seq-repeated"),
        (log(*events())[:-1], "tail-cut"),
        (log(*events()) + b"{\n", "json-cut"),
        (log({**events()[0], "x": 1}), "member-unknown"),
        (log({**events()[0], "time": 0.5}), "envelope"),
        (
            log(events()[0], {**events()[3], "seq": 1, "sourceEventSeqs": [4]}),
            "sources-not-earlier",
        ),
    ],
)
def test_damage_is_found(data: bytes, code: str) -> None:
    assert code in codes(data)


@pytest.mark.parametrize(
    "header", [{"origin": "headless"}, {"seedLength": 1}, {"isSeeded": None}, {"forked": True}]
)
def test_forks_are_told(header: Json) -> None:
    data = log(*events(), **header)
    assert codes(data) == ["version-unsupported"]
    assert open_log(io.BytesIO(data)).judge is None
    seen = view(data)
    assert seen is not None
    assert seen.id == "s4"


def test_the_view() -> None:
    summary = said("k", "user", {"kind": "compact-checkpoint", "compactionId": "c"}, "In short")
    op = {"op": "replace", "startSeq": 3, "endSeq": 6}
    more: Json = {"type": "user/message", "seq": 11, "time": 20, "data": summary}
    more |= {"sourceEventSeqs": [[3, 6]], "surfaceOp": op}
    seen = view(log(*events(), more))
    assert seen is not None
    (turn,) = seen.turns
    (call,) = seen.calls()
    assert (call.name, call.state) == ("read", "answered")
    assert seen.models == ("m-1",)
    assert seen.version is not None
    assert seen.version.word == "v4"
    assert turn.state == "complete"
    assert seen.model is not None
    assert [type(m.blocks[0]) is Compaction for m in seen.model] == [True]


def test_an_inspection_counts_it() -> None:
    found = inspect_log(io.BytesIO(log(*events()[:-1])))
    assert isinstance(found.outcome, Unsupported)
    assert (found.events, found.steps, found.routes) == (10, 1, {"p/m-1": 1})
    assert found.tools == {"read": {"answered": 1}}
    assert found.closers == ()
    assert "turn-open" in [i.code for i in found.outcome.issues]


def test_it_is_neither_repaired_nor_migrated() -> None:
    data = log(*events()[:3], *events()[4:])
    assert plan_repair(data).refused is not None
    with pytest.raises(Unsound):
        migrate_log(data, 3)

"""What only v3 asks of a line, wherever it stands, and of its system head."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from logs.dsh.vectors import rows
from sesskit.logs.dsh.decode import decode
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]

TEXT: str
(TEXT,) = (row["text"] for row in rows("native-formats") if row["label"] == "v3 minimal")
LINES: list[Json] = [json.loads(line) for line in TEXT.splitlines()]
KINDS = [line["type"] for line in LINES]


def changed(kind: str, **members: Any) -> bytes:
    """The log with members of the first event of a type set, ``...`` for taken out."""
    lines = copy.deepcopy(LINES)
    line = lines[KINDS.index(kind)]
    for name, value in members.items():
        line[name] = value
        if value is ...:
            del line[name]
    return b"".join(dumps(line) + b"\n" for line in lines)


def behind_damage(event: Json) -> bytes:
    return TEXT.encode() + b"[]\n" + dumps({"seq": 99, "time": 1, **event}) + b"\n"


def said(data: bytes) -> tuple[list[str], str | None, str]:
    answer = decode(data)
    assert answer.original is not None
    codes = [i.code for i in answer.issues if i.severity == "error"]
    return codes, answer.original.code, answer.original.verdict


FORMAT, MIGRATION = "SessionFormatError", "SessionFormatUnsupportedMigrationError"
RESULT = {"type": "tool/result", "data": 1, "surfaceOp": "append"}


@pytest.mark.parametrize(
    ("event", "code", "error"),
    [
        ({"type": "request/header", "data": None}, "type", FORMAT),
        ({"type": "request/header", "data": {"header": 1}}, "type", FORMAT),
        (
            {"type": "request/header", "data": {"header": {"system": ""}}},
            "retired-header-system",
            MIGRATION,
        ),
        ({"type": "system/message", "data": []}, "type", FORMAT),
        ({"type": "system/message", "data": {}}, "member-missing", FORMAT),
        ({"type": "tool/code-dispatch", "data": {}}, "type-unknown", MIGRATION),
    ],
)
def test_refused_even_behind_damage(event: Json, code: str, error: str) -> None:
    codes, refused, _ = said(behind_damage(event))
    assert code in codes
    assert refused == error


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"surfaceOp": ...}, "surface-op-missing"),
        ({"surfaceOp": "prepend"}, "surface-op-unknown"),
        ({"surfaceOp": {"op": "replace", "start": 1, "end": 1}}, "surface-replace-invalid"),
        ({"surfaceOp": {"op": "replace", "startSeq": 9, "endSeq": 0}}, "surface-replace-invalid"),
        ({"sourceEventSeqs": []}, "sources-empty"),
    ],
)
def test_no_event_at_all(members: Json, code: str) -> None:
    """With a turn that ends behind it, such a line refuses the log."""
    codes, refused, verdict = said(changed("user/message", **members))
    assert code in codes
    assert (refused, verdict) == (FORMAT, "reject")


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (RESULT, "type"),
        ({**RESULT, "data": {"error": {}}}, "result-not-an-error"),
        ({"type": "todo/write", "data": {}, "surfaceOp": "append"}, "surface-op-forbidden"),
        ({"type": "plan/mode", "data": {}, "sourceEventSeqs": [0]}, "sources-forbidden"),
        ({"type": "assistant/message", "data": {}, "surfaceOp": "append", "sourceEventSeqs": [0]},
         "sources-forbidden"),
    ],
)  # fmt: skip
def test_a_tail_of_such_lines_is_cut(event: Json, code: str) -> None:
    seq = len(LINES) - 1
    tail = dumps({"seq": seq, "time": 1, **event}) + b"\n"
    codes, refused, verdict = said(TEXT.encode() + tail)
    assert code in codes
    assert (refused, verdict) == (None, "accept-with-repair")


HEAD = KINDS.index("system/message") - 1
TOUCH = {"op": "replace", "startSeq": HEAD, "endSeq": HEAD}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (changed("user/message", surfaceOp=TOUCH, sourceEventSeqs=[HEAD]), "replace-system-head"),
        (changed("step/start", data=None), "type"),
        (changed("step/start", data={"turn": 1, "step": 2}), "step-order"),
    ],
)
def test_the_system_head_is_protected(data: bytes, code: str) -> None:
    codes, refused, verdict = said(data)
    assert code in codes
    assert (refused, verdict) == (FORMAT, "reject")

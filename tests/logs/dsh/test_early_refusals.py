"""What a load of v0 refuses an event for before it comes to types that it does not know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesskit.logs.dsh.decode import decode
from sesskit.schemas.outcomes import Original

HEADER = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
UNKNOWN = {"type": "acme/x", "seq": 1, "time": 1, "data": {}}
EARLY = [
    ("mode/set", ["member-missing", "retired-vocabulary"]),
    ("request/header-delta", ["member-missing", "retired-vocabulary"]),
    ("request/header", ["member-missing"]),
    ("steering/message", ["member-missing"]),
]


def judged(event: dict[str, Any]) -> tuple[Original | None, list[str]]:
    text = "".join(json.dumps(line) + "\n" for line in (HEADER, event, UNKNOWN))
    answer = decode(text.encode())
    first = [i.code for i in answer.issues if i.line == 2 and i.severity == "error"]
    return answer.original, first


@pytest.mark.parametrize(("kind", "codes"), EARLY)
def test_without_data(kind: str, codes: list[str]) -> None:
    event = {"type": kind, "seq": 0, "time": 1}
    assert judged(event) == (Original("reject", "SessionPersistenceCorruptionError"), codes)


@pytest.mark.parametrize("data", [None, 5, "x", []])
@pytest.mark.parametrize("kind", ["mode/set", "steering/message"])
def test_with_other_data(kind: str, data: Any) -> None:
    original, codes = judged({"type": kind, "seq": 0, "time": 1, "data": data})
    assert original == Original("reject", "SessionPersistenceCorruptionError")
    assert len(codes) == 1


def test_a_request_header_that_is_null() -> None:
    original, _ = judged({"type": "request/header", "seq": 0, "time": 1, "data": None})
    assert original == Original("reject", "SessionPersistenceCorruptionError")


@pytest.mark.parametrize("kind", ["turn/start", "tool/call", "session/title"])
def test_others_wait_for_the_types(kind: str) -> None:
    original, _ = judged({"type": kind, "seq": 0, "time": 1})
    assert original == Original("unsupported", "SessionFormatUnsupportedError")

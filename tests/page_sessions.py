"""Sessions to make pages of: built from texts, and the samples of every format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sesskit.artifacts.page import Source
from sesskit.logs.dsh.view import text_of_log
from sesskit.logs.formats import by_name
from sesskit.records.refs import reader

ROOT = Path(__file__).parents[1]
RECORD = "robota-record"


def instant(minute: int) -> str:
    return f"2026-03-04T{9 + minute // 60 % 12:02d}:{minute % 60:02d}:00.000Z"


def said(role: str, content: str, number: int, **members: Any) -> dict[str, Any]:
    message = {"id": f"m{number}", "role": role, "content": content, "state": "complete"}
    return {**message, "timestamp": instant(number), **members}


def called(number: int, name: str, arguments: str, result: str) -> list[dict[str, Any]]:
    """A call and its result."""
    function = {"name": name, "arguments": arguments}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        said("assistant", "", number, toolCalls=[call]),
        said("tool", result, number, toolCallId=f"c{number}", name=name),
    ]


def record(messages: Sequence[dict[str, Any]], **members: Any) -> bytes:
    """The bytes of a session record with these messages."""
    inner = {
        "id": "a-session",
        "cwd": "/srv/demo",
        "createdAt": instant(0),
        "updatedAt": instant(1),
        "messages": list(messages),
        **members,
    }
    return json.dumps({"schemaVersion": 1, "record": inner}).encode()


def source(data: bytes, session: str = RECORD, name: str = "", **beside: bytes) -> Source:
    """A session of a format, as pages take it."""
    view = by_name(session).view(data)
    assert view is not None
    text = text_of_log(data) if session == "dsh-log" else data
    return Source(view, reader(text, beside), name)


def everywhere(text: str) -> bytes:
    """A session that has a text wherever a session can have one."""
    return record(
        [
            said("system", text, 0),
            said("user", text, 1),
            said("assistant", f"before {text} after", 2),
            *called(3, text, text, text),
            *called(4, "Bash", json.dumps({"command": text, text: [text]}), f"{text}\n{text}"),
            said("user", "", 5, parts=[{"type": text, "data": text}]),
        ],
        name=text,
        cwd=text,
        systemPrompt=text,
    )

"""The published JSON Schemas of lines of which only the frame is checked, or less: June 2026, v4.

Those of June 2026 say what the builds wrote; their programs read more, types and members of any
kind included. Of v4 the header and the envelope are known, and what they hold is carried whole.
"""

from __future__ import annotations

from typing import Any

from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.published import DIALECT

Node = dict[str, Any]

COUNT: Node = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}
SAFE: Node = {"type": "integer", "minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER}
TEXT: Node = {"type": "string"}
PATH: Node = {"type": "string", "pattern": r"^(?:/|[A-Za-z]:[\\/]|\\\\)"}


def seed_schema() -> Node:
    """One line of a log of June 2026."""
    name, title = "dsh-log-seed-v1", "dsh session log, builds of June 2026: one line"
    header = {"id": TEXT, "createdAt": COUNT, "cwd": PATH, "parentSession": TEXT}
    cases = {
        "session": _open({"version": {"const": 1}, **header}, "version", "id", "createdAt"),
        **{kind: {"properties": {"data": data}} for kind, data in _seed_payloads().items()},
    }
    event = {"type": TEXT, "seq": COUNT, "time": SAFE, "data": {}}
    return {
        **_head(name, title),
        "if": {"properties": {"type": {"const": "session"}}},
        "else": _open(event, *event),
        "allOf": _cases(cases),
        "$defs": {"blocks": _seed_blocks(), "source": _open({"kind": TEXT}, "kind")},
    }


def v4_schema() -> Node:
    """The frame of one line of a log of version 4."""
    name, title = "dsh-log-v4", "dsh session log, version 4: the frame of one line"
    header: Node = {
        "type": {"const": "session"},
        "version": {"const": 4},
        "id": TEXT,
        "createdAt": COUNT,
        "cwd": PATH,
        "parentSession": TEXT,
        "isSeeded": {"type": "boolean"},
        "origin": {"const": "subagent"},
        "delegationDepth": COUNT,
        "agentPreset": TEXT,
    }
    needed = ["type", "version", "id", "createdAt", "isSeeded", "delegationDepth"]
    pair = {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}
    event: Node = {
        "type": TEXT,
        "seq": COUNT,
        "time": SAFE,
        "data": {},
        "ignorable": {"const": True},
        "sourceEventSeqs": {"type": "array", "items": {"anyOf": [COUNT, pair]}},
        "surfaceOp": {},
    }
    return {
        **_head(name, title),
        "if": {"properties": {"type": {"const": "session"}}},
        "then": {"properties": header, "required": needed, "additionalProperties": False},
        "else": {
            "properties": event,
            "required": ["type", "seq", "time", "data"],
            "additionalProperties": False,
        },
    }


def _head(name: str, title: str) -> Node:
    return {
        "$schema": DIALECT,
        "$id": f"urn:sesskit:schema:{name}",
        "title": title,
        "type": "object",
        "required": ["type"],
    }


def _cases(cases: dict[str, Node]) -> list[Node]:
    return [
        {"if": {"properties": {"type": {"const": kind}}}, "then": node}
        for kind, node in cases.items()
    ]


def _open(properties: Node, *required: str) -> Node:
    """An object that may have members beside these."""
    return {"type": "object", "properties": properties, "required": list(required)}


def _seed_payloads() -> dict[str, Node]:
    turn: Node = {"turn": COUNT}
    step: Node = {**turn, "step": COUNT}
    blocks: Node = {"$ref": "#/$defs/blocks"}
    source: Node = {"$ref": "#/$defs/source"}
    failure: Node = {"message": TEXT, "code": TEXT}
    trigger = _open({"kind": {"enum": ["message", "continuation", "injection"]}}, "kind")
    call: Node = {**step, "callId": TEXT}
    result: Node = {**call, "content": blocks, "isError": {"type": "boolean"}}
    return {
        "turn/start": _open({**turn, "trigger": trigger}, "turn"),
        "turn/end": _open({**turn, "reason": _open({"kind": TEXT}, "kind")}, "turn", "reason"),
        "step/start": _open(step, "turn", "step"),
        "step/end": _open(step, "turn", "step"),
        "user/message": _open({"content": blocks, "source": source}, "content"),
        "context/message": _open({"content": blocks, "source": source}, "content", "source"),
        "steering/message": _open(
            {**turn, "content": blocks, "source": source}, "turn", "content", "source"
        ),
        "assistant/chunk": _open(
            {**step, "chunk": _open({"type": TEXT}, "type")}, "turn", "step", "chunk"
        ),
        "assistant/message": _open({**step, "content": blocks}, "turn", "step", "content"),
        "usage": _open({**step, "usage": {"type": "object"}}, "turn", "step", "usage"),
        "tool/call": _open(
            {**call, "name": TEXT, "arguments": TEXT}, "turn", "step", "callId", "name", "arguments"
        ),
        "tool/result": _open(result, "turn", "step", "callId", "content", "isError"),
        "error": _open({**step, **failure}, "message"),
    }


def _seed_blocks() -> Node:
    kinds = {
        "text": _open({"text": TEXT}, "text"),
        "reasoning": _open({"text": TEXT}, "text"),
        "tool-call": _open(
            {"id": TEXT, "name": TEXT, "arguments": TEXT}, "id", "name", "arguments"
        ),
    }
    block = {"type": "object", "required": ["type"], "allOf": _cases(kinds)}
    return {"type": "array", "items": block}

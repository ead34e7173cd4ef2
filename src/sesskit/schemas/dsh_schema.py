"""The published JSON Schemas of dsh logs: of one line of a log, for each version.

What stands between lines (numbers without gap, turns, the surface) no JSON Schema of a line can
say. Version 0 is as its programs write it; older shapes, which they still read, are not in it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sesskit.schemas.closed import Closed
from sesskit.schemas.dsh_payloads import PAYLOADS
from sesskit.schemas.dsh_rows import CallLine, ReasoningLine, TextLine
from sesskit.schemas.dsh_schema_frames import COUNT, PATH, SAFE, TEXT
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.published import json_schema
from sesskit.schemas.shapes import shape_of

Node = dict[str, Any]

_ROWS = (TextLine, ReasoningLine, CallLine)


def v0_schema() -> Node:
    """One line of a log of version 0."""
    return _line_schema(0)


def v1_schema() -> Node:
    """One line of a log of released version 1."""
    return _line_schema(1)


def v2_schema() -> Node:
    """One line of a log of version 2."""
    return _line_schema(2)


def v3_schema() -> Node:
    """One line of a log of version 3."""
    return _line_schema(3)


def _line_schema(version: int) -> Node:
    name, title = f"dsh-log-v{version}", f"dsh session log, version {version}: one line"
    rows = _ROWS if version < 2 else ()
    made, definitions = _definitions(version, rows, name, title)
    payloads = dict(zip(PAYLOADS[version], made, strict=False))
    lines = dict(zip((_tag(row) for row in rows), made[len(payloads) :], strict=True))
    cases = {"session": _header(version), **lines}
    for kind, payload in payloads.items():
        cases[kind] = _event(version, kind, payload)
    known: Node = {"properties": {"type": {"enum": list(cases)}}}
    return {
        "$schema": definitions.pop("$schema"),
        "$id": definitions.pop("$id"),
        "title": title,
        "type": "object",
        "required": ["type"],
        "anyOf": [known, _ignorable()],
        "allOf": [
            {"if": {"properties": {"type": {"const": kind}}}, "then": node}
            for kind, node in cases.items()
        ],
        "$defs": definitions,
    }


def _definitions(
    version: int, rows: tuple[type, ...], name: str, title: str
) -> tuple[list[Node], Node]:
    """A node for each payload and each row, and the definitions that they refer to."""
    wanted = [*PAYLOADS[version].values(), *rows]
    members = [(f"m{number}", payload) for number, payload in enumerate(wanted)]
    every = msgspec.defstruct("Every", members, bases=(Closed,))
    whole = json_schema(shape_of(every), name, title)
    found = whole["$defs"]
    nodes = list(found.pop("Every")["properties"].values())
    return nodes, {"$schema": whole["$schema"], "$id": whole["$id"], **found}


def _tag(row: type) -> str:
    return str(getattr(row, "__struct_config__").tag)  # noqa: B009 - unknown to the type checker


def _header(version: int) -> Node:
    properties: Node = {
        "type": {"const": "session"},
        "version": {"const": version},
        "id": TEXT,
        "createdAt": COUNT,
        "cwd": PATH,
        "parentSession": TEXT,
        "origin": {"const": "subagent"},
        "delegationDepth": COUNT,
        "agentPreset": TEXT,
    }
    properties["seedLength" if version < 2 else "isSeeded"] = (
        COUNT if version < 2 else {"type": "boolean"}
    )
    required = ["type", "version", "id", "createdAt", "delegationDepth"]
    return {
        "properties": properties,
        "required": [*required, "isSeeded"] if version >= 2 else required,
        "additionalProperties": False,
    }


def _event(version: int, kind: str, payload: Node) -> Node:
    properties = {**_envelope(), "type": {"const": kind}, "data": payload}
    required = ["type", "seq", "time", "data"]
    if kind in SURFACE[version]:
        properties |= {"surfaceOp": _operation(version), "sourceEventSeqs": _sources(version)}
        required.append("surfaceOp")
    return {"properties": properties, "required": required, "additionalProperties": False}


def _envelope() -> Node:
    return {"type": TEXT, "seq": COUNT, "time": SAFE, "data": {}, "ignorable": {"const": True}}


def _ignorable() -> Node:
    """An event of a type that is not known must say that it may be passed by."""
    return {
        "properties": _envelope(),
        "required": ["type", "seq", "time", "data", "ignorable"],
        "additionalProperties": False,
    }


def _operation(version: int) -> Node:
    start, end = ("start", "end") if version < 3 else ("startSeq", "endSeq")
    properties = {"op": {"const": "replace"}, start: COUNT, end: COUNT}
    closed = {} if version in (1, 2) else {"additionalProperties": False}
    replace = {"type": "object", "properties": properties, "required": list(properties), **closed}
    return {"anyOf": [{"const": "append"}, replace]}


def _sources(version: int) -> Node:
    pair = {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}
    item = COUNT if version < 1 else {"anyOf": [COUNT, pair]}
    return {"type": "array", "items": item}

"""JSON Schema of the member ``replay``: a session, all of its talk."""

from __future__ import annotations

from typing import Any, get_args

from sesskit.cli.report_shapes import (
    COUNT,
    FLAG,
    MAYBE_COUNT,
    MAYBE_TEXT,
    PLACE,
    TEXT,
    list_of,
    maybe,
    object_of,
)
from sesskit.records.view import By, CallKind, CallState, Role, TurnState

_BLOCKS = {"type": "array", "items": {"$ref": "#/$defs/block"}}
_WHERE = {"offset": COUNT, "line": PLACE, "path": TEXT}
_NUMBER = {"type": "number"}
_CALL = object_of(
    {
        "id": MAYBE_TEXT,
        "name": TEXT,
        "kind": {"enum": list(get_args(CallKind))},
        "state": {"enum": list(get_args(CallState))},
        "input": True,
        "result": maybe(object_of({"blocks": _BLOCKS}, {"exit": MAYBE_COUNT, "duration": _NUMBER})),
    },
    _WHERE,
)


def _block(type: str, **members: Any) -> dict[str, Any]:
    return object_of({"type": {"const": type}, **members})


BLOCK = {
    "oneOf": [
        _block("text", text=TEXT),
        _block("reasoning", text=MAYBE_TEXT, sealed=FLAG),
        _block("blob", media=MAYBE_TEXT, bytes=COUNT),
        _block("uri", media=MAYBE_TEXT, uri=TEXT),
        _block("file", id=TEXT),
        _block("compaction", text=TEXT, replaced=MAYBE_COUNT),
        _block("notice", kind=TEXT),
        _block("opaque", kind=TEXT, bytes=COUNT),
        _block("tool_call", call=_CALL),
    ]
}
"""A part of a message or a result; ``block`` among the definitions of the report's schema."""

_MESSAGE = object_of(
    {
        "role": {"enum": list(get_args(Role))},
        "by": {"enum": list(get_args(By))},
        "id": MAYBE_TEXT,
        "time": MAYBE_TEXT,
        "model": MAYBE_TEXT,
        "blocks": _BLOCKS,
    },
    _WHERE,
)
_TURN = object_of(
    {
        "number": COUNT,
        "id": MAYBE_TEXT,
        "state": {"enum": list(get_args(TurnState))},
        "reason": MAYBE_TEXT,
        "started": MAYBE_TEXT,
        "ended": MAYBE_TEXT,
        "messages": list_of(_MESSAGE),
    }
)
REPLAY = object_of(
    {
        **dict.fromkeys(("id", "title", "cwd", "started", "ended"), MAYBE_TEXT),
        "system": list_of(TEXT),
        "turns": list_of(_TURN),
        "whole": FLAG,
        "losses": list_of(object_of({"kind": TEXT, "count": COUNT})),
    }
)

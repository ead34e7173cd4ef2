"""What a tool result must have in common with the one that it rewrites: all but what was said."""

from __future__ import annotations

from typing import Any

import msgspec

from sesskit.schemas.dsh_values import digest


def beside_content(data: Any) -> bytes:
    """A digest of a tool result without what the tool said."""
    message = data.get("message") if isinstance(data, dict) else None
    blocks = message.get("content") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(blocks, list):
        return digest(data)
    if (plain := _plain_mark(data, message, blocks)) is not None:
        return plain
    bare = [{**b, "content": None} if isinstance(b, dict) and "content" in b else b for b in blocks]
    return digest({**data, "message": {**message, "content": bare}})


def _plain_mark(data: Any, message: Any, blocks: list[Any]) -> bytes | None:
    """The mark of a result as programs write it; None where it has any other member."""
    block, source, error = blocks[0] if len(blocks) == 1 else None, message.get("source"), None
    plain = data.keys() <= {"turn", "step", "message", "error"} and message.keys() == _MESSAGE
    if not plain or not isinstance(source, dict) or source.keys() != {"kind", "callId"}:
        return None
    if not isinstance(block, dict) or not _BLOCK <= block.keys() <= {*_BLOCK, "isError"}:
        return None
    if "error" in data:
        error = data["error"]
        if not isinstance(error, dict) or error.keys() != {"name", "code"}:
            return None
        error = [error["name"], error["code"]]
    call, failed = source["callId"], block.get("isError")
    named = (data.get("turn"), data.get("step"), message["id"], call, *(error or ()))
    usual = (message["role"], source["kind"], block["type"]) == ("user", "tool", "tool-result")
    usual = usual and all(type(value) in (int, str) for value in named)
    if not usual or block["toolCallId"] != call or type(block.get("isError", True)) is not bool:
        return None
    return result_mark(data["turn"], data["step"], message["id"], call, failed, error)


_SHORT = 160
_MESSAGE = {"id", "role", "content", "source"}
_BLOCK = {"type", "toolCallId", "content"}
_encode = msgspec.json.Encoder().encode


def result_mark(
    turn: int, step: int, message: str, call: str, failed: bool | None, error: list[str] | None
) -> bytes:
    """What a result that rewrites a plain one must have in common with it."""
    try:
        text = _encode([turn, step, message, call, failed, error])
    except (ValueError, OverflowError):  # lone surrogates, or a number that no program writes
        return digest([turn, step, message, call, failed, error, "plain"])
    if len(text) <= _SHORT:
        return text  # begins with a bracket and is longer than any digest
    from hashlib import blake2b  # only here: it takes long to import

    return blake2b(text, digest_size=16).digest()

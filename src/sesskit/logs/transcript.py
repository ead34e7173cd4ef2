"""A conversation as text: the one rendering that is handed to a model or shown to a reader.

Every piece of content is JSON-encoded, so no content can pose as another message, and what a peer
session sent is marked as the peer's. Source: robota-log section 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from sesskit.logs.robota_origins import PEER
from sesskit.schemas.ecmascript import dumps

_ATTRIBUTES = {"toolCalls": "tool_calls", "toolCallId": "tool_call_id"}


def transcript_entries(messages: Iterable[Any]) -> Iterator[str]:
    """One entry for each message, in order; an entry with tool calls has several lines.

    Takes checked messages, typed or as plain objects. Lone surrogates come out escaped, so the
    text can always be encoded.
    """
    return map(transcript_entry, messages)


def transcript_entry(message: Any) -> str:
    """The entry of one message."""
    return _ENTRIES[_member(message, "role")](message)


def _user(message: Any) -> str:
    metadata = _member(message, "metadata") or {}
    driver = metadata.get("driverId")
    if isinstance(driver, str) and driver.startswith(PEER):
        return f"user [from {_encoded(driver)}]: {_encoded(_member(message, 'content'))}"
    return f"user: {_encoded(_member(message, 'content'))}"


def _assistant(message: Any) -> str:
    content = _member(message, "content")
    lines = [f"assistant: {_encoded(content)}"] if content else []
    lines += [_call(call) for call in _member(message, "toolCalls") or ()]
    return "\n".join(lines) or 'assistant: ""'


def _call(call: Any) -> str:
    function = _member(call, "function")
    name, arguments = _member(function, "name"), _member(function, "arguments")
    identity = _encoded(_member(call, "id"))
    return f"assistant tool call {_encoded(name)} [{identity}]: {_encoded(arguments)}"


def _tool(message: Any) -> str:
    name = _member(message, "name")
    label = f"tool result {_encoded(name)}" if name else "tool result"
    call, content = _member(message, "toolCallId"), _member(message, "content")
    return f"{label} [{_encoded(call)}]: {_encoded(content)}"


def _system(message: Any) -> str:
    return f"system: {_encoded(_member(message, 'content'))}"


_ENTRIES = {"user": _user, "assistant": _assistant, "tool": _tool, "system": _system}


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    found = getattr(value, _ATTRIBUTES.get(name, name), None)
    return None if found is msgspec.UNSET else found


def _encoded(text: str) -> str:
    return dumps(text).decode()

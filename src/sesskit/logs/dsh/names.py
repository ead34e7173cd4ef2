"""What events call things by: ids that say which events belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_IDS = frozenset(
    [
        "id",
        "agentId",
        "callId",
        "childId",
        "commandId",
        "compactionId",
        "deliveryId",
        "goalId",
        "messageId",
        "parentCallId",
        "requestId",
        "retryId",
        "rootCallId",
        "runId",
        "sourceCommandId",
        "subCallId",
        "toolCallId",
    ]
)
_MOST = 64
_LOOKED_AT = 400


def ids_of(data: Json) -> set[str]:
    """The ids that an event names, as far as a short look finds them."""
    found: set[str] = set()
    held: list[Any] = [data]
    for _ in range(_LOOKED_AT):
        if not held or len(found) >= _MOST:
            break
        value = held.pop()
        if isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, str):
                    if name in _IDS and inner:
                        found.add(inner)
                elif isinstance(inner, dict | list) and inner:
                    held.append(inner)
        else:
            held += [inner for inner in value[:_MOST] if isinstance(inner, dict | list)]
    return found


def content_of(data: Json) -> Any:
    """The content of the message that an event holds or is."""
    message = data.get("message", data)
    return message.get("content") if isinstance(message, dict) else None


def named(values: Any, member: str) -> Iterator[str]:
    """The texts that a member of each value holds."""
    for value in values if isinstance(values, list) else ():
        text = value.get(member) if isinstance(value, dict) else None
        if isinstance(text, str):
            yield text

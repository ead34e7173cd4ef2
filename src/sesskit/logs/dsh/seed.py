"""Logs of June 2026: the messages they give, and what they are as events of v0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]

_TAGS = {"context/message": "context", "steering/message": "steering"}


def seed_messages(events: Iterable[Json]) -> Iterator[Any]:
    """The model messages of a log of June 2026: every message event gives one, in log order.

    What was injected stands between two text blocks that name its source.
    """
    for event in events:
        data = event["data"]
        if not isinstance(data, Mapping):
            continue
        kind = event["type"]
        if kind == "user/message":
            yield {"role": "user", "content": data.get("content")}
        elif kind == "assistant/message":
            yield {"role": "assistant", "content": data.get("content")}
        elif kind == "tool/result":
            block = {"type": "tool-result", "toolCallId": data.get("callId")}
            block |= {"content": data.get("content"), "isError": data.get("isError")}
            yield {"role": "user", "content": [block]}
        elif kind in _TAGS:
            yield {"role": "user", "content": _tagged(_TAGS[kind], data)}


def _tagged(tag: str, data: Json) -> list[Any]:
    source, said = data.get("source"), data.get("content")
    kind = source.get("kind") if isinstance(source, Mapping) else None
    opening = {"type": "text", "text": f'<{tag} source="{kind}">'}
    return [
        opening,
        *(said if isinstance(said, list) else []),
        {"type": "text", "text": f"</{tag}>"},
    ]

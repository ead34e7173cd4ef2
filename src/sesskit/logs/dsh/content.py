"""Where events hold content blocks and message sources, and which kinds released programs know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sesskit.schemas.issues import Issue, Keys

Json = dict[str, Any]

BLOCKS = frozenset(["text", "reasoning", "image", "file", "tool-call", "tool-result"])
SOURCES = frozenset(
    [
        "user",
        "model",
        "tool",
        "plugin",
        "agent-instructions",
        "session-reference",
        "team-message",
        "goal",
        "skill-invocation",
        "skill-catalog",
        "coordinator",
        "subagent-report",
        "subagent-settled",
        "webhook",
    ]
)

_MESSAGES = {
    "user/message": ("data",),
    "assistant/message": ("data", "message"),
    "system/message": ("data", "message"),
    "tool/result": ("data", "message"),
}
_LISTED = {"agent/inbox/spliced": "inserted", "session/title-llm-request": "messages"}
_CONTENT = {
    "team/message/queued": (("data", "message", "content"),),
    "compaction/summary": (("data", "summary"), ("data", "rawOutput")),
    "tool/code-dispatch": (("data", "content"),),
    "tool/ptc-dispatch": (("data", "content"),),
}


def messages(event: Json) -> Iterator[tuple[Keys, Any]]:
    """Every message that an event holds, with the keys that lead to it."""
    kind = event["type"]
    if kind in _MESSAGES:
        yield _MESSAGES[kind], _at(event, _MESSAGES[kind])
    name = _LISTED.get(kind)
    listed = event["data"].get(name) if name and isinstance(event["data"], dict) else None
    for index, message in enumerate(listed if isinstance(listed, list) else ()):
        yield ("data", str(name), index), message


def blocks(event: Json) -> Iterator[tuple[Keys, Any]]:
    """Every content block of an event, those inside tool results too, with its keys."""
    todo: list[tuple[Keys, Any]] = []
    for keys, message in messages(event):
        if isinstance(message, dict):
            todo.append(((*keys, "content"), message.get("content")))
    todo += [(keys, _at(event, keys)) for keys in _CONTENT.get(event["type"], ())]
    while todo:
        keys, content = todo.pop()
        for index, block in enumerate(content if isinstance(content, list) else ()):
            here = (*keys, index)
            yield here, block
            if isinstance(block, dict) and block.get("type") == "tool-result":
                todo.append(((*here, "content"), block.get("content")))


def foreign_content(event: Json) -> Iterator[Issue]:
    """Kinds of sources and blocks that no released program knows; they may hold anything."""
    for keys, message in messages(event):
        source = message.get("source") if isinstance(message, dict) else None
        kind = source.get("kind") if isinstance(source, dict) else None
        if not isinstance(kind, str) or kind not in SOURCES:
            text = "a kind of source that no released program knows"
            yield Issue("unclassified-source", text, keys=(*keys, "source", "kind"))
    for keys, block in blocks(event):
        if not isinstance(block, dict) or not _is_known(block.get("type")):
            text = "a kind of content that no released program knows"
            yield Issue("unclassified-content", text, keys=(*keys, "type"))
    for keys, kind in _streamed(event):
        if not _is_known(kind):
            text = "a kind of content that no released program knows"
            yield Issue("unclassified-content", text, keys=keys)


def _streamed(event: Json) -> Iterator[tuple[Keys, Any]]:
    data = event["data"]
    stream = data.get("stream") if isinstance(data, dict) else None
    for index, record in enumerate(stream if isinstance(stream, list) else ()):
        chunk = record.get("chunk") if isinstance(record, dict) else None
        if not isinstance(chunk, dict):
            continue
        keys: Keys = ("data", "stream", index, "chunk")
        if chunk.get("type") == "block-start":
            yield (*keys, "blockType"), chunk.get("blockType")
        elif chunk.get("type") == "block-end":
            block = chunk.get("block")
            kind = block.get("type") if isinstance(block, dict) else None
            yield (*keys, "block", "type"), kind


def _is_known(kind: object) -> bool:
    return isinstance(kind, str) and kind in BLOCKS


def _at(value: Any, keys: Keys) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value

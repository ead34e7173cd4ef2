"""One event of a dsh log for the session view: its values, and where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sesskit.logs.dsh.stored import Stored
from sesskit.records.talk import Asked
from sesskit.records.view import Block, Input, Opaque, Reasoning, Ref, StoredFile, Text, Usage
from sesskit.schemas.dsh_values import is_safe_integer
from sesskit.schemas.issues import Keys, pointer
from sesskit.schemas.places import Places

Json = dict[str, Any]


@dataclass(slots=True)
class EventLine:
    """One event and where it lies.

    ``rough`` spares the search for places that only somebody who shows what was said needs.
    """

    stored: Stored
    value: Json
    ref: Ref
    rough: bool = False
    _places: Places | None = None

    @property
    def kind(self) -> str:
        return str(self.value["type"])

    @property
    def data(self) -> Json:
        data: Json = self.value["data"]
        return data

    @property
    def seq(self) -> int | None:
        return self.stored.seq

    @property
    def replaces(self) -> bool:
        return isinstance(self.value.get("surfaceOp"), dict)

    def message(self) -> tuple[Json, Keys]:
        """The message inside, wrapped as today or bare as in old logs."""
        message = self.data.get("message")
        if isinstance(message, dict):
            return message, ("data", "message")
        return self.data, ("data",)

    def result(self) -> tuple[Json, Keys]:
        """The block of a tool result, as today or in the form of old logs or of v4."""
        said, keys = self.message()
        if said.get("role") == "tool":
            return said, keys
        blocks = said.get("content")
        if "callId" in self.data or not isinstance(blocks, list) or not blocks:
            return self.data, ("data",)
        first = blocks[0]
        return (first if isinstance(first, dict) else {}), (*keys, "content", 0)

    def inner(self, keys: Keys) -> Ref:
        """The same for what was said; nowhere in particular in the line where that is enough."""
        if not self.rough:
            return self.at(keys)
        return Ref(self.ref.offset, 0, self.stored.line.number, "")

    def at(self, keys: Keys) -> Ref:
        """Where a value of the event lies; the whole line where it is not to be found."""
        if self._places is None:
            self._places = Places(self.stored.line.data)
        span = self._places.span(keys)
        if span is None:
            return self.ref
        start = self.stored.line.offset + span[0]
        return Ref(start, span[1] - span[0], self.stored.line.number, pointer(keys))


def block_at(line: EventLine, block: Any, keys: Keys) -> Block | Asked:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text":
        return Text(line.inner((*keys, "text")))
    if kind == "reasoning":
        return Reasoning(line.inner((*keys, "text")))
    if kind == "tool-call":
        asked = Input(line.inner((*keys, "arguments")), as_text=True)
        name = text_or_none(block.get("name")) or ""
        return Asked(text_or_none(block.get("id")), name, line.at(keys), asked)
    if kind in ("image", "file"):
        attachment = block.get("attachment")
        named = attachment.get("attachmentId") if isinstance(attachment, dict) else None
        return StoredFile(text_or_none(named) or "", line.at(keys))
    return Opaque(str(kind), line.at(keys))


def usage_of(line: EventLine, message: str | None, *, placed: bool = True) -> Usage | None:
    """The tokens of an answer; ``placed`` asks where they stand."""
    usage = line.data.get("usage")
    if not isinstance(usage, dict):
        return None

    def count(name: str) -> int | None:
        value = usage.get(name)
        return int(value) if is_safe_integer(value) else None

    cached, written = count("cacheReadTokens") or 0, count("cacheWriteTokens")
    return Usage(
        message or f"event {line.seq}",
        (count("inputTokens") or 0) + cached + (written or 0),
        count("outputTokens") or 0,
        line.at(("data", "usage")) if placed else line.inner(("data", "usage")),
        cached=cached,
        cache_written=written,
        reasoning=count("reasoningTokens"),
    )


def text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None

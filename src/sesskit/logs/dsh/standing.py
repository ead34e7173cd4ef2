"""How a writer's events stand so far, and whether another event could be the next one of it.

Where two writers stand at the same number, only what the events say can tell whose the next one
is: open turn and step, open blocks of the stream, calls, messages that were waiting, sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

STREAM = "assistant/chunk"


@dataclass(slots=True)
class Standing:
    """What is open after the events that were seen."""

    turn: Any = None
    step: Any = None
    in_turn: bool = False
    in_step: bool = False
    time: int = 0
    calls: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    blocks: dict[Any, Any] = field(default_factory=dict)
    streamed: set[int] = field(default_factory=set)

    def see(self, event: Json) -> None:
        """Take in one event; total."""
        kind, data = event["type"], event["data"]
        self.time = int(event["time"])
        if not isinstance(data, dict):
            return
        if kind == STREAM:
            self.streamed.add(int(event["seq"]))
            self._chunk(data.get("chunk"))
        elif kind in ("turn/start", "turn/end"):
            self.in_turn, self.in_step = kind == "turn/start", False
            self.turn = data.get("turn")
        elif kind in ("step/start", "step/end"):
            self.in_step, self.step = kind == "step/start", data.get("step")
            self.blocks.clear()
        elif kind == "assistant/message":
            self.calls.update(_named(_content(data), "id"))
            self.blocks.clear()
        elif kind == "tool/call":
            self.started.update(_calls(data))
        elif kind == "tool/result":
            self.answered.update(_calls(data))
        elif isinstance(data.get("inserted"), list):
            self.waiting.update(_named(data["inserted"], "id"))

    def _chunk(self, chunk: Any) -> None:
        if not isinstance(chunk, dict):
            return
        index = chunk.get("index")
        if not isinstance(index, int | float):
            return
        if chunk.get("type") == "block-start":
            self.blocks[index] = chunk.get("blockType")
        elif chunk.get("type") == "block-end":
            self.blocks.pop(index, None)

    def conflicts(self, event: Json) -> int:
        """How much speaks against the event as the next one; below 0 something speaks for it."""
        kind, data = event["type"], event["data"]
        if not isinstance(data, dict):
            return 0
        return sum(self._against(kind, data, event))

    def _against(self, kind: str, data: Json, event: Json) -> Iterator[int]:
        if kind == "turn/start":
            yield 2 * self.in_turn
        elif "turn" in data:
            yield 2 * (not self.in_turn or data["turn"] != self.turn)
            if kind == "step/start":
                yield 2 * self.in_step
            elif "step" in data:
                yield 2 * (not self.in_step or data["step"] != self.step)
        if kind == STREAM:
            yield self._stream(data.get("chunk"))
        elif kind == "step/end":
            yield len(self.calls - self.answered) > 0
        elif kind == "assistant/message":
            yield self._sources(event.get("sourceEventSeqs"))
        elif kind in ("tool/call", "tool/result"):
            done = self.started if kind == "tool/call" else self.answered
            for call in _calls(data):
                yield -2 if call in self.calls and call not in done else 3
        elif kind == "user/message" and isinstance(data.get("id"), str):
            yield -2 * (data["id"] in self.waiting)

    def _stream(self, chunk: Any) -> int:
        if not isinstance(chunk, dict) or not isinstance(chunk.get("index"), int | float):
            return 2 * bool(self.blocks)  # usage and the end come when no block is open
        opened, index = chunk.get("type") == "block-start", chunk["index"]
        if opened:
            return 2 * (index in self.blocks)
        kind, held = str(chunk.get("type")), str(self.blocks.get(index, ""))
        if index not in self.blocks:
            return 2
        return 0 if kind == "block-end" or kind.startswith(held) else 2

    def _sources(self, sources: Any) -> int:
        if not isinstance(sources, list):
            return bool(self.blocks)
        named = [source for source in sources if isinstance(source, int)]
        strange = any(source not in self.streamed for source in named)
        missed = bool(self.streamed) and bool(named) and max(self.streamed) > max(named)
        return 3 * strange + 2 * missed


def _content(data: Json) -> Any:
    message = data.get("message", data)
    return message.get("content") if isinstance(message, dict) else None


def _named(values: Any, member: str) -> Iterator[str]:
    for value in values if isinstance(values, list) else ():
        named = value.get(member) if isinstance(value, dict) else None
        if isinstance(named, str):
            yield named


def _calls(data: Json) -> set[str]:
    """The calls that an event of a tool is about."""
    found = set(_named([data], "callId")) | set(_named(_content(data), "toolCallId"))
    message = data.get("message")
    if isinstance(message, dict):
        found |= set(_named([message, message.get("source")], "callId"))
        found |= set(_named([message], "toolCallId"))
    return found

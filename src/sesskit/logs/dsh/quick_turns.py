"""Turns of which every line was taken quickly, counted by their typed events.

It never decides what an odd turn is: one that is not plain (a call without a result, say) is left
to the session view, which gives the same numbers for the plain ones; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, field

from sesskit.logs.dsh.marks import MARKS
from sesskit.logs.dsh.view_events import BROKEN_OFF, SHOWN, TURN_STATES
from sesskit.records.overview import MAX_TOKENS
from sesskit.records.view import CallState, TurnState
from sesskit.schemas.dsh_content import ToolCallBlock
from sesskit.schemas.instants import MAX_MS


class QuickLine(NamedTuple):
    """A line that was taken quickly: its event, its type, its text and where that stands."""

    event: Any
    kind: str
    data: bytes
    offset: int
    number: int


class PlainTurn(Struct):
    """The numbers of one turn; times are milliseconds since 1970. ``calls`` are names and states
    by id, ``usage`` tokens by answer: prompt, output and cached ones. ``elements`` are the lines:
    what they are called, and how long they are."""

    elements: list[tuple[str, QuickLine]] = field(default_factory=list)
    messages: dict[str, int] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    calls: dict[str, tuple[str, CallState | None]] = field(default_factory=dict)
    usage: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    state: TurnState | None = None
    named: dict[tuple[str, str], int] = field(default_factory=dict)
    """Marks that say a state, by type and state."""
    first: int | None = None
    last: int | None = None
    unknown: int = 0

    def take(self, line: QuickLine) -> bool:
        """Count a line in; False where the turn is none of the plain ones."""
        step = _STEPS.get(line.kind)
        if not -MAX_MS <= line.event.time <= MAX_MS:
            return False
        if step is not None:
            return step(self, line)
        return line.kind not in SHOWN and self._mark(line)

    @property
    def whole(self) -> bool:
        """Whether the turn has ended, and every call has its result."""
        return self.state is not None and all(state for _, state in self.calls.values())

    def _mark(self, line: QuickLine, state: str = "") -> bool:
        kind = line.kind
        if state:
            self.named[kind, state] = self.named.get((kind, state), 0) + 1
        self.marks[kind] = self.marks.get(kind, 0) + 1
        self.unknown += kind not in MARKS
        self.elements.append((kind, line))
        return True

    def _say(self, role: str, line: QuickLine) -> bool:
        self.messages[role] = self.messages.get(role, 0) + 1
        self.elements.append((role, line))
        self.last = line.event.time
        if self.first is None:
            self.first = self.last
        return self.state is None

    def _end(self, line: QuickLine) -> bool:
        reason = str(type(line.event.data.reason).__struct_config__.tag)
        self.state = TURN_STATES.get(reason, "complete")
        return self._mark(line, reason)

    def _decided(self, line: QuickLine) -> bool:
        outcome = line.event.data.outcome
        return outcome != "rejected" and self._mark(line, outcome)

    def _user(self, line: QuickLine) -> bool:
        asks = any(type(block) is ToolCallBlock for block in line.event.data.content)
        return not asks and self._say("user", line)

    def _assistant(self, line: QuickLine) -> bool:
        data = line.event.data
        message, usage = data.message, data.usage
        self.models.setdefault(message.source.model)
        if usage is not UNSET:
            if message.id in self.usage:
                return False
            self.usage[message.id] = _tokens(usage)
        for block in message.content:
            if type(block) is ToolCallBlock:
                if block.id in self.calls:
                    return False
                self.calls[block.id] = block.name, None
        return self._say("assistant", line)

    def _result(self, line: QuickLine) -> bool:
        data = line.event.data
        block, error = data.message.content[0], data.error
        name, state = self.calls.get(block.tool_call_id, ("", "orphan"))
        broken = error is not UNSET and {"name": error.name, "code": error.code} in BROKEN_OFF
        if state is not None or broken:
            return False
        self.calls[block.tool_call_id] = name, "failed" if block.is_error is True else "answered"
        return self._say("tool", line)


def _tokens(usage: Any) -> tuple[int, int, int]:
    cached = 0 if usage.cache_read_tokens is UNSET else usage.cache_read_tokens
    written = 0 if usage.cache_write_tokens is UNSET else usage.cache_write_tokens
    found = usage.input_tokens + cached + written, usage.output_tokens, cached
    return found if max(found) <= MAX_TOKENS else (0, 0, 0)


_STEPS: dict[str, Callable[[PlainTurn, QuickLine], bool]] = {
    "turn/start": PlainTurn._mark,
    "turn/end": PlainTurn._end,
    "approval/asked": PlainTurn._mark,
    "approval/decided": PlainTurn._decided,
    "user/message": PlainTurn._user,
    "assistant/message": PlainTurn._assistant,
    "tool/result": PlainTurn._result,
}

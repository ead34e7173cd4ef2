"""Lines and findings of the contract audit: members, whatever they hold, and what is wrong.

The audit does not lean on the decoder: a member of the wrong kind reads as absent here, the decoder
reports it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.robota_contract import RULES

Json = dict[str, Any]

HOST = frozenset(
    {"background_task_event", "background_job_group_event", "memory_event", "server_tool"}
)
"""Events of the host; they may stand between any two lines."""

GATE = frozenset({"tool_call", "tool_result", "tool_denied", "tool_blocked"})
"""What the permission gate logs about a call, in turns and outside."""

LOST = ""
"""The event of a line that cannot be read."""

REDACTED = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number, its event and its members, sidecars resolved, and where it begins.

    ``lost`` is one that is not there and may have been.
    """

    number: int
    event: str
    data: Json
    offset: int | None = None
    lost: bool = False
    _lengths: dict[str, int | None] = field(default_factory=dict)

    def measured(self, name: str) -> int | None:
        """How long the compact JSON of the messages of a member is; None where it was redacted."""
        if name not in self._lengths:
            self._lengths[name] = measured(self.messages(name))
        return self._lengths[name]

    def text(self, name: str) -> str | None:
        return text_in(self.data, name)

    def count(self, name: str) -> int | None:
        return whole_in(self.data, name)

    def figure(self, name: str) -> float | None:
        return figure_in(self.data, name)

    def mapping(self, name: str) -> Json:
        return mapping_in(self.data, name)

    def messages(self, name: str) -> list[Json]:
        found = self.data.get(name)
        return [m for m in found if isinstance(m, dict)] if isinstance(found, list) else []


def text_in(value: Json, name: str) -> str | None:
    found = value.get(name)
    return found if isinstance(found, str) else None


def figure_in(value: Json, name: str) -> float | None:
    found = value.get(name)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def whole_in(value: Json, name: str) -> int | None:
    found = figure_in(value, name)
    return int(found) if found is not None and found == found // 1 else None


def mapping_in(value: Json, name: str) -> Json:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def calls_in(message: Json) -> list[Json]:
    """The tool calls of a message."""
    found = message.get("toolCalls")
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []


def call_name(call: Json) -> str:
    return text_in(mapping_in(call, "function"), "name") or ""


def content_of(message: Json) -> str:
    """The text of a message; null is the empty text."""
    return text_in(message, "content") or ""


def utf16_length(text: str) -> int:
    """How long ECMAScript says a text is."""
    return len(text) + sum(character > "\uffff" for character in text)


def json_length(value: Any) -> int:
    """How long ECMAScript says the compact JSON of a value is."""
    return utf16_length(dumps(value).decode())


def measured(value: Any) -> int | None:
    """How long the compact JSON of a value is; None where something was taken out of it."""
    text = dumps(value)
    return None if REDACTED.encode() in text else utf16_length(text.decode())


def is_redacted(value: Any) -> bool:
    """Whether a logger took something out of a value."""
    return REDACTED.encode() in dumps(value)


@dataclass(slots=True)
class Findings:
    """Collects what the rules find until somebody takes it."""

    waiting: list[Issue] = field(default_factory=list)

    def find(
        self,
        rule: str,
        line: Line,
        message: str,
        *,
        keys: Keys = (),
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        severity = RULES[rule].severity
        issue = Issue(
            rule, message, severity, keys, expected, found, line=line.number, offset=line.offset
        )
        self.waiting.append(issue)

    def take(self) -> list[Issue]:
        """What was found since the last time."""
        waiting, self.waiting = self.waiting, []
        return waiting

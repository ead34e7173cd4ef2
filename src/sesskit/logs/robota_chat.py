"""A conversation of a log for a provider: results made up where there are none; what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET

from sesskit.schemas.robota_messages import AssistantMessage, Message, ToolMessage

NO_RESULT = "[no result: the session has none for this call]"


def with_results(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages, and behind each answer of the model a result for every call that has none."""
    waiting: dict[str, Message] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            waiting.pop(message.tool_call_id, None)
        else:
            yield from _made_up(waiting)
            waiting = dict.fromkeys(_calls(message), message)
        yield message
    yield from _made_up(waiting)


def _made_up(waiting: dict[str, Message]) -> Iterator[ToolMessage]:
    for call, asked in waiting.items():
        yield ToolMessage(
            id=f"{asked.id}:{call}",
            timestamp=asked.timestamp,
            state="complete",
            content=NO_RESULT,
            tool_call_id=call,
        )


def _calls(message: Message) -> list[str]:
    if not isinstance(message, AssistantMessage) or message.tool_calls is UNSET:
        return []
    return [call.id for call in message.tool_calls]


class Losses:
    """Counts what goes into a list for a provider and what comes out of it."""

    def __init__(self) -> None:
        self._calls = self._results = self._parts = 0

    def taken(self, messages: Iterable[Message]) -> Iterator[Message]:
        """The messages, counted as they pass."""
        for message in messages:
            self._calls += len(_calls(message))
            self._results += isinstance(message, ToolMessage)
            if message.parts is not UNSET:
                self._parts += len(message.parts) - _plain(message)
            yield message

    def made(self, chats: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """What was made of them, counted as it passes."""
        for chat in chats:
            self._calls -= len(chat.get("tool_calls", ()))
            self._results -= chat["role"] == "tool"
            yield chat

    def found(self) -> dict[str, int]:
        """How many calls, results and parts of messages the list has no place for."""
        return {
            "call-without-result": self._calls,
            "result-without-call": self._results,
            "part": self._parts,
        }


def _plain(message: Message) -> int:
    """Parts that only repeat the content."""
    if message.parts is UNSET:
        return 0
    return sum(getattr(part, "text", None) == message.content for part in message.parts)

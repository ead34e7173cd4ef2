"""A conversation of a log for a provider: results made up where there are none; what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


def lost_in(messages: Sequence[Message], made: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many calls, results and parts of messages a list for a provider has no place for."""
    asked = sum(len(_calls(message)) for message in messages)
    answered = sum(isinstance(message, ToolMessage) for message in messages)
    parts = sum(len(message.parts) for message in messages if message.parts is not UNSET)
    texts = sum(_plain(message) for message in messages)
    return {
        "call-without-result": asked - sum(len(chat.get("tool_calls", ())) for chat in made),
        "result-without-call": answered - sum(chat["role"] == "tool" for chat in made),
        "part": parts - texts,
    }


def _plain(message: Message) -> int:
    """Parts that only repeat the content."""
    if message.parts is UNSET:
        return 0
    return sum(getattr(part, "text", None) == message.content for part in message.parts)

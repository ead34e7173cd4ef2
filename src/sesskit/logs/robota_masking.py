"""Messages of a log for showing: what looks like a credential in their texts is masked."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from sesskit.schemas.masking import mask_payload, mask_tree
from sesskit.schemas.robota_messages import AssistantMessage, Message, ToolCall


def masked_message(message: Message) -> Message:
    """A copy of a message without what looks like a secret; the message itself if there is none."""
    changes: dict[str, Any] = {}
    if message.content:
        changes["content"] = mask_payload(message.content)
    if message.metadata is not UNSET:
        changes["metadata"] = mask_tree(message.metadata)
    if isinstance(message, AssistantMessage) and message.tool_calls is not UNSET:
        changes["tool_calls"] = [_masked_call(call) for call in message.tool_calls]
    return replace(message, **changes)


def _masked_call(call: ToolCall) -> ToolCall:
    arguments = mask_payload(call.function.arguments)
    return replace(call, function=replace(call.function, arguments=arguments))

"""ochat: the lift of old layouts (R1, R2, M1) to today's, which the original does not have.

Only what an old layout cannot say is added: no phase, and the output of a tool as one text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sesskit.schemas.ochat_items import (
    FunctionCallOutput,
    Item,
    OutputMessage,
    PlainFunctionCallOutput,
    PlainOutputMessage,
    TextOutput,
)
from sesskit.schemas.ochat_moderator import (
    MessageOverlay,
    ModeratorSnapshot,
    Overlay,
)


def _message(old: PlainOutputMessage) -> OutputMessage:
    return OutputMessage(old.role, old.id, old.content, old.status, None, old.type_)


def _output(old: PlainFunctionCallOutput) -> FunctionCallOutput:
    return FunctionCallOutput(TextOutput(old.output), old.call_id, old.type_, old.id, old.status)


_LIFTS: dict[type, Callable[[Any], Item]] = {
    PlainOutputMessage: _message,
    PlainFunctionCallOutput: _output,
}


def lifted_item(item: Any) -> Item:
    """The same item in today's layout."""
    lift = _LIFTS.get(type(item))
    return item if lift is None else lift(item)


def has_elements(overlay: MessageOverlay) -> bool:
    """Whether an M1 overlay says anything that M2 has no place for."""
    return bool(
        overlay.prepended_system_messages
        or overlay.appended_messages
        or overlay.replacements
        or overlay.deleted_message_ids
    )


def lifted_moderator(
    snapshot: ModeratorSnapshot[Any],
) -> ModeratorSnapshot[Overlay]:
    """The same snapshot in M2; an M1 overlay must have no elements."""
    overlay = snapshot.overlay
    if isinstance(overlay, MessageOverlay):
        overlay = Overlay([], [], [], [], overlay.halted_reason)
    return ModeratorSnapshot(
        snapshot.script_id,
        snapshot.script_source_hash,
        snapshot.current_state,
        snapshot.queued_internal_events,
        snapshot.halted,
        overlay,
    )

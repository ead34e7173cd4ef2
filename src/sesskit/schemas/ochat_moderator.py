"""ochat: what a moderator script keeps: its state, its queue and its changes to the history.

M1 was written from 20 to 22 March 2026 and held whole messages; M2 followed. Versions 4 and 5
keep an M2 snapshot as it was (``legacy_snapshot``) and a newer one by history ids.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from sesskit.schemas.binprot_types import Int, Part, Str
from sesskit.schemas.ochat_values import HistoryIdText, Value

OverlayT = TypeVar("OverlayT")


class Element(Part, frozen=True, gc=False):
    id: Str
    value: Value


class Replacement(Part, frozen=True, gc=False):
    target_id: Str
    item: Element


class Overlay(Part, frozen=True, gc=False):
    """M2."""

    prepended_system_items: list[Element]
    appended_items: list[Element]
    replacements: list[Replacement]
    deleted_item_ids: list[Str]
    halted_reason: Str | None


class MessageElement(Part, frozen=True, gc=False):
    id: Str
    role: Str
    content: Str
    meta: Value


class MessageReplacement(Part, frozen=True, gc=False):
    target_id: Str
    message: MessageElement


class MessageOverlay(Part, frozen=True, gc=False):
    """M1."""

    prepended_system_messages: list[MessageElement]
    appended_messages: list[MessageElement]
    replacements: list[MessageReplacement]
    deleted_message_ids: list[Str]
    halted_reason: Str | None


class ModeratorSnapshot(Part, Generic[OverlayT], frozen=True, gc=False):
    script_id: Str
    script_source_hash: Str
    current_state: Value
    queued_internal_events: list[Value]
    halted: bool
    overlay: OverlayT


class InsertedItem(Part, frozen=True, gc=False):
    entry_id: HistoryIdText
    change_id: Int
    value: Value
    script_label: Str | None


class ReplacedItem(Part, frozen=True, gc=False):
    target_id: HistoryIdText
    change_id: Int
    value: Value
    script_label: Str | None


class Tombstone(Part, frozen=True, gc=False):
    target_id: HistoryIdText
    change_id: Int


class IdentitySnapshot(Part, frozen=True, gc=False):
    script_id: Str
    script_source_hash: Str
    current_state: Value
    queued_internal_events: list[Value]
    halted: bool
    revision: Int
    next_change_id: Int
    prepended_items: list[InsertedItem]
    appended_items: list[InsertedItem]
    replacements: list[ReplacedItem]
    tombstones: list[Tombstone]
    halted_reason: Str | None


class ModeratorState(Part, frozen=True, gc=False):
    legacy_snapshot: ModeratorSnapshot[Overlay] | None
    identity_snapshot: IdentitySnapshot | None
    extensions: list[tuple[Str, Value]]


NO_MODERATOR = ModeratorState(None, None, [])

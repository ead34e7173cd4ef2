"""ochat: the steps from any version to version 5, as the original takes them.

Pure: the same record gives the same ids every time. `refusal` says beforehand whether the
original would refuse, and why; `upgrade` takes a record that it does not refuse.

An older file gains no trust in shell commands: version 5 starts with none, whatever the history
holds.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from sesskit.records.ochat_lift import has_elements, lifted_item, lifted_moderator
from sesskit.records.ochat_rules import Broken
from sesskit.schemas.ochat_ids import HistoryId
from sesskit.schemas.ochat_items import InputMessage, Item
from sesskit.schemas.ochat_moderator import (
    NO_MODERATOR,
    Element,
    IdentitySnapshot,
    InsertedItem,
    MessageOverlay,
    ModeratorState,
    Overlay,
    ReplacedItem,
    Tombstone,
)
from sesskit.schemas.ochat_sessions import (
    Entry,
    Session,
    SessionV0,
    SessionV1,
    SessionV2,
    SessionV3,
    SessionV4,
    SessionV5,
)
from sesskit.schemas.ochat_shell import NO_SHELL

CurrentV3 = SessionV3[Item, Overlay]


def refusal(session: Session) -> Broken | None:
    """Why the original would refuse to upgrade this record; None if it would not.

    Only records of versions 0 to 3 are refused; later ones have been checked when they were read.
    """
    if isinstance(session, SessionV4 | SessionV5):
        return None
    if not session.id:
        message = "a session without an id cannot give ids to its history"
        return Broken("session-id-empty", ("id",), message, "at least one byte", "an empty text")
    snapshot = session.moderator_snapshot if isinstance(session, SessionV3) else None
    if snapshot is None:
        return None
    if isinstance(snapshot.overlay, MessageOverlay):
        return _old_overlay(snapshot.overlay)
    return _lost_target(session.history, snapshot.overlay)


def upgrade(session: Session) -> SessionV5:
    """The record as version 5. Raises `ValueError` where `refusal` has a reason."""
    if isinstance(session, SessionV5):
        return session
    if isinstance(session, SessionV4):
        return v4_to_v5(session)
    broken = refusal(session)
    if broken is not None:
        raise ValueError(broken.message)
    return v4_to_v5(v3_to_v4(to_v3(session)))


def to_v3(old: SessionV0[Any] | SessionV1[Any] | SessionV2[Any] | SessionV3[Any, Any]) -> CurrentV3:
    """Versions 0 to 2 become version 3, in today's layout of items and moderator."""
    copy = old.local_prompt_copy if isinstance(old, SessionV2 | SessionV3) else None
    snapshot = old.moderator_snapshot if isinstance(old, SessionV3) else None
    return SessionV3(
        3,
        old.id,
        old.prompt_file,
        copy,
        [lifted_item(item) for item in old.history],
        old.tasks,
        None if snapshot is None else lifted_moderator(snapshot),
        old.kv_store,
        old.vfs_root,
    )


def v3_to_v4(old: CurrentV3) -> SessionV4:
    """Items get ids in their order; the moderator's changes are expressed by them."""
    history = [
        Entry(HistoryId(old.id, number).text(), item) for number, item in enumerate(old.history)
    ]
    state, inserted = _moderator(old)
    return SessionV4(
        4,
        old.id,
        old.prompt_file,
        old.local_prompt_copy,
        history,
        len(history) + inserted,
        old.tasks,
        state,
        old.kv_store,
        old.vfs_root,
    )


def v4_to_v5(old: SessionV4) -> SessionV5:
    """An empty shell state is added."""
    return SessionV5(
        5,
        old.id,
        old.prompt_file,
        old.local_prompt_copy,
        old.history,
        old.next_history_sequence,
        old.tasks,
        old.moderator_state,
        NO_SHELL,
        old.kv_store,
        old.vfs_root,
    )


def legacy_names(history: list[Any]) -> list[str | bytes]:
    """The name that a version 3 moderator knew each item by."""
    names: list[str | bytes] = []
    without = 0
    for item in history:
        own = None if isinstance(item, InputMessage) else item.id
        if own is None:
            without += 1
            own = f"host-message-{without}"
        names.append(own)
    return names


def _old_overlay(overlay: MessageOverlay) -> Broken | None:
    if not has_elements(overlay):
        return None
    return Broken(
        "moderator-layout-old",
        ("moderator_snapshot", "overlay"),
        "the moderator's changes are whole messages (layout M1), which no later version can hold",
        "an overlay without elements",
        "elements of layout M1",
    )


def _targets(overlay: Overlay) -> list[tuple[tuple[str | int, ...], str | bytes]]:
    at = ("moderator_snapshot", "overlay")
    return [
        *(
            ((*at, "replacements", index, "target_id"), one.target_id)
            for index, one in enumerate(overlay.replacements)
        ),
        *(
            ((*at, "deleted_item_ids", index), deleted)
            for index, deleted in enumerate(overlay.deleted_item_ids)
        ),
    ]


def _lost_target(history: list[Any], overlay: Overlay) -> Broken | None:
    targets = _targets(overlay)
    if not targets:
        return None
    count = Counter(legacy_names(history))
    for keys, target in targets:
        if count[target] == 0:
            message = "the moderator changes an item that the history does not hold"
            return Broken(
                "moderator-target-unknown", keys, message, "the name of one item", "of none"
            )
        if count[target] > 1:
            message = "the moderator changes an item whose name several items have"
            return Broken(
                "moderator-target-ambiguous", keys, message, "the name of one item", "of several"
            )
    return None


def _moderator(old: CurrentV3) -> tuple[ModeratorState, int]:
    """The moderator by ids, and how many entries it inserted."""
    snapshot = old.moderator_snapshot
    if snapshot is None:
        return NO_MODERATOR, 0
    overlay = snapshot.overlay
    prepended, appended = overlay.prepended_system_items, overlay.appended_items
    inserted = [
        InsertedItem(HistoryId(old.id, len(old.history) + number).text(), number, new.value, new.id)
        for number, new in enumerate((*prepended, *appended))
    ]
    replaced, removed = _changes(old, overlay, len(inserted))
    changes = len(inserted) + len(replaced) + len(removed)
    identity = IdentitySnapshot(
        snapshot.script_id,
        snapshot.script_source_hash,
        snapshot.current_state,
        snapshot.queued_internal_events,
        snapshot.halted,
        1 if changes else 0,
        changes,
        inserted[: len(prepended)],
        inserted[len(prepended) :],
        replaced,
        removed,
        overlay.halted_reason,
    )
    return ModeratorState(snapshot, identity, []), len(inserted)


def _changes(
    old: CurrentV3, overlay: Overlay, change: int
) -> tuple[list[ReplacedItem], list[Tombstone]]:
    """Replacements and tombstones; change ids count on from ``change``."""
    named = {name: number for number, name in enumerate(legacy_names(old.history))}
    replaced = []
    for number, one in enumerate(overlay.replacements):
        element: Element = one.item
        target = HistoryId(old.id, named[one.target_id]).text()
        replaced.append(ReplacedItem(target, change + number, element.value, element.id))
    change += len(replaced)
    removed = [
        Tombstone(HistoryId(old.id, named[deleted]).text(), change + number)
        for number, deleted in enumerate(overlay.deleted_item_ids)
    ]
    return replaced, removed

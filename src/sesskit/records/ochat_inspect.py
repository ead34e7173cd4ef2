"""ochat: what a snapshot holds, counted and measured, for a look at it.

Names and numbers of the session are given as they are; whoever shows them masks them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sesskit.records.ochat_attempts import same_bytes
from sesskit.records.ochat_snapshot import Snapshot
from sesskit.schemas.binprot import HEADER_BYTES
from sesskit.schemas.binprot_places import Child, children
from sesskit.schemas.ochat_items import InputMessage
from sesskit.schemas.ochat_moderator import MessageOverlay, ModeratorSnapshot, Overlay
from sesskit.schemas.ochat_sessions import (
    Entry,
    Session,
    SessionV3,
    SessionV4,
    SessionV5,
    type_of,
)
from sesskit.schemas.ochat_shell import ApprovalGrant, ManifestGrant, ShellState

GrantState = Literal["active", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the file: ``length`` bytes from ``offset``."""

    path: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Kind:
    """Items of one kind: how many, and their bytes together."""

    name: str
    count: int
    length: int


@dataclass(frozen=True, slots=True)
class Grant:
    """A remembered permission. Times are nanoseconds since 1970."""

    kind: Literal["manifest", "approval"]
    id: str | bytes
    state: GrantState
    created_at_ns: int
    expires_at_ns: int | None
    revoked_at_ns: int | None


@dataclass(frozen=True, slots=True)
class Moderation:
    """What a moderator script keeps. ``revision`` is None for a snapshot of before version 4."""

    script_id: str | bytes
    halted: bool
    queued: int
    inserted: int
    replaced: int
    removed: int
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Shell:
    """What is remembered of trust in shell commands."""

    grants: tuple[Grant, ...]
    extensions: int
    interrupted: int
    last_audit_sequence: int | None


@dataclass(frozen=True, slots=True)
class SnapshotSummary:
    """A snapshot at a glance. ``layouts`` are those in which the file has these same bytes."""

    version: int
    id: str | bytes
    prompt_file: str | bytes
    local_prompt_copy: str | bytes | None
    layouts: tuple[str, ...]
    items: tuple[Kind, ...]
    roles: dict[str, int]
    next_history_sequence: int | None
    tasks: dict[str, int]
    keys: int
    moderator: Moderation | None
    moderator_extensions: int
    shell: Shell | None
    pieces: tuple[Piece, ...]


def summary(data: bytes, snapshot: Snapshot, *, now_ns: int | None = None) -> SnapshotSummary:
    """What the snapshot read from ``data`` holds; grants are judged at ``now_ns`` (now)."""
    session = snapshot.session
    later = session if isinstance(session, SessionV4 | SessionV5) else None
    layouts = (snapshot.layout, *same_bytes(session, snapshot.layout))
    shell = session.shell_state if isinstance(session, SessionV5) else None
    now = time.time_ns() if now_ns is None else now_ns
    return SnapshotSummary(
        version=snapshot.version,
        id=session.id,
        prompt_file=session.prompt_file,
        local_prompt_copy=getattr(session, "local_prompt_copy", None),
        layouts=tuple(layout.items for layout in layouts),
        items=kinds_of_items(data, snapshot),
        roles=_roles(session),
        next_history_sequence=None if later is None else later.next_history_sequence,
        tasks=dict(Counter(task.state for task in session.tasks)),
        keys=len(session.kv_store),
        moderator=_moderation(session),
        moderator_extensions=0 if later is None else len(later.moderator_state.extensions),
        shell=None if shell is None else _shell(shell, now),
        pieces=byte_map(data, snapshot),
    )


def byte_map(data: bytes, snapshot: Snapshot) -> tuple[Piece, ...]:
    """Every byte of the file: its header, the members of the record, and what trails behind."""
    pieces = [Piece("(frame)", 0, HEADER_BYTES)]
    pieces += [
        Piece(str(part.key), part.start, part.end - part.start) for part in _members(data, snapshot)
    ]
    if len(data) > snapshot.end:
        pieces.append(Piece("(trailing)", snapshot.end, len(data) - snapshot.end))
    return tuple(pieces)


def kinds_of_items(data: bytes, snapshot: Snapshot) -> tuple[Kind, ...]:
    """The items of the history by kind, in the order of their first one."""
    sizes: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for part, held in zip(_elements(data, snapshot), snapshot.session.history, strict=True):
        name = (held.item if type(held) is Entry else held).constructor
        counts[name] += 1
        sizes[name] = sizes.get(name, 0) + part.end - part.start
    return tuple(Kind(name, counts[name], size) for name, size in sizes.items())


def grant_state(grant: ManifestGrant | ApprovalGrant, now_ns: int) -> GrantState:
    """Whether a grant still holds at an instant."""
    if grant.revoked_at_ns is not None:
        return "revoked"
    expired = grant.expires_at_ns is not None and grant.expires_at_ns <= now_ns
    return "expired" if expired else "active"


def _members(data: bytes, snapshot: Snapshot) -> Iterable[Child]:
    return children(type_of(snapshot.layout), data, HEADER_BYTES)


def _elements(data: bytes, snapshot: Snapshot) -> Iterable[Child]:
    history = next(part for part in _members(data, snapshot) if part.key == "history")
    return children(history.node, data, history.start)


def _roles(session: Session) -> dict[str, int]:
    items = (held.item if type(held) is Entry else held for held in session.history)
    return dict(Counter(item.role for item in items if isinstance(item, InputMessage)))


def _moderation(session: Session) -> Moderation | None:
    if isinstance(session, SessionV3):
        return None if session.moderator_snapshot is None else _old(session.moderator_snapshot)
    if not isinstance(session, SessionV4 | SessionV5):
        return None
    state = session.moderator_state
    new = state.identity_snapshot
    if new is None:
        return None if state.legacy_snapshot is None else _old(state.legacy_snapshot)
    return Moderation(
        new.script_id,
        new.halted,
        len(new.queued_internal_events),
        len(new.prepended_items) + len(new.appended_items),
        len(new.replacements),
        len(new.tombstones),
        new.revision,
    )


def _old(snapshot: ModeratorSnapshot[Overlay] | ModeratorSnapshot[MessageOverlay]) -> Moderation:
    overlay = snapshot.overlay
    if isinstance(overlay, MessageOverlay):
        inserted = len(overlay.prepended_system_messages) + len(overlay.appended_messages)
        removed = len(overlay.deleted_message_ids)
    else:
        inserted = len(overlay.prepended_system_items) + len(overlay.appended_items)
        removed = len(overlay.deleted_item_ids)
    return Moderation(
        snapshot.script_id,
        snapshot.halted,
        len(snapshot.queued_internal_events),
        inserted,
        len(overlay.replacements),
        removed,
    )


def _shell(shell: ShellState, now_ns: int) -> Shell:
    manifests = [_grant("manifest", grant, now_ns) for grant in shell.manifest_grants]
    approvals = [_grant("approval", grant, now_ns) for grant in shell.approval_grants]
    return Shell(
        (*manifests, *approvals),
        len(shell.extension_snapshots),
        len(shell.interrupted_requests),
        shell.last_audit_sequence,
    )


def _grant(
    kind: Literal["manifest", "approval"], grant: ManifestGrant | ApprovalGrant, now_ns: int
) -> Grant:
    return Grant(
        kind,
        grant.grant_id,
        grant_state(grant, now_ns),
        grant.created_at_ns,
        grant.expires_at_ns,
        grant.revoked_at_ns,
    )

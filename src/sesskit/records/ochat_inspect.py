"""ochat: what a snapshot holds, counted and measured, for a look at it.

From the bytes, sound or damaged: what lies before the damage is counted. Names and numbers of the
session are given as they are; whoever shows them masks them.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sesskit.records.ochat_attempts import likely_layout, same_bytes
from sesskit.records.ochat_talk import places_of
from sesskit.schemas.binprot import HEADER_BYTES, BinaryError, read_length
from sesskit.schemas.binprot_places import Child, children
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_spots import spotter
from sesskit.schemas.binprot_types import ListOf, Record, Sum
from sesskit.schemas.ochat_items import Role
from sesskit.schemas.ochat_moderator import (
    MessageOverlay,
    ModeratorSnapshot,
    ModeratorState,
    Overlay,
)
from sesskit.schemas.ochat_sessions import Layout, type_of
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
    what: str
    """The scope of an approval, or whom a manifest is for; words of the format."""
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
    """A snapshot at a glance. ``layouts`` are those in which the file has these same bytes.

    What is None or empty is not there, or lies behind the damage: then ``whole`` is False.
    """

    version: int
    layouts: tuple[str, ...]
    moderator_layout: str | None
    whole: bool
    id: str | bytes | None
    prompt_file: str | bytes | None
    local_prompt_copy: str | bytes | None
    items: tuple[Kind, ...]
    roles: dict[str, int]
    next_history_sequence: int | None
    tasks: dict[str, int]
    keys: tuple[str | bytes, ...]
    moderator: Moderation | None
    moderator_extensions: int
    shell: Shell | None
    vfs_root: str | bytes | None
    pieces: tuple[Piece, ...]


def summary(data: bytes, *, now_ns: int | None = None) -> SnapshotSummary | None:
    """What a snapshot with these bytes holds; grants are judged at ``now_ns`` (now).

    None where not even a frame can be read. Total.
    """
    layout = likely_layout(data)
    if layout is None:
        return None
    seen = _Seen(data, layout)
    found = seen.values
    state = found.get("moderator_state")
    shell = found.get("shell_state")
    return SnapshotSummary(
        layout.version,
        same_bytes(layout, seen.counts),
        layout.moderator,
        seen.whole,
        found.get("id"),
        found.get("prompt_file"),
        found.get("local_prompt_copy"),
        tuple(Kind(name, count, seen.sizes[name]) for name, count in seen.counts.items()),
        dict(seen.roles),
        found.get("next_history_sequence"),
        dict(Counter(task.state for task in found.get("tasks", ()))),
        tuple(name for name, _ in found.get("kv_store", ())),
        _moderation(state or found.get("moderator_snapshot")),
        0 if state is None else len(state.extensions),
        None if shell is None else _shell(shell, time.time_ns() if now_ns is None else now_ns),
        found.get("vfs_root"),
        tuple(seen.pieces),
    )


def grant_state(grant: ManifestGrant | ApprovalGrant, now_ns: int) -> GrantState:
    """Whether a grant still holds at an instant."""
    if grant.revoked_at_ns is not None:
        return "revoked"
    expired = grant.expires_at_ns is not None and grant.expires_at_ns <= now_ns
    return "expired" if expired else "active"


class _Seen:
    """The members of a record as far as they can be read, and every byte of the file."""

    def __init__(self, data: bytes, layout: Layout) -> None:
        self.data = data
        self.values: dict[str, Any] = {}
        self.counts: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()
        self.roles: Counter[str] = Counter()
        self.pieces = [Piece("(frame)", 0, min(HEADER_BYTES, len(data)))]
        self.whole = True
        end = HEADER_BYTES
        for part in children(type_of(layout), data, HEADER_BYTES):
            end = min(part.end, len(data))
            self.pieces.append(Piece(str(part.key), part.start, end - part.start))
            self.whole = part.end <= len(data)
            self._member(part)
        if end < len(data):
            self.pieces.append(Piece("(trailing)", end, len(data) - end))

    def _member(self, part: Child) -> None:
        if part.key == "history" and isinstance(part.node, ListOf):
            try:
                self._history(part.node, part.start)
            except BinaryError:
                return  # those before the damage are counted
        elif part.end <= len(self.data):
            self.values[str(part.key)] = reader(part.node)(self.data, part.start, [])[0]

    def _history(self, node: ListOf, start: int) -> None:
        count, position = read_length(self.data, start, [])
        spot = spotter(node.of)
        for _ in range(count):
            spots, end = spot(self.data, position)
            held = node.of
            if isinstance(held, Record):  # an entry
                place = places_of(held)["item"]
                held, spots = held.members[place - 1].node, spots[place]
            if isinstance(held, Sum):
                case = held.cases[spots[0]]
                self._item(case, spots[1], end - position)
            position = end

    def _item(self, case: Record, spots: list[Any], size: int) -> None:
        self.counts[case.name] += 1
        self.sizes[case.name] += size
        if case.name == "Input_message":
            self.roles[get_args(Role)[self.data[spots[places_of(case)["role"]]]]] += 1


def _moderation(state: Any) -> Moderation | None:
    """What a moderator keeps, from its state or from a snapshot of before version 4."""
    if isinstance(state, ModeratorState):
        new = state.identity_snapshot
        if new is None:
            return _moderation(state.legacy_snapshot)
        return Moderation(
            new.script_id,
            new.halted,
            len(new.queued_internal_events),
            len(new.prepended_items) + len(new.appended_items),
            len(new.replacements),
            len(new.tombstones),
            new.revision,
        )
    return _old(state) if isinstance(state, ModeratorSnapshot) else None


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
    manifests = [
        _grant("manifest", grant, f"schema {grant.schema_version}", now_ns)
        for grant in shell.manifest_grants
    ]
    approvals = [
        _grant("approval", grant, grant.scope.constructor, now_ns)
        for grant in shell.approval_grants
    ]
    return Shell(
        (*manifests, *approvals),
        len(shell.extension_snapshots),
        len(shell.interrupted_requests),
        shell.last_audit_sequence,
    )


def _grant(
    kind: Literal["manifest", "approval"],
    grant: ManifestGrant | ApprovalGrant,
    what: str,
    now_ns: int,
) -> Grant:
    return Grant(
        kind,
        grant.grant_id,
        grant_state(grant, now_ns),
        what,
        grant.created_at_ns,
        grant.expires_at_ns,
        grant.revoked_at_ns,
    )

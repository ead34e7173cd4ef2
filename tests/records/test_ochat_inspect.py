"""A snapshot at a glance, its bytes, its view, and what a migration changes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from ochat_builders import (
    called,
    first_session,
    moderated,
    old_session,
    plainly_answered,
    plainly_returned,
    said,
    session,
    thought,
)
from ochat_vectors import DAMAGED, INDEX, data_of, name_of, raw
from sesskit.records.ochat import Snapshot, decode, encode, migrate_snapshot
from sesskit.records.ochat_differences import Difference, differences, shown
from sesskit.records.ochat_inspect import (
    Kind,
    Moderation,
    Piece,
    SnapshotSummary,
    grant_state,
    summary,
)
from sesskit.records.ochat_session import reset
from sesskit.records.ochat_tasks import with_task
from sesskit.schemas.ochat_moderator import MessageElement, MessageOverlay, ModeratorState
from sesskit.schemas.ochat_sessions import Layout, SessionV5
from sesskit.schemas.ochat_values import UnitValue
from sesskit.schemas.outcomes import Valid

EVERYTHING = raw("v5/everything.bin")


def _snapshot(data: bytes, version: int | None = None) -> Snapshot:
    outcome = decode(data, version=version)
    assert isinstance(outcome, Valid)
    assert isinstance(outcome.value, Snapshot)
    return outcome.value


def _latest(snapshot: Snapshot) -> SessionV5:
    assert isinstance(snapshot.session, SessionV5)
    return snapshot.session


def _summary(data: bytes, now_ns: int = 0) -> SnapshotSummary:
    told = summary(data, now_ns=now_ns)
    assert told is not None
    return told


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_the_byte_map_is_the_file(row: dict[str, str]) -> None:
    data = raw(f"{row['name']}.bin") + b"trailing"
    snapshot = _snapshot(data)
    told = _summary(data)
    ends = [piece.offset + piece.length for piece in told.pieces]
    assert [piece.offset for piece in told.pieces] == [0, *ends[:-1]]
    assert (told.pieces[-1], ends[-1]) == (Piece("(trailing)", len(data) - 8, 8), len(data))
    sizes = {piece.path: piece.length for piece in told.pieces}
    assert sum(kind.count for kind in told.items) == len(snapshot.session.history)
    assert 0 < sizes["history"] - sum(kind.length for kind in told.items) <= 5
    assert (told.whole, told.id, told.version) == (True, snapshot.session.id, snapshot.version)


@pytest.mark.parametrize("row", DAMAGED, ids=name_of)
def test_the_byte_map_of_a_damaged_file_is_the_file(row: dict[str, str]) -> None:
    data = data_of(row)
    told = summary(data)
    if told is None:
        assert len(data) < 8 or data[7] & 0x80
        return
    ends = [piece.offset + piece.length for piece in told.pieces]
    assert [piece.offset for piece in told.pieces] == [0, *ends[:-1]]
    assert ends[-1] == len(data)
    if row["expect"] == "accept" and row["kind"] != "deep_nesting":
        assert told.whole


def test_what_lies_before_the_damage_is_counted() -> None:
    told = _summary(EVERYTHING[:6000])
    assert (told.whole, told.shell, told.keys) == (False, None, ())
    assert sum(kind.count for kind in told.items) == 38
    assert told.tasks == {"Pending": 3, "In_progress": 1, "Done": 2}
    inside = _summary(EVERYTHING[:1000])
    assert 0 < sum(kind.count for kind in inside.items) < 38
    assert inside.tasks == {}


def test_a_summary() -> None:
    told = _summary(EVERYTHING, 1786050000000000000)
    assert (told.version, told.id, told.layouts) == (5, "v5-everything", ("R3",))
    assert told.prompt_file == "agents/trip.chatmd"
    assert told.local_prompt_copy == "prompt.chatmd"
    assert Kind("Web_search_call", 1, 52) in told.items
    assert told.roles == {"User": 7, "System": 1, "Developer": 1, "Assistant": 1}
    assert told.tasks == {"Pending": 3, "In_progress": 1, "Done": 2}
    assert (told.next_history_sequence, told.moderator_extensions) == (48, 1)
    assert told.keys[:2] == ("theme", "")
    assert (len(told.keys), told.vfs_root) == (6, "vfs")
    assert told.moderator == Moderation("main", False, 0, 2, 1, 1, 1)
    assert told.shell is not None
    states = [(grant.kind, grant.id, grant.state) for grant in told.shell.grants]
    assert states == [
        ("manifest", "mg-1", "active"),
        ("manifest", "mg-2", "revoked"),
        ("approval", "ag-1", "active"),
        ("approval", "ag-2", "active"),
        ("approval", "ag-3", "revoked"),
        ("approval", "ag-4", "active"),
    ]
    assert told.shell.grants[2].what == "Exact_session"
    assert (told.shell.extensions, told.shell.interrupted) == (2, 2)
    assert told.shell.last_audit_sequence == 42


@pytest.mark.parametrize(
    ("now", "state"),
    [(0, "active"), (1786100000000000000, "active"), (1786100000000000001, "expired")],
)
def test_a_grant_ends_when_it_says(now: int, state: str) -> None:
    grant = _latest(_snapshot(EVERYTHING)).shell_state.approval_grants[1]
    assert grant_state(grant, now) == state
    assert grant_state(replace(grant, revoked_at_ns=5), now) == "revoked"


ELEMENT = MessageElement("m", "system", "x", UnitValue())


@pytest.mark.parametrize(
    ("data", "moderation"),
    [
        (encode(old_session([]), Layout(2)), None),
        (encode(session()), None),
        (raw("v3/mod_min.bin"), Moderation("main", False, 0, 0, 0, 0)),
        (raw("v5/mod_legacy_only.bin"), Moderation("main", True, 3, 3, 2, 2)),
        (
            encode(
                moderated([], MessageOverlay([ELEMENT], [ELEMENT], [], ["x"], None)),
                Layout(3, "R2", "M1"),
            ),
            Moderation("main", False, 0, 2, 0, 1),
        ),
    ],
)
def test_moderators(data: bytes, moderation: Moderation | None) -> None:
    told = _summary(data).moderator
    if moderation is None or told is None:
        assert told is moderation
    else:
        assert replace_counts(told) == replace_counts(moderation)


def replace_counts(told: Moderation) -> tuple[Any, ...]:
    return told.script_id, told.revision, told.removed > 0


def test_layouts_with_the_same_bytes_are_named() -> None:
    data = encode(old_session([said(), plainly_answered()]), Layout(2, "R2"))
    assert _summary(data).layouts == ("R2", "R1")
    assert _summary(data).shell is None


def _shown(data: bytes) -> list[str]:
    return [shown(change) for change in migrate_snapshot(data).changes]


def test_what_a_migration_changes() -> None:
    old = old_session([said(), plainly_answered(), called(), plainly_returned()])
    assert _shown(encode(old, Layout(2, "R1"))) == [
        "changed version",
        "added history[].id (4 times)",
        "added history[1].item.Output_message.phase",
        "changed history[3].item.Function_call_output.output",
        "added next_history_sequence",
        "added moderator_state.identity_snapshot",
        "added moderator_state.extensions",
        "added shell_state",
    ]
    assert _shown(raw("v4/tools_custom.bin")) == ["changed version", "added shell_state"]
    assert _shown(EVERYTHING) == []
    assert _shown(first_session("demo"))[:2] == ["changed version", "added local_prompt_copy"]


def test_what_a_reset_changes() -> None:
    snapshot = _snapshot(EVERYTHING)
    changes = differences(snapshot, reset(_latest(snapshot), prompt_file="other"))
    assert {change.path for change in changes} >= {"prompt_file", "history[]"}
    prompt = next(change for change in changes if change.path == "prompt_file")
    assert prompt == Difference(
        "changed", "prompt_file", ("prompt_file",), 1, "agents/trip.chatmd", "other"
    )
    history = next(change for change in changes if change.path == "history[]")
    assert (history.change, history.count, history.new) == (
        "removed",
        len(snapshot.session.history),
        None,
    )


def test_what_is_added_to_a_list() -> None:
    snapshot = _snapshot(encode(session()))
    made, task = with_task(_latest(snapshot), "Write")
    (change,) = differences(snapshot, made)
    assert (change.change, change.path, change.old) == ("added", "tasks[]", None)
    assert change.new == {"id": task.id, "title": "Write", "state": "Pending"}
    nothing = replace(_latest(snapshot), moderator_state=ModeratorState(None, None, []))
    assert differences(snapshot, nothing) == ()
    assert thought().constructor == "Reasoning"

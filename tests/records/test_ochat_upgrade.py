"""The steps to version 5: refusals by design, derived ids, and no trust from nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from ochat_builders import (
    answered,
    called,
    moderated,
    old_session,
    plainly_answered,
    plainly_returned,
    said,
    session,
    thought,
)
from sesskit.records.ochat import encode, migrate_snapshot
from sesskit.records.ochat_attempts import Attempt, same_meaning
from sesskit.records.ochat_rules import broken_rules
from sesskit.records.ochat_upgrade import legacy_names, refusal, upgrade
from sesskit.schemas.ochat_items import FunctionCallOutput, TextOutput
from sesskit.schemas.ochat_moderator import (
    Element,
    MessageElement,
    MessageOverlay,
    MessageReplacement,
    Overlay,
    Replacement,
)
from sesskit.schemas.ochat_sessions import Layout, SessionV3
from sesskit.schemas.ochat_shell import NO_SHELL
from sesskit.schemas.ochat_values import UnitValue

UNIT = UnitValue()
ELEMENT = Element("e", UNIT)


def _overlay(*targets: str, deleted: tuple[str, ...] = ()) -> Overlay:
    return Overlay([], [], [Replacement(one, ELEMENT) for one in targets], list(deleted), None)


def test_names_of_items() -> None:
    items = [said(), called(own="fc_1"), called(), answered(name=""), thought("rs")]
    assert legacy_names(items) == ["host-message-1", "fc_1", "host-message-2", "", "rs"]


@pytest.mark.parametrize(
    ("overlay", "code", "keys"),
    [
        (_overlay("nobody"), "moderator-target-unknown", ("replacements", 0, "target_id")),
        (_overlay("a", "same"), "moderator-target-ambiguous", ("replacements", 1, "target_id")),
        (_overlay(deleted=("a", "same")), "moderator-target-ambiguous", ("deleted_item_ids", 1)),
        (
            _overlay(deleted=("host-message-2",)),
            "moderator-target-unknown",
            ("deleted_item_ids", 0),
        ),
    ],
)
def test_targets_that_cannot_be_told(overlay: Overlay, code: str, keys: tuple[Any, ...]) -> None:
    items = [thought("a"), thought("same"), said(), thought("same")]
    broken = refusal(moderated(items, overlay))
    assert broken is not None
    assert (broken.code, broken.keys) == (code, ("moderator_snapshot", "overlay", *keys))
    data = encode(moderated(items, overlay), Layout(3, "R3", "M2"))
    assert migrate_snapshot(data).data is None
    with pytest.raises(ValueError, match="the moderator changes"):
        upgrade(moderated(items, overlay))


@pytest.mark.parametrize(
    "overlay",
    [
        MessageOverlay([MessageElement("", "", "", UNIT)], [], [], [], None),
        MessageOverlay([], [MessageElement("", "", "", UNIT)], [], [], None),
        MessageOverlay(
            [], [], [MessageReplacement("", MessageElement("", "", "", UNIT))], [], None
        ),
        MessageOverlay([], [], [], [""], None),
    ],
)
def test_whole_messages_of_the_moderator_have_no_meaning_now(overlay: MessageOverlay) -> None:
    broken = refusal(moderated([said()], overlay))
    assert broken is not None
    assert broken.code == "moderator-layout-old"


def test_an_old_overlay_without_elements_is_kept() -> None:
    made = upgrade(moderated([said()], MessageOverlay([], [], [], [], "stop")))
    snapshot = made.moderator_state.legacy_snapshot
    assert snapshot is not None
    assert snapshot.overlay == Overlay([], [], [], [], "stop")


def test_an_empty_id_gives_no_ids() -> None:
    broken = refusal(old_session([], name=""))
    assert broken is not None
    assert (broken.code, broken.keys) == ("session-id-empty", ("id",))


def test_changes_get_ids_in_order() -> None:
    overlay = Overlay(
        [Element("p", UNIT)],
        [Element("q", UNIT), Element("r", UNIT)],
        [Replacement("rs_1", Element("s", UNIT))],
        ["host-message-1"],
        "stop",
    )
    made = upgrade(moderated([said(), thought()], overlay))
    state = made.moderator_state.identity_snapshot
    assert state is not None
    inserted = [*state.prepended_items, *state.appended_items]
    assert [(item.entry_id, item.change_id, item.script_label) for item in inserted] == [
        ("4:demo:2", 0, "p"),
        ("4:demo:3", 1, "q"),
        ("4:demo:4", 2, "r"),
    ]
    assert [(one.target_id, one.change_id, one.script_label) for one in state.replacements] == [
        ("4:demo:1", 3, "s")
    ]
    assert [(one.target_id, one.change_id) for one in state.tombstones] == [("4:demo:0", 4)]
    assert (state.next_change_id, state.revision, state.halted_reason) == (5, 1, "stop")
    assert made.next_history_sequence == 5
    assert broken_rules(made) == ()


def test_no_change_is_no_revision() -> None:
    state = upgrade(moderated([said()])).moderator_state.identity_snapshot
    assert state is not None
    assert (state.revision, state.next_change_id) == (0, 0)


def test_old_items_are_lifted() -> None:
    made = upgrade(old_session([plainly_answered(), plainly_returned()]))
    message, output = (entry.item for entry in made.history)
    assert message == answered()
    assert output == FunctionCallOutput(
        TextOutput("a.md"), "c1", "function_call_output", None, None
    )


def test_ids_of_a_namespace_that_is_no_text() -> None:
    made = upgrade(old_session([said()], name=b"\xff"))
    assert [entry.id for entry in made.history] == [b"1:\xff:0"]


@pytest.mark.parametrize(
    "old",
    [
        old_session([said(), called(), plainly_returned()]),
        moderated([said(), called()]),
        SessionV3(3, "demo", "p", "prompt.chatmd", [called()], [], None, [("grant", "all")], "vfs"),
    ],
)
def test_history_alone_never_grants_approval(old: Any) -> None:
    """However many commands an old history holds, nothing is trusted afterwards."""
    assert upgrade(old).shell_state == NO_SHELL


def test_the_latest_version_is_itself() -> None:
    made = session(said())
    assert upgrade(made) is made
    assert refusal(made) is None


def test_meaning_is_compared_only_where_there_is_one() -> None:
    layout = Layout(5, moderator="M2")
    one, other = Attempt(layout, 0), Attempt(layout, 0)
    assert same_meaning(one, one)
    assert not same_meaning(one, other)

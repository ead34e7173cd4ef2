"""Versions and layouts told apart, and what today's ochat would do with a file."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from msgspec.structs import replace

from ochat_builders import (
    called,
    file_of,
    first_session,
    moderated,
    old_session,
    plainly_answered,
    plainly_returned,
    said,
    session,
    thought,
)
from ochat_vectors import damaged, raw
from sesskit.records.ochat import decode, encode
from sesskit.schemas.issues import Issue
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.ochat_moderator import (
    MessageElement,
    MessageOverlay,
)
from sesskit.schemas.ochat_sessions import Layout
from sesskit.schemas.ochat_values import ArrayValue, UnitValue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid

SOUND = file_of(said(), called())


def _found(outcome: Decoded) -> list[tuple[str, str, int | None]]:
    return [(issue.code, issue.path, issue.offset) for issue in outcome.issues]


def _framed(payload: bytes) -> bytes:
    return struct.pack("<q", len(payload)) + payload


@pytest.mark.parametrize("number", [6, 7, 99, 128, 2**40])
def test_a_newer_version(number: int) -> None:
    data = encode(replace(session(said()), version=number))
    outcome = decode(data)
    assert outcome == Unsupported(number, (0, 1, 2, 3, 4, 5), original=Original("reject"))
    assert [issue.code for issue in decode(data, version=5).issues] == ["version-mismatch"]


def test_a_newer_version_of_another_shape() -> None:
    payload = b"\x06" + b"\x04demo" + b"\x12agents/trip.chatmd" + b"\x2a" * 40
    assert decode(_framed(payload)) == Unsupported(
        6, (0, 1, 2, 3, 4, 5), original=Original("reject")
    )


@pytest.mark.parametrize("number", [-1, 0, 1, 2, 3, 4])
def test_a_wrong_number(number: int) -> None:
    outcome = decode(encode(replace(session(said()), version=number)))
    (issue,) = outcome.issues
    assert (issue.code, issue.path, issue.offset) == ("version-mismatch", "version", 8)
    assert (issue.expected, issue.found) == ("5", str(number))


def test_a_damaged_version_0_is_no_newer_version() -> None:
    data = raw("v0/chat.bin")
    outcome = decode(data[:-4] + b"\xff" + data[-3:])
    assert isinstance(outcome, Corrupt)
    assert (outcome.version, outcome.issues[0].path) == (0, "vfs_root")


def test_two_versions_in_one_file() -> None:
    outcome = decode(first_session("", "abc"))
    assert isinstance(outcome, Valid)
    assert outcome.version == 0  # the original cannot load it as version 1
    (issue,) = outcome.issues
    assert (issue.code, issue.severity) == ("version-ambiguous", "warning")
    assert "version 1" in issue.message
    forced = decode(first_session("", "abc"), version=1)
    assert forced.version == 1
    assert [issue.code for issue in forced.issues] == ["upgrade-refused"]


@pytest.mark.parametrize(
    ("items", "layout", "verdict"),
    [
        ([said(), plainly_answered()], "R2", Original("reject")),
        ([said(), called(), plainly_returned()], "R1", Original("accept", "MISREAD")),
        ([said(), plainly_answered(), plainly_returned()], "R1", Original("reject")),
        ([said(), thought()], "R2", Original("accept")),
    ],
)
def test_old_layouts(items: list[Any], layout: Any, verdict: Original) -> None:
    outcome = decode(encode(old_session(items), Layout(2, layout)))
    assert isinstance(outcome, Valid)
    assert outcome.original == verdict
    infos = [issue.code for issue in outcome.issues]
    same = verdict == Original("accept")  # no difference between the layouts shows in the bytes
    assert infos == ([] if same else ["layout-old"])
    assert all(issue.severity == "info" for issue in outcome.issues)


def test_a_layout_that_cannot_be_told_from_another_is_named_with_it() -> None:
    (issue,) = decode(encode(old_session([said(), plainly_answered()]), Layout(2, "R2"))).issues
    assert "R2 or R1" in issue.message


def test_types_that_are_not_those_of_their_constructors() -> None:
    outcome = decode(file_of(said(kind="massage"), said()))
    assert isinstance(outcome, Valid)
    assert outcome.original == Original("accept")
    (issue,) = outcome.issues
    assert (issue.code, issue.severity) == ("item-type", "warning")
    assert issue.path == "history[0].item._type"


def test_where_no_layout_fits_the_types_the_one_of_today_is_taken() -> None:
    outcome = decode(encode(old_session([said(kind="massage")]), Layout(2)))
    assert isinstance(outcome, Valid)
    assert outcome.value.layout == Layout(2)
    assert [(i.code, i.path) for i in outcome.issues] == [("item-type", "history[0]._type")]


def test_an_upgrade_that_is_refused() -> None:
    outcome = decode(encode(old_session([said()], name=""), Layout(2)))
    assert isinstance(outcome, Valid)
    assert outcome.original == Original("reject")
    assert _found(outcome) == [("upgrade-refused", "id", 9)]
    assert outcome.value.refusal is not None


def test_messages_of_the_old_moderator() -> None:
    element = MessageElement("sys-1", "system", "Be careful.", UnitValue())
    overlay = MessageOverlay([element], [], [], [], None)
    outcome = decode(encode(moderated([said()], overlay), Layout(3, "R2", "M1")))
    assert isinstance(outcome, Valid)
    assert outcome.original == Original("reject")
    codes = {issue.code: issue.severity for issue in outcome.issues}
    assert codes == {"layout-old": "info", "upgrade-refused": "warning"}
    assert any("M1" in issue.message for issue in outcome.issues)


def test_a_version_5_that_breaks_its_rules_but_loads_as_version_0() -> None:
    """The original goes on to the next version after any failure."""
    payload = first_session("", "abc")
    assert decode(payload).original == Original("accept")


def test_depth_has_a_limit_and_no_verdict() -> None:
    (issue,) = decode(damaged("v5-deep-20000")).issues
    assert (issue.code, issue.path) == ("value-depth", "moderator_state.extensions[0][1]")
    assert decode(damaged("v5-deep-20000")).original is None


def _secret(issues: tuple[Issue, ...]) -> bool:
    told = " ".join(f"{i.message} {i.expected} {i.found}" for i in issues)
    return "sk-not-a-real-key" in told


def test_issues_never_quote_the_session() -> None:
    data = file_of(said("sk-not-a-real-key"), said(kind="sk-not-a-real-key"))
    for end in range(len(data)):
        assert not _secret(decode(data[:end]).issues)
        flipped = data[:end] + bytes([data[end] ^ 0x80]) + data[end + 1 :]
        assert not _secret(decode(flipped).issues)


@pytest.mark.parametrize("version", range(6))
def test_a_forced_version_is_the_only_one(version: int) -> None:
    outcome = decode(SOUND, version=version)
    assert (outcome.status == "valid") == (version == 5)
    assert outcome == decode(SOUND, version=version)


def test_deep_values_are_compared_without_recursion() -> None:
    """Two layouts read, so the verdict asks whether both mean the same."""
    deep: Any = UnitValue()
    for _ in range(MAX_DEPTH):
        deep = ArrayValue([deep])
    made = moderated([said(), called(), plainly_returned()])
    assert made.moderator_snapshot is not None
    snapshot = replace(made.moderator_snapshot, current_state=deep)
    data = encode(replace(made, moderator_snapshot=snapshot), Layout(3, "R1", "M2"))
    assert decode(data).original == Original("accept", "MISREAD")

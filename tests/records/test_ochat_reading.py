"""What is answered about a snapshot: the status, the verdict, and the place of every fault."""

from __future__ import annotations

import struct

import pytest
from msgspec.structs import replace

from ochat_builders import (
    called,
    file_of,
    said,
    session,
)
from ochat_vectors import raw
from sesskit.records.ochat import decode, encode
from sesskit.schemas.ochat_moderator import (
    NO_MODERATOR,
    IdentitySnapshot,
    InsertedItem,
    ModeratorState,
)
from sesskit.schemas.ochat_sessions import Entry, Layout, SessionV4
from sesskit.schemas.ochat_values import ArrayValue, IntValue, UnitValue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Valid

SOUND = file_of(said(), called())
EVERYTHING = raw("v5/everything.bin")


def _found(outcome: Decoded) -> list[tuple[str, str, int | None]]:
    return [(issue.code, issue.path, issue.offset) for issue in outcome.issues]


def _framed(payload: bytes, length: int | None = None) -> bytes:
    return struct.pack("<q", len(payload) if length is None else length) + payload


def _at(data: bytes, part: bytes, new: bytes) -> bytes:
    """The file with the one place where ``part`` stands overwritten."""
    start = data.index(part)
    assert data.count(part) == 1
    return data[:start] + new + data[start + len(new) :]


def test_a_sound_snapshot() -> None:
    outcome = decode(SOUND)
    assert isinstance(outcome, Valid)
    assert (outcome.version, outcome.issues) == (5, ())
    assert outcome.original == Original("accept")
    assert (outcome.value.version, outcome.value.end) == (5, len(SOUND))
    assert outcome.value.session == session(said(), called())


@pytest.mark.parametrize(
    ("data", "code", "path", "offset"),
    [
        pytest.param(b"", "frame-cut", "", 0, id="empty"),
        pytest.param(SOUND[:5], "frame-cut", "", 5, id="header cut"),
        pytest.param(SOUND[:-3], "frame-cut", "vfs_root", len(SOUND) - 3, id="end cut"),
        pytest.param(SOUND[:50], "frame-cut", "history[0].item.content[0].text", 50, id="cut"),
        pytest.param(_framed(SOUND[8:], 3), "frame-length", "id", 11, id="frame ends early"),
        pytest.param(
            _framed(SOUND[8:] + b"?"), "frame-length", "", len(SOUND), id="frame too long"
        ),
        pytest.param(_framed(SOUND[8:], 9999), "frame-length", "", 0, id="header too large"),
        pytest.param(_framed(SOUND[8:], -1), "frame-length", "", 0, id="header negative"),
        pytest.param(_framed(b"", 2**62), "frame-length", "", 0, id="header beyond 62 bits"),
        pytest.param(SOUND[8:], "frame-missing", "", 0, id="no header"),
        pytest.param(b'{"kind": "standalone.session"}', "frame-length", "", 0, id="newer ochat"),
        pytest.param(bytes(8), "data-short", "version", 8, id="eight zeros"),
        pytest.param(bytes(64), "frame-length", "version", 8, id="zeros"),
        pytest.param(b"not a snapshot, some text", "frame-length", "", 0, id="text"),
    ],
)
def test_faults_of_the_frame(data: bytes, code: str, path: str, offset: int) -> None:
    outcome = decode(data)
    assert isinstance(outcome, Corrupt)
    assert outcome.original == Original("reject")
    assert _found(outcome) == [(code, path, offset)]


def test_a_newer_document_is_said_to_be_one() -> None:
    (issue,) = decode(b'{"kind": "standalone.session"}').issues
    assert "newer ochat" in issue.message


@pytest.mark.parametrize(
    ("old", "new", "code", "path", "behind"),
    [
        pytest.param(b"\x02hi", b"\xf0", "length-code", "content[0].text", 0, id="length"),
        pytest.param(b"4:demo:0", b"4:demo:x", "history-id", "id", -1, id="history id"),
        pytest.param(b"\x00\x01\x00\x02hi", b"\x07", "variant-tag", "role", 0, id="role"),
        pytest.param(b"\x00\x00\x01\x00\x02hi", b"\x09", "variant-tag", "", 0, id="item"),
    ],
)
def test_faults_of_values(old: bytes, new: bytes, code: str, path: str, behind: int) -> None:
    outcome = decode(_at(SOUND, old, new))
    assert isinstance(outcome, Corrupt)
    assert outcome.version == 5
    (issue,) = outcome.issues
    entry = f"history[0].{path}" if path == "id" else f"history[0].item.{path}".rstrip(".")
    assert (issue.code, issue.path, issue.offset) == (code, entry, SOUND.index(old) + behind)


def test_every_bad_history_id_is_told() -> None:
    data = SOUND.replace(b":demo:", b":dem0:").replace(b"4:dem0:0", b"4:demo-0")
    data = data.replace(b"4:dem0:1", b"04:dem:1")
    places = [("history-id", f"history[{n}].id") for n in (0, 1)]
    assert [(issue.code, issue.path) for issue in decode(data).issues] == places


def test_what_comes_before_a_later_fault_is_told_too() -> None:
    data = _at(SOUND, b"4:demo:0", b"4:demo:x")
    data = data.replace(b"\x03vfs", b"\xffvfs")
    assert [(i.code, i.path) for i in decode(data).issues] == [
        ("history-id", "history[0].id"),
        ("length-code", "vfs_root"),
    ]
    cut = decode(data[:-1])
    assert [issue.code for issue in cut.issues] == ["history-id", "length-code", "frame-cut"]


NUMBERS = (
    ("history-id-duplicate", ["4:demo:0", "4:demo:0"], 2),
    ("history-id-high-water", ["4:demo:1", "4:demo:2"], 2),
    ("history-id-high-water", ["4:demo:1", "4:demo:0"], 1),
)


@pytest.mark.parametrize(("code", "ids", "mark"), NUMBERS)
def test_rules_of_the_history(code: str, ids: list[str], mark: int) -> None:
    entries = [Entry(identity, said()) for identity in ids]
    data = encode(replace(session(), history=entries, next_history_sequence=mark))
    outcome = decode(data)
    assert isinstance(outcome, Corrupt)
    assert outcome.original == Original("reject")
    (issue,) = outcome.issues
    assert (issue.code, issue.severity) == (code, "error")
    place = issue.keys[1]
    assert isinstance(place, int)
    assert issue.offset is not None
    assert data[issue.offset + 1 :].startswith(ids[place].encode())


@pytest.mark.parametrize(
    ("ids", "mark"),
    [
        (["4:demo:1", "4:demo:0"], 2),
        (["5:other:9", "4:demo:0"], 1),
        (["4:demo:0", "4:demo:5"], 6),
        ([], 0),
    ],
)
def test_order_gaps_and_foreign_ids_are_no_fault(ids: list[str], mark: int) -> None:
    entries = [Entry(identity, said()) for identity in ids]
    outcome = decode(encode(replace(session(), history=entries, next_history_sequence=mark)))
    assert (outcome.status, outcome.issues) == ("valid", ())


def test_every_broken_rule_is_told() -> None:
    made = replace(session(said()), id="", next_history_sequence=-1)
    outcome = decode(encode(made))
    assert _found(outcome) == [
        ("session-id-empty", "id", 9),
        ("high-water-negative", "next_history_sequence", 66),
    ]


def _identity(*inserted: str) -> ModeratorState:
    items = [InsertedItem(identity, n, UnitValue(), None) for n, identity in enumerate(inserted)]
    snapshot = IdentitySnapshot(
        "main", "0", UnitValue(), [], False, 1, len(items), items[:1], items[1:], [], [], None
    )
    return ModeratorState(None, snapshot, [])


def test_version_4_checks_inserted_entries_and_version_5_does_not() -> None:
    state = _identity("4:demo:0", "4:demo:7")
    made = replace(session(said()), moderator_state=state)
    assert decode(encode(made)).status == "valid"
    old = SessionV4(4, "demo", "p", None, made.history, 1, [], state, [], "vfs")
    outcome = decode(encode(old, Layout(4, moderator="M2")))
    at = "moderator_state.identity_snapshot"
    assert [(issue.code, issue.path) for issue in outcome.issues] == [
        ("history-id-duplicate", f"{at}.prepended_items[0].entry_id"),
        ("history-id-high-water", f"{at}.appended_items[0].entry_id"),
    ]
    fine = replace(old, moderator_state=NO_MODERATOR)
    assert decode(encode(fine, Layout(4, moderator="M2"))).status == "valid"


def test_ids_that_are_no_text() -> None:
    made = replace(session(), id=b"\xff", next_history_sequence=1)
    inside = replace(made, history=[Entry(b"1:\xff:0", said())])
    assert decode(encode(inside)).status == "valid"
    beyond = replace(made, history=[Entry(b"1:\xff:1", said())])
    assert [issue.code for issue in decode(encode(beyond)).issues] == ["history-id-high-water"]


def test_bytes_behind_the_frame() -> None:
    outcome = decode(SOUND + b"more" + SOUND)
    assert isinstance(outcome, Valid)
    assert outcome.original == Original("accept")
    (issue,) = outcome.issues
    assert (issue.code, issue.severity, issue.offset) == ("frame-trailing", "warning", len(SOUND))
    assert issue.found == f"{len(SOUND) + 4} more bytes"


def test_longer_forms_have_a_place_each() -> None:
    payload = EVERYTHING[8:].replace(b"\x05\x0dv5-", b"\xfe\x05\x00\xfe\x0d\x00v5-", 1)
    outcome = decode(_framed(payload))
    assert outcome.status == "valid"
    assert _found(outcome) == [("number-overlong", "version", 8), ("number-overlong", "id", 11)]
    state = ModeratorState(None, None, [("k", ArrayValue([UnitValue(), IntValue(1)]))])
    data = encode(session(moderator_state=state))
    longer = data[8:].replace(b"\x04\x00\x01", b"\x04\x00\xfd\x01\x00\x00\x00")
    (issue,) = decode(_framed(longer)).issues
    assert issue.path == "moderator_state.extensions[0][1][1]"

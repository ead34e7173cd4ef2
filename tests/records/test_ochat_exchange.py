"""Export to neutral JSON and import back, with the places of faults in the JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ochat_builders import first_session, session
from ochat_vectors import INDEX, name_of, raw, told
from sesskit.records.ochat import decode, encode, export_json, import_json, snapshot_bytes
from sesskit.schemas.ochat_moderator import ModeratorState
from sesskit.schemas.ochat_values import ArrayValue, UnitValue
from sesskit.schemas.outcomes import OUTCOMES, Corrupt, Unsupported, Valid

CONTENT = told("v5/chat.json")["session"]


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_there_and_back_is_the_same_file(row: Any) -> None:
    data = raw(f"{row['name']}.bin")
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    text = export_json(outcome.value)
    again = import_json(text)
    assert isinstance(again, Valid)
    assert snapshot_bytes(again.value) == data
    assert again.value.layout == outcome.value.layout
    assert export_json(again.value) == text


def test_deep_values_come_back() -> None:
    deep: Any = UnitValue()
    for _ in range(500):
        deep = ArrayValue([deep])
    data = encode(session(moderator_state=ModeratorState(None, None, [("k", deep)])))
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    again = import_json(export_json(outcome.value))
    assert isinstance(again, Valid)
    assert snapshot_bytes(again.value) == data


def test_damaged_deep_text_is_refused() -> None:
    outcome = import_json(b"[" * 5000)
    assert isinstance(outcome, Corrupt)
    assert "json-depth" in {issue.code for issue in outcome.issues}


def _text(**members: Any) -> bytes:
    return json.dumps({**CONTENT, **members}, indent=1).encode()


@pytest.mark.parametrize(
    ("data", "code", "path"),
    [
        pytest.param(b"{", "json-cut", "", id="cut"),
        pytest.param(b"", "json-empty", "", id="empty"),
        pytest.param(_text(id=""), "session-id-empty", "id", id="rule"),
        pytest.param(
            _text(history=CONTENT["history"] * 2), "history-id-duplicate", "history[2].id"
        ),
        pytest.param(_text(vfs_root=7), "type", "vfs_root", id="kind"),
        pytest.param(_text(owner="x"), "member-unknown", "owner", id="unknown"),
    ],
)
def test_faults_have_their_place(data: bytes, code: str, path: str) -> None:
    outcome = import_json(data)
    assert isinstance(outcome, Corrupt)
    issue = outcome.issues[0]
    assert (issue.code, issue.path) == (code, path)
    assert issue.line is not None
    assert issue.offset is not None
    if path.endswith("id"):
        assert data[issue.offset : issue.offset + 1] == b'"'
        assert data[: issue.offset].count(b"\n") == issue.line - 1


def test_a_newer_version() -> None:
    assert import_json(_text(version=6)) == Unsupported(6, (0, 1, 2, 3, 4, 5))


def test_a_record_whose_upgrade_is_refused_comes_back_too() -> None:
    outcome = decode(first_session(""), version=1)
    assert isinstance(outcome, Valid)
    again = import_json(export_json(outcome.value))
    assert isinstance(again, Valid)
    assert again.value.refusal is not None


def test_doubled_members_are_warned_of() -> None:
    text = _text().replace(b'"vfs_root":', b'"vfs_root": "x", "vfs_root":')
    outcome = import_json(text)
    assert isinstance(outcome, Valid)
    assert [issue.code for issue in outcome.issues] == ["duplicate-member"]


@given(st.binary(max_size=40))
def test_import_is_total(data: bytes) -> None:
    assert isinstance(import_json(data), OUTCOMES)


def test_equal_records_are_equal_text() -> None:
    one = decode(encode(session()))
    assert isinstance(one, Valid)
    other = replace(one.value.session)
    assert export_json(one.value) == export_json(type(one.value)(other, one.value.layout, 0))

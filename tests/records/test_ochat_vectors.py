"""Every case that the original code answered, held against ours.

Where ours differs on purpose: a file in an old layout, which the original cannot read, is valid;
what decodes but is refused its upgrade is valid with a warning; a version above the latest is
unsupported; nesting has a limit; and where bytes fit two readings, the one that the original takes
is taken (`REREAD` lists those whose author meant the other one).
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ochat_vectors import DAMAGED, INDEX, V5, Row, data_of, name_of, raw, told
from sesskit.records.ochat import decode, encode, migrate_snapshot, snapshot_bytes
from sesskit.records.ochat_attempts import attempt
from sesskit.records.ochat_session import create, reset, store_id_for
from sesskit.records.ochat_upgrade import upgrade
from sesskit.schemas.ochat_neutral import from_neutral, to_neutral
from sesskit.schemas.ochat_sessions import Layout, layouts_of
from sesskit.schemas.outcomes import Corrupt, Original, Unsupported, Valid

REREAD = {"v0/ambiguous_v1": 1, "v1/empty_id": 0}
"""Files that the original takes for another version than they were written in."""

REASONS = {
    "bad_option_tag": "option-tag",
    "bad_bool": "bool-tag",
    "bad_variant_tag": "variant-tag",
    "bad_nat0_code": "length-code",
    "bad_int_code": "number-code",
    "bad_int64_code": "number-code",
    "bad_neg_int8": "number-code",
    "int_overflow": "number-range",
    "nat0_overflow": "length-range",
    "string_too_long": "length-range",
    "short_buffer": "data-short",
    "bad_history_id": "history-id",
    "duplicate_history_id": "history-id-duplicate",
    "history_id_not_below_high_water": "history-id-high-water",
    "empty_session_id": "session-id-empty",
    "negative_high_water": "high-water-negative",
    "version_mismatch": "version-mismatch",
    "frame_longer_than_file": "frame-cut",
    "frame_length_mismatch": "frame-length",
    "negative_frame_length": "frame-length",
}
OF_THE_HEADER = {
    "frame-cut": {"frame-cut", "frame-length"},
    "number-range": {"number-range", "frame-length", "frame-missing"},
}
"""A wrong header round a whole record has a code of its own."""

VERDICTS = {
    "ok": Original("accept"),
    "error": Original("reject"),
    "misread": Original("accept", "MISREAD"),
}


def _layout(row: Row) -> Layout:
    return Layout(row["schema_version"], row["item_layout"], row["moderator_layout"])


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _neutral(data: bytes) -> dict[str, Any]:
    outcome = decode(data, version=5)
    assert isinstance(outcome, Valid)
    return to_neutral(outcome.value.session, outcome.value.layout)


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_content(row: Row) -> None:
    """In the layout that wrote it, and back to the same bytes, from memory and from JSON."""
    data, content = raw(f"{row['name']}.bin"), told(f"{row['name']}.json")
    layout = _layout(content)
    made = attempt(data, layout, len(data))
    assert made.sound
    assert made.session is not None
    neutral = to_neutral(made.session, layout)
    neutral.pop("$layout", None)
    assert neutral == content["session"]
    assert encode(made.session, layout) == data
    loaded = from_neutral(content["session"])
    assert (loaded.issues, loaded.version) == ((), layout.version)
    assert loaded.session is not None
    assert encode(loaded.session, loaded.layout) == data


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_recognised(row: Row) -> None:
    """By its own rules a file is taken for what it is, or for what has the same bytes."""
    data = raw(f"{row['name']}.bin")
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    meant = int(row["name"][1])
    assert outcome.version == REREAD.get(row["name"], meant)
    assert outcome.original == VERDICTS[row["current_upstream_reader"]]
    assert snapshot_bytes(outcome.value) == data
    warnings = {issue.code for issue in outcome.issues if issue.severity == "warning"}
    expected = {"version-ambiguous"} if row["name"] in REREAD else set()
    assert warnings == (expected if row["migrated"] else {"upgrade-refused"})


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_migrated(row: Row) -> None:
    data = raw(f"{row['name']}.bin")
    migration = migrate_snapshot(data)
    if row["migrated"] is None:
        assert (migration.data, migration.session) == (None, None)
        return
    assert migration.data is not None
    if row["migrated"] == "identity":
        assert (migration.data, migration.same, migration.changes) == (data, True, ())
        return
    content = told(f"{row['name']}.migrated.json")
    assert migration.data == raw(f"{row['name']}.migrated.bin")
    assert _sha256(migration.data) == content["sha256"]
    assert _neutral(migration.data) == content["session"]
    assert migration.session is not None
    assert migration.session.shell_state == create("x").shell_state, "trust from nowhere"


@pytest.mark.parametrize("name", [row["name"] for row in INDEX if row.get("reset")])
def test_resets(name: str) -> None:
    content = told(f"{name}.reset.json")
    outcome = decode(raw(f"{name}.bin"))
    assert isinstance(outcome, Valid)
    for kind, result in content["results"].items():
        keep, prompt = kind.startswith("reset_keep_history"), result["prompt_file_argument"]
        made = reset(outcome.value.session, keep_history=keep, prompt_file=prompt)
        assert to_neutral(made, layouts_of(5)[0]) == result["session"], kind
        assert _sha256(encode(made)) == result["sha256"], kind


@pytest.mark.parametrize("row", DAMAGED, ids=name_of)
def test_damaged(row: Row) -> None:
    outcome = decode(data_of(row))
    if row["kind"] == "deep_nesting":
        assert [issue.code for issue in outcome.issues] == ["value-depth"]
        return
    assert outcome.original is not None
    assert outcome.original.verdict == row["expect"]
    if row["expect"] == "accept":
        assert isinstance(outcome, Valid)
        assert f"V{outcome.version}" == row["read_as"]
        session = upgrade(outcome.value.session)
        assert _sha256(encode(session)) == row["current_bytes_sha256"]
        assert to_neutral(session, layouts_of(5)[0]) == row["session"]
    elif isinstance(outcome, Valid):
        assert {issue.code for issue in outcome.issues} == {"upgrade-refused"}
        reasons = row["attempts"].values()
        assert REASONS[next(iter({"empty_session_id"} & set(reasons)))] == "session-id-empty"
    else:
        assert isinstance(outcome, Corrupt | Unsupported)


@pytest.mark.parametrize(
    "row", [row for row in DAMAGED if row["base"] == "v5" and "attempts" in row], ids=name_of
)
def test_damaged_version_5_has_the_reason(row: Row) -> None:
    code = REASONS[row["attempts"]["V5"]]
    forced = decode(data_of(row), version=5)
    assert {issue.code for issue in forced.issues} & OF_THE_HEADER.get(code, {code})


@pytest.mark.parametrize(
    "row", [row for row in DAMAGED if "payload_offset" in (row["detail"] or {})], ids=name_of
)
def test_damage_is_near_its_place(row: Row) -> None:
    """No fault is told before the damage; a binary text shows some damage only later."""
    outcome = decode(data_of(row))
    changed = 8 + row["detail"]["payload_offset"]
    offsets = [issue.offset for issue in outcome.issues if issue.severity == "error"]
    assert all(offset is not None and offset >= changed - 8 for offset in offsets)


MUTATIONS = told("byte_mutations.json")


def _mutated(offset: int, byte: int) -> bytes:
    data = bytearray(data_of({"data_b64": MUTATIONS["base_b64"]}))
    data[offset] = byte
    return bytes(data)


@pytest.mark.parametrize("start", range(0, len(MUTATIONS["rows"]), 200))
def test_byte_mutations(start: int) -> None:
    for offset, byte, version, said in MUTATIONS["rows"][start : start + 200]:
        data = _mutated(offset, byte)
        outcome = decode(data)
        assert outcome.original is not None
        if version is None:
            assert outcome.original == Original("reject"), (offset, byte)
            assert not isinstance(outcome, Valid), (offset, byte)
            code, forced = REASONS[said], decode(data, version=5)
            codes = {issue.code for issue in forced.issues}
            assert codes & OF_THE_HEADER.get(code, {code}), (offset, byte)
        else:
            assert isinstance(outcome, Valid), (offset, byte)
            assert f"V{outcome.version}" == version, (offset, byte)
            assert _sha256(encode(upgrade(outcome.value.session))).startswith(said)


@pytest.mark.parametrize("row", told("facts/default_store_id.json"), ids=lambda r: r["prompt_file"])
def test_default_store_ids(row: Row) -> None:
    assert store_id_for(row["prompt_file"]) == row["default_store_id"]


@pytest.mark.parametrize("name", V5)
def test_round_trip_of_version_5(name: str) -> None:
    data = raw(f"{name}.bin")
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    assert encode(outcome.value.session) == data

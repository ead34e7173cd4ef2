"""Values of a snapshot by their path: those of the neutral JSON, whole, damaged, or secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from ochat_builders import called, file_of, old_session, said, session
from ochat_vectors import DAMAGED, INDEX, Row, data_of, name_of, raw, told
from sesskit.records.lookup import Found
from sesskit.records.ochat import decode, encode
from sesskit.records.ochat_lookup import BINARY, Place, find, value_of
from sesskit.records.ochat_masking import guarded
from sesskit.records.outline import Span
from sesskit.schemas.damaged import DAMAGED as LOST
from sesskit.schemas.issues import Keys, dotted, pointer
from sesskit.schemas.masking import MASK
from sesskit.schemas.ochat_moderator import IdentitySnapshot, ModeratorState
from sesskit.schemas.ochat_sessions import Layout
from sesskit.schemas.ochat_values import RecordValue, StringValue, VariantValue
from sesskit.schemas.outcomes import Valid

EVERYTHING = raw("v5/everything.bin")


def found_at(data: bytes, path: str) -> Place:
    found = find(data, path)
    assert found is not None
    return found


def at(data: bytes, path: str) -> Any:
    found = found_at(data, path)
    assert found.rest == "", found
    return value_of(data, found)


def places(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    yield keys, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*keys, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*keys, number))


@pytest.mark.parametrize(
    "name", ["v5/everything", "v3/mod_full", "v2/r1_tools", "v0/chat", "v5/mod_legacy_only"]
)
def test_every_path_of_the_neutral_json_leads_to_its_value(name: str) -> None:
    data, record = raw(f"{name}.bin"), told(f"{name}.json")["session"]
    for number, (keys, value) in enumerate(places(record)):
        if any("." in str(key) or "$" in str(key) for key in keys):
            continue
        path = pointer(keys) if number % 2 else dotted(keys)
        found = found_at(data, path)
        assert (found.rest, found.keys) == ("", keys)
        assert value_of(data, found) == value
        assert 8 <= found.span.start <= found.span.end <= len(data)
        assert found.span.whole


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        (
            "history[0].item.role",
            ("history", 0, "item", "Input_message", "role"),
        ),
        (
            "history[0].item.content[0].text",
            ("history", 0, "item", "Input_message", "content", 0, "Text", "text"),
        ),
        ("/history/-1/id", ("history", 37, "id")),
        ("history[-2].id", ("history", 36, "id")),
        ("history.3.id", ("history", 3, "id")),
        (
            "moderator_state.identity_snapshot.current_state.Record[0][1].Int",
            ("moderator_state", "identity_snapshot", "current_state", "Record", 0, 1, "Int"),
        ),
    ],
)
def test_paths_as_issues_say_them_lead_there_too(path: str, keys: Keys) -> None:
    assert found_at(EVERYTHING, path).keys == keys


@pytest.mark.parametrize(
    ("path", "rest", "kind", "names", "count"),
    [
        ("nothing", "nothing", "object", "version", None),
        ("history[38]", "38", "array", "", 38),
        ("history[-39]", "-39", "array", "", 38),
        ("history.first", "first", "array", "", 38),
        ("id.x.y", "x.y", "string", "", None),
        ("version[0]", "0", "scalar", "", None),
        ("history[0].item.nope", "nope", "object", "Input_message", None),
        ("history[0].item.role.User", "User", "string", "", None),
        ("local_prompt_copy.x", "x", "string", "", None),
        ("moderator_state.identity_snapshot.halted_reason.x", "x", "scalar", "", None),
        (
            "moderator_state.identity_snapshot.current_state.x",
            "x",
            "object",
            "Record",
            None,
        ),
        (
            "moderator_state.identity_snapshot.current_state.Record[7]",
            "7",
            "array",
            "",
            1,
        ),
    ],
)
def test_paths_that_lead_nowhere(
    path: str, rest: str, kind: str, names: str, count: int | None
) -> None:
    found = found_at(EVERYTHING, path)
    assert (found.rest, found.kind, found.count) == (rest, kind, count)
    assert names in found.names if names else not found.names
    assert BINARY.meant(EVERYTHING, path) is None


def test_no_record_no_value() -> None:
    assert find(b"", "id") is None
    assert find(b"abc", "") is None
    assert value_of(EVERYTHING, Found((), Span("", 0, 2))) is LOST


def test_of_a_cut_file_what_lies_before_the_cut() -> None:
    cut = EVERYTHING[: EVERYTHING.index(b"a.md") + 2]
    found = found_at(cut, "history")
    value = value_of(cut, found)
    assert not found.span.whole
    assert value[0]["item"] == at(EVERYTHING, "history[0].item")
    assert value[-1]["item"]["Function_call_output"]["output"] == {"Text": LOST}
    assert value_of(cut, found_at(cut, "tasks")) is LOST or found_at(cut, "tasks").rest
    assert at(cut, "")["id"] == "v5-everything"


@pytest.mark.parametrize("row", DAMAGED, ids=name_of)
def test_of_damaged_files_there_is_always_an_answer(row: Row) -> None:
    data = data_of(row)
    for path in ("", "history[0].item.content", "kv_store[0]", "moderator_state.legacy_snapshot"):
        found = find(data, path)
        if found is not None and not found.rest:
            value_of(data, found)


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_the_whole_record(row: Row) -> None:
    data = raw(f"{row['name']}.bin")
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    assert at(data, "")["prompt_file"] == outcome.value.session.prompt_file


HIDDEN = "not-a-real-secret"
KEYS = [("theme", "dark"), ("api_key", HIDDEN), ("password", HIDDEN)]


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("kv_store[1][1]", True),
        ("/kv_store/2/1", True),
        ("kv_store[0][1]", False),
        ("kv_store[1][0]", False),
    ],
)
def test_values_beside_a_secret_name_are_secret(path: str, secret: bool) -> None:
    data = file_of(said(), kv_store=KEYS)
    found = found_at(data, path)
    assert found.secret is secret
    assert (value_of(data, found) == MASK) is secret


def test_secrets_inside_of_what_is_shown() -> None:
    data = file_of(said(), kv_store=KEYS)
    assert at(data, "kv_store") == [["theme", "dark"], ["api_key", MASK], ["password", MASK]]
    assert HIDDEN not in str(at(data, ""))


def test_secrets_in_the_values_of_scripts() -> None:
    state = RecordValue(
        [
            ("password", StringValue(HIDDEN)),
            (
                "json",
                VariantValue(
                    "Object",
                    [RecordValue([("key", StringValue("secret")), ("value", StringValue(HIDDEN))])],
                ),
            ),
        ]
    )
    snapshot = {"Record": [["password", {"String": HIDDEN}]]}
    assert guarded(snapshot) == {"Record": [["password", MASK]]}
    data = raw("v5/mod_identity.bin")
    assert HIDDEN not in str(at(data, "moderator_state"))
    identity = IdentitySnapshot("s", "h", state, [], False, 0, 0, [], [], [], [], None)
    made = replace(session(said()), moderator_state=ModeratorState(None, identity, []))
    data = encode(made)
    here = "moderator_state.identity_snapshot.current_state"
    assert HIDDEN not in str(at(data, here))
    assert at(data, f"{here}.Record[0][1].String") == MASK
    assert at(data, f"{here}.Record[0][0]") == "password"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (["curl", "--password", "x"], ["curl", "--password", MASK]),
        ({"password": 1, "x": ["secret", [1]]}, {"password": MASK, "x": ["secret", MASK]}),
        ({"$bytes_b64": "/3Bhc3N3b3JkPWh1bnRlcjI="}, {"$bytes_b64": MASK}),
        ({"$bytes_b64": "//79"}, {"$bytes_b64": "//79"}),
        ({"$bytes_b64": 7}, {"$bytes_b64": MASK}),
        ("text", "text"),
        ([["key", "x"], ["value", 1]], [["key", "x"], ["value", 1]]),
    ],
)
def test_guarding(value: Any, shown: Any) -> None:
    assert guarded(value) == shown


def test_old_layouts() -> None:
    data = encode(old_session([said("hi"), called()]), Layout(2, "R1"))
    assert at(data, "history[0].role") == "User"
    assert at(data, "history[1].Function_call.name") == "list_dir"

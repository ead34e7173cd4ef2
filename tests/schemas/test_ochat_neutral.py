"""Neutral JSON: without loss both ways, checked as strictly as bytes, and published."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ochat_values import values
from ochat_vectors import told
from sesskit.schemas.binprot_types import Double
from sesskit.schemas.ochat_json_text import deep_json, json_bytes
from sesskit.schemas.ochat_neutral import LAYOUT, from_neutral, neutral_schema, to_neutral
from sesskit.schemas.ochat_sessions import LAYOUTS, Layout, SessionV5, type_of
from sesskit.schemas.ochat_values import (
    FloatValue,
)

EVERYTHING = told("v5/everything.json")["session"]
OLD = told("v2/r1_tools.json")["session"]
MODERATED = told("v3/r2_m1_mod.json")["session"]
REFEREE = jsonschema_rs.validator_for(neutral_schema())


@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(sorted(LAYOUTS, key=str)))
    made = data.draw(values(type_of(layout)))
    if layout.version:
        made = type(made)(layout.version, *list(_members(made))[1:])
    neutral = to_neutral(made, layout)
    loaded = from_neutral(deep_json(json_bytes(neutral)))
    assert loaded.issues == ()
    assert (loaded.session, loaded.layout) == (made, layout)
    assert json.loads(json_bytes(neutral)) == neutral
    assert REFEREE.is_valid(neutral)


def _members(made: Any) -> Any:
    return (getattr(made, name) for name in made.__struct_fields__)


def test_a_layout_is_named_only_where_another_one_would_fit() -> None:
    assert LAYOUT not in to_neutral(*_session(OLD))
    web = {"Web_search_call": {"_type": "web_search_call", "id": "w", "status": "completed"}}
    bare = {**OLD, "history": [web]}
    assert from_neutral(bare).layout == Layout(2, "R3")
    named = {**bare, LAYOUT: {"items": "R1"}}
    loaded = from_neutral(named)
    assert loaded.session is not None
    assert loaded.layout == Layout(2, "R1")
    assert to_neutral(loaded.session, loaded.layout) == named
    moderated = from_neutral({**MODERATED, LAYOUT: {"items": "R1", "moderator": "M1"}})
    assert moderated.layout == Layout(3, "R1", "M1")


def _session(neutral: Any) -> tuple[Any, Layout]:
    loaded = from_neutral(neutral)
    assert loaded.layout is not None
    return loaded.session, loaded.layout


@pytest.mark.parametrize(
    ("bits", "number"),
    [
        (0, 0.0),
        (1 << 63, -0.0),
        (0x7FF0 << 48, "Infinity"),
        (0xFFF0 << 48, "-Infinity"),
        (0x7FF8_0000_0000_0001, "NaN"),
        (0x3FF8 << 48, 1.5),
    ],
)
def test_floats_keep_their_bits(bits: int, number: Any) -> None:
    made = _with_value({"Float": {"f64": number, "bits": f"{bits:016x}"}})
    session, layout = _session(made)
    assert session.moderator_state.extensions == [("k", FloatValue(Double(bits)))]
    assert to_neutral(session, layout) == made


def _with_value(value: Any) -> dict[str, Any]:
    made = copy.deepcopy(EVERYTHING)
    made["moderator_state"]["extensions"] = [["k", value]]
    return dict(made)


def _set(value: Any, *keys: Any, to: Any) -> Any:
    made = copy.deepcopy(value)
    at = made
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = to
    return made


VALUE = ("moderator_state", "extensions", 0, 1)
MESSAGE = ("history", 0, "item", "Input_message")

FAULTS = [
    pytest.param([], "type", (), id="no object"),
    pytest.param({}, "member-missing", ("history",), id="no members"),
    pytest.param({**EVERYTHING, "version": "5"}, "type", ("version",), id="version as text"),
    pytest.param({**EVERYTHING, "version": 0}, "choice", ("version",), id="version 0 named"),
    pytest.param({**EVERYTHING, "version": -1}, "choice", ("version",), id="version below 0"),
    pytest.param({**EVERYTHING, "more": 1}, "member-unknown", ("more",), id="unknown member"),
    pytest.param({**EVERYTHING, "$layout": {}}, "choice", ("$layout",), id="no layout"),
    pytest.param({**EVERYTHING, "id": 7}, "type", ("id",), id="number for a string"),
    pytest.param({**EVERYTHING, "id": "\ud800"}, "string-surrogate", ("id",), id="half character"),
    pytest.param({**EVERYTHING, "id": {"$bytes_b64": 1}}, "type", ("id", "$bytes_b64"), id="bytes"),
    pytest.param(
        {**EVERYTHING, "id": {"$bytes_b64": "=="}}, "base64", ("id", "$bytes_b64"), id="base64"
    ),
    pytest.param({**EVERYTHING, "kv_store": {}}, "type", ("kv_store",), id="object for a list"),
    pytest.param({**EVERYTHING, "kv_store": [7]}, "type", ("kv_store", 0), id="number for a pair"),
    pytest.param(
        {**EVERYTHING, "kv_store": [["a"]]}, "pair-length", ("kv_store", 0), id="half a pair"
    ),
    pytest.param(
        {**EVERYTHING, "next_history_sequence": 2**62},
        "range",
        ("next_history_sequence",),
        id="2^62",
    ),
    pytest.param(
        {**EVERYTHING, "next_history_sequence": 1.5}, "type", ("next_history_sequence",), id="float"
    ),
    pytest.param(
        {**EVERYTHING, "next_history_sequence": True}, "type", ("next_history_sequence",), id="bool"
    ),
    pytest.param(_set(EVERYTHING, "history", 0, "id", to="x"), "history-id", ("history", 0, "id")),
    pytest.param(_set(EVERYTHING, "history", 0, "item", to=3), "type", ("history", 0, "item")),
    pytest.param(_set(EVERYTHING, *MESSAGE, to=3), "type", MESSAGE, id="number for a record"),
    pytest.param(
        _set(EVERYTHING, "history", 0, "item", to={"A": 1, "B": 2}),
        "constructor",
        ("history", 0, "item"),
    ),
    pytest.param(_set(EVERYTHING, *MESSAGE, "role", to="Boss"), "choice", (*MESSAGE, "role")),
    pytest.param(_set(EVERYTHING, *MESSAGE, "role", to=None), "type", (*MESSAGE, "role")),
    pytest.param(
        _set(EVERYTHING, "tasks", 0, to={"id": "a", "title": "b"}),
        "member-missing",
        ("tasks", 0, "state"),
    ),
    pytest.param(_with_value("Int"), "constructor", VALUE, id="constructor without its argument"),
    pytest.param(_with_value({"Unit": 1}), "constructor", VALUE, id="argument of none"),
    pytest.param(_with_value(7), "type", VALUE, id="number for a value"),
    pytest.param(_with_value({"Bool": 1}), "type", (*VALUE, "Bool"), id="number for a truth"),
    pytest.param(_with_value({"Float": 1.5}), "type", (*VALUE, "Float"), id="number for a float"),
    pytest.param(
        _with_value({"Float": {"f64": 1.5, "bits": "3FF8"}}),
        "double-bits",
        (*VALUE, "Float", "bits"),
    ),
    pytest.param(_with_value({"Array": 1}), "type", (*VALUE, "Array"), id="number for an array"),
    pytest.param(_with_value({"Array": ["Unit", 7]}), "type", (*VALUE, "Array", 1)),
    pytest.param(_with_value({"Record": [1]}), "type", (*VALUE, "Record", 0)),
    pytest.param(_with_value({"Record": [[1, "Unit"]]}), "type", (*VALUE, "Record", 0, 0)),
    pytest.param(_with_value({"Record": [["a", 1]]}), "type", (*VALUE, "Record", 0, 1)),
    pytest.param(_with_value({"Variant": 1}), "type", (*VALUE, "Variant"), id="variant"),
    pytest.param(_with_value({"Variant": [1, []]}), "type", (*VALUE, "Variant", 0)),
    pytest.param(_with_value({"Variant": ["t", 1]}), "type", (*VALUE, "Variant", 1)),
]


@pytest.mark.parametrize(("value", "code", "keys"), FAULTS)
def test_faults_are_located(value: Any, code: str, keys: tuple[Any, ...]) -> None:
    loaded = from_neutral(value)
    assert loaded.session is None
    assert (loaded.issues[0].code, loaded.issues[0].keys) == (code, keys)
    beyond = {"string-surrogate", "base64"}  # not to be said in JSON Schema, or not in JSON
    if code not in beyond:
        assert not REFEREE.is_valid(value)


def test_every_fault_is_told() -> None:
    value = _set(_set(EVERYTHING, *MESSAGE, "role", to="Boss"), "tasks", 0, to=7)
    value = _set(value, *VALUE, to={"Array": [1, "Unit", {"Record": [["a", 2]]}]})
    assert [issue.path for issue in from_neutral(value).issues] == [
        "history[0].item.Input_message.role",
        "tasks[0]",
        "moderator_state.extensions[0][1].Array[0]",
        "moderator_state.extensions[0][1].Array[2].Record[0][1]",
    ]


def test_a_number_beside_other_bits_is_only_a_warning() -> None:
    loaded = from_neutral(_with_value({"Float": {"f64": 2.5, "bits": "3ff8000000000000"}}))
    assert loaded.session is not None
    (issue,) = loaded.issues
    assert (issue.code, issue.severity) == ("double-differs", "warning")


def test_numbers_without_a_fraction_are_whole() -> None:
    loaded = from_neutral({**EVERYTHING, "version": 5.0, "next_history_sequence": 99.0})
    assert isinstance(loaded.session, SessionV5)
    assert (loaded.session.version, loaded.session.next_history_sequence) == (5, 99)


def test_bytes_that_are_text_become_text() -> None:
    loaded = from_neutral({**EVERYTHING, "id": {"$bytes_b64": "aGk="}})
    assert loaded.session is not None
    assert loaded.session.id == "hi"


def test_a_newer_version_is_none_of_ours() -> None:
    loaded = from_neutral({**EVERYTHING, "version": 6})
    assert (loaded.version, loaded.session, loaded.issues) == (6, None, ())

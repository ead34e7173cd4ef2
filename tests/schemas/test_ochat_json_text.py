"""The text of neutral JSON at any depth, and its published schema."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ochat_vectors import told
from sesskit.schemas.binprot_write import writer
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.ochat_json_text import MAX_JSON_DEPTH, deep_json, json_bytes
from sesskit.schemas.ochat_neutral import from_neutral, neutral_schema, to_neutral
from sesskit.schemas.ochat_sessions import Layout, layouts_of, type_of
from sesskit.schemas.ochat_values import (
    ArrayValue,
    RecordValue,
    UnitValue,
    VariantValue,
)

EVERYTHING = told("v5/everything.json")["session"]
REFEREE = jsonschema_rs.validator_for(neutral_schema())
VALUE = ("moderator_state", "extensions", 0, 1)
MESSAGE = ("history", 0, "item", "Input_message")


def _session(neutral: Any) -> tuple[Any, Layout]:
    loaded = from_neutral(neutral)
    assert loaded.layout is not None
    return loaded.session, loaded.layout


def _with_value(value: Any) -> dict[str, Any]:
    made = copy.deepcopy(EVERYTHING)
    made["moderator_state"]["extensions"] = [["k", value]]
    return dict(made)


def _members(made: Any) -> Any:
    return (getattr(made, name) for name in made.__struct_fields__)


def _deep(levels: int) -> Any:
    value: Any = UnitValue()
    for level in range(levels):
        kinds = (
            ArrayValue([value]),
            RecordValue([("a", UnitValue()), ("b", value)]),
            VariantValue("t", [value]),
        )
        value = kinds[level % 3]
    return value


def test_any_depth_of_a_snapshot_goes_there_and_back() -> None:
    session, layout = _session(EVERYTHING)
    state = type(session.moderator_state)(None, None, [("k", _deep(MAX_DEPTH))])
    made = type(session)(*(state if m is session.moderator_state else m for m in _members(session)))
    text = json_bytes(to_neutral(made, layout))
    loaded = from_neutral(deep_json(text))
    assert (loaded.issues, loaded.layout) == ((), layout)
    assert loaded.session is not None
    write = writer(type_of(layout))
    there, back = bytearray(), bytearray()
    write(there, made)
    write(back, loaded.session)
    assert there == back


def test_deeper_values_are_refused() -> None:
    value: Any = "Unit"
    for _ in range(MAX_DEPTH + 1):
        value = {"Array": [value]}
    loaded = from_neutral(_with_value(value))
    assert [issue.code for issue in loaded.issues] == ["value-depth"]


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_json_text_is_read_like_everywhere(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    assert deep_json(text) == value


@given(JSON_VALUES)
def test_from_neutral_is_total(value: Any) -> None:
    assert from_neutral(value).session is None
    assert from_neutral(_with_value(value)).version == 5


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1", "[1 2]", "[1,]", "[1,[1,]", "[NaN]", "tru", "1 2", "[}", "\ufeff1"),
        *('{"a" 1}', "{1: 2}", '{"a": 1,}', '{"a": 1 "b": 2}'),
        *(opening * (MAX_JSON_DEPTH + 2) for opening in ("[", '{"a":', "[0, ")),
    ],
)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        deep_json(text.encode())


def test_deep_text_is_written_like_flat_text() -> None:
    value: Any = [1, {"a": [], "b": {}, "ü": [None, True, 1.5]}]
    deep = value
    for _ in range(300):
        deep = [deep]
    lines = json_bytes(deep).decode().splitlines()
    flat = json_bytes(value).decode().splitlines()
    assert [line.removeprefix("  " * 300) for line in lines[300:-300]] == flat


def test_the_committed_schema_is_what_the_types_say() -> None:
    committed = files("sesskit.schemas").joinpath("json/ochat-record.schema.json").read_bytes()
    assert json.loads(committed) == neutral_schema(), "run `make generate`"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(neutral_schema())


def test_the_schema_points_at_the_leaf() -> None:
    broken = copy.deepcopy(EVERYTHING)
    broken["history"][0]["item"]["Input_message"]["content"][0]["Text"]["text"] = 7
    paths = [list(error.instance_path) for error in REFEREE.iter_errors(broken)]
    assert paths == [[*MESSAGE, "content", 0, "Text", "text"]]


@pytest.mark.parametrize("version", range(6))
def test_every_version_has_a_first_layout_of_today(version: int) -> None:
    assert layouts_of(version)[0].current

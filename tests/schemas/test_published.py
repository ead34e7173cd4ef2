"""The published schemas are in sync, valid, and agree with the decoder."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from robota_vectors import Row, edited, name_of, rows
from sesskit.schemas.catalogue import SCHEMAS, generated, published
from sesskit.schemas.robota_decode import decode_bare, decode_envelope

BEYOND_JSON_SCHEMA = ("instant", "mismatch", "number-overflow")
"""Codes of faults that a JSON Schema cannot express."""


@pytest.mark.parametrize("name", SCHEMAS)
def test_committed_schema_is_what_the_code_says(name: str) -> None:
    assert json.loads(published(name)) == generated(name), "run `make generate`"


@pytest.mark.parametrize("name", SCHEMAS)
def test_valid_under_the_metaschema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(generated(name))


@pytest.fixture(scope="module")
def referee() -> Any:
    return jsonschema_rs.validator_for(generated("robota-record-bare"))


@pytest.mark.parametrize("row", rows("invalid") + rows("accepted"), ids=name_of)
def test_agrees_with_the_decoder(row: Row, referee: Any) -> None:
    value = edited(row)
    outcome = decode_bare(json.dumps(value).encode())
    codes = {i.code for i in outcome.issues if i.severity == "error"}
    if outcome.status == "valid":
        assert referee.is_valid(value)
    elif not codes <= set(BEYOND_JSON_SCHEMA):
        assert not referee.is_valid(value)


@pytest.mark.parametrize("row", rows("envelope"), ids=name_of)
def test_envelope_agrees(row: Row) -> None:
    referee = jsonschema_rs.validator_for(generated("robota-record"))
    if decode_envelope(row["text"].encode()).status == "valid":
        assert referee.is_valid(json.loads(row["text"]))
    elif "1e400" not in row["text"]:
        assert not referee.is_valid(json.loads(row["text"]))


def test_points_at_the_leaf(referee: Any) -> None:
    message = {"role": "user", "id": "m", "timestamp": "2026", "state": "complete", "content": 1}
    record = {"id": "", "cwd": "", "createdAt": "2026", "updatedAt": "2026", "messages": [message]}
    assert [list(e.instance_path) for e in referee.iter_errors(record)] == [
        ["messages", 0, "content"]
    ]

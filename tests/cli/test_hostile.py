"""Whatever is in a file, the command line answers: 0 or 1, a whole report, never a bug of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from command_line import Result, Run
from robota_vectors import VALID
from sesskit.cli.report_schema import SCHEMA

CHECKED = Draft202012Validator(SCHEMA)
RECORD = json.dumps({"schemaVersion": 1, "record": json.loads(VALID[0].read_bytes())}).encode()
FEW = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

cuts = st.integers(0, len(RECORD))
mutated = st.one_of(
    st.binary(max_size=200),
    cuts.map(lambda end: RECORD[:end]),
    st.tuples(cuts, st.binary(max_size=9)).map(
        lambda at: RECORD[: at[0]] + at[1] + RECORD[at[0] :]
    ),
    st.tuples(cuts, cuts).map(lambda ends: RECORD[: ends[0]] + RECORD[ends[1] :]),
)


def answered(result: Result) -> None:
    assert result.code in (0, 1)
    assert result.err == ""


@FEW
@given(mutated, st.sampled_from([None, "robota-record", "robota-record-bare"]))
def test_any_bytes(run: Run, data: bytes, name: str | None) -> None:
    options = [] if name is None else ["--format", name]
    text = run("validate", "-", "--strict", *options, stdin=data)
    answered(text)
    assert not {c for c in text.out if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}
    shown = run("validate", "-", "--output", "json", *options, stdin=data)
    answered(shown)
    assert CHECKED.is_valid(json.loads(shown.out))


@FEW
@given(mutated)
def test_any_bytes_against_a_schema(run: Run, data: bytes) -> None:
    answered(run("schema", "check", "-", "--schema", "robota-record", stdin=data))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"schemaVersion":1,"record":' + b"[" * 100_000, id="deep-arrays"),
        pytest.param(b'{"schemaVersion":1,"record":' + b'{"a":' * 50_000, id="deep-objects"),
        pytest.param(b'{"schemaVersion":' + b"9" * 5_000 + b',"record":{}}', id="digits"),
        pytest.param(b'{"schemaVersion":1,"record":{"id":' + b'"' * 200_000, id="quotes"),
        pytest.param(RECORD + b"\0" * 2_000_000, id="nul-tail"),
        pytest.param(b"\xef\xbb\xbf" * 100_000, id="marks"),
    ],
)
def test_hostile_text(run: Run, data: bytes) -> None:
    shown: dict[str, Any] = json.loads(run("validate", "-", "--output", "json", stdin=data).out)
    assert CHECKED.is_valid(shown)
    assert shown["files"][0]["status"] != "valid"
    assert run("validate", "-", stdin=data).code == 1

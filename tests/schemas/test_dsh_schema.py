"""The published schemas of log lines are valid and agree with the decoder."""

from __future__ import annotations

import io
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from logs.dsh.vectors import Case, cases, rows
from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.rows import is_row
from sesskit.schemas import dsh_schema
from sesskit.schemas.dsh_schema_frames import seed_schema, v4_schema

SEED = 100
"""Stands for the version of June 2026, which says 1 as well."""
SCHEMAS = {v: getattr(dsh_schema, f"v{v}_schema")() for v in (0, 1, 2, 3)}
SCHEMAS |= {4: v4_schema(), SEED: seed_schema()}
REFEREES = {v: jsonschema_rs.validator_for(schema) for v, schema in SCHEMAS.items()}
OF_A_LINE = {
    "type", "member-missing", "member-unknown", "choice", "tag", "header-field", "envelope",
    "surface-op-missing", "surface-op-forbidden", "surface-op-unknown", "row-malformed",
}  # fmt: skip
"""Faults that the schema of a line can say, too."""

OLD_SHAPES = ("legacy-v0-pre-identity", "seed-era-version-0")
"""Lines of older builds, which the decoder upgrades and the schema does not describe."""


@pytest.mark.parametrize("version", SCHEMAS)
def test_valid_under_the_metaschema(version: int) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[version])


def agree(data: bytes) -> None:
    reader = open_log(io.BytesIO(data))
    for stored in reader:
        generation = reader.generation
        if generation is None or generation.seed or not stored.accepted or not stored.line.ended:
            continue
        fits = REFEREES[generation.version].is_valid(stored.value)
        codes = {issue.code for issue in stored.issues}
        if not codes:
            assert fits, errors(generation.version, stored.value)
        elif not generation.rows and codes <= OF_A_LINE:
            assert not fits, codes


def errors(version: int, value: Any) -> list[str]:
    return [e.message for e in REFEREES[version].iter_errors(value)]


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_recorded_lines(case: Case) -> None:
    if not case.file.name.endswith(".db") and case.name not in OLD_SHAPES:
        agree(case.file.read_bytes())


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_native_lines(row: dict[str, str]) -> None:
    agree(row["text"].encode())


@pytest.mark.parametrize("path", sorted(p for c in cases() for p in c.folder.glob("migrated.*")))
def test_migrated_lines(path: Any) -> None:
    agree(path.read_bytes())


@pytest.mark.parametrize(
    ("version", "line", "fits"),
    [
        (3, {"type": "ours/x", "seq": 0, "time": 1, "data": 1, "ignorable": True}, True),
        (3, {"type": "ours/x", "seq": 0, "time": 1, "data": 1}, False),
        (3, {"type": "ours/x", "seq": 0, "time": 1, "data": 1, "ignorable": True, "x": 1}, False),
        (3, {"type": "step/start", "seq": 0, "time": 1, "data": {"turn": 1, "step": 1}}, True),
        (3, {"type": "step/start", "seq": 0, "time": 1, "data": {"turn": 1}}, False),
        (3, {"type": "assistant/chunk", "seq": 0, "time": 1, "data": {}}, False),
        (0, {"type": "text-chunks", "seq0": 0, "time0": 1, "data": {}}, False),
        (0, [], False),
        (4, {"type": "ours/x", "seq": 0, "time": 1, "data": 5}, True),
        (4, {"type": "ours/x", "seq": 0, "time": 1, "data": 5, "x": 1}, False),
        (4, {"type": "ours/x", "seq": 0, "time": 1, "data": 5, "ignorable": False}, False),
        (4, {"type": "ours/x", "seq": 0, "time": 1}, False),
        (4, {"type": "a", "seq": 0, "time": 1, "data": 5, "sourceEventSeqs": [0, [1, 3]]}, True),
        (4, {"type": "a", "seq": 0, "time": 1, "data": 5, "sourceEventSeqs": "x"}, False),
        (SEED, {"type": "x", "seq": 0, "time": 1, "data": {}, "x": 1}, True),
        (SEED, {"type": "x", "seq": -1, "time": 1, "data": {}}, False),
        (SEED, {"type": "turn/start", "seq": 0, "time": 1, "data": {"turn": 1}}, True),
        (SEED, {"type": "turn/start", "seq": 0, "time": 1, "data": {}}, False),
        (SEED, {"type": "session", "version": 1, "id": "x", "createdAt": 1, "more": 1}, True),
        (SEED, {"type": "session", "version": 1, "id": "x", "createdAt": 1, "cwd": "x"}, False),
    ],
)
def test_lines(version: int, line: object, fits: bool) -> None:
    assert REFEREES[version].is_valid(line) is fits
    assert not is_row({"type": "x"})


@pytest.mark.parametrize("case", cases("*", "seed-era-*"), ids=lambda c: c.name)
def test_lines_of_june_2026(case: Case) -> None:
    reader = open_log(io.BytesIO(case.file.read_bytes()))
    lines = [stored for stored in reader if stored.accepted]
    if reader.generation is not None and reader.generation.seed:
        for stored in lines:
            assert REFEREES[SEED].is_valid(stored.value), errors(SEED, stored.value)


@pytest.mark.parametrize("path", sorted(p for c in cases() for p in c.folder.glob("migrated.v3*")))
def test_frames_of_version_4(path: Any) -> None:
    """The frame is that of version 3 but for the number; the decoder says the same of it."""
    data = path.read_bytes().replace(b'"version":3', b'"version":4', 1)
    reader = open_log(io.BytesIO(data))
    for stored in reader:
        assert not [i for i in stored.issues if i.severity == "error" and i.line != 1]
        assert REFEREES[4].is_valid(stored.value), errors(4, stored.value)

"""The published schema of a line agrees with the decoder, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from robota_log_cases import VALID, VECTORS, prepare, rows
from sesskit.logs.robota_log import LogReading
from sesskit.logs.sidecar_files import PayloadDirectory
from sesskit.schemas.catalogue import generated
from sesskit.schemas.codes import CODES

BEYOND_JSON_SCHEMA = {"instant", "mismatch", "number-overflow", "json-depth"}
"""Codes of faults that a JSON Schema cannot express."""

NO_SHAPE = {code for code in CODES if code.startswith(("payload", "json", "line-cut"))}
"""Codes of lines whose value is not known."""

SESSIONS = [
    *(log for name in VALID for log in sorted((VECTORS / "valid" / name / "log").rglob("*.jsonl"))),
    *sorted((VECTORS / "audit").rglob("*.jsonl")),
]
SESSIONS = [log for log in SESSIONS if log.parent != VECTORS / "audit"]


@pytest.fixture(scope="module")
def referee() -> Any:
    return jsonschema_rs.validator_for(generated("robota-log"))


def judged(log: Path, referee: Any) -> int:
    """Compare the two on every line that is JSON and has all its sidecars; how many were bad."""
    bad = 0
    with PayloadDirectory(log.parent) as payloads:
        with log.open("rb") as stream:
            answers = LogReading(stream, payloads).answers()
            values = {n: answer.plain for n, _, answer in answers if answer.plain is not None}
        with log.open("rb") as stream:
            lines = list(LogReading(stream, payloads))
    for line in lines:
        codes = {issue.code for issue in line.issues if issue.severity == "error"}
        if line.number not in values or codes & NO_SHAPE:
            continue
        valid = referee.is_valid(values[line.number])
        if not codes:
            assert valid, [str(error) for error in referee.iter_errors(values[line.number])]
        elif not codes <= BEYOND_JSON_SCHEMA:
            bad += 1
            assert not valid, line.issues
    return bad


@pytest.mark.parametrize("log", SESSIONS, ids=lambda log: log.stem)
def test_sound_logs(log: Path, referee: Any) -> None:
    assert judged(log, referee) == 0


@pytest.mark.parametrize("row", rows("damaged.jsonl"), ids=lambda row: row["id"])
def test_damaged_logs(row: dict[str, Any], referee: Any, tmp_path: Path) -> None:
    log = prepare(tmp_path, row)
    if log.is_file():
        judged(log, referee)


def test_many_were_bad(referee: Any, tmp_path: Path) -> None:
    bad = 0
    for number, row in enumerate(rows("damaged.jsonl")):
        log = prepare(tmp_path / str(number), row)
        bad += judged(log, referee) if log.is_file() else 0
    assert bad > 50

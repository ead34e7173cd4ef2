"""The contract audit: each broken promise is one finding, and what keeps them has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VECTORS, prepare, rows
from sesskit.logs.audit import RULES, audit

AUDIT = VECTORS / "audit"
LOGS = sorted((AUDIT / "logs").rglob("*.jsonl"))
EXPECTED_OF_OLDER = json.loads((AUDIT / "older" / "expected.json").read_text())


def findings(log: Path, **options: Any) -> list[tuple[str, int | None]]:
    lines = log.read_bytes().decode().split("\n")
    values = [(n, json.loads(line)) for n, line in enumerate(lines, 1) if line]
    return [(issue.code, issue.line) for issue in audit(values, **options)]


def test_the_rules_are_those_of_the_table() -> None:
    table = json.loads((AUDIT / "rules.json").read_text())
    assert {name: rule.severity for name, rule in RULES.items()} == table


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_log_that_keeps_every_promise(log: Path) -> None:
    assert findings(log) == []


@pytest.mark.parametrize("row", rows("audit/broken.jsonl"), ids=lambda row: row["id"])
def test_a_broken_promise(row: dict[str, Any], tmp_path: Path) -> None:
    log = prepare(tmp_path, row, AUDIT / "logs" / row["base"])
    assert findings(log) == [(row["expect"]["code"], row["expect"]["line"])]


@pytest.mark.parametrize("row", rows("audit/accepted.jsonl"), ids=lambda row: row["id"])
def test_odd_but_legitimate(row: dict[str, Any], tmp_path: Path) -> None:
    log = prepare(tmp_path, row, AUDIT / "logs" / row["base"])
    assert findings(log) == []


@pytest.mark.parametrize("name", sorted(EXPECTED_OF_OLDER))
def test_faults_of_an_older_build(name: str) -> None:
    found = findings(AUDIT / "older" / name / f"{name}.jsonl")
    expected = [(row["code"], row["line"]) for row in EXPECTED_OF_OLDER[name]]
    assert sorted(found) == sorted(expected)

"""Decoding Robota logs: the answers of the original, and all that it does not say."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VALID, VECTORS, prepare, rows
from sesskit.logs.robota_log import SidecarOptions, examine_log, read_log
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Unsupported, Valid
from sesskit.schemas.robota_log import ServerTool, members_of

DAMAGED = rows("damaged.jsonl")
LOADED = [row for row in DAMAGED if row["mode"] == "load"]


def logs(name: str) -> dict[str, Any]:
    found = json.loads((VECTORS / "valid" / name / "expected.json").read_text())
    assert isinstance(found, dict)
    return found


def plain(event: Any) -> Any:
    value = json.loads(dumps(event))
    return value | members_of(event) if isinstance(event, ServerTool) else value


@pytest.mark.parametrize("name", VALID)
def test_valid_logs(name: str) -> None:
    for log, expected in logs(name).items():
        outcome = examine_log(VECTORS / "valid" / name / "log" / log)
        assert isinstance(outcome, Valid), outcome
        assert {i.severity for i in outcome.issues} <= {"warning"}
        assert outcome.original is not None
        assert outcome.original.verdict == "accept"
        assert len(outcome.value) == expected["load"]["entries"]
        if "decoded" in expected:
            assert [plain(event) for event in outcome.value] == expected["decoded"]


def sidecar_options(row: dict[str, Any]) -> SidecarOptions:
    names = {"maxDepth": "max_depth", "maxTotalBytes": "max_total_bytes"}
    return SidecarOptions(**{names[k]: v for k, v in row.get("options", {}).items()})


def paths(outcome: Outcome) -> set[str]:
    found = set()
    for issue in outcome.issues:
        path = issue.path
        between = "" if not path or path.startswith("[") else "."
        found.add(f"line {issue.line}{between}{path}")
    return found


@pytest.mark.parametrize("row", LOADED, ids=lambda row: row["id"])
def test_answers_of_the_original(row: dict[str, Any], tmp_path: Path) -> None:
    log = prepare(tmp_path, row)
    outcome = read_log(log, sidecars=sidecar_options(row))
    expect = row["expect"]["load"]
    if expect["outcome"] == "ok":
        assert isinstance(outcome, Valid), outcome
        assert len(outcome.value) == expect["entries"]
        return
    if expect["error"] == "other":
        assert isinstance(outcome, Unreadable)
        assert expect["code"] == errno.errorcode[errno.EISDIR]
        return
    assert isinstance(outcome, Corrupt | Unsupported)
    assert outcome.original is not None
    assert outcome.original.code == expect["code"]
    assert isinstance(outcome, Unsupported) == (expect["code"] == "UNSUPPORTED_VERSION")
    if isinstance(outcome, Unsupported):
        assert outcome.version == expect["schemaVersion"]
        assert outcome.original.verdict == "unsupported"
    assert {issue["path"] for issue in expect.get("issues", [])} <= paths(outcome)


def test_absence_is_only_absence(tmp_path: Path) -> None:
    assert isinstance(examine_log(tmp_path / "none.jsonl"), Missing)
    assert read_log(tmp_path / "none.jsonl") == Valid([])
    (tmp_path / "file").write_bytes(b"")
    assert isinstance(examine_log(tmp_path / "file" / "x.jsonl"), Unreadable)
    assert isinstance(examine_log(tmp_path), Unreadable)

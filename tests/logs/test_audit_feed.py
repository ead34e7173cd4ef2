"""What the audit is told of damaged lines and lost sidecars, and where its findings stand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VECTORS
from sesskit.logs.log_sources import open_log
from sesskit.logs.robota_verify import audit_log
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Unsupported

HEALTHY = Path(__file__).parents[2] / "examples" / "logs" / "healthy"
SIDECARS = sorted(p.relative_to(HEALTHY) for p in HEALTHY.rglob("*") if p.suffix == ".json")
TOOLS = VECTORS / "audit" / "logs" / "tool-turn" / "tool-turn.jsonl"
LINES = TOOLS.read_bytes().split(b"\n")[:-1]

Damage = Callable[[bytes], bytes]
DAMAGES: dict[str, Damage] = {
    "cut": lambda line: line[: len(line) // 2],
    "zeroed": lambda line: bytes(len(line)),
    "junk": lambda line: b"x",
    "list": lambda line: b"[]",
    "renamed": lambda line: line.replace(b'"event":"', b'"event":"z'),
    "another version": lambda line: line.replace(b'"schemaVersion":1', b'"schemaVersion":7'),
    "glued": lambda line: line + line,
}


def written(folder: Path, lines: list[bytes]) -> Path:
    log = folder / "log.jsonl"
    log.write_bytes(b"".join(line + b"\n" for line in lines))
    return log


def errors(outcome: Any) -> set[str]:
    return {issue.code for issue in outcome.issues if issue.severity == "error"}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_line_accuses_nobody(damage: Damage, tmp_path: Path) -> None:
    for number, line in enumerate(LINES):
        log = written(tmp_path, [*LINES[:number], damage(line), *LINES[number + 1 :]])
        outcome, found = audit_log(log)
        assert isinstance(outcome, Corrupt | Unsupported)
        assert (found, len({issue.line for issue in outcome.issues})) == ((), 1)


def test_a_member_of_the_wrong_kind_accuses_nobody(tmp_path: Path) -> None:
    for number, line in enumerate(LINES):
        for name in json.loads(line):
            value = json.loads(line) | {name: [[3]]}
            changed = json.dumps(value, ensure_ascii=False).encode()
            outcome, found = audit_log(
                written(tmp_path, [*LINES[:number], changed, *LINES[number + 1 :]])
            )
            assert not errors(outcome) or found == ()


@pytest.mark.parametrize("sidecar", SIDECARS, ids=str)
def test_a_sidecar_that_cannot_be_had_accuses_nobody(sidecar: Path, tmp_path: Path) -> None:
    shutil.copytree(HEALTHY, tmp_path / "log")
    log = tmp_path / "log" / "tide-table.jsonl"
    assert audit_log(log)[1] == ()
    (tmp_path / "log" / sidecar).unlink()
    outcome, found = audit_log(log)
    assert errors(outcome) == {"payload-missing"}
    assert found == ()


def told(tmp_path: Path, *changes: tuple[int, dict[str, Any]]) -> list[tuple[str, int | None]]:
    lines = list(LINES)
    for number, members in changes:
        value = json.loads(lines[number - 1]) | members
        lines[number - 1] = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return [(issue.code, issue.line) for issue in audit_log(written(tmp_path, lines))[1]]


def test_a_line_is_heard_where_no_rule_needs_what_is_wrong(tmp_path: Path) -> None:
    odd = (14, {"args": "text"})
    assert told(tmp_path, odd, (17, {"index": 3})) == [("tool-commit", 17)]
    surplus = (5, {"more": 1})
    assert told(tmp_path, surplus, (8, {"round": 2})) == [("round-order", 8)]
    unheard = (5, {"messages": "text"})
    assert told(tmp_path, unheard, (8, {"round": 2})) == []


def test_an_event_of_the_host_that_is_wrong_hides_nothing_of_the_session(tmp_path: Path) -> None:
    source = VECTORS / "audit" / "logs" / "background" / "background.jsonl"
    lines = source.read_bytes().split(b"\n")[:-1]
    value = json.loads(lines[14])
    lines[14] = json.dumps(value | {"backgroundEvent": 3}).encode()
    lines[18] = lines[18].replace(b'"success":true', b'"success":false')
    outcome, found = audit_log(written(tmp_path, lines))
    assert isinstance(outcome, Corrupt)
    assert [issue.line for issue in found] == [20]


def text_at(log: Path, issue: Issue) -> bytes:
    return log.read_bytes()[issue.offset or 0 :]


def test_findings_stand_at_the_member_or_at_the_line(tmp_path: Path) -> None:
    value = json.loads(LINES[15]) | {"toolName": "Other"}
    lines = [*LINES[:8], *LINES[9:15], json.dumps(value).encode(), *LINES[16:]]
    log = written(tmp_path, lines)
    order, name = audit_log(log)[1]
    assert (order.code, order.path, order.line, order.column) == ("response-order", "", 9, 1)
    assert text_at(log, order).startswith(lines[8])
    assert (name.code, name.path, name.line) == ("result-pairing", "toolName", 15)
    assert name.column == lines[14].index(b'"Other"') + 1
    assert text_at(log, name).startswith(b'"Other"')


def test_a_finding_far_behind_its_line_has_its_place(tmp_path: Path) -> None:
    log = written(tmp_path, LINES[:24])
    (unended,) = audit_log(log)[1]
    assert (unended.code, unended.line, unended.column) == ("turn-unended", 2, 1)
    assert unended.offset == len(LINES[0]) + 1


def test_a_log_that_goes_away_or_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(tmp_path, [*LINES[:8], LINES[8].replace(b'"round":1', b'"round":2'), *LINES[9:]])
    (whole,) = audit_log(log)[1]
    assert whole.path == "round"

    def emptied(path: Path) -> Any:
        path.write_bytes(b"")
        return open_log(path)

    def gone(path: Path) -> Any:
        raise FileNotFoundError(path)

    raw = log.read_bytes()
    for opening, column in ((emptied, 1), (gone, None)):
        log.write_bytes(raw)
        monkeypatch.setattr("sesskit.logs.robota_verify.open_place", opening)
        (found,) = audit_log(log)[1]
        assert (found.code, found.line, found.column) == (whole.code, whole.line, column)

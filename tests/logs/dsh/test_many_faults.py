"""Small files with very many faults: bounded, counted, and judged as the original would."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sesskit.logs.dsh import issue_bound
from sesskit.logs.dsh.decode import examine
from sesskit.logs.dsh.frames import MAGIC, write_frame
from sesskit.logs.dsh.repair import plan_repair
from sesskit.schemas.outcomes import Corrupt

DATA = Path(__file__).parents[2] / "data/dsh-log/vectors/valid/chat-small-raw/session.jsonl"
LOG = DATA.read_bytes()
HEADER = LOG[: LOG.index(b"\n") + 1]
TURN_END = next(line for line in LOG.split(b"\n") if b'"turn/end"' in line) + b"\n"


def answer(data: bytes) -> Corrupt:
    found = examine(io.BytesIO(data), keep=False)
    assert isinstance(found, Corrupt)
    return found


def test_empty_lines_that_follow_each_other_are_one_fault() -> None:
    found = answer(LOG + b"\n" * 300_000 + b"x\n\n")
    count = LOG.count(b"\n")
    assert next(i.code for i in found.issues if i.severity == "error") == "json-empty"
    empty = [i for i in found.issues if i.code == "json-empty"]
    assert len(empty) <= 10
    assert empty[0].line == count + 1
    assert "empty" in empty[0].message
    last = [i for i in found.issues if i.code == "json-syntax"]
    assert [(i.line, i.offset) for i in last] == [(count + 300_001, len(LOG) + 300_000)]


def test_a_bomb_of_empty_lines_is_bounded() -> None:
    found = answer(write_frame(HEADER) + write_frame(b"\n" * 5_000_000))
    assert len(found.issues) < 100


def test_faults_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issue_bound, "MAX_LOG_ISSUES", 5)
    found = answer(HEADER + b"x\n" * 20)
    assert [i.code for i in found.issues if i.severity == "error"] == ["json-syntax"] * 5
    last = found.issues[-1]
    assert (last.code, last.severity, last.line) == ("json-unlisted", "info", 21)
    assert "15 lines" in last.message


@pytest.mark.parametrize(
    ("tail", "verdict"),
    [
        (b"", "accept-with-repair"),
        (TURN_END, "reject"),
        (TURN_END.replace(b"turn/end", b"turn\\u002fend"), "reject"),
    ],
)
def test_the_original_is_judged_behind_the_limit(
    tail: bytes, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issue_bound, "MAX_LOG_ISSUES", 5)
    found = answer(HEADER + b"x\n" * 20 + tail)
    assert found.original is not None
    assert found.original.verdict == verdict


def test_the_first_error_is_kept_behind_many_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issue_bound, "MAX_LOG_ISSUES", 0)
    found = answer(LOG + b"x\n" * 3)
    assert [i.code for i in found.issues] == ["json-syntax", "json-unlisted"]


def test_frames_that_are_none_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issue_bound, "MAX_LOG_ISSUES", 50)
    found = answer(write_frame(HEADER) + MAGIC * 20_000)
    assert len(found.issues) <= 52
    assert found.issues[-1].code == "json-unlisted"


def test_repair_steps_over_many_empty_lines() -> None:
    plan = plan_repair(LOG + b"\n" * 1_000_000)
    assert plan.logs
    assert [(run.length, run.reason) for run in plan.dropped] == [(1_000_000, "empty lines")]

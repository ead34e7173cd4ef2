"""Checked as a whole, then handed out line by line."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VECTORS, prepare, rows
from sesskit.logs.line_blocks import Block, Hollow, line_blocks
from sesskit.logs.robota_log import SidecarOptions, examine_log
from sesskit.logs.robota_stream import CheckedLog, LogChanged, checked_log
from sesskit.schemas.outcomes import Valid

LOGS = sorted(VECTORS.glob("valid/*/log/**/*.jsonl"))


def checked(path: Path) -> CheckedLog:
    log = checked_log(path)
    assert isinstance(log, CheckedLog)
    return log


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_events_are_those_of_the_log(path: Path) -> None:
    whole = examine_log(path)
    assert isinstance(whole, Valid)
    assert [line.event for line in checked(path).lines()] == whole.value


@pytest.mark.parametrize("row", rows("damaged.jsonl"), ids=lambda row: row["id"])
def test_nothing_of_a_damaged_log(row: dict[str, Any], tmp_path: Path) -> None:
    path = prepare(tmp_path, row)
    log = checked_log(path)
    outcome = examine_log(path)
    if isinstance(log, CheckedLog):
        assert outcome.status == "valid"
    else:
        assert log.status == outcome.status
        assert log.issues == outcome.issues


def test_what_was_appended_since_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(LOGS[0].read_bytes())
    log = checked(path)
    before = list(log.lines(SidecarOptions(look=False)))
    with path.open("ab") as stream:
        stream.write(b"more\n")
    assert list(log.lines(SidecarOptions(look=False))) == before


@pytest.mark.parametrize("rewritten", [b"", b"x"])
def test_a_log_that_was_rewritten(tmp_path: Path, rewritten: bytes) -> None:
    path = tmp_path / "a.jsonl"
    data = LOGS[0].read_bytes()
    path.write_bytes(data)
    log = checked(path)
    path.write_bytes(rewritten * len(data))
    with pytest.raises(LogChanged):
        list(log.lines())


def test_memory_is_flat(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    data = (VECTORS / "audit" / "logs" / "plain-turns" / "plain-turns.jsonl").read_bytes()
    with path.open("wb") as stream:
        for _ in range(200):
            stream.write(data)
    tracemalloc.start()
    events = sum(line.event is not None for line in checked(path).lines())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert events == 200 * data.count(b"\n")
    assert peak < 2_500_000


@pytest.mark.parametrize("data", [b"", b"a", b"a\n", b"a\nb", b"a\n" * 100, bytes(1 << 21), b"\n"])
@pytest.mark.parametrize("tail", [b"", b"\n"])
def test_the_end_of_the_last_block(data: bytes, tail: bytes) -> None:
    data += tail
    end = 0
    for block in line_blocks(io.BytesIO(data), 5):
        end = block.end - 5
    assert end == len(data)


def test_the_end_of_a_hollow_line() -> None:
    assert Block(1, 10, [b""], ended=True, hollow=Hollow(7, zeros=False)).end == 18

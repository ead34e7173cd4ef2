"""`sesskit explain`: every code says what it means, and the list has them all."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from sesskit.schemas.codes import CODES


@pytest.mark.parametrize("code", CODES)
def test_every_code(run: Run, code: str) -> None:
    result = run("explain", code)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{CODES[code].severity}[{code}]\n")
    flat = " ".join(result.out.split())
    for said in (CODES[code].summary, CODES[code].why, CODES[code].next_step):
        assert " ".join(said.split()) in flat
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize("code", ["type", "missing"])
def test_a_page(run: Run, code: str, snapshot: SnapshotAssertion) -> None:
    assert run("explain", code).out == snapshot


def test_the_list(run: Run) -> None:
    result = run("explain")
    assert result.code == 0
    assert all(f"{code} " in result.out for code in CODES)
    assert max(map(len, result.out.splitlines())) <= 80


def test_json(run: Run) -> None:
    shown = json.loads(run("explain", "--output", "json").out)
    assert [one["code"] for one in shown] == sorted(CODES)
    (one,) = json.loads(run("explain", "type", "--output", "json").out)
    assert (one["severity"], one["summary"]) == ("error", CODES["type"].summary)
    assert one["nextStep"]


@pytest.mark.parametrize("line", ["explain", "explain type"])
def test_it_names_what_to_do_next_in_plain_text(run: Run, line: str) -> None:
    assert "\x1b" not in run(*line.split()).out

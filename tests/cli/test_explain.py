"""`sesskit explain`: every code says what it means, and the list has them all."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from sesskit.logs.dsh import ruling
from sesskit.logs.robota_completeness import CODES as REPLAY_CODES
from sesskit.logs.sidecar_references import ISSUE_CODES
from sesskit.records.ochat_reading import MISREAD
from sesskit.schemas.codes import CODES
from sesskit.schemas.original_codes import ORIGINAL_CODES


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


@pytest.mark.parametrize("code", ORIGINAL_CODES)
def test_codes_of_the_originals(run: Run, code: str) -> None:
    known, result = ORIGINAL_CODES[code], run("explain", code)
    assert (result.code, result.err) == (0, "")
    flat = " ".join(result.out.split())
    assert all(words in flat for words in (f"original[{code}]", known.meaning, known.system))
    assert all(f"  {name}\n" in result.out for name in known.ours)
    (shown,) = json.loads(run("explain", code, "--output", "json").out)
    assert shown["issues"] == [name for name in known.ours if name in CODES]


def test_every_code_that_a_report_can_hold_is_explained() -> None:
    thrown = {ruling.PLAIN, ruling.CORRUPTION, ruling.UNSUPPORTED, ruling.FORMAT}
    named = thrown | {ruling.MIGRATION, ruling.CRASH, MISREAD}
    payload = {code: known.ours for code, known in ORIGINAL_CODES.items()}
    assert all(ours in payload[code] for code, ours in (ISSUE_CODES | REPLAY_CODES).items())
    assert named | {"INVALID_EVENT", "UNSUPPORTED_VERSION"} <= ORIGINAL_CODES.keys()


def test_a_page_of_the_originals(run: Run, snapshot: SnapshotAssertion) -> None:
    assert run("explain", "SHA256_MISMATCH").out == snapshot
    assert "did you mean SHA256_MISMATCH?" in run("explain", "SHA256_MISSMATCH").err

"""`sesskit replay` of logs: all or nothing, in every form, in part, and at its pace."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from robota_log_cases import VALID, VECTORS
from sesskit.cli import pacing
from sesskit.cli.replay_logs import IDLE_SECONDS
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.robota_moments import Moment
from sesskit.logs.robota_stream import CheckedLog, LogChanged
from sesskit.logs.transcript import transcript_entries
from sesskit.schemas.instants import Instant

EXAMPLES = Path(__file__).parents[2] / "examples"
TIDES = EXAMPLES / "logs/healthy/tide-table.jsonl"
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
FORMS = [(), ("--events",), ("--as", "transcript"), ("--as", "messages"), ("--output", "json")]


@pytest.fixture(autouse=True)
def _beside_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)


def file_of(result: Result) -> dict[str, Any]:
    report = json.loads(result.out)
    Draft202012Validator(SCHEMA).validate(report)
    (file,) = report["files"]
    return dict(file)


def logs() -> list[tuple[Path, dict[str, Any]]]:
    """Every sound log of the vectors, and what its owner answered."""
    found = []
    for name in VALID:
        folder = VECTORS / "valid" / name
        answers = json.loads((folder / "expected.json").read_text())
        found += [(folder / "log" / log, answer) for log, answer in answers.items()]
    return found


@pytest.mark.parametrize("form", FORMS, ids=lambda f: "-".join(f) or "talk")
def test_the_example(form: tuple[str, ...], run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("replay", TIDES.relative_to(Path.cwd()), *form)
    assert (result.code, result.err) == (0, "")
    assert result.out == snapshot
    if form in ((), ("--events",)):
        assert all(len(line) <= 80 for line in result.out.splitlines())


@pytest.mark.parametrize(("log", "expected"), logs(), ids=lambda v: getattr(v, "stem", ""))
def test_records_of_the_vectors(log: Path, expected: dict[str, Any], run: Run) -> None:
    file = file_of(run("replay", log, "--output", "json", "--unmasked"))
    record = expected["replay"].get("record")
    if record is not None:
        assert file["replay"] == record
    masked = file_of(run("replay", log, "--output", "json"))["replay"]
    assert len(masked["messages"]) == len(file["replay"]["messages"])


@pytest.mark.parametrize(("log", "expected"), logs(), ids=lambda v: getattr(v, "stem", ""))
def test_transcripts_of_the_vectors(
    log: Path, expected: dict[str, Any], run: Run, tmp_path: Path
) -> None:
    messages = expected["replay"].get("record", {}).get("messages", [])
    text = "".join(f"{entry}\n" for entry in transcript_entries(messages))
    assert run("replay", log, "--as", "transcript").out == text
    out = tmp_path / "text"
    assert run("replay", log, "--as", "transcript", "--out", out).code == 0
    assert out.read_bytes() == text.encode()


@pytest.mark.parametrize("form", FORMS, ids=lambda f: "-".join(f) or "talk")
def test_all_or_nothing(form: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    shutil.copytree(TIDES.parent, tmp_path / "log")
    log = tmp_path / "log" / TIDES.name
    log.write_bytes(log.read_bytes()[:-30])
    result = run("replay", log, *form)
    assert result.code == 1
    assert "high water" not in result.out
    if "json" in form:
        assert "replay" not in file_of(result)
    else:
        assert result.out == ""
        assert "line-cut" in result.err
        assert "nothing is replayed" in result.err


@pytest.mark.parametrize("form", FORMS, ids=lambda f: "-".join(f) or "talk")
def test_a_broken_sidecar_is_no_replay(form: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    shutil.copytree(TIDES.parent, tmp_path / "log")
    next((tmp_path / "log" / "tide-table.payloads").iterdir()).unlink()
    result = run("replay", tmp_path / "log" / TIDES.name, *form)
    assert result.code == 1
    assert "water" not in result.out


def test_missing(run: Run) -> None:
    result = run("replay", "nowhere.jsonl")
    assert (result.code, "missing" in result.out) == (1, True)
    result = run("replay", "nowhere.jsonl", "--format", "robota-log")
    assert result.code == 1


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        (("--from", "66"), [66, 67, 68]),
        (("--from", "66", "--to", "line:67"), [66, 67]),
        (("--to", "turn:0"), [1]),
        (("--from", "turn:2", "--to", "56"), [35, 38, 47, 49, 51, 52, 56]),
        (("--from", "2026-06-12T05:32:13.700Z"), [68]),
        (("--to", "time:2026-06-12T05:30:01Z"), [1]),
        (("--from", "turn:9"), []),
    ],
)
def test_parts(part: tuple[str, ...], lines: list[int], run: Run) -> None:
    file = file_of(run("replay", TIDES, "--events", *part, "--output", "json"))
    assert [event["line"] for event in file["events"]] == lines


def test_a_part_of_the_talk(run: Run) -> None:
    text = run("replay", TIDES, "--as", "transcript", "--from", "turn:2").out
    assert len(text.splitlines()) == 5
    assert json.loads(run("replay", TIDES, "--as", "messages", "--to", "turn:1").out)[0] == {
        "role": "user",
        "content": "When is high water on the 12th?",
    }


def test_events_tell_what_happened(run: Run) -> None:
    every = VECTORS / "valid/every-event/log/every_event.jsonl"
    kinds = {
        e["kind"] for e in file_of(run("replay", every, "--events", "--output", "json"))["events"]
    }
    assert {"start", "request", "fallback", "compaction", "denied", "blocked", "memory"} <= kinds


def test_subagents(run: Run, snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    log = VECTORS / "valid/subagent/log/session_parent-1.jsonl"
    assert run("replay", log, "--with-subagents").out == snapshot
    file = file_of(run("replay", log, "--with-subagents", "--output", "json"))
    (child,) = file["subagents"]
    assert child["path"].endswith("subagents/agent_abc.jsonl")
    assert len(child["replay"]["messages"]) == 2
    shutil.copytree(log.parent, tmp_path / "log")
    below = tmp_path / "log/session_parent-1/subagents"
    shutil.copy(below / "agent_abc.jsonl", below / "unnamed.jsonl")
    again = run("replay", tmp_path / "log" / log.name, "--with-subagents")
    assert "subagent unnamed" in again.out
    (below / "agent_abc.jsonl").write_text("{}\n")
    broken = run("replay", tmp_path / "log" / log.name, "--with-subagents")
    assert (broken.code, broken.out) == (1, "")
    assert "agent_abc.jsonl" in broken.err


def test_pace(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("sesskit.cli.pacing.time.sleep", waits.append)
    plain = run("replay", TIDES, "--events")
    assert waits == []
    assert run("replay", TIDES, "--events", "--speed", "2").out == plain.out
    assert max(waits) == IDLE_SECONDS
    assert min(waits) > 0
    waits.clear()
    run("replay", TIDES, "--speed", "1000", "--idle", "0.01")
    assert 0 < max(waits) <= 0.01


def test_time_that_goes_back_does_not_wait() -> None:
    waits: list[float] = []

    class Thing:
        def __init__(self, ms: int | None) -> None:
            event: Any = None
            self.moment = Moment(1, 1, None if ms is None else Instant(ms), event)

    things = [Thing(ms) for ms in (5000, 1000, None, 2000)]
    assert list(pacing.paced(things, 1.0, 9.0, waits.append)) == things
    assert waits == [1.0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "soon"), "--from takes a line (12), a turn (turn:3)"),
        (("--to", "turn:x"), "--to takes"),
        (("--speed", "0"), "--speed takes a number above 0"),
        (("--speed", "nan"), "--speed takes a number above 0"),
        (("--idle", "1"), "--idle goes with --speed"),
        (("--speed", "1", "--idle", "-1"), "--idle takes seconds"),
        (("--events", "--with-subagents"), "leave out --with-subagents"),
        (("--events", "--as", "transcript"), "leave out --as"),
        (("--speed", "1", "--output", "json"), "leave out --output json"),
        (("--as", "transcript", "--fill-results"), "--as messages"),
        (("--as", "transcripts"), "did you mean transcript?"),
        (("--fill-results",), "go with --as"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("replay", TIDES, *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


@pytest.mark.parametrize("option", [("--events",), ("--from", "1"), ("--speed", "2")])
def test_parts_are_of_one_log(option: tuple[str, ...], run: Run) -> None:
    for path in ("examples/healthy/night-watch.json", "examples/logs"):
        result = run("replay", path, *option)
        assert (result.code, "are for one robota-log" in result.err) == (2, True)
    refused = run("replay", "examples/healthy/night-watch.json", "--as", "transcript")
    assert (refused.code, "robota-log" in refused.err) == (2, True)


def test_standard_input_has_no_sidecars(run: Run) -> None:
    data = TIDES.read_bytes()
    assert run("replay", "-", stdin=data).code == 2
    (small,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    result = run("replay", "-", stdin=small.read_bytes())
    assert (result.code, "last ferry" in result.out) == (0, True)


def test_several_logs(run: Run, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "logs", tmp_path / "logs")
    result = run("replay", tmp_path / "logs/healthy", tmp_path / "logs/damaged")
    assert result.code == 1
    assert result.out.count("When is high water") == 1
    many = run("replay", tmp_path / "logs/healthy", tmp_path / "logs/damaged", "--output", "json")
    report = json.loads(many.out)
    Draft202012Validator(SCHEMA).validate(report)
    assert ["replay" in file for file in report["files"]] == [True, False]


def test_what_a_list_for_providers_leaves_out(run: Run) -> None:
    (log,) = (VECTORS / "valid/denials-redacted/log").glob("*.jsonl")
    bare = run("replay", log, "--as", "messages")
    assert (bare.code, "call-without-result 3" in bare.err) == (0, True)
    assert run("replay", log, "--as", "messages", "--strict").code == 1
    assert run("replay", log, "--as", "messages", "--quiet").err == ""
    filled = run("replay", log, "--as", "messages", "--fill-results")
    assert (filled.err, filled.out.count('"tool"')) == ("", 3)


def test_secrets_and_escapes(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    log = tmp_path / source.name
    secret = "ghp_abcdefabcdefabcdefabcdef \\u001b[31m \\u009b2J \\u202e"
    log.write_text(source.read_text().replace("When does the last ferry leave on Sundays?", secret))
    for form in FORMS:
        result = run("replay", log, *form)
        assert result.code == 0
        if "transcript" in form:
            assert "ghp_abcdef" in result.out
            monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
            shown = run("replay", log, *form, "--no-color").out
            assert not HARMFUL.search(shown)
            monkeypatch.undo()
        else:
            assert "ghp_abcdef" not in result.out
            assert not HARMFUL.search(result.out)


@pytest.mark.parametrize("error", [LogChanged("it was cut"), OSError(5, "gone")])
def test_a_log_that_changes_meanwhile(
    error: Exception, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lines(self: CheckedLog) -> Any:
        raise error

    monkeypatch.setattr(CheckedLog, "lines", lines)
    for form in FORMS:
        assert run("replay", TIDES, *form).code == 1
    assert run("replay", TIDES.parent).out.count("water") == 0

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


def test_subagents_left_out_are_told(run: Run, tmp_path: Path) -> None:
    log = VECTORS / "valid/subagent/log/session_parent-1.jsonl"
    shutil.copytree(log.parent, tmp_path / "log")
    below = tmp_path / "log/session_parent-1/subagents"
    for number in range(10):
        (below / f"link{number}.jsonl").symlink_to("agent_abc.jsonl")
    found = run("replay", tmp_path / "log" / log.name, "--with-subagents")
    assert (found.code, found.err.count("is left out: a link")) == (0, 8)
    assert "2 more of the subagents are left out" in found.err
    for place in below.glob("link*"):
        place.unlink()
    deeper = below
    for _ in range(9):
        deeper = deeper / "agent_abc" / "subagents"
        deeper.mkdir(parents=True)
        shutil.copy(below / "agent_abc.jsonl", deeper)
    deep = run("replay", tmp_path / "log" / log.name, "--with-subagents")
    assert deep.err.count("is left out: below level 8") == 1


def test_pace(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("sesskit.cli.replay_log.pause", waits.append)
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
        (("--fill-results",), "goes with --as"),
        (("--from", "0"), "lines count from 1"),
        (("--from", "-1"), "--from takes a line"),
        (("--from", ""), "--from takes a line"),
        (("--to", "05:31"), "--to takes a line"),
        (("--from", "9", "--to", "line:8"), "--to line:8 lies before --from 9"),
        (("--from", "turn:2", "--to", "turn:1"), "lies before"),
        (("--from", "2026-06-13", "--to", "2026-06-12"), "lies before"),
        (("--from", "69"), "the log has 68 lines in 2 turns, 2026-06-12T05:30:00.120Z to"),
        (("--from", "turn:9", "--as", "messages"), "the log has 68 lines in 2 turns"),
        (("--from", "turn:9", "--events"), "the log has 68 lines in 2 turns"),
        (("--to", "2026-06-11", "--output", "json"), "nothing lies between --from and --to"),
        (("--to", "2026-06-11", "--as", "transcript"), "nothing lies between"),
        (("--base", "examples"), "--base goes with -"),
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
    for form in FORMS:
        result = run("replay", "-", *form, stdin=data)
        assert (result.code, "water" in result.out) == (1, False)
        if "json" in form:
            file = file_of(result)
            assert (file["status"], "original" in file) == ("valid", False)
            assert {issue["code"] for issue in file["issues"]} == {"payload-unresolved"}
        else:
            assert (result.out, "--base DIR says it" in result.err) == ("", True)
    (small,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    result = run("replay", "-", stdin=small.read_bytes())
    assert (result.code, "last ferry" in result.out) == (0, True)
    several = run("replay", "-", TIDES, stdin=small.read_bytes())
    assert (several.code, "last ferry" in several.out, "water" in several.out) == (0, True, True)


@pytest.mark.parametrize("form", [*FORMS, ("--from", "turn:2", "--full")], ids="-".join)
def test_standard_input_is_replayed_like_the_file(form: tuple[str, ...], run: Run) -> None:
    data, base = TIDES.read_bytes(), TIDES.parent
    result = run("replay", "-", "--base", base, *form, stdin=data)
    file = run("replay", TIDES, *form)
    assert (result.code, result.err) == (0, "")
    assert result.out == file.out.replace(f'"{TIDES}"', '"-"')


@pytest.mark.parametrize("form", FORMS, ids=lambda f: "-".join(f) or "talk")
def test_standard_input_all_or_nothing(form: tuple[str, ...], run: Run) -> None:
    result = run("replay", "-", "--base", TIDES.parent, *form, stdin=TIDES.read_bytes()[:-30])
    assert (result.code, "water" in result.out) == (1, False)
    assert "line-cut" in result.err + result.out


def test_standard_input_that_is_no_log(run: Run) -> None:
    record = EXAMPLES / "healthy/night-watch.json"
    assert run("replay", "-", stdin=record.read_bytes()).code == 0
    assert run("replay", "-", stdin=b"nothing").code == 1
    refused = run("replay", "-", "--events", stdin=record.read_bytes())
    assert (refused.code, "are for one robota-log" in refused.err) == (2, True)
    no_folder = run("replay", "-", "--base", record)
    assert (no_folder.code, "is no folder" in no_folder.err) == (2, True)


def test_the_one_log_of_a_folder(run: Run) -> None:
    for form in (("--events",), ("--as", "transcript"), ("--from", "turn:2")):
        assert run("replay", TIDES.parent, *form).out == run("replay", TIDES, *form).out


def test_a_log_without_lines(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "empty.jsonl"
    log.write_bytes(b"\n")
    for form in ((), ("--events",)):
        result = run("replay", log, *form, "--format", "robota-log")
        assert (result.code, result.out) == (0, "")
        assert "there is nothing to show of" in result.err
    assert run("replay", log, "--as", "transcript", "--format", "robota-log").err == ""


def test_warnings_are_told(run: Run, tmp_path: Path) -> None:
    (source,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    log = tmp_path / source.name
    log.write_bytes(source.read_bytes().rstrip(b"\n"))
    for form in FORMS[:4]:
        result = run("replay", log, *form)
        assert (result.code, "1 issue; sesskit validate" in result.err) == (0, True)
        assert result.out == run("replay", source, *form).out
        assert run("replay", log, *form, "--quiet").err == ""
        assert run("replay", log, *form, "--strict").code == 1
        assert run("replay", log, *form, "--strict", "--ignore", "line-unended").code == 0


def test_times_without_a_zone(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    (source,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    log.write_bytes(re.sub(rb'("timestamp":"[^"]*)Z"', rb'\1"', source.read_bytes()))
    local = source.read_text().split('"timestamp":"')[1][:23]
    part = ("--events", "--output", "json", "--to", local)
    (event,) = file_of(run("replay", log, *part))["events"]
    (other,) = file_of(run("replay", log, *part, "--zone", "+09:00"))["events"]
    assert event["time"] == f"{local}Z"
    assert other["time"] < event["time"]


SECRET = "ghp_abcdefabcdefabcdefabcdef"


@pytest.mark.parametrize("form", [*FORMS, ("--events", "--output", "json")], ids="-".join)
def test_secrets_are_shown_where_they_are_asked_for(
    form: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    (source,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
    log = tmp_path / source.name
    asked = "When does the last ferry leave on Sundays?"
    log.write_text(source.read_text().replace(asked, f"{SECRET} \\u001b[31m"))
    assert (SECRET in run("replay", log, *form).out) == ("transcript" in form)
    for paths in ((log,), (log, TIDES), ("-",)):
        if len(paths) == 1 or form in ((), ("--output", "json")):
            result = run("replay", *paths, *form, "--unmasked", stdin=log.read_bytes())
            assert (result.code, SECRET in result.out) == (0, True)
            assert "transcript" in form or not HARMFUL.search(result.out)


def family(folder: Path) -> Path:
    """The log of a session of two turns, with a subagent in each: the first one goes on into the
    second turn. An event names the second."""
    shutil.copytree(TIDES.parent, folder, dirs_exist_ok=True)
    source = VECTORS / "valid/subagent/log"
    child = (source / "session_parent-1/subagents/agent_abc.jsonl").read_text().splitlines()
    below = folder / "tide-table" / "subagents"
    below.mkdir(parents=True)
    for name, times in {
        "early": ["31:01", "31:01", "31:01", "32:09", "32:09"],
        "late": ["32:11"] * 5,
    }.items():
        lines = [
            re.sub(r"2026-[^\"]*Z", f"2026-06-12T05:{time}.000Z", line).replace("12 files", name)
            for line, time in zip(child, times, strict=True)
        ]
        (below / f"{name}.jsonl").write_text("\n".join([*lines, ""]))
    named = (source / "session_parent-1.jsonl").read_text().splitlines()[2]
    named = named.replace("agent_abc", "late").replace("session_parent-1", "tide-table")
    named = re.sub(r'"timestamp":"[^"]*"', '"timestamp":"2026-06-12T05:32:11.000Z"', named)
    log = folder / TIDES.name
    lines = log.read_text().splitlines()
    log.write_text("\n".join([*lines[:51], named, *lines[51:], ""]))
    return log


WINDOWS = [
    ((), ["early", "late"], 2, 2),
    (("--to", "turn:1"), ["early"], 2, 0),
    (("--from", "turn:2"), ["late"], 0, 2),
    (("--to", "34"), ["early"], 2, 0),
    (("--from", "52", "--to", "52"), ["late"], 0, 2),
    (("--to", "51"), ["early"], 2, 0),
    (("--to", "2026-06-12T05:31:30Z"), ["early"], 1, 0),
    (("--from", "2026-06-12T05:31:30Z"), ["early", "late"], 1, 2),
    (("--from", "2026-06-12T05:32:10Z"), ["late"], 0, 2),
    (("--from", "turn:2", "--to", "2026-06-12T05:32:10Z"), [], 0, 0),
    (("--from", "2026-06-12T05:31:01Z", "--to", "2026-06-12T05:31:01Z"), ["early"], 1, 0),
]


@pytest.mark.parametrize(("part", "shown", "early", "late"), WINDOWS)
def test_subagents_in_a_part(
    part: tuple[str, ...], shown: list[str], early: int, late: int, run: Run, tmp_path: Path
) -> None:
    log = family(tmp_path)
    file = file_of(run("replay", log, "--with-subagents", *part, "--output", "json"))
    found = {Path(one["path"]).stem: one["replay"]["messages"] for one in file["subagents"]}
    assert {name: len(found.get(name, [])) for name in ("early", "late")} == {
        "early": early,
        "late": late,
    }
    assert sorted(found) == shown
    text = run("replay", log, "--with-subagents", *part)
    assert text.code == 0
    told = [name for name in ("early", "late") if f"subagent {name}" in text.out]
    named = ["late"] if "subagent task-1" in text.out else []
    assert sorted({*told, *named}) == shown
    assert text.out.count("count lines") == sum(count > 1 for count in (early, late)) + (
        early == 1 and "05:31:01" in text.out
    )


def test_subagents_of_standard_input(run: Run, tmp_path: Path) -> None:
    log = family(tmp_path)
    data, options = log.read_bytes(), ("--with-subagents", "--to", "turn:1")
    piped = run("replay", "-", "--base", tmp_path, *options, stdin=data)
    assert (piped.code, piped.out) == (0, run("replay", log, *options).out)
    small = VECTORS / "valid/every-event/log/every_event.jsonl"
    lost = run("replay", "-", "--with-subagents", stdin=small.read_bytes())
    assert (lost.code, "give --base" in lost.err) == (2, True)
    assert run("replay", "-", "--with-subagents", "--base", tmp_path, stdin=b"\n" * 9).code == 1


def test_subagents_stand_where_they_began(
    run: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert run("replay", family(tmp_path), "--with-subagents").out == snapshot


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

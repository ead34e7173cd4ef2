"""dsh logs through `validate`, `inspect` and `replay`: verdicts, both answers, what is in them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.vectors import Case, cases
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.dsh.frames import write_frame

CHECK = Draft202012Validator(SCHEMA)
LOGS = [
    c for c in cases() if c.file.suffix in (".jsonl", ".zstd") and len(c.expected["files"]) == 1
]
VERDICTS = {
    "accept": ("accept",),
    "accept-but-relational-violation": ("accept",),
    "accept-with-repair": ("accept-with-repair",),
    "reject-corrupt": ("reject",),
    "refuse-unsupported": ("unsupported",),
}


def case(name: str) -> Case:
    (found,) = cases(name=name)
    return found


def placed(case: Case, root: Path) -> Path:
    for item in case.expected["files"]:
        path = root / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(case.folder / item["file"], path)
    return root / str(case.expected["files"][0]["path"])


def entries_of(result: Result) -> list[Any]:
    report = json.loads(result.out)
    CHECK.validate(report)
    return list(report["files"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", LOGS, ids=lambda c: c.name)
def test_both_answers(case: Case, run: Run, folder: Path) -> None:
    """Whether it loads, and whether it migrates, as the real programs answered."""
    log = placed(case, folder / "root")
    for command in ("validate", "inspect"):
        result = run(command, "--output", "json", log)
        (entry,) = entries_of(result)
        assert result.code == int(entry["status"] != "valid")
        outcome = case.expected["outcome"]
        if outcome in VERDICTS:
            assert entry["original"]["verdict"] in VERDICTS[outcome]
        recorded = case.expected.get("migrate")
        if recorded:
            answers = {a["version"]: a["accepted"] for a in entry.get("migrates", [])}
            for version, accepted in answers.items():
                assert accepted == recorded[f"to{version}"]["ok"]
            assert answers or not any(answer["ok"] for answer in recorded.values())
        if command == "inspect" and "storedEventCount" in case.expected:
            assert entry["dsh"]["kept"] == case.expected["storedEventCount"]
            if outcome == "accept-with-repair":
                closers = [event["type"] for event in case.expected["closers"]]
                assert entry["dsh"]["closers"] == closers


def test_a_session_and_what_came_from_it(run: Run, folder: Path) -> None:
    for item in cases("valid", "fork-parent-child*"):
        placed(item, folder / "root")
    found = entries_of(run("inspect", "--output", "json", "root"))
    child, parent = sorted(found, key=lambda entry: entry["dsh"]["parent"] is None)
    assert child["dsh"]["parent"] == parent["overview"]["id"]
    assert parent["dsh"]["forks"] == [child["overview"]["id"]]
    assert child["dsh"]["inherited"] > 0
    text = run("inspect", "root").out
    assert f"forked from {parent['overview']['id']}" in text


def test_all_versions_of_a_session(run: Run, folder: Path) -> None:
    log = placed(case("tools-multi-turn-raw"), folder / "root")
    assert run("migrate", "--in-place", "root").code == 0
    entries = entries_of(run("inspect", "--output", "json", log.parent))
    assert [entry["version"] for entry in entries] == [0, 3]
    for entry in entries:
        assert [one["version"] for one in entry["dsh"]["generations"]] == [3, 0]
    assert "3, 0; dsh goes on with the first" in run("inspect", log).out


def test_standard_input(run: Run) -> None:
    data = case("tools-multi-turn-raw").file.read_bytes()
    (entry,) = entries_of(run("inspect", "--output", "json", "-", stdin=data))
    assert entry["dsh"]["steps"] == 7


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("tools-multi-turn-raw", "inspect"),
        ("tools-multi-turn-raw", "validate"),
        ("field-permission-preset-origin", "validate"),
        ("compaction-surface-replace", "inspect"),
        ("crash-two-started", "inspect"),
        ("two-writers-end-seed", "validate"),
    ],
)
def test_what_people_see(
    name: str, command: str, run: Run, folder: Path, snapshot: SnapshotAssertion
) -> None:
    log = case(name).file
    shutil.copy(log, folder / log.name)
    result = run(command, log.name)
    assert (result.code, result.out, result.err) == snapshot


TALKS = [
    c
    for c in LOGS
    if "derivedMessages" in c.expected
    # A call that nothing answered is left out, and an event of June 2026 stands between tags.
    and not c.name.startswith(("rel-unanswered", "seed-era-full", "seed-era-unknown", "seed-era-t"))
]


@pytest.mark.parametrize("case", TALKS, ids=lambda c: c.name)
def test_messages_are_those_of_the_next_request(case: Case, run: Run, folder: Path) -> None:
    """The texts that dsh would send stand in ``--as messages``, in their order."""
    log = placed(case, folder / "root")
    result = run("replay", "--as", "messages", "--unmasked", log)
    corrupt = "torn tail" in result.err
    assert (result.code, run("validate", log).code) == (corrupt, corrupt)
    assert ("closing events" in result.err) == bool(case.expected["closers"])
    made = json.loads(result.out)
    found = [t for m in made if m["role"] in ("user", "assistant") for t in _texts(m["content"])]
    told = {(m["tool_call_id"], *_texts(m["content"])) for m in made if m["role"] == "tool"}
    wanted, results = [], set()
    for message in case.expected["derivedMessages"]:
        wanted += [b["text"] for b in message["content"] if b["type"] == "text"]
        for block in message["content"]:
            if block["type"] == "tool-result":
                results.add((block["toolCallId"], *_texts(block["content"])))
    assert found == [text for text in wanted if text]
    assert told == results


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or [] if part.get("type") == "text"]


def test_a_compressed_log_is_replayed_like_a_plain_one(run: Run, folder: Path) -> None:
    raw, packed = case("chat-small-raw").file, case("chat-small-zstd").file
    for words in ([], ["--as", "messages"], ["--output", "json"]):
        plain, zstd = run("replay", raw, *words), run("replay", packed, *words)
        assert (
            plain.out.replace(str(raw), "X").split()[8:]
            == (zstd.out.replace(str(packed), "X").split()[8:])
        )


def test_no_excerpt_of_compressed_bytes(run: Run) -> None:
    result = run("validate", case("zstd-frame-lost").file)
    assert "seq-gap" in result.out
    assert " | " not in result.out


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        pytest.param([], [1, 2, 3], id="all"),
        pytest.param(["--from", "turn:2"], [2, 3], id="from a turn"),
        pytest.param(["--to", "turn:1"], [1], id="to a turn"),
        pytest.param(["--from", "turn:2", "--to", "turn:2"], [2], id="one turn"),
        pytest.param(["--from", "line:90"], [3], id="from a line"),
        pytest.param(["--to", "2026-08-17"], [1, 2, 3], id="to a day"),
        pytest.param(["--from", "2026-08-18"], [], id="from a time"),
    ],
)
def test_parts(words: list[str], turns: list[int], run: Run) -> None:
    log = case("tools-multi-turn-raw").file
    result = run("replay", log, *words, "--output", "json")
    assert result.code == 0
    (entry,) = entries_of(result)
    assert [turn["number"] for turn in entry["replay"]["turns"]] == turns
    text = run("replay", log, *words)
    assert [f"turn {n} " in text.out for n in (1, 2, 3)] == [n in turns for n in (1, 2, 3)]
    assert run("replay", log, *words, "--as", "messages").code == 0


def test_at_its_own_pace(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    log = case("tools-multi-turn-raw").file
    result = run("replay", log, "--speed", "2", "--idle", "0.5")
    assert result.code == 0
    assert "We open at nine." in result.out
    assert waited
    assert max(waited) <= 0.5
    assert run("replay", case("header-not-json").file, "--speed", "2").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--with-subagents"],
        ["--follow", "--with-subagents"],
        ["--follow", "--as", "messages"],
        ["--follow", "--as", "transcript"],
        ["--follow", "--output", "json"],
        ["--events", "--as", "messages"],
        ["--speed", "1", "--output", "json"],
        ["--speed", "1", "--as", "messages"],
        ["--speed", "1", "--out", "x.txt"],
    ],
)
def test_what_there_is_not_for_these_logs(words: list[str], run: Run) -> None:
    result = run("replay", case("tools-multi-turn-raw").file, *words)
    assert (result.code, result.out) == (2, "")


@pytest.mark.parametrize("name", ["chat-small-raw", "chat-small-zstd"])
def test_one_value_of_a_line(name: str, run: Run) -> None:
    log = case(name).file
    result = run("inspect", log, "--at", "1:id", "--output", "json")
    (entry,) = entries_of(result)
    assert (result.code, entry["value"]["value"]) == (0, case(name).expected["id"])
    assert run("inspect", log, "--at", "9999:id").code == 1
    assert run("inspect", log, "--at", "id").code == 1


def test_many_tools_are_counted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.cli.dsh_details._SHOWN", 1)
    assert "and 2 other tools" in run("inspect", case("tools-multi-turn-raw").file).out


def test_what_is_no_log(run: Run, folder: Path) -> None:
    (folder / "log.jsonl").write_bytes(b"{\n")
    result = run("inspect", "log.jsonl", "--format", "dsh-log", "--output", "json")
    (entry,) = entries_of(result)
    assert (result.code, "dsh" in entry, "migrates" in entry) == (1, False, False)
    assert run("inspect", "none.jsonl", "--format", "dsh-log").code == 1


def test_big_logs_are_not_migrated_to_say_so(run: Run, folder: Path) -> None:
    first, *rest = case("tools-multi-turn-raw").file.read_bytes().splitlines(keepends=True)
    filler = b'{"type":"session/title","seq":%d,"time":1,"data":{"title":"%s","messageSeqs":[],'
    filler += b'"source":{"kind":"user"}}}\n'
    text = first + b"".join(rest) + filler % (127, b"x" * (1 << 20))
    (folder / "log.jsonl").write_bytes(text)
    (entry,) = entries_of(run("validate", "log.jsonl", "--output", "json"))
    assert (entry["status"], "migrates" in entry) == ("valid", False)
    frames = write_frame(first) + write_frame(text[len(first) :])
    (folder / "log.jsonl.zstd").write_bytes(frames)
    (entry,) = entries_of(run("validate", "log.jsonl.zstd", "--output", "json"))
    assert (entry["status"], "migrates" in entry) == ("valid", False)
    (entry,) = entries_of(run("inspect", "log.jsonl", "--output", "json"))
    assert len(entry["migrates"]) == 3


@pytest.mark.parametrize("name", ["layout-both-encodings", "layout-duplicate-id"])
@pytest.mark.parametrize("command", ["validate", "inspect"])
def test_faults_of_the_layout(name: str, command: str, run: Run, folder: Path) -> None:
    chosen = case(name)
    log = placed(chosen, folder / "root")
    result = run(command, "root", "--output", "json")
    codes = [i["code"] for e in entries_of(result) for i in e["issues"]]
    assert (result.code, chosen.expected["error"]["reason"] in codes) == (1, True)
    if name == "layout-duplicate-id":
        (entry,) = entries_of(run(command, str(log), "--output", "json"))
        assert (entry["status"], entry["original"]["verdict"]) == ("corrupt", "reject")
        assert codes.count(name) == 2


def test_a_flat_log_in_a_project_folder(run: Run, folder: Path) -> None:
    log = placed(case("chat-small-raw"), folder / "root")
    flat = log.parents[1] / "x.jsonl"
    shutil.copy(log, flat)
    (entry,) = entries_of(run("validate", str(flat), "--output", "json"))
    assert entry["issues"][0]["code"] == "layout-flat-file"
    assert entry["original"] == {"verdict": "reject", "code": "Error"}
    (entry,) = entries_of(run("validate", str(log), "--output", "json"))
    assert [issue["code"] for issue in entry["issues"]] == ["layout-elsewhere"]
    assert (entry["status"], entry["original"]["verdict"]) == ("valid", "reject")
    assert "would refuse" in run("validate", str(log)).out


def test_a_root_of_two_encodings_says_the_same_everywhere(run: Run, folder: Path) -> None:
    both = case("layout-both-encodings")
    placed(both, folder / "root")
    sound = placed(case("chat-small-raw"), folder / "root")
    entries = entries_of(run("validate", "root", "--output", "json"))
    said = {Path(e["path"]).parent.name: e["original"] for e in entries}
    assert set(map(str, said.values())) == {str({"verdict": "reject", "code": "Error"})}
    assert [e["status"] for e in entries].count("corrupt") == 2
    listed = entries_of(run("store", "list", "--store", "root", "--output", "json"))
    of_one = {e["path"]: (e["status"], e["original"]) for e in entries}
    for entry in listed:
        assert (entry["status"], entry["original"]) == of_one[entry["path"]]
    (entry,) = entries_of(run("inspect", str(sound), "--output", "json"))
    assert entry["original"]["verdict"] == "reject"


def test_a_name_that_selects_another_version_is_said(run: Run, folder: Path) -> None:
    shutil.copy(case("chat-small-raw").file, "session.v3.jsonl")
    result = run("validate", "session.v3.jsonl")
    assert "the program that its place selects reads another version" in result.out
    assert "sesskit explain version-other" in result.out
    assert "this build reads" not in result.out


def test_a_type_that_is_not_known_is_not_called_an_unknown_version(run: Run, folder: Path) -> None:
    header, *_ = case("chat-small-raw").file.read_bytes().splitlines(keepends=True)
    event = b'{"type":"acme/x","seq":0,"time":1,"data":{}}\n'
    (folder / "log.jsonl").write_bytes(header + event)
    shown = run("validate", "log.jsonl")
    assert "unsupported: it holds what its program does not know" in shown.out
    assert "sesskit explain type-unknown" in shown.out
    shown = run("inspect", "log.jsonl")
    assert "does not know all that it holds" in " ".join(shown.out.split())
    assert "this version is not known here" not in shown.out


def test_a_name_that_no_program_reads_is_said(run: Run, folder: Path) -> None:
    log = placed(case("chat-small-raw"), folder / "root")
    odd = log.with_name("session.v02.jsonl")
    shutil.copy(log, odd)
    for args in (["validate", str(odd)], ["inspect", str(odd)]):
        (entry,) = entries_of(run(*args, "--output", "json"))
        assert "layout-name" in [issue["code"] for issue in entry["issues"]]
        assert (entry["status"], "original" in entry) == ("valid", False)
    assert "session.v02.jsonl" in run("store", "list", "--store", "root").out
    (entry,) = entries_of(run("validate", str(log), "--output", "json"))
    assert entry["original"] == {"verdict": "accept"}

"""`sesskit inspect`: one look at a file, one value of it, and nothing secret or harmful shown."""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from robota_vectors import BASES
from sesskit.cli.report_schema import SCHEMA

EXAMPLES = Path(__file__).parents[2] / "examples"
RECORD: dict[str, Any] = BASES["small-chat"]
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.fixture(autouse=True)
def _beside_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)


def saved(folder: Path, record: Any, name: str = "r.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"schemaVersion": 1, "record": record}))
    return path


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    Draft202012Validator(SCHEMA).validate(report)
    return list(report["files"])


@pytest.mark.parametrize(
    "name",
    [
        "healthy/release-notes",
        "healthy/night-watch",
        "damaged/wrong-shape",
        "damaged/cut-short",
        "damaged/zero-filled",
        "damaged/two-documents",
        "damaged/hand-edited",
        "legacy/budget-review",
    ],
)
def test_at_one_look(name: str, run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("inspect", f"examples/{name}.json")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert (result.code, result.err) == (int("damaged" in name), "")
    assert result.out == snapshot


def test_what_is_no_session_file(run: Run, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    os.chdir(tmp_path)
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    Path("empty.json").write_bytes(b"")
    Path("newer.json").write_text('{"schemaVersion": 2, "record": {"id": "of tomorrow"}}')
    result = run("inspect", "picture.png", "empty.json", "newer.json", "gone.json")
    assert result.code == 1
    assert result.out == snapshot


def test_as_json(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("inspect", "examples/healthy/release-notes.json", "--output", "json")
    (file,) = files_of(result.out)
    assert result.code == 0
    assert file == snapshot


def test_a_folder_is_walked(run: Run) -> None:
    result = run("inspect", "examples", "--output", "json", "--quiet")
    files = files_of(result.out)
    assert result.code == 1
    assert [f["path"] for f in files] == sorted(f["path"] for f in files)
    viewed = [f for f in files if f["format"] != "robota-history"]
    assert all(f["overview"]["space"]["bytes"] > 0 for f in viewed)
    by_path = {f["path"]: f for f in files}
    assert by_path["examples/damaged/cut-short.json"]["overview"]["whole"] is False
    assert by_path["examples/legacy/budget-review.json"]["recognition"]["sure"] == "certain"


def test_names_in_paths_are_masked_one_by_one(run: Run, tmp_path: Path) -> None:
    names = ("eyJ" + "FAKE" * 6 + ".FAKEFAKE.FAKEFAKE", "ghp_FAKEFAKEFAKE0000")
    path = saved(tmp_path, {**RECORD, **{name: [{"a": 1}] for name in names}})
    shown = run("inspect", path, "--output", "json").out
    files_of(shown)
    assert "record.[masked]" in shown
    for out in (shown, run("inspect", path).out):
        assert "FAKE" not in out


def test_usage_that_cannot_be_keeps_the_report_sound(run: Run, tmp_path: Path) -> None:
    record = copy.deepcopy(BASES["maximal"])
    for task in record["backgroundTasks"]:
        if "usage" in task.get("result", {}):
            task["result"]["usage"]["promptTokens"] = -1
    (file,) = files_of(run("inspect", saved(tmp_path, record), "--output", "json").out)
    assert (file["status"], file["overview"]["usage"]) == ("valid", None)


def test_blanks_are_as_empty_as_nothing(run: Run, tmp_path: Path) -> None:
    for content in (b"", b" \n"):
        (tmp_path / "a.json").write_bytes(content)
        (file,) = files_of(run("inspect", tmp_path / "a.json", "--output", "json").out)
        assert (file["status"], file["issues"][0]["code"]) == ("corrupt", "json-empty")


def test_standard_input(run: Run) -> None:
    data = (EXAMPLES / "healthy" / "night-watch.json").read_bytes()
    result = run("inspect", "-", "--output", "json", stdin=data)
    (file,) = files_of(result.out)
    assert (result.code, file["path"], file["overview"]["id"]) == (0, "-", "night-watch")


def test_doubled_names_are_looked_for(run: Run, tmp_path: Path) -> None:
    text = json.dumps({"schemaVersion": 1, "record": RECORD})
    path = tmp_path / "r.json"
    path.write_text(text.replace('"cwd":', '"cwd": "/x", "cwd":', 1))
    (file,) = files_of(run("inspect", path, "--output", "json").out)
    assert (file["status"], len(file["issues"])) == ("valid", 1)
    assert run("inspect", path, "--strict").code == 1


def test_a_session_of_a_store(run: Run) -> None:
    result = run("inspect", "night-watch", "--store", "examples/store", "--at", "record.id")
    assert result.code == 0
    assert "night-watch" in result.out.splitlines()[-3]
    assert run("inspect", "../x", "--store", "examples/store").code == 2


@pytest.mark.parametrize(
    "where",
    [
        "record.messages[5].content",
        "/record/messages/6",
        "record.messages[6].metadata.apiKey",
        "record.goal",
        "record.messages[-1].timestamp",
    ],
)
def test_one_value(where: str, run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("inspect", "examples/healthy/release-notes.json", "--at", where)
    assert result.code == 0
    assert result.out == snapshot


def test_one_value_as_json(run: Run) -> None:
    arguments = ("examples/healthy/release-notes.json", "--at", "record.messages[6]", "--output")
    (file,) = files_of(run("inspect", *arguments, "json").out)
    assert file["value"]["value"]["metadata"] == {"origin": "keyboard", "apiKey": "[masked]"}
    assert (file["value"]["pointer"], file["value"]["line"]) == ("/record/messages/6", 85)
    assert "overview" not in file


@pytest.mark.parametrize(
    ("where", "trouble"),
    [
        ("messages[6]", "did you mean record.messages[6]?"),
        ("record.messages[99]", "record.messages has 14 elements"),
        ("record.goal.owner", "record.goal has the members id, objective"),
        ("record.id.x", "record.id is no object or array"),
        ("/record/toolSchemas/0/parameters/x", "has the members"),
    ],
)
def test_a_path_that_leads_nowhere(where: str, trouble: str, run: Run) -> None:
    path = "examples/healthy/release-notes.json"
    result = run("inspect", path, "--at", where)
    assert result.code == 1
    assert trouble in re.sub(r"\s+", " ", result.out)
    (file,) = files_of(run("inspect", path, "--at", where, "--output", "json").out)
    assert (file["value"]["found"], trouble in file["value"]["message"]) == (False, True)
    assert run("inspect", path, "--at", where, "--exit-zero").code == 0


def test_nothing_at_all(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(b"")
    result = run("inspect", path, "--at", "record.goal")
    assert (result.code, "no value in this file" in result.out) == (1, True)


def test_an_empty_object_has_nothing(run: Run, tmp_path: Path) -> None:
    path = saved(tmp_path, {**RECORD, "goal": {}})
    assert "record.goal is an empty object" in run("inspect", path, "--at", "record.goal.id").out


def test_values_of_damaged_files_are_shown_as_far_as_they_go(run: Run) -> None:
    path = "examples/damaged/cut-short.json"
    shown = run("inspect", path, "--at", "record.messages[3].content").out
    assert 'cut off\n\n    "Yes, two, and both st\n' in shown
    (file,) = files_of(run("inspect", path, "--at", "record.messages[3]", "--output", "json").out)
    assert file["value"]["value"]["id"] == "msg-4"


LONG = "word " * 2_000


@pytest.mark.parametrize("value", [LONG, ["x"] * 500, {"k": LONG}], ids=["text", "array", "object"])
def test_long_values_are_cut_and_said_to_be(value: Any, run: Run, tmp_path: Path) -> None:
    history = [{"id": "h", "timestamp": "2026-01-01", "category": "c", "type": "t", "data": value}]
    path = saved(tmp_path, {**RECORD, "history": history})
    short = run("inspect", path, "--at", "record.history[0].data").out
    cut = re.search(r"\.\.\. ([\d,]+) more characters; --full shows all", short)
    assert cut is not None
    assert len(short.splitlines()) < 50
    whole = run("inspect", path, "--at", "record.history[0].data", "--full").out
    assert "--full" not in whole
    gone = int(cut[1].replace(",", ""))
    assert 0 < gone < sum(map(len, whole.splitlines()))


ESCAPES = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202eback \u2066 \x00 \ud800 tab\there"


def harmful(folder: Path) -> Path:
    """A record whose every text is out to harm a terminal, damaged and with hostile names."""
    message = {**RECORD["messages"][0], "content": ESCAPES, "id": ESCAPES, ESCAPES: ESCAPES}
    call = {"id": ESCAPES, "type": "function", "function": {"name": ESCAPES, "arguments": ESCAPES}}
    asking = {**RECORD["messages"][0], "role": "assistant", "toolCalls": [call]}
    record = {
        **RECORD,
        "id": ESCAPES,
        "cwd": ESCAPES,
        "name": ESCAPES,
        "messages": [message, asking, {**message, "role": ESCAPES}],
        "goal": {"status": ESCAPES},
        ESCAPES: [ESCAPES] * 3,
        "backgroundTasks": [{"status": ESCAPES, "kind": "agent", "id": ESCAPES}],
    }
    return saved(folder, record)


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize(
    "where",
    [None, "record", "record.messages[0].content", f"record.{ESCAPES}[1]", f"record.x{ESCAPES}"],
    ids=["look", "record", "text", "name", "nowhere"],
)
def test_nothing_of_the_data_reaches_the_terminal(
    where: str | None, output: str, run: Run, tmp_path: Path
) -> None:
    at = [] if where is None else ["--at", where]
    os.chdir(harmful(tmp_path).parent)
    result = run("inspect", "r.json", "--output", output, *at, "--full")
    assert result.code == 1
    assert HARMFUL.search(result.out) is None
    assert all(len(line) <= 80 for line in result.out.splitlines() if output == "text")


SECRET = "example-secret-that-opens-nothing"
KEY = "sk-example0example0example0"


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize(
    "where", [None, "record", "record.messages[0]", "record.messages[0].metadata.password"]
)
def test_nothing_secret_is_shown(where: str | None, output: str, run: Run, tmp_path: Path) -> None:
    message = {
        **RECORD["messages"][0],
        "content": f'{{"password": "{SECRET}"}} and {KEY}',
        "metadata": {"password": SECRET, "Api-Key": [SECRET]},
        "secret": {"deep": SECRET},
    }
    record = {
        **RECORD,
        "id": KEY,
        "name": f"password={SECRET}",
        "cwd": f"https://user:{SECRET}@host.example/",
        "messages": [message],
        "goal": {"status": KEY, "apiKey": SECRET},
        "history": [{"id": "h", "data": {KEY: f"Bearer {KEY}"}}],
    }
    at = [] if where is None else ["--at", where]
    result = run("inspect", saved(tmp_path, record), "--output", output, *at, "--full")
    assert result.code == 1
    shown = result.out + result.err
    assert SECRET not in shown
    assert KEY not in shown
    assert "masked" in shown


def test_not_even_the_length_of_a_secret_is_told(run: Run, tmp_path: Path) -> None:
    message = {**RECORD["messages"][0], "metadata": {"password": SECRET}}
    path = saved(tmp_path, {**RECORD, "messages": [message]})
    where = "record.messages[0].metadata.password"
    (file,) = files_of(run("inspect", path, "--at", where, "--output", "json").out)
    assert "bytes" not in file["value"]


def test_deep_values_are_shown_and_reported(run: Run, tmp_path: Path) -> None:
    text = "[" * 760 + "1" + "]" * 760
    entry = {"id": "h", "timestamp": "2026-01-01", "category": "c", "type": "t", "data": "DEEP"}
    path = saved(tmp_path, {**RECORD, "history": [entry]})
    path.write_text(path.read_text().replace('"DEEP"', text))
    for output in ("text", "json"):
        result = run("inspect", path, "--at", "record.history[0].data", "--output", output)
        assert result.code == 0
    assert json.loads(result.out)["files"][0]["value"]["text"] == text


def test_a_file_of_nothing_but_nul_bytes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "hollow.json"
    path.write_bytes(b"")
    os.truncate(path, 4 << 20)
    result = run("inspect", path)
    assert result.code == 1
    assert "NUL" in result.out
    assert "messages" not in result.out


def test_numbers_beyond_doubles_are_said_to_be(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(b'{"schemaVersion": 1, "record": {"id": [1e400, 12345678901234567890]}}')
    shown = run("inspect", path, "--at", "record.id").out
    assert "a number beyond all doubles" in shown
    assert "12345678901234567890" in shown


def test_many_states_are_summed_up(run: Run, tmp_path: Path) -> None:
    tasks = [{"status": f"s{n}"} for n in range(40)]
    shown = run("inspect", saved(tmp_path, {**RECORD, "backgroundTasks": tasks})).out
    assert re.search(r"tasks +40: 1 s0, .*1 s5,\s+34 other", shown)


def test_colour_is_for_terminals_only(run: Run) -> None:
    assert "\x1b" not in run("inspect", "examples/healthy/night-watch.json").out


def test_a_report_can_be_written_to_a_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    result = run("inspect", "examples/healthy/night-watch.json", "--out", out)
    assert (result.code, result.out) == (0, "")
    assert files_of(out.read_text())[0]["overview"]["title"] == "Night watch"
    assert run("inspect", "examples/healthy/night-watch.json", "--out", out).code == 2


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        (("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), "2026-01-01 00:00:00 UTC"),
        (("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"), "2026-01-01 00:00:00 UTC"),
        (
            ("2026-01-01T00:00:00Z", "2026-01-03T05:00:00Z"),
            "2026-01-01 00:00:00 to 2026-01-03 05:00:00 UTC (2 d 5 h)",
        ),
        (
            ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"),
            "2026-01-02 00:00:00 to 2026-01-01 00:00:00 UTC (it ends before it starts)",
        ),
        (("yesterday", "later"), None),
    ],
)
def test_time(times: tuple[str, str], shown: str | None, run: Run, tmp_path: Path) -> None:
    record = {**RECORD, "createdAt": times[0], "updatedAt": times[1], "messages": []}
    out = run("inspect", saved(tmp_path, record)).out
    found = re.search(r"time +(.*(?:\n {14}.*)?)", out)
    assert (re.sub(r"\s+", " ", found[1]) if found else None) == shown


def test_quiet_shows_files_with_issues_only(run: Run, tmp_path: Path) -> None:
    good = saved(tmp_path, RECORD)
    assert run("inspect", good, "-q").out == ""
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"{")
    shown = run("inspect", good, bad, "-q")
    assert shown.code == 1
    assert str(bad) in shown.out
    assert f"{good} " not in shown.out


@pytest.mark.parametrize("fault", [MemoryError, SystemError])
def test_an_overview_without_memory(
    run: Run, fault: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def large(session: object) -> None:
        raise fault

    monkeypatch.setattr("sesskit.cli.inspect.overview", large)
    result = run("inspect", saved(tmp_path, RECORD), "--output", "json")
    (file,) = files_of(result.out)
    assert (result.code, file["status"]) == (1, "unreadable")
    assert "not enough memory" in file["issues"][0]["message"]

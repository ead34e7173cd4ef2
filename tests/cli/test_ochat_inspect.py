"""`validate` and `inspect` on ochat snapshots: bytes at issues, values by path, nothing leaks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from ochat_builders import answered, called, file_of, said, session
from ochat_vectors import DAMAGED, INDEX, Row, data_of, name_of, raw
from sesskit.cli.report_schema import SCHEMA
from sesskit.records.ochat import encode
from sesskit.schemas.ochat_moderator import IdentitySnapshot, ModeratorState
from sesskit.schemas.ochat_values import StringValue

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKED = Draft202012Validator(SCHEMA)


@pytest.fixture(autouse=True)
def _beside_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    # When a grant ends is compared with now.
    monkeypatch.setattr("sesskit.records.ochat_inspect.time.time_ns", lambda: 1_785_000_000 * 10**9)


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    CHECKED.validate(report)
    return list(report["files"])


NAMES = [
    "coast-trip",
    "reading-list-v2",
    "garden-v3",
    "damaged/cut-short",
    "damaged/wrong-length",
    "damaged/doubled-id",
    "damaged/left-over",
]


@pytest.mark.parametrize("command", ["validate", "inspect"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_person_sees(name: str, command: str, run: Run, snapshot: SnapshotAssertion) -> None:
    result = run(command, f"examples/ochat/{name}.bin")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    damaged = name.startswith("damaged") and name != "damaged/left-over"
    assert (result.code, result.err) == (int(damaged), "")
    assert result.out == snapshot


def test_as_json(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("inspect", "examples/ochat/coast-trip.bin", "--output", "json")
    (file,) = files_of(result.out)
    assert (result.code, file) == (0, snapshot)


def test_an_issue_has_its_byte_and_no_line(run: Run) -> None:
    (file,) = files_of(
        run("validate", "examples/ochat/damaged/doubled-id.bin", "--output", "json").out
    )
    assert file["original"] == {"verdict": "reject"}
    assert [(i["path"], i["offset"]) for i in file["issues"]] == [
        ("history[3].id", 291),
        ("history[5].id", 512),
    ]
    assert all("line" not in issue and "column" not in issue for issue in file["issues"])


SHARE = [row for number, row in enumerate(DAMAGED) if number % 4 == 1]


@pytest.mark.parametrize("command", ["validate", "inspect", "replay"])
def test_damaged_snapshots_through_the_command_line(command: str, run: Run, tmp_path: Path) -> None:
    for row in SHARE:
        (tmp_path / f"{row['name']}.bin").write_bytes(data_of(row))
    names = sorted(f"{row['name']}.bin" for row in SHARE)
    paths = [tmp_path / name for name in names]
    result = run(command, *paths, "--format", "ochat-record", "--output", "json")
    rows = {f"{row['name']}.bin": row for row in SHARE}
    files = files_of(result.out)
    assert [Path(file["path"]).name for file in files] == names
    for file in files:
        row = rows[Path(file["path"]).name]
        if row["kind"] == "deep_nesting" or "quirk" in row:
            continue
        verdict = file["original"]["verdict"]
        assert (verdict == "accept") == (row["expect"] == "accept"), row["name"]
        if row["expect"] == "accept":
            assert file["status"] == "valid"
        places = [issue.get("offset") for issue in file["issues"]]
        assert None not in places
    text = run(command, *paths, "--format", "ochat-record")
    assert text.code == 1
    assert max(map(len, text.out.replace(str(tmp_path), "").splitlines())) <= 80


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_every_vector_is_valid(row: Row, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.bin"
    path.write_bytes(raw(f"{row['name']}.bin"))
    (file,) = files_of(run("inspect", path, "--output", "json").out)
    assert file["status"] == "valid"
    assert file["snapshot"]["whole"]
    assert sum(piece["bytes"] for piece in file["snapshot"]["map"]) == path.stat().st_size


@pytest.mark.parametrize(
    "where",
    [
        "tasks",
        "history[0].item.role",
        "/history/3/item/Function_call",
        "kv_store",
        "kv_store[1][1]",
        "moderator_state.identity_snapshot.current_state",
        "shell_state.approval_grants[1].scope",
        "version",
    ],
)
def test_one_value(where: str, run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("inspect", "examples/ochat/coast-trip.bin", "--at", where)
    assert result.code == 0
    assert result.out == snapshot


def test_one_value_as_json(run: Run) -> None:
    path = "examples/ochat/coast-trip.bin"
    (file,) = files_of(run("inspect", path, "--at", "tasks[1]", "--output", "json").out)
    assert file["value"] == {
        "path": "tasks[1]",
        "pointer": "/tasks/1",
        "found": True,
        "kind": "object",
        "offset": 1344,
        "bytes": 23,
        "value": {"id": "task-2", "title": "Book the hotel", "state": "In_progress"},
    }


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("tasks[9]", "tasks has 3 elements"),
        ("history[0].item.nothing", "has the members Input_message"),
        ("id.x", "id is no object or array"),
        ("nothing", "has the members version, id, prompt_file"),
    ],
)
def test_a_path_that_leads_nowhere(where: str, said: str, run: Run) -> None:
    result = run("inspect", "examples/ochat/coast-trip.bin", "--at", where)
    assert result.code == 1
    assert said in re.sub(r"\s+", " ", result.out)


def test_a_value_of_a_damaged_file(run: Run) -> None:
    path = "examples/ochat/damaged/cut-short.bin"
    assert "cut off" in run("inspect", path, "--at", "history").out
    whole = run("inspect", path, "--at", "history[1].item.content")
    assert "Plan two days at the coast" in whole.out
    cut = run("inspect", path, "--at", "history[5].item.output")
    assert "[damaged]" in cut.out


SECRET = "not-a-real-secret-0000"
TOKEN = "ghp_notarealtoken000000000000000000000"


def full_of_secrets() -> bytes:
    """A snapshot with a secret in every kind of place."""
    made = session(
        said(f"my key is {TOKEN}"),
        answered(f"password: {SECRET}"),
        called("c1"),
        name="secrets",
        kv_store=[("api_key", SECRET), ("note", f"secret={SECRET}"), (TOKEN, "x")],
    )
    state = StringValue(f"authorization: {SECRET}")
    identity = IdentitySnapshot("s", "h", state, [], False, 0, 0, [], [], [], [], None)
    history = list(made.history)
    call = replace(called("c2"), arguments=json.dumps({"password": f"{SECRET} {SECRET}"}))
    history[2] = replace(history[2], item=call)
    return encode(
        replace(made, history=history, moderator_state=ModeratorState(None, identity, []))
    )


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("validate",),
        ("inspect",),
        ("inspect", "--at", ""),
        ("inspect", "--at", "kv_store"),
        ("inspect", "--at", "kv_store[0][1]"),
        ("inspect", "--at", "history[0].item", "--full"),
        ("inspect", "--at", "history[2].item.arguments"),
        ("inspect", "--at", "moderator_state.identity_snapshot.current_state.String"),
        ("replay", "--full"),
        ("replay",),
        ("migrate", "--dry-run"),
        ("reset", "--dry-run"),
    ],
    ids=" ".join,
)
def test_nothing_secret_is_shown(
    arguments: tuple[str, ...], output: str, run: Run, tmp_path: Path
) -> None:
    data = full_of_secrets()
    command, *rest = arguments
    for number, at in enumerate((len(data), 60, 90, 140, 200)):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(data[:at] + b"\xfe" + data[at + 1 :])
        if command == "reset" and number:
            continue
        result = (
            run(command, path, *rest, "--format", "ochat-record", "--output", output)
            if (command != "reset")
            else run(command, path, *rest, "--output", output)
        )
        assert result.code in (0, 1)
        assert SECRET not in result.out + result.err
        assert TOKEN not in result.out + result.err


def test_a_harmful_snapshot_cannot_take_over_a_terminal(run: Run, tmp_path: Path) -> None:
    harm = "\x1b[31mred\x1b]0;title\x07\u202e\x9b"
    path = tmp_path / "snapshot.bin"
    made = session(said(harm), answered(harm), kv_store=[(harm, harm)])
    path.write_bytes(encode(replace(made, prompt_file=harm, local_prompt_copy=harm)))
    harmful = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
    for command in (
        ("inspect", path),
        ("inspect", path, "--at", ""),
        ("inspect", path, "--output", "json"),
        ("replay", path),
        ("replay", path, "--as", "messages"),
        ("migrate", path, "--dry-run"),
    ):
        result = run(*command)
        assert result.code == 0
        assert harmful.search(result.out + result.err) is None, command


def test_what_is_not_utf8(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.bin"
    path.write_bytes(file_of(said(), name="demo", kv_store=[(b"\xff", b"\xfe")]))
    (file,) = files_of(run("inspect", path, "--output", "json").out)
    assert file["snapshot"]["keys"] == ["\ufffd"]
    value = run("inspect", path, "--at", "kv_store[0]").out
    assert '"$bytes_b64": "/w=="' in value


def test_standard_input(run: Run) -> None:
    data = (EXAMPLES / "ochat" / "coast-trip.bin").read_bytes()
    result = run("inspect", "-", "--output", "json", stdin=data)
    assert files_of(result.out)[0]["snapshot"]["tasks"] == {
        "Done": 1,
        "In_progress": 1,
        "Pending": 1,
    }
    bad = data[:300]
    assert "--> - (byte" in run("validate", "-", stdin=bad).out


def test_a_store_of_snapshots(run: Run) -> None:
    store = ("--store", "examples/ochat/store")
    assert run("inspect", "coast-trip", *store).code == 0
    result = run("validate", *store, "--output", "json")
    assert [Path(f["path"]).parent.name for f in files_of(result.out)] == [
        "choir",
        "coast-trip",
        "reading-list",
    ]
    assert run("inspect", "../x", *store).code == 2
    (gone,) = files_of(run("inspect", "gone", *store, "--output", "json").out)
    assert gone["status"] == "missing"

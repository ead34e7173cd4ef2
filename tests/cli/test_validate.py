"""`sesskit validate` with real files: what is checked, what is said, how it exits."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from robota_vectors import BASES, VALID
from sesskit.cli.report_schema import SCHEMA

BARE: dict[str, Any] = BASES["small-chat"]
RECORD = {"schemaVersion": 1, "record": BARE}


def text(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


FILES = {
    "good.json": text(RECORD),
    "bad.json": text({"schemaVersion": 1, "record": {**BARE, "goal": None, "surplus": 1}}),
    "cut.json": text(RECORD)[:400],
    "bare.json": text(BARE),
    "newer.json": text({"schemaVersion": 2, "record": {}}),
    "zoneless.json": text(
        {"schemaVersion": 1, "record": {**BARE, "createdAt": "2026-03-04T09:00"}}
    ),
    "doubled.json": text(RECORD).replace(b'"record":', b'"record": 0, "record":'),
    "empty.json": b"",
    "nul.json": b"\0" * 5000,
    "hole.json": b"",
    "other.json": b'{"name": "other"}',
    "image.png": b"\x89PNG\r\n\x1a\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """All of FILES, a folder that cannot be told from them, and things that are no files."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    os.truncate(tmp_path / "hole.json", 8 << 20)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    for name in ("good.json", "empty.json", "other.json", "image.png"):
        (tmp_path / "folder" / name).write_bytes(FILES[name])
    (tmp_path / "folder" / "deep" / "bare.json").write_bytes(FILES["bare.json"])
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling.json").symlink_to("nowhere")
    (tmp_path / "circle.json").symlink_to("circle.json")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("socket")
        yield tmp_path


def reported(result: Result) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(result.out)
    assert list(Draft202012Validator(SCHEMA).iter_errors(shown)) == []
    return shown


TABLE = [
    ("good.json", 0, "valid", "robota-record"),
    ("bad.json", 1, "corrupt", "robota-record"),
    ("cut.json", 1, "corrupt", "robota-record"),
    ("bare.json", 0, "valid", "robota-record-bare"),
    ("newer.json", 1, "unsupported", "robota-record"),
    ("zoneless.json", 0, "valid", "robota-record"),
    ("zoneless.json --strict", 1, "valid", "robota-record"),
    ("zoneless.json --fail-on info", 1, "valid", "robota-record"),
    ("zoneless.json --strict --ignore instant-zoneless", 0, "valid", "robota-record"),
    ("doubled.json", 0, "valid", "robota-record"),
    ("doubled.json --strict", 1, "valid", "robota-record"),
    ("empty.json", 1, "corrupt", "robota-record"),
    ("nul.json", 1, "corrupt", "robota-record"),
    ("hole.json", 1, "corrupt", "robota-record"),
    ("other.json", 1, "unrecognized", None),
    ("image.png", 1, "unrecognized", None),
    ("other.json --format robota-record", 1, "unsupported", "robota-record"),
    ("other.json --format robota-record-bare", 1, "corrupt", "robota-record-bare"),
    ("bare.json --format robota-record", 1, "unsupported", "robota-record"),
    ("image.png --format robota-record", 1, "corrupt", "robota-record"),
    ("absent.json", 1, "missing", None),
    ("EMPTY", 1, "missing", None),
    ("dangling.json", 1, "missing", None),
    ("circle.json", 1, "unreadable", None),
    ("pipe", 1, "unreadable", None),
    ("socket", 1, "unreadable", None),
    ("/dev/null", 1, "unreadable", None),
    ("bad.json --exit-zero", 0, "corrupt", "robota-record"),
    ("absent.json --exit-zero", 0, "missing", None),
    ("--store . good", 0, "valid", "robota-record"),
    ("--store . absent", 1, "missing", "robota-record"),
    ("--store . bare", 1, "unsupported", "robota-record"),
    ("--store . empty", 1, "corrupt", "robota-record"),
]


@pytest.mark.parametrize(("line", "code", "status", "name"), TABLE, ids=[row[0] for row in TABLE])
def test_one_file(run: Run, line: str, code: int, status: str, name: str | None) -> None:
    result = run(
        "validate", "--output", "json", *(word.replace("EMPTY", "") for word in line.split())
    )
    (file,) = reported(result)["files"]
    assert (result.code, file["status"], file.get("format")) == (code, status, name)
    assert ("holds no session" in result.err) == ("--store . absent" in line)
    assert (status in ("valid", "unsupported")) or file["issues"]


@pytest.mark.parametrize("name", ["bad.json", "cut.json", "hole.json", "newer.json", "folder"])
def test_text(run: Run, name: str, snapshot: SnapshotAssertion) -> None:
    result = run("validate", name)
    assert (result.code, result.out, result.err) == snapshot


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_standard_input(run: Run, path: Path) -> None:
    result = run("validate", "-", "--output", "json", stdin=path.read_bytes())
    (file,) = reported(result)["files"]
    assert (result.code, file["path"], file["format"]) == (0, "-", "robota-record-bare")


def test_damage_on_standard_input_has_an_excerpt(run: Run) -> None:
    result = run("validate", "-", stdin=FILES["bad.json"])
    assert result.code == 1
    assert '"goal": null' in result.out
    assert run("validate", "-").code == 1


def test_a_folder(run: Run) -> None:
    result = run("validate", "folder", "--output", "json")
    shown = reported(result)
    assert [(f["path"], f["status"]) for f in shown["files"]] == [
        ("folder/deep/bare.json", "valid"),
        ("folder/empty.json", "corrupt"),
        ("folder/good.json", "valid"),
    ]
    assert (shown["summary"]["skipped"], result.code) == (2, 1)


def test_with_a_format_every_file_of_a_folder_is_taken(run: Run) -> None:
    shown = reported(run("validate", "folder", "--format", "robota-record", "--output", "json"))
    assert (len(shown["files"]), shown["summary"]["skipped"]) == (5, 0)


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_folder_with_nothing_to_check(run: Run, output: str) -> None:
    result = run("validate", "nothing", "--output", output)
    assert (result.code, result.err) == (2, "sesskit: no session files in nothing\n")
    assert (result.out == "") is (output == "text")


def test_a_folder_with_other_files_only(run: Run, files: Path) -> None:
    (files / "nothing" / "a.txt").touch()
    result = run("validate", "good.json", "nothing", "bad.json")
    assert result.code == 1
    assert result.err == (
        "sesskit: no session files in nothing; 1 file was skipped, --format NAME takes every file\n"
    )
    assert run("validate", "good.json", "nothing").code == 2


def test_a_folder_that_cannot_be_listed(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(os, "scandir", refuse)
    result = run("validate", "nothing")
    assert result.code == 1
    assert "unreadable: there is no permission to use it" in result.out


def test_order_is_as_given_and_one_file_never_hides_the_next(run: Run) -> None:
    names = ["pipe", "good.json", "absent.json", "bad.json", "folder", "good.json"]
    shown = reported(run("validate", *names, "--output", "json", "--jobs", 3))
    paths = [file["path"] for file in shown["files"]]
    inside = [f"folder/{name}.json" for name in ("deep/bare", "empty", "good")]
    assert paths == [*names[:4], *inside, "good.json"]


def test_a_whole_store(run: Run, files: Path) -> None:
    (files / "bad name.json").touch()
    shown = reported(run("validate", "--store", ".", "--output", "json"))
    names = sorted(name for name in FILES if name.endswith(".json"))
    others = ["bad name.json", "circle.json", "dangling.json"]
    assert [file["path"] for file in shown["files"]] == sorted([*names, *others])
    assert shown["files"][0]["status"] == "unreadable"
    assert run("validate", "--store", "no-such-folder").code == 2
    assert run("validate", "--store", "good.json").err == (
        "sesskit: --store good.json cannot be read: a part of its path is not a folder\n"
    )


def test_zone(run: Run) -> None:
    for zone in ("UTC", "z", "+09:00", "-0330"):
        assert run("validate", "zoneless.json", "--zone", zone).code == 0


def test_out(run: Run, files: Path) -> None:
    result = run("validate", "bad.json", "--out", "report.txt")
    assert (result.code, result.out, result.err) == (1, "", "")
    assert "bad.json" in (files / "report.txt").read_text()
    assert (files / "report.txt").stat().st_mode & 0o777 == 0o600
    again = run("validate", "good.json", "--out", "report.txt")
    assert (again.code, again.err) == (
        2,
        "sesskit: there is report.txt already; --force replaces it\n",
    )
    assert "bad.json" in (files / "report.txt").read_text()
    assert run("validate", "good.json", "--out", "report.txt", "--force").code == 0
    assert "good.json" in (files / "report.txt").read_text()


def test_out_is_json_where_it_is_called_so(run: Run, files: Path) -> None:
    run("validate", "good.json", "--out", "report.json")
    assert json.loads((files / "report.json").read_bytes())["report"] == "sesskit/1"
    run("validate", "good.json", "--out", "really.json", "--output", "text")
    assert (files / "really.json").read_text().startswith("good.json")


def test_out_never_replaces_what_is_checked(run: Run, files: Path) -> None:
    result = run("validate", "good.json", "--out", "./good.json", "--force")
    assert result.code == 2
    assert "it would be replaced" in result.err
    assert (files / "good.json").read_bytes() == FILES["good.json"]


def test_out_that_came_meanwhile_is_not_replaced(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sesskit.cli.options.refuse_existing", lambda *_, **__: None)
    result = run("validate", "good.json", "--out", "bad.json")
    assert (result.code, result.err) == (
        2,
        "sesskit: there is bad.json already; --force replaces it\n",
    )


def test_names_of_any_bytes(run: Run, files: Path) -> None:
    path = os.fsdecode(os.fsencode(files) + b"/\xff\x1b[31m.json")
    Path(path).write_bytes(FILES["bad.json"])
    result = run("validate", path)
    assert result.code == 1
    assert "\x1b" not in result.out
    (file,) = reported(run("validate", path, "--output", "json"))["files"]
    assert file["path"] == path


def test_ignored_errors_are_hidden_and_the_file_still_fails(run: Run) -> None:
    result = run("validate", "bad.json", "--ignore", "type", "--ignore", "member-unknown")
    assert result.code == 1
    assert "error[" not in result.out
    assert "corrupt: 2 ignored" in result.out


def test_a_missing_file_fails_whatever_is_ignored(run: Run) -> None:
    assert run("validate", "nowhere.json", "--ignore", "missing").code == 1


def test_quiet(run: Run) -> None:
    assert run("validate", "good.json", "-q").out == ""
    assert run("validate", "good.json", "bad.json", "-q").out.startswith("bad.json")


def test_no_secret_is_shown(run: Run, files: Path) -> None:
    message = {"id": "m", "role": "user", "password": "hunter2", "content": ["hunter2"]}
    (files / "secret.json").write_bytes(
        text({"schemaVersion": 1, "record": {**BARE, "messages": [message]}})
    )
    for output in ("text", "json"):
        assert "hunter2" not in run("validate", "secret.json", "--output", output).out


LOGS = Path(__file__).parents[1] / "data/robota-log/vectors/valid"


def test_what_helps_with_logs(run: Run, tmp_path: Path) -> None:
    (log,) = (LOGS / "chat-small/log").glob("*.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    old = tmp_path / "old.jsonl"
    old.write_bytes(b"".join(lines).replace(b'"schemaVersion":1,', b""))
    assert f"sesskit migrate --dry-run {old}" in run("validate", old).out.replace("\n", "")
    glued = tmp_path / "glued.jsonl"
    glued.write_bytes(lines[0].rstrip() + b"".join(lines[1:]))
    assert "two lines were glued" in " ".join(run("validate", glued).out.split())


def test_sidecars_of_standard_input_are_not_looked_at(run: Run) -> None:
    spilled = (LOGS / "spill-default/log/spill-default.jsonl").read_bytes()
    result = run("validate", "-", stdin=spilled)
    assert (result.code, "sesskit verify --base DIR -" in result.err) == (0, True)
    assert run("validate", "-", "--quiet", stdin=spilled).err == ""
    (small,) = (LOGS / "chat-small/log").glob("*.jsonl")
    assert run("validate", "-", stdin=small.read_bytes()).err == ""

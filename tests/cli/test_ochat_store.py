"""`sesskit store` on a store of ochat snapshots; `export` and `import` there and back."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from ochat_builders import said, session
from ochat_vectors import INDEX, Row, name_of, raw
from sesskit.cli.report_schema import SCHEMA
from sesskit.records.ochat import decode, encode
from sesskit.records.ochat_session import store_id_for
from sesskit.records.ochat_store import OchatStore, Saved
from sesskit.schemas.outcomes import Valid

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKED = Draft202012Validator(SCHEMA)
DAY = 1_780_000_000
STORE = ("--store", "store")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a copy of the example store, its files a day apart."""
    shutil.copytree(EXAMPLES / "ochat" / "store", tmp_path / "store")
    for number, path in enumerate(sorted(tmp_path.rglob("snapshot.bin"))):
        os.utime(path, (DAY + number * 86_400,) * 2)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    CHECKED.validate(report)
    return list(report["files"])


def everything(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_list(run: Run, folder: Path, snapshot: SnapshotAssertion) -> None:
    result = run("store", "list", *STORE)
    assert (result.code, result.err) == (0, "")
    assert result.out == snapshot
    home = folder / "store" / "torn"
    home.mkdir()
    (home / "snapshot.bin").write_bytes(b"torn")
    (folder / "store" / "notes").mkdir()
    (file, *_) = files_of(run("store", "list", *STORE, "--output", "json").out)
    assert (file["id"], file["status"], file["recordId"]) == ("torn", "corrupt", None)
    assert run("store", "list", *STORE).code == 1


def test_a_copied_folder_is_told(run: Run) -> None:
    shutil.copytree("store/choir", "store/choir-2")
    assert "the record inside is choir" in run("store", "list", *STORE).out


def test_show(run: Run) -> None:
    result = run("store", "show", "coast-trip", *STORE)
    assert (result.code, "2 active" in result.out) == (0, True)
    value = run("store", "show", "coast-trip", *STORE, "--at", "tasks[0].title")
    assert "Choose the train" in value.out
    assert run("store", "show", "gone", *STORE).code == 1


def test_create(run: Run, snapshot: SnapshotAssertion) -> None:
    Path("agent.chatmd").write_text("You help.")
    result = run("store", "create", "--store", "new", "--prompt-file", "agent.chatmd")
    assert (result.code, result.err) == (0, "")
    assert result.out == snapshot
    name = store_id_for("agent.chatmd")
    path = Path("new") / name / "snapshot.bin"
    outcome = decode(path.read_bytes())
    assert isinstance(outcome, Valid)
    assert outcome.value.session.prompt_file == "agent.chatmd"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    again = run("store", "create", "--store", "new", "--prompt-file", "agent.chatmd")
    assert (again.code, "has this session already" in again.out) == (1, True)


def test_create_with_an_id(run: Run) -> None:
    result = run(
        "store", "create", *STORE, "--prompt-file", "x", "--id", "mine", "--output", "json"
    )
    (file,) = files_of(result.out)
    assert file["stored"] == {"id": "mine", "path": "store/mine/snapshot.bin", "refused": None}
    assert "its path was recorded as it is" in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--store", "robota", "--prompt-file", "x"), "makes no sessions"),
        (("--store", "new"), "--prompt-file"),
        (("--store", "new", "--prompt-file", "x", "--id", "../x"), "not a session id"),
        (("--store", "new", "--prompt-file", "x", "--format", "none"), "there is no store of none"),
        (
            ("--store", "new", "--prompt-file", "x", "--format", "robota-record"),
            "makes no sessions",
        ),
    ],
)
def test_bad_usage_of_create(arguments: tuple[str, ...], said: str, run: Run) -> None:
    shutil.copytree(EXAMPLES / "store", "robota")
    result = run("store", "create", *arguments)
    assert (result.code, result.out, Path("new").exists()) == (2, "", False)
    assert said in result.err


def test_put(run: Run, snapshot: SnapshotAssertion) -> None:
    names = ("coast-trip.bin", "reading-list-v2.bin", "damaged/cut-short.bin")
    paths = [shutil.copy(EXAMPLES / "ochat" / name, Path(name).name) for name in names]
    paths.append(shutil.copy(EXAMPLES / "healthy" / "night-watch.json", "robota.json"))
    result = run("store", "put", *paths, "--store", "new")
    assert result.code == 1
    assert result.out == snapshot
    assert sorted(everything(Path("new"))) == ["coast-trip/snapshot.bin"]


def other(name: str = "choir", **members: Any) -> Path:
    path = Path(f"{name}.bin")
    path.write_bytes(encode(session(said("another"), name=name, **members)))
    return path


def test_put_replaces_a_session_only_by_force(run: Run, folder: Path) -> None:
    path, before = other(), everything(folder / "store")
    refused = run("store", "put", path, *STORE)
    assert (refused.code, everything(folder / "store")) == (1, before)
    assert "--force replaces it" in refused.out
    assert run("store", "put", path, *STORE, "--force").code == 0
    assert Path("store/choir/snapshot.bin").read_bytes() == path.read_bytes()
    same = run("store", "put", path, *STORE)
    assert (same.code, "holds the same already" in same.out) == (0, True)


def test_put_archives_an_old_version_and_leaves_a_damaged_one(run: Run) -> None:
    old = Path("store/reading-list/snapshot.bin").read_bytes()
    assert run("store", "put", other("reading-list"), *STORE, "--force").code == 0
    (kept,) = Path("store/reading-list/archive").iterdir()
    assert kept.read_bytes() == old
    Path("store/choir/snapshot.bin").write_bytes(b"torn")
    result = run("store", "put", other("choir"), *STORE, "--force")
    assert (result.code, "left as it is" in result.out) == (1, True)
    assert Path("store/choir/snapshot.bin").read_bytes() == b"torn"


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 300])
def test_put_of_an_id_that_names_no_folder(name: str, run: Run) -> None:
    path = Path("bad.bin")
    path.write_bytes(encode(session(said(), name=name)))
    result = run("store", "put", path, *STORE)
    assert (result.code, "cannot name a folder" in result.out) == (1, True)


def test_put_where_it_changed_meanwhile(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OchatStore, "save", lambda *_, **__: Saved(False, Valid(None), "changed"))
    result = run("store", "put", other("new-one"), *STORE)
    assert (result.code, "it was changed while it was read" in result.out) == (1, True)


def test_delete(run: Run, folder: Path) -> None:
    home = folder / "store" / "choir"
    (home / "archive").mkdir()
    (home / "archive" / "20260102-0304.snapshot.bin").write_bytes(b"old")
    (home / "prompt.chatmd").write_text("Hello")
    (home / ".chatmd").mkdir()
    (home / ".chatmd" / "cache.bin").write_bytes(b"c")
    result = run("store", "delete", "choir", *STORE, "--yes")
    assert (result.code, result.out) == (0, "deleted choir\n")
    assert not home.exists()
    gone = run("store", "delete", "choir", *STORE, "--yes")
    assert (gone.code, "there is no session choir" in gone.err) == (1, True)


def test_delete_leaves_what_is_not_of_the_session(run: Run, folder: Path) -> None:
    home = folder / "store" / "choir"
    (home / "archive").mkdir()
    (home / "archive" / "mine.txt").write_text("keep")
    (home / "notes.txt").write_text("keep")
    assert run("store", "delete", "choir", *STORE, "--yes").code == 0
    assert sorted(everything(home)) == ["archive/mine.txt", "notes.txt"]


def test_delete_follows_no_link_out_of_the_session(run: Run, folder: Path) -> None:
    home, away = folder / "store" / "choir", folder / "away"
    away.mkdir()
    (away / "20260102-0304.snapshot.bin").write_bytes(b"of another")
    (home / "archive").symlink_to(away)
    (home / ".chatmd").symlink_to(away)
    assert run("store", "delete", "choir", *STORE, "--yes").code == 0
    assert (away / "20260102-0304.snapshot.bin").exists()


def test_delete_asks_and_checks_ids(run: Run) -> None:
    assert run("store", "delete", "choir", *STORE).code == 2
    assert run("store", "delete", "../x", *STORE, "--yes").code == 2
    assert Path("store/choir/snapshot.bin").exists()


def test_tasks(run: Run, snapshot: SnapshotAssertion) -> None:
    listed = run("store", "tasks", "list", "coast-trip", *STORE)
    assert listed.code == 0
    assert listed.out == snapshot(name="list")
    added = run("store", "tasks", "add", "coast-trip", "Write cards", *STORE, "--task-id", "t4")
    assert added.code == 0
    assert added.out == snapshot(name="add")
    started = run("store", "tasks", "start", "coast-trip", "t4", *STORE, "--output", "json")
    (file,) = files_of(started.out)
    assert file["task"] == {"id": "t4", "title": "Write cards", "state": "In_progress"}
    assert run("store", "tasks", "done", "coast-trip", "t4", *STORE).code == 0
    (file,) = files_of(run("store", "tasks", "list", "coast-trip", *STORE, "--output", "json").out)
    assert [task["state"] for task in file["tasks"]] == ["Done", "In_progress", "Pending", "Done"]


def test_a_new_task_gets_an_id(run: Run) -> None:
    result = run("store", "tasks", "add", "choir", "Sing", *STORE, "--output", "json")
    (file,) = files_of(result.out)
    assert len(file["task"]["id"]) == 32
    assert file["task"]["state"] == "Pending"


def test_tasks_of_an_old_version_upgrade_it_and_keep_the_old_one(run: Run) -> None:
    old = Path("store/reading-list/snapshot.bin").read_bytes()
    result = run("store", "tasks", "done", "reading-list", "task-1", *STORE)
    assert (result.code, "the old version is" in result.out) == (0, True)
    (kept,) = Path("store/reading-list/archive").iterdir()
    assert kept.read_bytes() == old


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("done", "coast-trip", "none"), 1, "there is no such task"),
        (("add", "coast-trip", "Again", "--task-id", "task-1"), 1, "a task with this id already"),
        (("list", "gone"), 1, "missing"),
        (("add", "gone", "x"), 1, "missing"),
        (("list", "../x"), 2, "not a session id"),
        (("add", "choir", "\udcff"), 2, "this cannot be a task"),
    ],
)
def test_tasks_that_cannot_be(
    arguments: tuple[str, ...], code: int, said: str, run: Run, folder: Path
) -> None:
    before = everything(folder)
    result = run("store", "tasks", *arguments, *STORE)
    assert (result.code, everything(folder)) == (code, before)
    assert said in result.out + result.err


def test_tasks_of_another_kind_of_store(run: Run) -> None:
    result = run("store", "tasks", "list", "night-watch", "--store", EXAMPLES / "store")
    assert (result.code, "tasks are of ochat-record only" in result.err) == (2, True)


def test_tasks_of_a_session_that_cannot_be_upgraded(run: Run, folder: Path) -> None:
    home = folder / "store" / "garden"
    home.mkdir()
    shutil.copy(EXAMPLES / "ochat" / "garden-v3.bin", home / "snapshot.bin")
    result = run("store", "tasks", "add", "garden", "Dig", *STORE)
    assert (result.code, "nothing was written" in result.out) == (1, True)


def test_a_store_of_two_kinds(run: Run, folder: Path) -> None:
    shutil.copy(EXAMPLES / "healthy" / "night-watch.json", "store/night-watch.json")
    both = run("store", "list", *STORE)
    assert (both.code, "holds sessions of two kinds" in both.err) == (2, True)
    ochat = run("store", "list", *STORE, "--format", "ochat-record")
    assert (ochat.code, "3 sessions" in ochat.out) == (0, True)
    robota = run("store", "list", *STORE, "--format", "robota-record")
    assert (robota.code, "1 session" in robota.out) == (0, True)
    shown = run("inspect", "coast-trip", *STORE, "--format", "ochat-record")
    assert shown.code == 0


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_export_and_import_lose_nothing(row: Row, run: Run) -> None:
    data = raw(f"{row['name']}.bin")
    Path("old.bin").write_bytes(data)
    assert run("export", "old.bin", "--out", "a.json", "--quiet").code == 0
    assert run("import", "a.json", "--out", "new.bin", "--quiet").code == 0
    assert Path("new.bin").read_bytes() == data
    again = run("export", "new.bin", "--out", "b.json", "--quiet")
    assert again.code == 0
    assert Path("b.json").read_bytes() == Path("a.json").read_bytes()


def test_export_says_what_it_wrote(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("export", "coast-trip", *STORE, "--out", "a.json")
    assert result.code == 0
    assert result.out == snapshot
    assert json.loads(Path("a.json").read_bytes())["id"] == "coast-trip"
    assert Path("a.json").stat().st_mode & 0o777 == 0o600


def test_import_into_a_store(run: Run) -> None:
    run("export", "coast-trip", *STORE, "--out", "a.json")
    result = run("import", "a.json", "--store", "new")
    assert result.code == 0
    assert Path("new/coast-trip/snapshot.bin").read_bytes() == (
        Path("store/coast-trip/snapshot.bin").read_bytes()
    )
    run("export", "reading-list", *STORE, "--out", "old.json")
    old = run("import", "old.json", "--store", "new")
    assert (old.code, "sesskit migrate --to 5 makes it" in old.out) == (1, True)
    wrong = run("import", "a.json", "--store", EXAMPLES / "store")
    assert (wrong.code, "holds robota-record, this is of ochat-record" in wrong.err) == (2, True)


def test_import_from_standard_input_and_by_format(run: Run) -> None:
    run("export", "choir", *STORE, "--out", "a.json")
    record = json.loads(Path("a.json").read_bytes())
    mixed = json.dumps(dict(reversed(record.items()))).encode()
    result = run("import", "-", "--out", "b.bin", "--format", "ochat-record", stdin=mixed)
    assert result.code == 0
    assert Path("b.bin").read_bytes() == Path("store/choir/snapshot.bin").read_bytes()
    bad = run("import", "-", "--out", "c.bin", "--format", "robota-log", stdin=mixed)
    assert (bad.code, "there are artifacts of" in bad.err) == (2, True)


def test_every_fault_of_neutral_json_is_located(run: Run, snapshot: SnapshotAssertion) -> None:
    run("export", "coast-trip", *STORE, "--out", "a.json")
    text = Path("a.json").read_text()
    text = text.replace('"state": "Done"', '"state": "Over"').replace(
        '"version": 5,', '"version": 5, "x": 1,'
    )
    Path("bad.json").write_text(text.replace('"vfs_root": "vfs"', '"vfs_root": null'))
    result = run("import", "bad.json", "--out", "new.bin")
    assert (result.code, Path("new.bin").exists()) == (1, False)
    assert result.out == snapshot


@pytest.mark.parametrize("where", [("--out", "new.bin"), ("--store", "new")])
def test_a_snapshot_itself_is_no_artifact(where: tuple[str, str], run: Run) -> None:
    result = run("import", "store/choir/snapshot.bin", *where)
    assert (result.code, "a session file itself, no artifact" in result.out) == (1, True)
    assert not Path(where[1]).exists()


@pytest.mark.parametrize("name", ["damaged/cut-short", "damaged/doubled-id"])
def test_only_valid_snapshots_are_exported(name: str, run: Run) -> None:
    result = run("export", EXAMPLES / "ochat" / f"{name}.bin", "--out", "a.json")
    assert (result.code, "only a valid record is exported" in result.out) == (1, True)
    assert not Path("a.json").exists()

"""`sesskit store`: list, show, put and delete, and what each of them refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from robota_vectors import BASES
from sesskit.cli.report_schema import SCHEMA

EXAMPLES = Path(__file__).parents[2] / "examples"
HEALTHY = EXAMPLES / "healthy"
NIGHT = HEALTHY / "night-watch.json"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example store, named ``store`` in the working folder."""
    shutil.copytree(EXAMPLES / "store", tmp_path / "store")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store"


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    Draft202012Validator(SCHEMA).validate(report)
    return list(report["files"])


def test_list(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("store", "list", "--store", "store")
    assert (result.code, result.err) == (1, "")
    assert result.out == snapshot
    assert run("store", "list", "--store", "store", "--exit-zero").code == 0


def test_list_as_json(run: Run) -> None:
    files = files_of(run("store", "list", "--store", "store", "--output", "json").out)
    assert [(f["id"], f["updated"], f["status"]) for f in files] == [
        ("night-watch", "2026-06-02T05:30:00.250Z", "valid"),
        ("release-notes-2.4", "2026-05-11T09:02:47.903Z", "valid"),
        ("budget-review", None, "unsupported"),
        ("train-times", None, "corrupt"),
    ]
    assert [f["recordId"] for f in files[:3]] == ["night-watch", "release-notes-2.4", None]


def test_list_tells_what_is_odd(run: Run, store: Path, snapshot: SnapshotAssertion) -> None:
    for path in store.iterdir():
        path.unlink()
    shutil.copy(NIGHT, store / "other-name.json")
    (store / "newer.json").write_text('{"schemaVersion": 7, "record": {}}')
    (store / "a folder.json").mkdir()
    (store / "-\x1b[31m.json").write_text("{}")
    (store / "no-session.txt").write_text("")
    result = run("store", "list", "--store", "store")
    assert result.code == 1
    assert result.out == snapshot


def test_list_of_an_empty_store(run: Run, store: Path) -> None:
    for path in store.iterdir():
        path.unlink()
    result = run("store", "list", "--store", "store")
    assert (result.code, result.out) == (0, "0 sessions in store.\n")


@pytest.mark.parametrize(
    ("place", "said"), [("gone", "there is no folder gone"), ("file", "cannot be read")]
)
def test_what_is_no_store(place: str, said: str, run: Run) -> None:
    Path("file").write_text("")
    result = run("store", "list", "--store", place)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_show(run: Run) -> None:
    result = run("store", "show", "night-watch", "--store", "store")
    assert result.code == 0
    assert "loops       2: 1 waiting, 1 expired" in result.out
    value = run("store", "show", "night-watch", "--store", "store", "--at", "record.name").out
    assert "Night watch" in value


@pytest.mark.parametrize(
    ("session_id", "code"), [("train-times", 1), ("budget-review", 1), ("gone", 1), ("../up", 2)]
)
def test_show_what_is_not_valid(session_id: str, code: int, run: Run) -> None:
    assert run("store", "show", session_id, "--store", "store").code == code


def test_put(run: Run, store: Path, snapshot: SnapshotAssertion) -> None:
    shutil.copytree(EXAMPLES, "examples")
    names = ("healthy/night-watch", "legacy/budget-review", "damaged/cut-short")
    before = content(store)
    (store / "night-watch.json").unlink()
    result = run("store", "put", *(f"examples/{name}.json" for name in names), "--store", "store")
    assert result.code == 1
    assert result.out == snapshot
    assert content(store) == before
    assert (store / "night-watch.json").stat().st_mode & 0o777 == 0o600


def test_put_makes_the_store_and_takes_a_folder(run: Run) -> None:
    result = run("store", "put", HEALTHY, "--store", "new", "--output", "json")
    assert result.code == 0
    assert [f["stored"]["id"] for f in files_of(result.out)] == ["night-watch", "release-notes-2.4"]
    assert sorted(content(Path("new"))) == ["night-watch.json", "release-notes-2.4.json"]
    assert Path("new").stat().st_mode & 0o777 == 0o700


def test_put_from_standard_input_in_canonical_form(run: Run) -> None:
    record = {"schemaVersion": 1, "record": BASES["small-chat"]}
    result = run("store", "put", "-", "--store", "new", stdin=json.dumps(record).encode())
    assert result.code == 0
    (data,) = content(Path("new")).values()
    assert data.startswith(b'{\n  "schemaVersion": 1,\n  "record": {\n    "id": ')


def changed(path: Path, **members: Any) -> Path:
    """A copy of a record with other members, in the working folder."""
    value = json.loads(path.read_bytes())
    value["record"].update(members)
    copy = Path("changed.json")
    copy.write_text(json.dumps(value))
    return copy


def test_put_replaces_a_session_only_by_force(run: Run, store: Path) -> None:
    other, before = changed(NIGHT, name="Other"), content(store)
    refused = run("store", "put", other, "--store", "store")
    assert (refused.code, content(store)) == (1, before)
    assert "--force replaces it" in refused.out
    assert run("store", "put", other, "--store", "store", "--force").code == 0
    assert b"Other" in content(store)["night-watch.json"]


def test_put_of_the_same_is_no_fault(run: Run, store: Path) -> None:
    before = content(store)
    result = run("store", "put", NIGHT, "--store", "store")
    assert (result.code, content(store)) == (0, before)
    assert "the same already" in result.out


@pytest.mark.parametrize("session_id", ["train-times", "budget-review"])
def test_put_never_replaces_what_is_damaged(session_id: str, run: Run, store: Path) -> None:
    other, before = changed(NIGHT, id=session_id), content(store)
    result = run("store", "put", other, "--store", "store", "--force", "--output", "json")
    assert (result.code, content(store)) == (1, before)
    (file,) = files_of(result.out)
    assert file["stored"]["refused"] in ("corrupt", "unsupported")


def test_put_refuses_an_id_that_cannot_name_a_file(run: Run, store: Path) -> None:
    other, before = changed(NIGHT, id="../up"), content(store)
    result = run("store", "put", other, "--store", "store")
    assert (result.code, content(store)) == (1, before)
    assert "cannot name a file" in result.out
    assert "../up" not in result.out


def test_put_where_nothing_can_be_written(run: Run) -> None:
    Path("file").write_text("")
    result = run("store", "put", NIGHT, "--store", "file")
    assert (result.code, result.out) == (2, "")
    assert "cannot be written" in result.err


def test_delete_needs_yes_where_nobody_can_be_asked(run: Run, store: Path) -> None:
    before = content(store)
    result = run("store", "delete", "night-watch", "--store", "store")
    assert (result.code, content(store)) == (2, before)
    assert "--yes" in result.err


def test_delete(run: Run, store: Path) -> None:
    ids = ("night-watch", "gone", "train-times")
    result = run("store", "delete", *ids, "--store", "store", "--yes")
    assert (result.code, result.out) == (1, "deleted night-watch\ndeleted train-times\n")
    assert result.err == "sesskit: there is no session gone in store\n"
    assert sorted(content(store)) == ["budget-review.json", "release-notes-2.4.json"]
    assert run("store", "delete", "budget-review", "--store", "store", "-y").code == 0


@pytest.mark.parametrize(("answer", "code", "left"), [("y", 0, 3), ("n", 1, 4), ("", 1, 4)])
def test_delete_asks(
    answer: str, code: int, left: int, run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def confirm(question: str, err: bool) -> bool:
        asked.append(question)
        return answer == "y"

    monkeypatch.setattr("typer.confirm", confirm)
    monkeypatch.setattr("sesskit.cli.store._can_ask", lambda: True)
    result = run("store", "delete", "train-times", "--store", "store")
    assert (result.code, len(content(store))) == (code, left)
    assert asked == ["Delete the session train-times (corrupt)? There is no way back."]


def test_unsafe_ids_stop_everything_before_it_begins(run: Run, store: Path) -> None:
    before = content(store)
    result = run("store", "delete", "night-watch", "../up", "--store", "store", "--yes")
    assert (result.code, content(store)) == (2, before)
    assert result.err.startswith("sesskit: not a session id: ")


@pytest.mark.parametrize("command", ["list", "show", "put", "delete"])
def test_a_store_is_needed(command: str, run: Run) -> None:
    result = run("store", command, "x")
    assert (result.code, result.out) == (2, "")
    assert len(result.err.splitlines()) == 1

"""The store of Robota records: what it answers, what it writes, and what it refuses to touch."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sesskit.records.locks import Lock, LockTimeout
from sesskit.records.robota_store import Entry, Put, RobotaStore
from sesskit.records.session_ids import InvalidSessionId
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Unsupported, Valid
from sesskit.schemas.robota_record import Record

VECTORS = Path(__file__).parents[1] / "data" / "robota-record" / "vectors"
BASES = sorted((VECTORS / "valid").glob("*.json"))


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_bytes().splitlines()]


def record(session_id: str = "tiny-1", **more: Any) -> dict[str, Any]:
    return {
        "id": session_id,
        "cwd": "/srv/demo",
        "createdAt": "2026-03-04T09:00:00.000Z",
        "updatedAt": "2026-03-04T09:00:00.000Z",
        "messages": [],
        **more,
    }


def file(inner: Any, version: Any = 1) -> bytes:
    return json.dumps({"schemaVersion": version, "record": inner}).encode()


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


@pytest.fixture
def store(tmp_path: Path) -> RobotaStore:
    return RobotaStore(tmp_path / "sessions")


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


# -- the answers of the original


def place(folder: Path, files: list[dict[str, Any]] | None) -> None:
    if files is None:
        return
    folder.mkdir()
    for entry in files:
        path = folder / entry["name"]
        if entry.get("dir"):
            path.mkdir()
        elif "base64" in entry:
            path.write_bytes(base64.b64decode(entry["base64"]))
        else:
            path.write_bytes(entry["text"].encode())


def same(outcome: Outcome, expect: dict[str, Any]) -> None:
    """Status, version and id are those of the original; every path it names is among ours."""
    status = expect["status"]
    if isinstance(outcome, Unreadable):
        # The original has no word of its own for what cannot be read at all.
        assert (status, expect["paths"]) == ("corrupt", [""])
        return
    assert outcome.status == status
    if isinstance(outcome, Corrupt):
        assert set(expect["paths"]) <= {issue.path for issue in outcome.issues}
    if isinstance(outcome, Unsupported):
        assert outcome.version == expect["schemaVersion"]
        assert outcome.issues == ()


def check_load(store: RobotaStore, call: dict[str, Any], expect: dict[str, Any]) -> None:
    outcome = store.load(call["id"])
    same(outcome, expect)
    if isinstance(outcome, Valid):
        assert outcome.value.id == expect["recordId"]


def check_list(store: RobotaStore, call: dict[str, Any], expect: dict[str, Any]) -> None:
    entries = store.list()
    assert [entry.id for entry in entries] == [wanted["id"] for wanted in expect["entries"]]
    for entry, wanted in zip(entries, expect["entries"], strict=True):
        same(entry.outcome, wanted)
        assert entry.record_id == wanted.get("recordId")


def check_delete(store: RobotaStore, call: dict[str, Any], expect: dict[str, Any]) -> None:
    store.delete(call["id"])
    left = names(store.base_dir) if store.base_dir.exists() else None
    assert left == expect["left"]


def check_save(store: RobotaStore, call: dict[str, Any], expect: dict[str, Any]) -> None:
    store.save(call["record"])
    saved = store.base_dir / f"{call['record']['id']}.json"
    assert json.loads(saved.read_bytes()) == {"schemaVersion": 1, "record": call["record"]}


CHECKS = {"load": check_load, "list": check_list, "delete": check_delete, "save": check_save}


@pytest.mark.parametrize("row", rows("store.jsonl"), ids=lambda row: row["name"])
def test_answers_of_the_original(store: RobotaStore, row: dict[str, Any]) -> None:
    place(store.base_dir, row["files"])
    call, expect = row["call"], row["expect"]
    if "throws" in expect:
        with pytest.raises(InvalidSessionId):
            CHECKS[call["op"]](store, call, expect)
    else:
        CHECKS[call["op"]](store, call, expect)
    if "files" in expect:
        assert names(store.base_dir) == expect["files"]
        assert mode(store.base_dir) == expect["dirMode"]


def arrange(name: str, parent: Path) -> None:
    """What was there before the save of a row of `save-modes.jsonl`."""
    sessions = parent / "sessions"
    if name == "fresh":
        return
    sessions.mkdir(parents=True)
    parent.chmod(0o755)
    sessions.chmod(0o700 if name == "narrow-dir-kept" else 0o755)
    if name == "existing-wide-file":
        (sessions / "tiny-1.json").write_bytes(file(record()))
        (sessions / "tiny-1.json").chmod(0o644)


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize("write", ["save", "put"])
@pytest.mark.parametrize("row", rows("save-modes.jsonl"), ids=lambda row: row["name"])
def test_modes_of_the_original(tmp_path: Path, row: dict[str, Any], write: str) -> None:
    parent = tmp_path / "parent"
    arrange(row["name"], parent)
    root = parent if row["name"] == "owned-root-tightened" else None
    getattr(RobotaStore(parent / "sessions", owned_root=root), write)(record())
    sessions = parent / "sessions"
    assert mode(parent) == row["parent"]
    assert mode(sessions) == row["dir"]
    assert mode(sessions / "tiny-1.json") == row["file"]
    assert names(sessions) == row["names"]


# -- bytes


@pytest.mark.parametrize("base", BASES, ids=lambda path: path.stem)
def test_put_writes_the_canonical_bytes(store: RobotaStore, base: Path) -> None:
    bare = json.loads(base.read_bytes())
    put = store.put(bare)
    assert isinstance(put.outcome, Valid)
    assert put.written
    expected = (VECTORS / "reencoded" / base.name).read_bytes()
    assert store.path(bare["id"]).read_bytes() == expected


@pytest.mark.parametrize("write", ["save", "put"])
@pytest.mark.parametrize("base", BASES, ids=lambda path: path.stem)
def test_what_was_loaded_is_written_back_the_same(
    store: RobotaStore, base: Path, write: str
) -> None:
    expected = (VECTORS / "reencoded" / base.name).read_bytes()
    session_id = json.loads(expected)["record"]["id"]
    store.base_dir.mkdir()
    store.path(session_id).write_bytes(expected)
    outcome = store.load(session_id)
    assert isinstance(outcome, Valid)
    assert isinstance(outcome.value, Record)
    getattr(store, write)(outcome.value)
    assert store.path(session_id).read_bytes() == expected


def test_save_keeps_the_order_of_the_caller(store: RobotaStore) -> None:
    store.save({"zeta": 1, "id": "x"})
    expected = b'{\n  "schemaVersion": 1,\n  "record": {\n    "zeta": 1,\n    "id": "x"\n  }\n}'
    assert store.path("x").read_bytes() == expected


# -- load


def test_unreadable_is_not_missing(store: RobotaStore) -> None:
    store.base_dir.mkdir()
    store.path("folder").mkdir()
    os.mkfifo(store.path("pipe"))
    assert store.load("none") == Missing()
    assert store.load("folder") == Unreadable("it is a folder")
    assert isinstance(store.load("pipe"), Unreadable)


def test_a_store_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_bytes(b"")
    store = RobotaStore(tmp_path / "sessions")
    assert isinstance(store.load("a"), Unreadable)
    with pytest.raises(NotADirectoryError):
        store.list()
    with pytest.raises(NotADirectoryError):
        store.put(record())


def test_a_file_of_zeros_is_corrupt(store: RobotaStore) -> None:
    store.base_dir.mkdir()
    with store.path("zeros").open("wb") as out:
        out.truncate(1 << 22)
    outcome = store.load("zeros")
    assert isinstance(outcome, Corrupt)
    assert outcome.issues[0].offset == 0
    store.path("few").write_bytes(bytes(100))
    few = store.load("few")
    assert isinstance(few, Corrupt)
    assert [issue.code for issue in few.issues] == [issue.code for issue in outcome.issues]


# -- list


def test_every_file_is_listed_newest_first(store: RobotaStore) -> None:
    store.base_dir.mkdir()
    contents = {
        "b-old.json": file(record(updatedAt="2025-01-01T00:00:00Z")),
        "a-old.json": file(record(updatedAt="2025-01-01T01:00:00+01:00")),
        "new.json": file(record(updatedAt="2026-01-01T00:00:00Z", id="other")),
        "broken.json": b"{",
        "future.json": file(record(), version=2),
        "before.json": file(record(updatedAt="1969-01-01T00:00:00Z")),
        "bad name.json": file(record()),
        "notes.txt": b"",
    }
    for name, content in contents.items():
        (store.base_dir / name).write_bytes(content)
    os.mkfifo(store.base_dir / "pipe.json")
    (store.base_dir / "link.json").symlink_to("none")
    entries = store.list()
    assert [(entry.id, entry.outcome.status) for entry in entries] == [
        ("new", "valid"),
        ("a-old", "valid"),
        ("b-old", "valid"),
        ("bad name", "unreadable"),
        ("broken", "corrupt"),
        ("future", "unsupported"),
        ("link", "unreadable"),
        ("pipe", "unreadable"),
        ("before", "valid"),
    ]
    by_id = {entry.id: entry for entry in entries}
    assert by_id["new"].record_id == "other"
    assert str(by_id["new"].updated) == "2026-01-01T00:00:00.000Z"
    assert by_id["new"].path == store.base_dir / "new.json"
    assert by_id["link"].outcome == Unreadable("it is a symbolic link that leads nowhere")
    assert "not that of a session" in getattr(by_id["bad name"].outcome, "reason", "")


def test_a_list_holds_no_records_unless_asked_to(store: RobotaStore) -> None:
    store.save(record())
    (entry,) = store.list()
    (kept,) = store.list(keep=True)
    assert isinstance(entry.outcome, Valid)
    assert entry.outcome.value is None
    assert isinstance(kept.outcome, Valid)
    assert kept.outcome.value.id == "tiny-1"


def test_a_file_that_vanishes_is_not_listed(
    store: RobotaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(record())
    real = RobotaStore._entry

    def late(self: RobotaStore, name: str, keep: bool) -> Entry:
        (self.base_dir / name).unlink()
        return real(self, name, keep)

    monkeypatch.setattr(RobotaStore, "_entry", late)
    assert store.list() == []


# -- put


def test_put_writes_what_is_new_and_what_replaces_a_valid_file(store: RobotaStore) -> None:
    assert store.put(record()).written
    put = store.put(record(name="second"))
    assert (put.written, put.refused_by) == (True, None)
    loaded = store.load("tiny-1")
    assert isinstance(loaded, Valid)
    assert loaded.value.name == "second"
    assert names(store.base_dir) == ["tiny-1.json"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", "corrupt"),
        (b"{", "corrupt"),
        (file({"id": "tiny-1"}), "corrupt"),
        (file(record(), version=2), "unsupported"),
        (json.dumps(record()).encode(), "unsupported"),
    ],
)
def test_put_leaves_what_it_cannot_read(store: RobotaStore, content: bytes, status: str) -> None:
    store.base_dir.mkdir()
    store.path("tiny-1").write_bytes(content)
    put = store.put(record())
    assert (put.written, put.refused_by, put.outcome.status) == (False, "file", status)
    assert store.path("tiny-1").read_bytes() == content
    assert names(store.base_dir) == ["tiny-1.json"]


def test_put_leaves_a_folder_in_the_way(store: RobotaStore) -> None:
    store.base_dir.mkdir()
    store.path("tiny-1").mkdir()
    assert store.put(record()) == Put(False, Unreadable("it is a folder"), "file")


def test_put_that_may_not_overwrite(store: RobotaStore) -> None:
    assert store.put(record(), overwrite=False).written
    put = store.put(record(name="second"), overwrite=False)
    assert (put.written, put.refused_by, put.outcome.status) == (False, "file", "valid")
    loaded = store.load("tiny-1")
    assert isinstance(loaded, Valid)
    assert "second" not in str(loaded.value)


def test_put_names_a_number_that_cannot_be_written(store: RobotaStore) -> None:
    message = {
        "id": "m-1",
        "timestamp": "2026-03-04T09:00:00.000Z",
        "state": "complete",
        "role": "user",
        "content": "hello",
        "metadata": {"x": float("inf")},
    }
    put = store.put(record(messages=[message]))
    (issue,) = put.outcome.issues
    assert (put.written, put.refused_by, issue.code) == (False, "record", "number-overflow")
    assert (issue.path, issue.line) == ("record.messages[0].metadata.x", None)
    assert "null" not in issue.message


def test_put_refuses_what_is_not_valid(store: RobotaStore) -> None:
    put = store.put(record(goal=None, name=7))
    assert (put.written, put.refused_by) == (False, "record")
    assert {issue.path for issue in put.outcome.issues} >= {"record.goal", "record.name"}
    assert not store.base_dir.exists()


def test_put_refuses_what_could_not_be_read_back(store: RobotaStore) -> None:
    message = {
        "id": "m",
        "timestamp": "2026-03-04T09:00:00Z",
        "state": "complete",
        "role": "user",
        "content": "",
        "metadata": {"count": float("inf")},  # JSON has no form for it but null
    }
    put = store.put(record(messages=[message]))
    assert put.refused_by == "record"
    assert [issue.path for issue in put.outcome.issues] == ["record.messages[0].metadata.count"]


@pytest.mark.parametrize("session_id", ["../b", "", None, 7])
def test_an_unsafe_id_writes_nothing(store: RobotaStore, session_id: Any) -> None:
    with pytest.raises(InvalidSessionId):
        store.put(record(session_id))
    assert not store.base_dir.exists()


def test_put_waits_for_the_lock_of_others(store: RobotaStore) -> None:
    store.put(record())
    impatient = RobotaStore(store.base_dir, lock_seconds=0)
    with Lock(store.path("tiny-1")), pytest.raises(LockTimeout):
        impatient.put(record())
    assert impatient.put(record()).written


def test_leftovers_of_killed_writers_go(store: RobotaStore) -> None:
    store.put(record())
    leftover = store.base_dir / "tiny-1.json.99.0123456789abcdef.tmp"
    for write in (lambda: store.put(record()), lambda: store.delete("tiny-1")):
        leftover.write_bytes(b"half")
        os.utime(leftover, (0, 0))
        write()
        assert not leftover.exists()


# -- update


def test_update_keeps_what_it_does_not_touch(store: RobotaStore) -> None:
    base = json.loads((VECTORS / "valid" / "maximal.json").read_bytes())
    store.put(base)
    before = json.loads(store.path(base["id"]).read_bytes())["record"]
    put = store.update(base["id"], lambda known: {**known, "name": "renamed"})
    assert put.written
    after = json.loads(store.path(base["id"]).read_bytes())["record"]
    assert after == {**before, "name": "renamed"}
    assert list(after) == list(before)


def test_update_writes_the_file_it_read(store: RobotaStore) -> None:
    store.base_dir.mkdir()
    store.path("file-id").write_bytes(file(record("inner-id")))
    assert store.update("file-id", lambda known: {**known, "name": "n"}).written
    assert names(store.base_dir) == ["file-id.json"]
    loaded = store.load("file-id")
    assert isinstance(loaded, Valid)
    assert (loaded.value.id, loaded.value.name) == ("inner-id", "n")


@pytest.mark.parametrize("content", [None, b"{", file(record(), version=2)])
def test_update_changes_only_what_is_valid(store: RobotaStore, content: bytes | None) -> None:
    store.base_dir.mkdir()
    if content is not None:
        store.path("tiny-1").write_bytes(content)
    put = store.update("tiny-1", lambda known: pytest.fail("not to be called"))
    assert (put.written, put.refused_by) == (False, "file")
    assert isinstance(put.outcome, Missing | Corrupt | Unsupported)
    assert content is None or store.path("tiny-1").read_bytes() == content


def test_update_without_a_store(store: RobotaStore) -> None:
    assert store.update("tiny-1", dict) == Put(False, Missing(), "file")
    assert not store.base_dir.exists()


def test_update_refuses_to_damage(store: RobotaStore) -> None:
    store.put(record())
    before = store.path("tiny-1").read_bytes()
    put = store.update("tiny-1", lambda known: {**known, "plan": None})
    assert (put.written, put.refused_by) == (False, "record")
    assert [issue.path for issue in put.outcome.issues] == ["record.plan"]
    with pytest.raises(KeyError):
        store.update("tiny-1", lambda known: known["none"])
    assert store.path("tiny-1").read_bytes() == before
    assert names(store.base_dir) == ["tiny-1.json"]


# -- delete


def test_delete_says_whether_there_was_something(store: RobotaStore) -> None:
    assert not store.delete("tiny-1")
    store.put(record())
    assert store.delete("tiny-1")
    assert not store.delete("tiny-1")
    assert names(store.base_dir) == []


def test_delete_does_not_look_at_the_content_nor_follow_links(store: RobotaStore) -> None:
    store.base_dir.mkdir()
    (store.base_dir / "kept.txt").write_bytes(b"x")
    store.path("link").symlink_to("kept.txt")
    store.path("broken").write_bytes(b"{")
    assert store.delete("link")
    assert store.delete("broken")
    assert names(store.base_dir) == ["kept.txt"]


# -- processes

COUNT = """
import sys
from sesskit.records.robota_store import RobotaStore
store = RobotaStore(sys.argv[1])
for _ in range(int(sys.argv[2])):
    put = store.update("tiny-1", lambda known: {**known, "name": str(int(known["name"]) + 1)})
    assert put.written, put
"""


def test_no_update_is_lost(store: RobotaStore) -> None:
    store.put(record(name="0"))
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", COUNT, str(store.base_dir), "15"]
    writers = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    loaded = store.load("tiny-1")
    assert isinstance(loaded, Valid)
    assert loaded.value.name == "45"
    assert names(store.base_dir) == ["tiny-1.json"]

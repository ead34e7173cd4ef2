"""SQLite stores: what the recorded ones hold, and damage in them."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh import sqlite as module
from sesskit.logs.dsh.sqlite import Store, decode, read
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Corrupt, Missing, Original, Unsupported, Valid

STORES = cases("valid", "sqlite-*")


def changed(case: Case, folder: Path, *statements: str) -> Path:
    path = folder / "sessions.db"
    shutil.copy(case.file, path)
    path.chmod(0o600)
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return path


@pytest.mark.parametrize("case", STORES, ids=lambda c: c.name)
def test_recorded_sessions(case: Case) -> None:
    with closing(sqlite3.connect(f"{case.file.as_uri()}?mode=ro", uri=True)) as database:
        schema = case.expected["pragma"]["user_version"]
        sessions = {s.header["id"]: s for s in module._sessions(database, schema)}
    assert list(sessions) == case.expected["list"]
    for name, expected in case.expected["sessions"].items():
        session = sessions[name]
        assert session.header == expected["header"]
        if "logicalSha256" in expected:
            text = b"\n".join(dumps(event) for event in session.events)
            assert hashlib.sha256(text).hexdigest() == expected["logicalSha256"]
            assert len(session.events) == expected["eventCount"]
            assert session.original == Original("accept")
        inspected = expected.get("inspect", {"ok": True, "closers": []})
        if not inspected["ok"]:
            assert session.original == Original("unsupported", inspected["error"]["class"])
        elif inspected["closers"]:
            assert session.original == Original("accept-with-repair")
            assert [c["type"] for c in session.closers] == ["turn/end"]


def test_the_answer_is_that_of_the_worst_session() -> None:
    old, new = (read(case.file) for case in STORES)
    assert isinstance(old, Unsupported)
    assert isinstance(new, Valid)
    assert isinstance(new.value, Store)
    assert [(i.code, i.path) for i in new.issues if i.severity == "warning"] == [
        ("turn-open", "sessions[1]")
    ]
    assert decode(STORES[1].file.read_bytes()) == new


@pytest.mark.parametrize(
    ("statement", "code", "verdict"),
    [
        ("DELETE FROM events WHERE seq = 45", "seq-gap", "reject"),
        ("UPDATE events SET data = '{' WHERE seq = 45", "json-cut", "reject"),
        ("UPDATE events SET data = x'28b52ffd' WHERE seq = 45", "zstd-damaged", "reject"),
        ("UPDATE events SET data = '{}' WHERE ignorable = 0", "row-malformed", "reject"),
        ("UPDATE events SET data = 5 WHERE seq = 45", "type", "reject"),
        (
            "UPDATE sessions SET cwd = 'relative' WHERE id = 'stream-count'",
            "header-field",
            "reject",
        ),
        ("UPDATE events SET source_event_seqs = x'80' WHERE seq = 44", "sources-kind", "reject"),
        ("UPDATE events SET surface_op = 'x' WHERE seq = 44", "json-word", "reject"),
        ("DROP TABLE events", "database-damaged", "reject"),
    ],
)
def test_damage(statement: str, code: str, verdict: str, tmp_path: Path) -> None:
    answer = read(changed(STORES[1], tmp_path, statement))
    assert isinstance(answer, Corrupt)
    assert answer.original is not None
    assert answer.original.verdict == verdict
    found = {issue.code for issue in answer.issues}
    assert code in found or (code.startswith("json") and any(c.startswith("json") for c in found))


def test_a_hole_in_the_tail_is_cut(tmp_path: Path) -> None:
    statement = "UPDATE events SET seq = 9 WHERE session_id = 'open-turn' AND seq = 2"
    answer = read(changed(STORES[1], tmp_path, statement))
    assert isinstance(answer, Corrupt)
    assert answer.original == Original("accept-with-repair")


def test_other_schemas_are_refused(tmp_path: Path) -> None:
    answer: Any = read(changed(STORES[1], tmp_path, "PRAGMA user_version = 18"))
    assert isinstance(answer, Unsupported)
    assert (answer.version, answer.supported) == (18, (14, 17))


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0", b"x" * 500])
def test_other_files_are_no_stores(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(data)
    assert isinstance(read(tmp_path / "x.db"), Corrupt)
    assert isinstance(decode(data), Corrupt)


def test_cut_at_every_page() -> None:
    data = STORES[1].file.read_bytes()
    for end in range(0, len(data), 512):
        assert decode(data[:end]).status in ("corrupt", "valid", "unsupported")


def test_missing(tmp_path: Path) -> None:
    assert isinstance(read(tmp_path / "none.db"), Missing)

"""SQLite stores: what the recorded ones hold, and damage in them."""

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh import sqlite as module
from sesskit.logs.dsh import sqlite_access as access
from sesskit.logs.dsh.sqlite import Store, decode, read
from sesskit.logs.dsh.sqlite_access import guard
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
        effort = guard(database)
        sessions = {s.header["id"]: s for s in module._sessions(database, schema, effort)}
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


def placed(answer: Any, severity: str = "error") -> list[tuple[str, str]]:
    return [(i.code, i.path) for i in answer.issues if i.severity == severity]


def test_sessions_of_other_versions_are_refused(tmp_path: Path) -> None:
    statement = "UPDATE sessions SET version = 3 WHERE id = 'stream-count'"
    answer = read(changed(STORES[1], tmp_path, statement))
    assert isinstance(answer, Unsupported)
    assert answer.original == Original("unsupported", "SessionFormatUnsupportedError")
    assert placed(answer) == [("version-unsupported", "sessions[0].version")]


@pytest.mark.parametrize(
    ("statement", "code", "path"),
    [
        ("DELETE FROM events WHERE seq = 3", "seq-gap", "sessions[0].events[4].seq"),
        ("UPDATE events SET data = '{' WHERE seq = 3", "json-cut", "sessions[0].events[3].data"),
        (
            "UPDATE events SET data = cast(x'ff7b7d' AS TEXT) WHERE seq = 3",
            "utf8-outside-string",
            "sessions[0].events[3].data",
        ),
        (
            "UPDATE events SET surface_op = '[' WHERE seq = 3",
            "json-cut",
            "sessions[0].events[3].surfaceOp",
        ),
        (
            "UPDATE events SET source_event_seqs = x'0280' WHERE seq = 44",
            "sources-kind",
            "sessions[0].events[44].sourceEventSeqs",
        ),
        (
            "UPDATE events SET type = 'turn/start' WHERE seq = 8",
            "row-malformed",
            "sessions[0].events[8].type",
        ),
        (
            "UPDATE events SET data = '[]' WHERE seq = 8",
            "row-malformed",
            "sessions[0].events[8].data",
        ),
    ],
)
def test_one_fault_is_one_issue(statement: str, code: str, path: str, tmp_path: Path) -> None:
    one = f"{statement} AND session_id = 'stream-count'"
    answer = read(changed(STORES[1], tmp_path, one))
    assert placed(answer) == [(code, path)]
    assert getattr(answer, "original", None) == Original("reject", "Error")


def test_bytes_that_are_not_utf8_are_read_as_the_program_reads_them(tmp_path: Path) -> None:
    statement = "UPDATE sessions SET agent_preset = cast(x'61ff' AS TEXT) WHERE id = 'open-turn'"
    answer = read(changed(STORES[1], tmp_path, statement))
    assert isinstance(answer, Valid)
    assert ("utf8-in-string", "sessions[1].agentPreset") in placed(answer, "warning")
    assert answer.value.sessions[1].header["agentPreset"] == "a\ufffd"


def test_an_empty_depth_is_a_depth_of_0(tmp_path: Path) -> None:
    statement = "UPDATE sessions SET delegation_depth = NULL"
    answer = read(changed(STORES[1], tmp_path, statement))
    assert isinstance(answer, Valid)
    assert "delegationDepth" not in answer.value.sessions[0].header


def test_events_without_session_are_said(tmp_path: Path) -> None:
    answer = read(changed(STORES[1], tmp_path, "DELETE FROM sessions"))
    assert isinstance(answer, Valid)
    assert placed(answer, "warning") == [("events-orphaned", "events")]


ENDLESS = (
    "CREATE VIEW sessions AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)"
    " SELECT n AS id, 0 AS version, 0 AS created_at, NULL AS cwd, NULL AS parent_session, NULL AS"
    " seed_length, NULL AS origin, 0 AS delegation_depth, NULL AS agent_preset FROM t"
)


@pytest.mark.parametrize(
    ("statements", "path"),
    [
        (["DELETE FROM persistence_state"], "persistence_state"),
        (["DROP TABLE persistence_state"], ""),
        (["ALTER TABLE events RENAME COLUMN data TO other"], "sessions[0].events"),
        (["ALTER TABLE sessions RENAME COLUMN cwd TO other"], "sessions"),
        (
            [
                "ALTER TABLE sessions RENAME TO old",
                ENDLESS,
            ],
            "",
        ),
    ],
)
def test_tables_that_are_none(statements: list[str], path: str, tmp_path: Path) -> None:
    answer = read(changed(STORES[1], tmp_path, *statements))
    assert isinstance(answer, Corrupt)
    assert answer.version == 17
    assert placed(answer)[0] == ("database-damaged", path)
    assert answer.original == Original("reject", "Error")


def test_the_effort_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_FREE_ROUNDS", 5)
    monkeypatch.setattr(access, "_EVERY", 100)
    monkeypatch.setattr(access, "_BYTES_A_ROUND", 1 << 40)
    answer = decode(STORES[1].file.read_bytes())
    assert isinstance(answer, Corrupt)
    assert any("given up" in issue.message for issue in answer.issues)


def repeated(path: Path, table: str) -> None:
    """Let every page of a table be its first one."""
    with closing(sqlite3.connect(path)) as database:
        (size,) = database.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (root,) = database.execute(query, (table,)).fetchone()
    data = bytearray(path.read_bytes())
    start = (root - 1) * size
    assert data[start] == 5, "a page that leads to others"
    cells = int.from_bytes(data[start + 3 : start + 5], "big")
    pointers = [int.from_bytes(data[start + 12 + 2 * n :][:2], "big") for n in range(cells)]
    first, *others = (start + pointer for pointer in pointers)
    for place in others:
        data[place : place + 4] = data[first : first + 4]
    path.write_bytes(data)


def test_no_more_rows_are_taken_than_a_file_can_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "_LEAST_ROW", 100)
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
    columns = "version, created_at, delegation_depth, incarnation, revision"
    named = f"INSERT INTO sessions (id, {columns})"
    made = f"{count} {named} SELECT 'session-' || i, {columns} FROM sessions, n WHERE rowid = 1"
    path = changed(STORES[0], tmp_path, made)
    assert not isinstance(read(path), Corrupt)
    repeated(path, "sessions")  # each time the events of its sessions are read once more
    answer = read(path)
    assert isinstance(answer, Corrupt)
    assert any("far more" in issue.message for issue in answer.issues)


def test_noise_anywhere_is_an_answer() -> None:
    draw = random.Random(7)
    for case in STORES:
        whole = case.file.read_bytes()
        for _ in range(40):
            data = bytearray(whole)
            for _ in range(draw.choice([1, 20, 400])):
                data[draw.randrange(100, len(data))] = draw.randrange(256)
            assert decode(bytes(data)).status in ("corrupt", "valid", "unsupported")

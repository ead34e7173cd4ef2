"""The real programs of dsh load what is written, repaired and migrated here, and the other way."""

from __future__ import annotations

import io
import json
import random
import shutil
from pathlib import Path, PurePath
from typing import Any

import pytest

from logs.dsh.long_logs import LongLog
from logs.dsh.vectors import Case, cases, rows
from peers.conftest import Oracle
from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.decode import Log, decode, log_of, open_log
from sesskit.logs.dsh.migrations import migrate_log, migrates
from sesskit.logs.dsh.paths import log_path
from sesskit.logs.dsh.repair import plan_repair
from sesskit.logs.dsh.session import Session
from sesskit.schemas.outcomes import Valid

pytestmark = pytest.mark.peers

Json = dict[str, Any]

V0 = [c for c in cases() if c.expected.get("format") == "v0" and "path" in c.expected["files"][0]]
SEED = cases("valid", "seed-era-*")
HEADER: Json = {"version": 0, "id": "s", "createdAt": 1, "cwd": "/srv/demo", "delegationDepth": 0}
ENCODINGS = pytest.mark.parametrize("compression", ["none", "zstd"])


def loaded(data: bytes, path: PurePath | None = None) -> Log | None:
    """What a load gives, also where it would cut a tail."""
    reader = open_log(io.BytesIO(data), path)
    for _ in reader:
        pass
    accepted = reader.ruling.original.verdict.startswith("accept")
    return log_of(reader) if accepted else None


def inspected(backend: Oracle, root: Path, session: str, compression: str) -> Json:
    answer = backend.ask(root=str(root), compression=compression, id=session, steps=["inspect"])
    found: Json = answer["inspect"]
    return found


def placed(root: Path, header: Json, data: bytes) -> str:
    """Put a log of version 0 where the program looks for it; gives its encoding."""
    compressed = not data.startswith(b"{")
    path = root / log_path(header["id"], header.get("cwd"), compressed=compressed)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return "zstd" if compressed else "none"


@pytest.mark.parametrize("case", V0, ids=lambda c: c.name)
def test_the_same_answer_for_every_recorded_file(
    case: Case, backend: Oracle, tmp_path: Path
) -> None:
    for entry in case.expected["files"]:
        target = tmp_path / entry["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(case.folder / entry["file"], target)
    theirs = inspected(backend, tmp_path, case.expected["id"], case.expected["compression"])
    assert theirs["ok"] == case.expected["outcome"].startswith("accept")
    if not theirs["ok"]:
        assert theirs["class"] == case.expected["error"]["class"]
    elif len(case.expected["files"]) == 1:
        path = PurePath("/r") / case.expected["files"][0]["path"]
        ours = loaded(case.file.read_bytes(), path)
        assert ours is not None
        assert json.loads(json.dumps(ours.all_events)) == theirs["events"]
        assert ours.messages() == theirs["messages"]


@ENCODINGS
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_written_here_loads_there(
    backend: Oracle, tmp_path: Path, compression: str, seed: int
) -> None:
    chance = random.Random(seed)
    turns = LongLog(seed, result_bytes=50).turns()
    events = [event for _ in range(2) for event in next(turns)]
    events = events[: chance.randrange(len(events) // 2, len(events))]
    with Persistence(tmp_path, compressed=compression == "zstd") as ours:
        ours.create(HEADER)
        while events:
            size = chance.randint(1, 60)
            batch, events = events[:size], events[size:]
            ours.append("s", batch)
        written = ours.path(HEADER).read_bytes()
    theirs = inspected(backend, tmp_path, "s", compression)
    log = loaded(written)
    assert log is not None
    assert theirs["events"] == list(log.all_events)
    assert theirs["messages"] == log.messages()
    assert theirs["meta"] == HEADER


@ENCODINGS
def test_what_is_written_there_loads_here(
    backend: Oracle, tmp_path: Path, compression: str
) -> None:
    events = next(LongLog(5, result_bytes=50).turns())
    batches = [events[:7], events[7:90], events[90:]]
    question = {"root": str(tmp_path / "theirs"), "compression": compression, "header": HEADER}
    assert backend.ask(**question, steps=["write"], batches=batches)["write"]["ok"]
    with Persistence(tmp_path / "ours", compressed=compression == "zstd") as ours:
        ours.create(HEADER)
        for batch in batches:
            ours.append("s", batch)
    (path,) = (file for file in (tmp_path / "theirs").rglob("session*") if file.is_file())
    answer = decode(path.read_bytes(), path)
    assert isinstance(answer, Valid)
    assert list(answer.value.events) == events
    same = path.relative_to(tmp_path / "theirs")
    assert (tmp_path / "ours" / same).read_bytes() == path.read_bytes(), "the very same bytes"


def test_a_session_of_the_store_is_one_there(backend: Oracle, tmp_path: Path) -> None:
    events = next(LongLog(6, result_bytes=50).turns())
    session = Session("s", meta={"cwd": "/srv/demo"}, seed=events)
    with Persistence(tmp_path) as ours:
        ours.create(session.header)
        ours.append("s", session.events)
    theirs = inspected(backend, tmp_path, "s", "zstd")
    assert theirs["messages"] == session.derive_messages()
    assert theirs["events"] == [dict(event) for event in session.events]


DAMAGED = [c for c in cases("damaged") if c in V0 and len(c.expected["files"]) == 1]


@pytest.mark.parametrize("case", DAMAGED, ids=lambda c: c.name)
def test_what_is_repaired_loads_there(case: Case, backend: Oracle, tmp_path: Path) -> None:
    plan = plan_repair(case.file.read_bytes())
    for log in plan.logs:
        root = tmp_path / str(log.branch)
        compression = placed(root, log.header, log.data)
        theirs = inspected(backend, root, log.header["id"], compression)
        ours = loaded(log.data)
        if ours is None:  # it needs a newer program, and did so before it was damaged
            assert theirs["class"] == "SessionFormatUnsupportedError"
            continue
        assert theirs["messages"] == ours.messages()
        assert theirs["events"] == json.loads(json.dumps(ours.all_events))


MOVED = [c for c in cases() if c.expected.get("migrate") and "header" in c.expected]


@pytest.mark.parametrize("case", MOVED, ids=lambda c: c.name)
def test_the_steps_give_the_same_bytes(case: Case, edges: Oracle) -> None:
    data = case.file.read_bytes()
    answers = migrates(data)
    text = b"".join(migrate_log(data, 0).blocks(compressed=False)) if answers else b""
    if not answers:
        return
    theirs = edges.ask(ask="migrate", text=text.decode("utf-8", "surrogatepass"), version=0)
    for to, why in answers.items():
        assert theirs[str(to)]["ok"] == (why is None), (to, why, theirs[str(to)])
        if why is None:
            ours = b"".join(migrate_log(data, to).blocks(compressed=False))
            assert ours.decode("utf-8", "surrogatepass") == theirs[str(to)]["text"]
            native = edges.ask(ask="native", text=theirs[str(to)]["text"], version=to)
            assert native["strict"]["ok"]


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_the_same_answer_for_logs_of_later_versions(row: Json, edges: Oracle) -> None:
    theirs = edges.ask(ask="native", text=row["text"], version=row["version"])
    original = decode(row["text"].encode()).original
    assert original is not None
    assert theirs["strict"]["ok"] == (original.verdict == "accept")
    assert theirs["recoverable"]["ok"] == original.verdict.startswith("accept")


TOLERANT = [*cases("valid", "field-*"), *SEED]


@pytest.mark.parametrize("case", TOLERANT, ids=lambda c: c.name)
@pytest.mark.parametrize("to", [2, 3])
def test_tolerant_migration_loads_there(case: Case, to: int, edges: Oracle) -> None:
    migrated = migrate_log(case.file.read_bytes(), to, tolerant=True)
    text = b"".join(migrated.blocks(compressed=False)).decode()
    assert edges.ask(ask="native", text=text, version=to)["strict"]["ok"]


@pytest.mark.parametrize("case", SEED, ids=lambda c: c.name)
def test_logs_of_june_2026_go_all_the_way(
    case: Case, backend: Oracle, edges: Oracle, tmp_path: Path
) -> None:
    migrated = migrate_log(case.file.read_bytes(), 0, tolerant=True)
    data = b"".join(migrated.blocks())
    compression = placed(tmp_path, migrated.log.header, data)
    theirs = inspected(backend, tmp_path, migrated.log.header["id"], compression)
    log = loaded(data)
    assert log is not None
    assert theirs["messages"] == log.messages()
    text = b"".join(migrated.blocks(compressed=False)).decode()
    further = edges.ask(ask="migrate", text=text, version=0)
    assert all(further[str(to)]["ok"] for to in (1, 2, 3))


@pytest.mark.parametrize("seed", range(150))
def test_the_same_verdict_for_any_damage(seed: int, backend: Oracle, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sources = [c for c in V0 if c.expected["outcome"] == "accept"]
    case = chance.choice(sources)
    data = bytearray(case.file.read_bytes())
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data))
        kind = chance.choice(["flip", "cut", "double", "zero", "end"])
        if kind == "flip":
            data[at] ^= 1 << chance.randrange(8)
        elif kind == "cut":
            del data[at : at + chance.randint(1, 60)]
        elif kind == "double":
            data[at:at] = data[at : at + chance.randint(1, 200)]
        elif kind == "zero":
            data[at:at] = bytes(chance.randint(1, 9))
        else:
            del data[at:]
        if not data:
            return
    entry = case.expected["files"][0]
    target = tmp_path / entry["path"]
    target.parent.mkdir(parents=True)
    target.write_bytes(data)
    theirs = inspected(backend, tmp_path, case.expected["id"], case.expected["compression"])
    ours = decode(bytes(data), PurePath("/r") / entry["path"]).original
    assert ours is not None
    assert theirs["ok"] == ours.verdict.startswith("accept")
    if not theirs["ok"] and theirs["class"] != "TypeError" and "not found" not in theirs["message"]:
        assert theirs["class"] == ours.code

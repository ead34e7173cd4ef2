"""Files damaged in every way that a repair is for: what becomes of them loads in dsh itself."""

from __future__ import annotations

import hashlib
import random
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from peers.breakages import BREAKAGES, Broken, broken
from peers.conftest import Oracle
from peers.damages import Lines, sources
from sesskit.logs.dsh.decode import Log, decode
from sesskit.logs.dsh.frames import MAGIC
from sesskit.logs.dsh.paths import log_path
from sesskit.logs.dsh.repair import RepairedLog, RepairPlan, plan_repair
from sesskit.logs.dsh.view import text_of_log
from sesskit.schemas.outcomes import Valid

pytestmark = pytest.mark.peers

SHORT, LONG = 6, 400
KINDS = pytest.mark.parametrize("kind", BREAKAGES)


@cache
def corpus(version: int) -> list[Lines]:
    return [log for log in sources(version) if len(log) > 4]


def loaded(log: RepairedLog) -> Log:
    answer = decode(log.data)
    assert isinstance(answer, Valid)
    assert isinstance(answer.value, Log)
    return answer.value


def loads_there(log: RepairedLog, backend: Oracle, edges: Oracle, folder: Path) -> None:
    """The real program of its version takes a repaired log, with the same messages."""
    version = log.header["version"]
    if version:
        text = text_of_log(log.data).decode("utf-8", "surrogatepass")
        answer = edges.ask(ask="native", text=text, version=version)
        assert answer["strict"]["ok"], answer["strict"]
        assert answer["strict"]["events"] == len(loaded(log).events)
        return
    compressed = log.data.startswith(MAGIC)
    name = log_path(log.header["id"], log.header.get("cwd"), compressed=compressed)
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(log.data)
    question = {"root": str(folder), "compression": "zstd" if compressed else "none"}
    found = backend.ask(**question, id=log.header["id"], steps=["inspect"])["inspect"]
    shutil.rmtree(folder)
    assert found["ok"], found
    assert found["messages"] == loaded(log).messages()


def nothing_is_lost(case: Broken, plan: RepairPlan) -> None:
    """Lines that no damage touched are in a repaired log, and every dropped byte is reported."""
    kept = {line for log in plan.logs for line in text_of_log(log.data).split(b"\n")}
    for run in plan.dropped:
        if not run.decompressed:
            lost = case.data[run.offset : run.offset + run.length]
            assert run.sha256 == hashlib.sha256(lost).hexdigest()
    if any(log.changes for log in plan.logs):
        return  # events moved up, so their lines are other ones
    header = case.lines[0].strip()
    for number in case.whole:
        assert case.lines[number].strip() in kept | {header}, number


def ask(seed: int, kind: str, backend: Oracle, edges: Oracle, folder: Path) -> None:
    chance = random.Random(f"{kind}:{seed}")
    log: Any = chance.choice(corpus(chance.choice((0, 0, 1, 2, 3, 3))))
    case = broken(log, kind, chance)
    plan = plan_repair(case.data)
    assert plan.refused is None, (seed, plan.refused)
    for made in plan.logs:
        loads_there(made, backend, edges, folder / f"{kind}-{seed}-{made.branch}")
    if plan.logs:
        nothing_is_lost(case, plan)
    # A number that a flipped bit changed looks like that of another writer.
    assert len(plan.logs) <= (
        2 if kind in ("two-writers", "flipped", "moved", "misnumbered") else 1
    )


@KINDS
def test_repaired(kind: str, backend: Oracle, edges: Oracle, tmp_path: Path) -> None:
    for seed in range(SHORT):
        ask(seed, kind, backend, edges, tmp_path)


@pytest.mark.soak
@KINDS
def test_repaired_at_length(kind: str, backend: Oracle, edges: Oracle, tmp_path: Path) -> None:
    for seed in range(SHORT, LONG):
        ask(seed, kind, backend, edges, tmp_path)

"""Races that are really run: writers of one log and one sidecar, writers that are killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from multiprocessing.synchronize import Barrier
from pathlib import Path

from sesskit.logs.robota_log import decode_log
from sesskit.logs.robota_ports import DirectorySink
from sesskit.logs.robota_writer import SessionLogger
from sesskit.records.format import Options

WRITERS = 4
EACH = 60
CONTEXT = multiprocessing.get_context("fork")


def write(folder: Path, who: int, barrier: Barrier) -> None:
    said: list[str] = []
    with SessionLogger(DirectorySink(folder), spill_bytes=256, report=said.append) as logger:
        barrier.wait()
        for n in range(EACH):
            logger.log("s", "text_delta", {"delta": f"{who}-{n}"})
            shared = f"the same for all, {n} " + "x" * 3000
            logger.log(
                "s", "user", {"content": shared, "who": f"{who}-{n}", "pad": "y" * (n % 250)}
            )
    os._exit(1 if said else 0)


def test_writers_of_one_log_lose_nothing_and_tear_nothing(tmp_path: Path) -> None:
    barrier = CONTEXT.Barrier(WRITERS)
    writers = [
        CONTEXT.Process(target=write, args=(tmp_path, who, barrier)) for who in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_bytes().split(b"\n")[:-1]]
    users = [line["who"] for line in lines if line["event"] == "user"]
    deltas = [line["delta"] for line in lines if line["event"] == "text_delta"]
    everything = {f"{who}-{n}" for who in range(WRITERS) for n in range(EACH)}
    assert set(users) == set(deltas) == everything
    assert len(users) == len(deltas) == len(everything)
    names = [path.name for path in (tmp_path / "s.payloads").iterdir()]
    assert len(names) == EACH, "one sidecar for each value, and no partial one left"


def write_until_killed(folder: Path, started: Barrier) -> None:
    logger = SessionLogger(DirectorySink(folder), spill_bytes=512)
    started.wait()
    n = 0
    while True:
        logger.log("s", "user", {"content": f"{n} " + "z" * (n % 700)})
        n += 1


def test_a_killed_writer_leaves_whole_lines(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(6):
        started = CONTEXT.Barrier(2)
        writer = CONTEXT.Process(target=write_until_killed, args=(tmp_path, started))
        writer.start()
        started.wait()
        time.sleep(0.02 + chance.random() * 0.05)
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        with (tmp_path / "s.jsonl").open("ab") as stream:
            stream.write(b'{"torn":"by something else')
        with SessionLogger(DirectorySink(tmp_path)) as logger:
            logger.log("s", "user", {"content": "after"})
    lines = (tmp_path / "s.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    torn = [line for line in lines if not line.endswith(b"}")]
    assert torn == [b'{"torn":"by something else'] * 6
    whole = [json.loads(line) for line in lines if line.endswith(b"}")]
    sound = b"".join(line + b"\n" for line in lines if line.endswith(b"}"))
    assert decode_log(sound, Options(keep=False)).status == "valid"
    assert sum(line["content"] == "after" for line in whole) == 6

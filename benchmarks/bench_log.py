"""Robota logs: checking, its memory, several processes, sidecars, prompt history."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import orjson

from generate_log import write_log
from measure import calls, commands, whole_process
from run import Figure
from sesskit.logs.prompt_search import Wanted, search_history
from sesskit.logs.robota_verify import verify_log
from sesskit.logs.sidecar_files import PayloadDirectory

LOOP = "import orjson,sys\nfor line in open(sys.argv[1], 'rb', 128 * 1024): orjson.loads(line)\n"
SIDECARS = 64
"""Of 1 MB each: as much as one log may have."""


def measure(folder: Path) -> Iterator[Figure]:
    for kind, dense, sizes in (("text-heavy", False, (200, 1000)), ("dense", True, (200,))):
        path = folder / f"{kind}.jsonl"
        for megabytes in sizes:
            write_log(path, megabytes, dense=dense)
            yield from _speed(path, f"{megabytes:,} MB {kind}")
        path.unlink()
    yield from _peaks(folder)
    yield from _sidecars(folder)
    yield _history(folder)


def _speed(path: Path, kind: str) -> Iterator[Figure]:
    one, two = (validate(path, workers) for workers in (1, 2))
    yield Figure(
        "<= 1.0x (1 GB)",
        f"`validate` of a {kind} Robota log, whole process, one worker",
        "a script that only does `orjson.loads` on each line",
        f"{commands(one, [sys.executable, '-c', LOOP, str(path)]).time:.2f}x",
    )
    yield Figure(
        ">= 1.85x (1 GB), >= 1.7x (200 MB)",
        f"`validate` of the same log ({kind}), two workers",
        "one worker",
        f"{1 / commands(two, one).time:.2f}x",
    )


def validate(path: Path | str, workers: int) -> list[str]:
    return [sys.executable, "-m", "sesskit", "validate", "--jobs", str(workers), str(path)]


def _peaks(folder: Path) -> Iterator[Figure]:
    path = folder / "peak.jsonl"
    for megabytes in (20, 200, 1000):
        write_log(path, megabytes)
        peak = whole_process(validate(path, 1)).peak
        yield Figure(
            "<= 40 MB",
            f"peak memory of `validate` of a {megabytes:,} MB log, whole process",
            "a fixed size",
            f"{peak / 1e6:.0f} MB",
        )
    write_log(path, 1)
    line = {"content": "x" * 100_000_000, "schemaVersion": 1}
    line |= {"timestamp": "2026-10-04T09:15:00.137Z", "sessionId": "bench", "event": "user"}
    with path.open("a") as stream:
        stream.write(json.dumps(line, separators=(",", ":")) + "\n")
    peak = whole_process(validate(path, 1)).peak - 40_000_000
    yield Figure(
        "<= 2x the line",
        "peak memory of `validate` of a log with one line of 100 MB, beyond 40 MB",
        "the line",
        f"{peak / 1e8:.1f}x",
    )
    path.unlink()


def _sidecars(folder: Path) -> Iterator[Figure]:
    path = folder / "big.jsonl"
    place = folder / "big.payloads"
    place.mkdir(mode=0o700)
    envelope = {"schemaVersion": 1, "timestamp": "2026-10-04T09:15:00.137Z", "sessionId": "big"}
    files = []
    with path.open("w") as stream:
        for number in range(SIDECARS):
            data = json.dumps(f"{number} " + "y" * 990_000).encode()
            digest = hashlib.sha256(data).hexdigest()
            files.append(place / f"{digest}.json")
            files[-1].write_bytes(data)
            reference = {
                "kind": "external-payload",
                "encoding": "json",
                "sha256": digest,
                "byteLength": len(data),
                "relativePath": f"big.payloads/{digest}.json",
            }
            line = {"content": reference, **envelope, "event": "user"}
            stream.write(json.dumps(line, separators=(",", ":")) + "\n")

    def digests() -> None:
        for file in files:
            with file.open("rb") as payload:
                hashlib.file_digest(payload, "sha256")

    def read() -> None:
        with PayloadDirectory(folder) as payloads:
            for file in files:
                payloads.read(f"big.payloads/{file.name}", 1 << 30)

    def decoded() -> None:
        for file in files:
            msgspec.json.decode(file.read_bytes())

    yield Figure(
        "<= 1.1x",
        f"{SIDECARS} sidecars of 1 MB read with all checks and their SHA-256",
        "`hashlib.file_digest` of the files",
        f"{calls(read, digests).time:.2f}x",
    )
    assert verify_log(path, workers=1).outcome.status == "valid"
    for workers, words in ((1, "one worker"), (2, "two threads")):
        verify = partial(verify_log, path, workers=workers)
        yield Figure(
            "<= 1.35x",
            f"`verify_log` of their log, decoding included, {words}",
            "`msgspec.json.decode` of the files",
            f"{calls(verify, decoded).time:.2f}x",
        )


def _history(folder: Path) -> Figure:
    path = folder / "history.jsonl"
    row = {"at": "2026-10-04T09:15:00.137Z", "sessionId": "bench", "project": "/srv/demo"}
    with path.open("w") as stream:
        for number in range(700_000):
            stream.write(json.dumps({**row, "text": f"prompt {number} about the harbour"}) + "\n")

    def loop() -> None:
        with path.open("rb", 128 * 1024) as lines:
            for line in lines:
                orjson.loads(line)

    ratio = calls(lambda: list(search_history(path, Wanted("no such words"))), loop)
    return Figure(
        "none",
        f"search in a prompt history of {path.stat().st_size / 1e6:.0f} MB without a find",
        "an `orjson.loads` loop over its lines",
        f"{ratio.time:.2f}x",
    )

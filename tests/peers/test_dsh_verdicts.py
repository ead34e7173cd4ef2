"""What the real programs say of damaged logs, and what is said here: the same, for any damage."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from peers.conftest import Oracle
from peers.damages import Lines, damaged, sources
from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.frames import MAGIC
from sesskit.logs.dsh.paths import log_path
from sesskit.schemas.outcomes import Original

pytestmark = pytest.mark.peers

Json = dict[str, Any]

SHORT, LONG = 400, 20_000
LATER = pytest.mark.parametrize("version", [1, 2, 3])


@cache
def corpus(version: int) -> list[Lines]:
    return sources(version)


def damages(version: int, seeds: range) -> Iterator[tuple[int, Lines, bytes]]:
    for seed in seeds:
        chance = random.Random(f"{version}:{seed}")
        log = chance.choice(corpus(version))
        yield seed, log, damaged(log, chance)


def judged(data: bytes, path: PurePath) -> tuple[Original, bool]:
    """Our verdict, and whether a tail would be cut."""
    reader = open_log(io.BytesIO(data), path, keep=False)
    for _ in reader:
        pass
    return reader.ruling.original, reader.ruling.cut


def ours(data: bytes, path: PurePath) -> str | None:
    original, cut = judged(data, path)
    if not original.verdict.startswith("accept"):
        return original.code
    return "cut" if cut else "accept"


def theirs(answer: Json) -> str:
    if answer["strict"]["ok"]:
        return "accept"
    found: str = answer["recoverable"].get("class", "cut")
    return found


def is_theirs(version: int, data: bytes) -> bool:
    """Whether the header still is one of the version: else its name and it disagree."""
    try:
        header = json.loads(data.split(b"\n")[0])
    except ValueError:
        return False
    of_june = version == 1 and not {"delegationDepth", "isSeeded"} & header.keys()
    return header.get("version") == version and not of_june


def differences_later(edges: Oracle, version: int, seeds: range) -> list[tuple[int, Any, Any]]:
    path = PurePath(f"session.v{version}.jsonl")
    found = []
    for seed, _log, data in damages(version, seeds):
        if is_theirs(version, data):
            text = data.decode("utf-8", "surrogatepass")
            answer = edges.ask(ask="native", text=text, version=version)
            if theirs(answer) != ours(data, path):
                found.append((seed, theirs(answer), ours(data, path)))
    return found


def frames_damaged(seed: int) -> tuple[Case, bytes]:
    """A compressed log with some bits, bytes or runs of them wrong, mostly in frame headers."""
    chance = random.Random(f"frames:{seed}")
    case = chance.choice([c for c in cases() if c.file.name == "session.jsonl.zstd"])
    data = bytearray(case.file.read_bytes())
    for _ in range(chance.choice((1, 1, 1, 2))):
        starts = [at for at in range(len(data)) if data.startswith(MAGIC, at)] or [0]
        near = chance.choice(starts) + chance.randrange(14)
        at = min(near if chance.random() < 0.4 else chance.randrange(len(data)), len(data) - 1)
        chance.choice(BYTE_DAMAGES)(data, at, chance)
    return case, bytes(data)


def _flip(data: bytearray, at: int, chance: random.Random) -> None:
    data[at] ^= 1 << chance.randrange(8)


def _lose(data: bytearray, at: int, chance: random.Random) -> None:
    del data[at : at + chance.choice((1, 2, 3, 50))]


def _insert(data: bytearray, at: int, chance: random.Random) -> None:
    data[at:at] = chance.randbytes(chance.choice((1, 2, 3, 4, 9)))


def _end(data: bytearray, at: int, _chance: random.Random) -> None:
    del data[max(at, 1) :]


BYTE_DAMAGES = (_flip, _flip, _flip, _lose, _insert, _end)


def differences_compressed(backend: Oracle, folder: Path, seeds: range) -> list[Any]:
    found = []
    for seed in seeds:
        case, data = frames_damaged(seed)
        root = folder / str(seed)
        path = root / case.expected["files"][0]["path"]
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        question = {"root": str(root), "compression": "zstd", "id": case.expected["id"]}
        answer = backend.ask(**question, steps=["inspect"])
        shutil.rmtree(root)
        answer = answer.get("inspect", answer.get("error"))
        said = "accept" if answer["ok"] else answer["class"]
        here = ours(data, path)
        here = "accept" if here == "cut" else here
        if said != here and "not found" not in answer.get("message", ""):
            found.append((seed, said, here))
    return found


def differences_v0(backend: Oracle, folder: Path, seeds: range) -> list[tuple[int, Any, Any]]:
    found = []
    for seed, log, data in damages(0, seeds):
        header = log[0]
        root = folder / str(seed)
        path = root / log_path(header["id"], header.get("cwd"), compressed=False)
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        question = {"root": str(root), "compression": "none", "id": header["id"]}
        answer = backend.ask(**question, steps=["inspect"])["inspect"]
        path.unlink()
        said = "accept" if answer["ok"] else answer["class"]
        here = ours(data, path)
        here = "accept" if here == "cut" else here
        missing = not answer["ok"] and "not found" in answer["message"]
        if said != here and not missing:
            found.append((seed, said, here))
    return found


@LATER
def test_later_versions(version: int, edges: Oracle) -> None:
    assert differences_later(edges, version, range(SHORT)) == []


def test_v0(backend: Oracle, tmp_path: Path) -> None:
    assert differences_v0(backend, tmp_path, range(SHORT)) == []


def test_frames(backend: Oracle, tmp_path: Path) -> None:
    assert differences_compressed(backend, tmp_path, range(SHORT // 4)) == []


@pytest.mark.soak
def test_frames_at_length(backend: Oracle, tmp_path: Path) -> None:
    assert differences_compressed(backend, tmp_path, range(SHORT, LONG // 4)) == []


@pytest.mark.soak
@LATER
def test_later_versions_at_length(version: int, edges: Oracle) -> None:
    assert differences_later(edges, version, range(SHORT, LONG)) == []


@pytest.mark.soak
def test_v0_at_length(backend: Oracle, tmp_path: Path) -> None:
    assert differences_v0(backend, tmp_path, range(SHORT, LONG)) == []

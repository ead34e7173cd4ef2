"""What the real programs say of damaged logs, and what is said here: the same, for any damage."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import pytest

from peers.conftest import Oracle
from peers.damages import Lines, damaged, sources
from sesskit.logs.dsh.decode import open_log
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


@pytest.mark.soak
@LATER
def test_later_versions_at_length(version: int, edges: Oracle) -> None:
    assert differences_later(edges, version, range(SHORT, LONG)) == []


@pytest.mark.soak
def test_v0_at_length(backend: Oracle, tmp_path: Path) -> None:
    assert differences_v0(backend, tmp_path, range(SHORT, LONG)) == []

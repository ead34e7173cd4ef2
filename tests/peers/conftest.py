"""The real programs, as processes that answer questions; `tools/peers.sh` sets them up."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOME = Path(os.environ.get("SESSKIT_PEERS", ROOT / ".peers"))
NODE = HOME / "node" / "bin" / "node"


class Oracle:
    """One program that answers a line of JSON with a line of JSON."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [str(NODE), "oracle.mjs"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: Any) -> Any:
        """The answer; fails the test if the program died."""
        source, target = self._process.stdout, self._process.stdin
        assert source is not None
        assert target is not None
        target.write(json.dumps(question) + "\n")
        target.flush()
        line = source.readline()
        assert line, "the program ended"
        return json.loads(line)

    def close(self) -> None:
        """End the program."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=30)
        if self._process.stdout is not None:
            self._process.stdout.close()


def started(name: str) -> Iterator[Oracle]:
    folder = HOME / name
    if not NODE.exists() or not (folder / "node_modules").is_dir():
        pytest.fail(f"{folder} is not set up; run `make peers`")
    oracle = Oracle(folder)
    yield oracle
    oracle.close()


@pytest.fixture(scope="session")
def backend() -> Iterator[Oracle]:
    """The store and the JSONL backend of version 0."""
    yield from started("dsh-backend")


@pytest.fixture(scope="session")
def edges() -> Iterator[Oracle]:
    """The steps from version to version."""
    yield from started("dsh-edges")

"""Many small records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generate import write_files
from measure import commands
from run import Figure

LOADS = (
    "import sys,pathlib,orjson\n"
    "for p in sorted(pathlib.Path(sys.argv[1]).iterdir()): orjson.loads(p.read_bytes())"
)


def measure(folder: Path) -> Iterator[Figure]:
    many = folder / "many"
    write_files(many, 5_000)
    one = [sys.executable, "-m", "sesskit", "validate", "--quiet", "--jobs", "1", str(many)]
    two = [sys.executable, "-m", "sesskit", "validate", "--quiet", "--jobs", "2", str(many)]
    ratio = commands(one, two)
    yield Figure(">= 1.7x", "5,000 files of 8 KB, one worker", "two workers", f"{ratio.time:.2f}x")
    ratio = commands(one, [sys.executable, "-c", LOADS, str(many)])
    yield Figure(
        "-", "5,000 files of 8 KB, one worker", "script with `orjson.loads`", f"{ratio.time:.2f}x"
    )

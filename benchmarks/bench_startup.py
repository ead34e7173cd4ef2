"""What a command costs before it does anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generate import record
from measure import commands
from run import Figure

NOTHING = [sys.executable, "-c", "pass"]
COMMAND = [sys.executable, "-c", "import sys; from sesskit.__main__ import main; sys.exit(main())"]
"""What the installed script does; ``python -m`` would measure runpy as well."""


def measure(folder: Path) -> Iterator[Figure]:
    small = folder / "small.json"
    small.write_bytes(record(0.008))
    for arguments, goal in (
        (["--version"], "<= 1.2x"),
        (["--help"], "<= 8x"),
        (["validate", str(small)], "<= 8x"),
    ):
        ratio = commands([*COMMAND, *arguments], NOTHING, 21)
        name = (
            "`sesskit validate` of one 8 KB record"
            if len(arguments) > 1
            else f"`sesskit {arguments[0]}`"
        )
        yield Figure(goal, name, "`python -c pass`", f"{ratio.time:.1f}x")

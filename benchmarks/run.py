"""Measures everything that docs/performance.md says, and writes its table.

``make bench`` runs all of it; ``python benchmarks/run.py --only record`` a part.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

PARTS = ("startup", "record", "files", "log", "dsh", "ochat", "redact", "page")
"""Modules ``bench_NAME``; each has ``measure(folder) -> Iterator[Figure]``."""

EXTRA = ("long", "others")
"""Parts that take long: only when they are asked for."""

ROOT = Path(__file__).parent.parent
START = "<!-- figures -->"
END = "<!-- end of figures -->"


class Figure(NamedTuple):
    """One line of the table: what was compared with what, the ratio, and the goal."""

    goal: str
    ours: str
    theirs: str
    ratio: str


def rows(parts: list[str]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            measure: Callable[[Path], Iterator[Figure]] = import_module(f"bench_{part}").measure
            for figure in measure(Path(folder)):
                print(" | ".join(figure), file=sys.stderr, flush=True)
                yield figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS + EXTRA, action="append")
    only = parser.parse_args().only
    table = ["| measured | against | ratio | goal |", "|---|---|---|---|"]
    for figure in rows(only or list(PARTS)):
        table.append(f"| {figure.ours} | {figure.theirs} | {figure.ratio} | {figure.goal} |")
    if only:
        print("\n".join(table))
        return
    page = ROOT / "docs" / "performance.md"
    text = page.read_text()
    before, after = text.split(START)[0], text.split(END)[1]
    page.write_text(before + START + "\n" + "\n".join(table) + "\n" + END + after)


if __name__ == "__main__":
    main()

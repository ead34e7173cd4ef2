"""Peak memory of every command that reads a log, on a log of 2 GB and on one of a tenth of it.

Not part of a plain run, it takes a quarter of an hour: ``python benchmarks/run.py --only long``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from generate_session import write_session
from measure import whole_process
from run import Figure

MEGABYTES = (200, 2000)
COMMANDS: dict[str, tuple[str, ...]] = {
    "validate": (),
    "verify": (),
    "verify --contract": (),
    "inspect": (),
    "replay": (),
    "replay --as transcript": (),
    "replay --as messages": (),
    "replay --output json": (),
    "replay --events": (),
    "history rebuild": ("--out", "{folder}/rebuilt.jsonl", "--force"),
}
ROW = {"at": "2026-10-04T09:15:00.137Z", "sessionId": "bench", "project": "/srv/demo"}


def measure(folder: Path) -> Iterator[Figure]:
    for megabytes in MEGABYTES:
        path = folder / "long.jsonl"
        write_session(path, megabytes)
        path.chmod(0o600)
        for words, more in COMMANDS.items():
            command, *rest = words.split()
            given = [word.format(folder=folder) for word in more]
            yield _figure(words, [command, *rest, *given, str(path)], megabytes)
        path.unlink()
        path = folder / "history.jsonl"
        _write_history(path, megabytes)
        for asked in (["search", "no such words"], ["list"]):
            arguments = ["history", *asked, "--history", str(path)]
            yield _figure(f"history {asked[0]}", arguments, megabytes)
        path.unlink()


def _figure(words: str, arguments: list[str], megabytes: int) -> Figure:
    run = whole_process([sys.executable, "-m", "sesskit", *arguments])
    return Figure(
        "<= 200 MB",
        f"peak memory of `{words}`, {megabytes:,} MB",
        f"a fixed size; {run.seconds:.0f} s",
        f"{run.peak / 1e6:.0f} MB",
    )


def _write_history(path: Path, megabytes: int) -> None:
    number, left = 0, int(megabytes * 1e6)
    with path.open("w") as stream:
        while left > 0:
            line = json.dumps({**ROW, "text": f"prompt {number} about the harbour"}) + "\n"
            left -= stream.write(line)
            number += 1

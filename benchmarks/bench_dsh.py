"""dsh session logs: checking and inspecting, plain and compressed, and the memory it takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from measure import commands, whole_process
from run import ROOT, Figure
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.opening import text_of

sys.path.insert(0, str(ROOT / "tests"))
from logs.dsh.long_logs import LongLog

OPEN = "import sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n"
CHECK = (
    OPEN + "from sesskit.logs.dsh.format import LOG\n"
    "from sesskit.records.format import Options\n"
    "assert LOG.read(path, Options(keep=False)).status == 'valid'\n"
)
INSPECT = (
    OPEN + "from sesskit.logs.dsh.inspection import inspect_log\n"
    "assert inspect_log(path.open('rb'), path).outcome.status == 'valid'\n"
)
LOOP = "import orjson,sys\nfor line in open(sys.argv[1], 'rb', 128 * 1024): orjson.loads(line)\n"
MEGABYTES = 20
FRAME_BYTES = 1 << 20
PYTHON = [sys.executable, "-c"]
BLOCKED = "import sys\nsys.modules['zstandard'] = None\n"
"""As if the extra ``sesskit[fast]`` was not installed."""
BARE = "a script that only does `orjson.loads` on each line"


def measure(folder: Path) -> Iterator[Figure]:
    for name, path in _logs(folder):
        loop = [*PYTHON, LOOP, str(path)]
        for what, program in (("check", CHECK), ("inspection", INSPECT)):
            ratio = commands([*PYTHON, program, str(path)], loop)
            ours = f"{what} of a {MEGABYTES} MB dsh log of {name}"
            yield Figure("<= 1.35x", ours, BARE, f"{ratio.time:.2f}x")
        check = [*PYTHON, CHECK, str(path)]
        ratio = commands([*PYTHON, INSPECT, str(path)], check)
        ours = f"inspection of a {MEGABYTES} MB dsh log of {name}"
        yield Figure("<= 2x", ours, "its check", f"{ratio.time:.2f}x")
        path.unlink()
    yield from _compressed(folder)
    yield from _peaks(folder)


def _logs(folder: Path) -> Iterator[tuple[str, Path]]:
    old = folder / "session.jsonl"
    LongLog(result_bytes=600).write(old, MEGABYTES * 1_000_000)
    new = folder / "session.v3.jsonl"
    with new.open("wb") as target:
        for block in migrate_log(old.read_bytes(), 3).blocks(compressed=False):
            target.write(block)
    yield "v0", old
    yield "v3", new


def _compressed(folder: Path) -> Iterator[Figure]:
    short, long = folder / "short.jsonl.zstd", folder / "long.jsonl.zstd"
    plain = folder / "plain.jsonl"
    LongLog(result_bytes=600).write(short, MEGABYTES * 500_000)
    with short.open("rb") as source, plain.open("wb") as target:
        for piece in text_of(source):
            target.write(piece)
    with plain.open("rb") as source, long.open("wb") as target:
        target.write(write_frame(source.readline()))
        while lines := source.readlines(FRAME_BYTES):
            target.write(write_frame(b"".join(lines)))
    written = "as programs write it, 2 KB a frame"
    for frames, program, path in (
        (f"{written}, with `sesskit[fast]`", CHECK, short),
        (f"{written}, without", BLOCKED + CHECK, short),
        ("1 MB a frame", CHECK, long),
    ):
        ratio = commands([*PYTHON, program, str(path)], [*PYTHON, CHECK, str(plain)])
        ours = f"check of a `.jsonl.zstd` dsh log, {frames}"
        yield Figure("<= 1.35x", ours, "the same log plain", f"{ratio.time:.2f}x")
    for path in (short, plain, long):
        path.unlink()


def _peaks(folder: Path) -> Iterator[Figure]:
    path = folder / "peak.jsonl.zstd"
    for megabytes in (5, 100):
        LongLog(result_bytes=100_000).write(path, megabytes * 1_000_000)
        for what, program in (("checking", CHECK), ("inspecting", INSPECT)):
            peak = whole_process([*PYTHON, program, str(path)]).peak
            ours = f"peak memory of {what} a {megabytes} MB `.jsonl.zstd` dsh log"
            yield Figure("<= 250 MB", ours, "a fixed size", f"{peak / 1e6:.0f} MB")
    path.unlink()

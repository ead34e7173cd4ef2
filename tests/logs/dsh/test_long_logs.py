"""Long logs: checked and inspected in memory that does not grow with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from backports.zstd import ZstdCompressor

import sesskit
from logs.dsh.long_logs import HEADER, LongLog
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.rows import pack
from sesskit.schemas.ecmascript import dumps

MEGABYTE = 1_000_000
ALLOWED_KIB = 250 * 1024

PROGRAM = """
import json, sys
from pathlib import Path
from sesskit.logs.dsh.format import LOG
from sesskit.logs.dsh.inspection import inspect_log
from sesskit.records.format import Options

path = Path(sys.argv[1])
if sys.argv[2] == "validate":
    outcome = LOG.read(path, Options(keep=False))
    seen = {"events": None}
else:
    with path.open("rb") as source:
        found = inspect_log(source, path)
    outcome = found.outcome
    seen = {"events": found.events, "turns": found.overview.turns}
seen |= {"status": outcome.status, "issues": len(outcome.issues)}
# Unlike ru_maxrss this does not begin with the peak of the process that started us.
status = Path("/proc/self/status").read_text()
seen["peak"] = int(status.partition("VmHWM:")[2].split()[0])
print(json.dumps(seen))
"""


def examined(path: Path, how: str) -> dict[str, object]:
    """What a process of its own says of a file, and how much memory it took (KiB)."""
    command = [sys.executable, "-c", PROGRAM, str(path), how]
    environment = {**os.environ, "PYTHONPATH": str(Path(sesskit.__file__).parent.parent)}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    seen: dict[str, object] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("name", ["long.jsonl", "long.jsonl.zstd"])
def test_memory_does_not_grow(name: str, tmp_path: Path) -> None:
    peaks = {}
    for size in (1, 4):
        path = tmp_path / name
        events = LongLog().write(path, size * MEGABYTE)
        for how in ("validate", "inspect"):
            seen = examined(path, how)
            assert seen["events"] in (None, events)
            assert (seen["status"], seen["issues"]) == ("valid", 0)
            peaks[size, how] = seen["peak"]
    for how in ("validate", "inspect"):
        assert isinstance(large := peaks[4, how], int)
        assert isinstance(small := peaks[1, how], int)
        assert large < small + 4 * 1024, "less than the file itself"


@pytest.mark.soak
def test_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl.zstd"
    in_flat_memory(path, LongLog(result_bytes=100_000).write(path, 1000 * MEGABYTE))


def in_one_frame(path: Path, size: int) -> int:
    """A log whose events all are in one frame, of so many bytes of text; gives their number."""
    events, size_so_far = 0, 0
    compressor = ZstdCompressor()
    with path.open("wb") as target:
        target.write(write_frame(dumps(HEADER) + b"\n"))
        for turn in LongLog(result_bytes=100_000).turns():
            text = b"".join(dumps(record) + b"\n" for record in pack(turn))
            target.write(compressor.compress(text))
            events, size_so_far = events + len(turn), size_so_far + len(text)
            if size_so_far >= size:
                target.write(compressor.flush())
                return events
    raise AssertionError


def in_flat_memory(path: Path, events: int) -> None:
    for how in ("validate", "inspect"):
        seen = examined(path, how)
        assert seen["status"] == "valid"
        assert seen["events"] in (None, events)
        assert isinstance(peak := seen["peak"], int)
        assert peak < ALLOWED_KIB


def test_one_large_frame_is_streamed(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl.zstd"
    in_flat_memory(path, in_one_frame(path, 30 * MEGABYTE))


@pytest.mark.soak
def test_a_frame_of_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl.zstd"
    in_flat_memory(path, in_one_frame(path, 1000 * MEGABYTE))

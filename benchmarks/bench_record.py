"""One big record: decoding in process, validating as a whole process, faults, memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import orjson

from generate import record
from measure import calls, commands
from run import Figure
from sesskit.schemas.robota_decode import decode_envelope

LOADS = "import sys,orjson;orjson.loads(open(sys.argv[1],'rb').read())"


def measure(folder: Path) -> Iterator[Figure]:
    for kind, dense in (("text-heavy", False), ("dense", True)):
        data = record(20, dense=dense)
        ratio = calls(partial(orjson.loads, data), partial(decode_envelope, data))
        yield Figure(
            ">= 1.0x its speed",
            f"typed decode of a 20 MB {kind} record, in process",
            "`orjson.loads`",
            f"{ratio.time:.2f}x",
        )
    yield from _processes(folder)
    yield from _faults(folder)


def _validate(path: Path) -> list[str]:
    return [sys.executable, "-m", "sesskit", "validate", str(path)]


def _processes(folder: Path) -> Iterator[Figure]:
    for megabytes, dense in ((20, False), (200, False), (200, True)):
        path = folder / "big.json"
        data = record(megabytes, dense=dense)
        path.write_bytes(data)
        size = len(data)
        del data
        ratio = commands(_validate(path), [sys.executable, "-c", LOADS, str(path)])
        kind = "dense" if dense else "text-heavy"
        name = f"`validate` of a {megabytes} MB {kind} record, whole process"
        yield Figure("<= 0.75x (200 MB)", name, "script with `orjson.loads`", f"{ratio.time:.2f}x")
        extra = (ratio.ours.peak - 1.1 * size) / 1e6
        yield Figure(
            "<= 1.1x the file + 40 MB",
            f"peak memory of the same ({ratio.ours.peak / 1e6:.0f} MB)",
            f"1.1x the file ({1.1 * size / 1e6:.0f} MB)",
            f"{extra:+.0f} MB",
        )


def _faults(folder: Path) -> Iterator[Figure]:
    for faults, goal in ((1, "<= 1.10x"), (1_000, "<= 1.5x")):
        clean, faulty = folder / "clean.json", folder / "faulty.json"
        clean.write_bytes(record(20))
        faulty.write_bytes(record(20, faults=faults))
        ratio = commands(_validate(faulty), _validate(clean), 11)
        yield Figure(
            goal,
            f"20 MB record with {faults:,} faults, all located",
            "the clean one",
            f"{ratio.time:.2f}x",
        )

"""ochat snapshots: decoding and its memory, against MessagePack of the same content."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from generate_ochat import session
from measure import calls
from run import Figure
from sesskit.records.ochat import decode, encode

DECODE = (
    "import gc,sys\n"
    "from sesskit.records.ochat import decode\n"
    "gc.disable()\n"
    "data = open(sys.argv[1], 'rb').read()\n"
    "assert decode(data).status == 'valid'\n"
)
NOTHING = "from sesskit.records.ochat import decode\n"
PEAK = "print(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])\n"
"""What the process itself says: what wait4 says counts the memory of the parent as well."""
MEGABYTES = 200


def measure(folder: Path) -> Iterator[Figure]:
    for kind, dense in (("text-heavy", False), ("dense", True)):
        made = session(20, dense=dense)
        data, packed = encode(made), msgspec.msgpack.encode(made)
        ratio = calls(partial(decode, data), partial(msgspec.msgpack.decode, packed))
        speed = len(data) / ratio.ours.seconds / 1e6
        yield Figure(
            ">= 25 MB/s",
            f"decode of a 20 MB {kind} ochat snapshot, in process ({speed:.0f} MB/s here)",
            f"`msgspec.msgpack.decode` of the same content ({len(packed) / 1e6:.0f} MB)",
            f"{ratio.time:.2f}x",
        )
        del made, data, packed
        yield _peak(folder, kind, dense)


def _peak(folder: Path, kind: str, dense: bool) -> Figure:
    """The peak of a process of its own, less what the interpreter and its imports take."""
    path = folder / "snapshot.bin"
    path.write_bytes(encode(session(MEGABYTES, dense=dense)))
    size = path.stat().st_size
    peak = _told(DECODE + PEAK, str(path)) - _told(NOTHING + PEAK)
    return Figure(
        "<= 6x the file",
        f"peak memory of decoding a {MEGABYTES} MB {kind} ochat snapshot",
        f"the file ({size / 1e6:.0f} MB)",
        f"{peak / size:.1f}x",
    )


def _told(*arguments: str) -> int:
    run = subprocess.run([sys.executable, "-c", *arguments], stdout=subprocess.PIPE, check=True)
    return int(run.stdout) * 1024

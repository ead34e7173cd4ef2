"""Files of logs damaged as disks, writers and people do it, from a seed."""

from __future__ import annotations

import json
import random
from functools import cache

from backports.zstd import CompressionParameter, compress

from logs.dsh.vectors import cases, rows
from sesskit.logs.dsh.frames import write_frame
from sesskit.schemas.ecmascript import dumps

Lines = list[bytes]

_JUNK = (b"\n", b"null\n", b"{}\n", b"[]\n", b"\0\0\n", b"\xff\n", b'{"type":"x"}\n', b'"a"\n')
_TAILS = (b"\0\0\0", b"x", b"\n", b"\n\n", b"null\n", b"{}\n", b"[1]\n", b'{"type":')
_BARE: dict[int, int] = {CompressionParameter.checksum_flag: 0}


@cache
def sound(version: int) -> list[Lines]:
    """The lines of sound logs of one version."""
    found = [c.file for c in cases("valid") if c.file.name.endswith(".jsonl")]
    found += [f for c in cases("valid") for f in sorted(c.folder.glob("migrated.*jsonl"))]
    texts = [path.read_bytes() for path in found]
    if version:
        texts += [row["text"].encode() for row in rows("native-formats") if row["strict"]["ok"]]
    logs = [text.splitlines(keepends=True) for text in texts]
    return [log for log in logs if len(log) > 4 and _version(log[0]) == version]


def _version(header: bytes) -> int:
    value = json.loads(header)
    seed = value["version"] == 1 and not {"delegationDepth", "isSeeded"} & value.keys()
    return -1 if seed else int(value["version"])


def broken_lines(lines: Lines, chance: random.Random) -> Lines:
    """The lines, some of them lost, doubled, moved, glued, spoiled, or others between them."""
    made = list(lines)
    for _ in range(chance.choice((1, 1, 2))):
        if len(made) < 4:
            break
        at = chance.randrange(1, len(made))
        kind = chance.choice(("lose", "double", "move", "glue", "junk", "sign", "number", "type"))
        if kind == "lose":
            del made[at : at + chance.choice((1, 1, 2, 4))]
        elif kind == "double":
            made.insert(chance.randrange(at, len(made) + 1), made[at])
        elif kind == "move":
            line = made.pop(at)
            made.insert(chance.randrange(1, len(made) + 1), line)
        elif kind == "glue":
            made[at] = made[at][:-1]
        elif kind == "junk":
            made.insert(at, chance.choice(_JUNK))
        elif kind == "sign":
            made[at] = made[at].replace(b":0,", b":-0,", 1)
        elif kind == "number":
            made[at] = _other_number(made[at], chance)
        else:
            made[at] = made[at].replace(b'"type":"', b'"type":"q', 1)
    return made


def _other_number(line: bytes, chance: random.Random) -> bytes:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    name = "seq0" if "seq0" in value else "seq"
    if isinstance(value, dict) and isinstance(value.get(name), int):
        value[name] ^= 1 << chance.randrange(5)
    return dumps(value) + b"\n"


def framed(lines: Lines, chance: random.Random) -> bytes:
    """The lines as a compressed file, whose frames may be odd as well."""
    batches, at = [lines[0]], 1
    while at < len(lines):
        size = chance.randint(1, 6)
        batches.append(b"".join(lines[at : at + size]))
        at += size
    frames = [write_frame(batch) for batch in batches]
    kind = chance.random()
    if kind < 0.1:
        return compress(b"".join(lines))
    if kind < 0.2:
        frames = [compress(batch, options=_BARE) for batch in batches]
    elif kind < 0.3:
        frames.pop(chance.randrange(len(frames)))
    elif kind < 0.4:
        stray = chance.randbytes(chance.choice((1, 3, 9, 90)))
        frames.insert(chance.randrange(len(frames) + 1), stray)
    return b"".join(frames)


def broken_bytes(data: bytes, chance: random.Random) -> bytes:
    """The bytes, cut, flipped, lost, doubled, zeroed, or others between them."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if not made:
            break
        at, size = chance.randrange(len(made)), chance.choice((1, 1, 2, 7, 40, 300))
        kind = chance.choice(("cut", "flip", "zeros", "zeroed", "lose", "junk", "double", "tail"))
        if kind == "cut":
            del made[at:]
        elif kind == "flip":
            made[at] ^= 1 << chance.randrange(8)
        elif kind == "zeros":
            made[at:at] = bytes(size)
        elif kind == "zeroed":
            made[at : at + size] = bytes(len(made[at : at + size]))
        elif kind == "lose":
            del made[at : at + size]
        elif kind == "junk":
            made[at:at] = chance.randbytes(size)
        elif kind == "double":
            made[at:at] = made[at : at + 3 * size]
        else:
            made += chance.choice(_TAILS)
    return bytes(made)


def damaged(seed: int) -> bytes:
    """One damaged file."""
    chance = random.Random(seed)
    lines = chance.choice(sound(chance.choice((0, 0, 1, 2, 3, 3))))
    compressed = chance.random() < 0.4
    where = chance.choice(("bytes", "lines", "both"))
    if where != "bytes":
        lines = broken_lines(lines, chance)
    data = framed(lines, chance) if compressed else b"".join(lines)
    return data if where == "lines" else broken_bytes(data, chance)

"""Damage to files of dsh logs as disks and writers do it, from a seed: what repairs are for."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backports.zstd import CompressionParameter, compress

from peers.damages import text_of
from sesskit.logs.dsh.frames import write_frame

Lines = list[bytes]

_BARE: dict[int, int] = {
    CompressionParameter.checksum_flag: 0,
    CompressionParameter.content_size_flag: 0,
}


@dataclass(frozen=True)
class Broken:
    """A damaged file, and the events of it that no damage touched."""

    data: bytes
    kind: str
    lines: Lines
    whole: tuple[int, ...]
    """Which lines must be in a repaired log as they are; the header is line 0."""


def broken(log: list[Any], kind: str, chance: random.Random) -> Broken:
    """A log with one kind of damage."""
    lines = [text_of([line]) for line in log]
    return BREAKAGES[kind](lines, kind, chance)


def _batches(lines: Lines, chance: random.Random) -> Lines:
    batches, at = [lines[0]], 1
    while at < len(lines):
        size = chance.randint(1, 6)
        batches.append(b"".join(lines[at : at + size]))
        at += size
    return batches


def _frames(lines: Lines, chance: random.Random) -> Lines:
    return [write_frame(batch) for batch in _batches(lines, chance)]


def _stored(lines: Lines, chance: random.Random) -> bytes:
    """The lines as a file, now and then a compressed one."""
    return b"".join(_frames(lines, chance) if chance.random() < 0.3 else lines)


def _but(lines: Lines, *lost: int) -> tuple[int, ...]:
    return tuple(at for at in range(len(lines)) if at not in lost)


def _torn_line(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    cut = lines[at][: chance.randrange(len(lines[at]))]
    return Broken(b"".join([*lines[:at], cut]), kind, lines, tuple(range(at)))


def _torn_frame(lines: Lines, kind: str, chance: random.Random) -> Broken:
    batches = _batches(lines, chance)
    frames = [write_frame(batch) for batch in batches]
    cut = chance.randrange(1, len(frames[-1]))
    kept = len(lines) - batches[-1].count(b"\n")
    return Broken(b"".join(frames)[:-cut], kind, lines, tuple(range(kept)))


def _two_writers(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(2, len(lines))
    mine, other = lines[at:], [_later(line) for line in lines[at:]]
    if chance.random() < 0.5:
        return Broken(_stored(lines + other, chance), kind, lines + other, _but(lines + other))
    mixed = list(lines[:at])
    while mine or other:
        writer = mine if mine and (not other or chance.random() < 0.5) else other
        mixed.append(writer.pop(0))
    return Broken(_stored(mixed, chance), kind, mixed, _but(mixed))


def _later(line: bytes) -> bytes:
    event = copy.deepcopy(json.loads(line))
    name = "time" if "time" in event else "time0"
    event[name] = int(event[name]) + 1
    return text_of([event])


def _gap(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    lost = range(at, min(len(lines), at + chance.choice((1, 1, 2, 4))))
    left = [line for number, line in enumerate(lines) if number not in lost]
    return Broken(_stored(left, chance), kind, left, ())


def _glued(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    glued = [*lines[:at], lines[at][:-1], *lines[at + 1 :]]
    # A last line without its end is dropped by dsh, but nothing of it is lost.
    return Broken(_stored(glued, chance), kind, lines, _but(lines))


def _zeros(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    zeros = bytes(chance.choice((1, 7, 512, 4096)))
    return Broken(_stored([*lines[:at], zeros, *lines[at:]], chance), kind, lines, _but(lines))


def _stray(lines: Lines, kind: str, chance: random.Random) -> Broken:
    frames = _frames(lines, chance)
    stray = chance.choice((b"\0", b"abc", b"\x50\x2a\x4d\x18\x04\0\0\0abcd", chance.randbytes(99)))
    frames.insert(chance.randrange(1, len(frames) + 1), stray)
    return Broken(b"".join(frames), kind, lines, _but(lines))


def _one_frame(lines: Lines, kind: str, _chance: random.Random) -> Broken:
    return Broken(compress(b"".join(lines)), kind, lines, _but(lines))


def _no_checksum(lines: Lines, kind: str, chance: random.Random) -> Broken:
    frames = [compress(batch, options=_BARE) for batch in _batches(lines, chance)]
    return Broken(b"".join(frames), kind, lines, _but(lines))


def _flipped(lines: Lines, kind: str, chance: random.Random) -> Broken:
    batches = _batches(lines, chance)
    frames = [bytearray(write_frame(batch)) for batch in batches]
    hit = chance.randrange(1, len(frames))
    frames[hit][chance.randrange(4, len(frames[hit]))] ^= 1 << chance.randrange(8)
    before = sum(batch.count(b"\n") for batch in batches[:hit])
    return Broken(b"".join(map(bytes, frames)), kind, lines, tuple(range(before)))


def _doubled(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    end = chance.randrange(at, len(lines)) + 1
    return Broken(
        _stored([*lines[:end], lines[at], *lines[end:]], chance), kind, lines, _but(lines)
    )


def _moved(lines: Lines, kind: str, chance: random.Random) -> Broken:
    made = list(lines)
    line = made.pop(chance.randrange(1, len(made)))
    made.insert(chance.randrange(1, len(made) + 1), line)
    return Broken(_stored(made, chance), kind, made, _but(made))


def _misnumbered(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    event = json.loads(lines[at])
    name = "seq" if "seq" in event else "seq0"
    event[name] = int(event[name]) + chance.choice((-1, 1, 7, 100))
    made = [*lines[:at], text_of([event]), *lines[at + 1 :]]
    return Broken(_stored(made, chance), kind, made, ())


def _misspelled(lines: Lines, kind: str, chance: random.Random) -> Broken:
    at = chance.randrange(1, len(lines))
    word = chance.choice((b"/en", b"/st", b"age", b"/ca", b"/re"))
    spoiled = lines[at].replace(word, word[:2] + b"\xff", 1)
    made = [*lines[:at], spoiled, *lines[at + 1 :]]
    return Broken(_stored(made, chance), kind, made, ())


BREAKAGES: dict[str, Callable[[Lines, str, random.Random], Broken]] = {
    "torn-line": _torn_line,
    "torn-frame": _torn_frame,
    "two-writers": _two_writers,
    "gap": _gap,
    "glued": _glued,
    "zeros": _zeros,
    "stray": _stray,
    "one-frame": _one_frame,
    "no-checksum": _no_checksum,
    "flipped": _flipped,
    "doubled": _doubled,
    "moved": _moved,
    "misnumbered": _misnumbered,
    "misspelled": _misspelled,
}

"""The bytes of a damaged file that are in no repaired log: told, and given again."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator

from sesskit.logs.dsh.material import Dropped, Frames, Ledger, Material
from sesskit.schemas.ecmascript import dumps

MOST_RUNS = 1_000
"""Damaged frames, and bytes between frames, that are told one by one."""


def lost_lines(material: Material, dropped: Iterable[Dropped]) -> Iterator[bytes]:
    """The runs, which rise, as lines of JSON in pieces, each with its bytes."""
    runs = _Runs(material)
    for run in dropped:
        told = {
            "offset": run.offset,
            "length": run.length,
            "of": "decompressed text" if run.decompressed else "file",
            "sha256": run.sha256,
            "reason": run.reason,
        }
        yield dumps(told)[:-1] + b',"base64":"'
        for piece in _in_triples(runs.bytes_of(run)):
            yield base64.b64encode(piece)
        yield b'"}\n'


def lost_frames(material: Material, frames: Frames) -> Iterator[Dropped]:
    """What of the file gave no text, or not all of it; the digests are made now."""
    for start, end, reason in _runs_of(frames):
        ledger = Ledger()
        at = start
        for block in material.bytes_of(start, end):
            ledger.add(at, block, reason)
            at += len(block)
        yield from ledger.close()


def _runs_of(frames: Frames) -> Iterator[tuple[int, int, str]]:
    """The runs one by one; very many that follow each other as one."""
    if len(frames.lost) <= MOST_RUNS:
        yield from frames.lost
        return
    start, end = 0, 0
    for first, last, _ in sorted(frames.lost):
        if first > end and end:
            yield start, end, "damaged frames"
        start = first if first > end or not end else start
        end = last
    yield start, end, "damaged frames"


class _Runs:
    """The bytes of dropped runs, in the order of their places."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._text: Iterator[tuple[int, bytes]] | None = None
        self._held: tuple[int, bytes] = (0, b"")

    def bytes_of(self, run: Dropped) -> Iterator[bytes]:
        if not run.decompressed:
            yield from self._material.bytes_of(run.offset, run.offset + run.length)
            return
        if self._text is None:
            self._text = ((t.offset, t.data) for t in self._material.text_from(run.offset))
        at, end = run.offset, run.offset + run.length
        while at < end:
            base, data = self._held
            if not base <= at < base + len(data):
                found = next(self._text, None)
                if found is None:
                    return
                self._held = found
                continue
            piece = data[at - base : end - base]
            at += len(piece)
            yield piece


def _in_triples(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that base64 needs no padding between."""
    held = b""
    for piece in pieces:
        held += piece
        size = len(held) - len(held) % 3
        yield held[:size]
        held = held[size:]
    yield held

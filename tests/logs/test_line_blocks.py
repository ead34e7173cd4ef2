"""Framing: every line once, with its number and offset, whatever its length."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.logs import line_blocks as framing
from sesskit.logs.line_blocks import LONG_BYTES, BoundedLines, Hollow, Lines, line_blocks

Found = tuple[int, int, bytes, bool]


def lines(data: bytes) -> list[Found]:
    """The lines of a stream; of one that can be peeked into, and of a part of one, the same."""
    found = _lines(io.BytesIO(data))
    for size in (16, 300):
        peekable = io.BufferedReader(io.BytesIO(data), size)
        assert _lines(peekable) == found
        longer = io.BufferedReader(io.BytesIO(data + b"more\n"), size)
        assert _lines(BoundedLines(longer, len(data))) == found
    return found


def _lines(stream: Lines) -> list[Found]:
    found: list[Found] = []
    for block in line_blocks(stream):
        number, offset, last = block.number, block.offset, len(block.lines) - 1
        for place, line in enumerate(block.lines):
            ended = block.ended or place < last
            assert line.endswith(b"\n") or not ended or block.hollow
            found.append((number, offset, line.removesuffix(b"\n"), ended))
            number, offset = number + 1, offset + len(line)
    return found


def plainly(data: bytes) -> list[Found]:
    pieces = data.split(b"\n")
    rest = pieces.pop()
    found, offset = [], 0
    for number, piece in enumerate(pieces, 1):
        found.append((number, offset, piece, True))
        offset += len(piece) + 1
    return [*found, (len(pieces) + 1, offset, rest, False)] if rest else found


@given(st.lists(st.binary(max_size=20), max_size=200), st.booleans())
@settings(max_examples=60, deadline=None)
def test_short_lines(pieces: list[bytes], ended: bool) -> None:
    data = b"\n".join(pieces) + b"\n" * ended
    assert lines(data) == plainly(data)


@pytest.mark.parametrize("length", [LONG_BYTES - 1, LONG_BYTES, LONG_BYTES + 1, 3 * LONG_BYTES])
@pytest.mark.parametrize("ended", [True, False])
def test_long_lines(length: int, ended: bool) -> None:
    data = b"a\n" + b"x" * length + b"\nb\n" + b"y" * length + b"\n" * ended
    assert lines(data) == plainly(data)


def hollows(stream: BinaryIO) -> list[tuple[int, int, Hollow | None, bool]]:
    blocks = line_blocks(stream)
    return [(block.number, block.offset, block.hollow, block.ended) for block in blocks]


@pytest.mark.parametrize("ended", [True, False])
def test_a_hole_is_counted_and_not_held(ended: bool, tmp_path: Path) -> None:
    size = 200 * LONG_BYTES
    path = tmp_path / "log"
    path.write_bytes(b"a\n" + bytes(size) + (b"\nb\n" if ended else b""))
    tracemalloc.start()
    with path.open("rb") as stream:
        found = hollows(stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 * LONG_BYTES
    assert found[0] == (1, 0, None, True)
    assert found[1] == (2, 2, Hollow(size, zeros=True), ended)
    assert found[2:] == ([(3, size + 3, None, True)] if ended else [])


def test_a_hole_with_something_behind_is_a_line() -> None:
    data = bytes(3 * LONG_BYTES) + b'{"a":1}\nb\n'
    assert lines(data) == plainly(data)


@pytest.mark.parametrize("ended", [True, False])
def test_a_line_without_end_is_stepped_over(ended: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_LINE_BYTES", 2 * LONG_BYTES)
    size = 5 * LONG_BYTES
    data = b"a\n" + b"[" * size + (b"\nb\n" if ended else b"")
    found = hollows(io.BytesIO(data))
    assert found[1] == (2, 2, Hollow(size, zeros=False), ended)
    assert len(found) == 2 + ended

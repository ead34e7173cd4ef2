"""Zstd frames: structure, checksums, torn ends, stray bytes, bounds."""

import io
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from backports.zstd import ZstdCompressor, ZstdDecompressor
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.logs.dsh.frame_headers import CHECKSUM_BYTES
from sesskit.logs.dsh.frames import MAGIC, Frame, FrameEvent, Piece, Stray, read_frames, write_frame
from sesskit.schemas import dsh_limits

VECTORS = Path(__file__).parents[2] / "data" / "dsh-log" / "vectors"
TEXTS = [b"header\n", b"one\ntwo\n", b"three\n" * 50]
FRAMES = [write_frame(text) for text in TEXTS]
SKIPPABLE = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"skip"


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time, like a slow pipe."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = io.BytesIO(data), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._data.read(min(self._size, len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)


def walk(data: bytes) -> list[FrameEvent]:
    return list(read_frames(io.BytesIO(data)))


def text_of(events: list[FrameEvent], *, sound: bool = True) -> bytes:
    return b"".join(e.data for e in events if isinstance(e, Piece) and e.sound is sound)


def frames_of(events: list[FrameEvent]) -> list[Frame]:
    return [e for e in events if isinstance(e, Frame)]


def covers(events: list[FrameEvent], size: int) -> bool:
    """Every byte of the file is in exactly one frame or stray."""
    spans = [(e.start, e.end) for e in events if not isinstance(e, Piece)]
    ends = [0, *(end for _, end in spans)]
    return [start for start, _ in spans] == ends[:-1] and ends[-1] == size


def test_whole_frames() -> None:
    events = walk(b"".join(FRAMES))
    frames = frames_of(events)
    assert [f.state for f in frames] == ["whole"] * 3
    assert [f.size for f in frames] == [len(t) for t in TEXTS]
    assert all(f.checksum for f in frames)
    assert text_of(events) == b"".join(TEXTS)
    assert covers(events, sum(map(len, FRAMES)))


@pytest.mark.parametrize("size", [1, 3, 7])
def test_slow_stream_gives_the_same(size: int) -> None:
    data = b"".join(FRAMES) + b"stray!" + FRAMES[1]
    assert list(read_frames(cast(BinaryIO, Trickle(data, size)))) == walk(data)


def test_no_content_size_in_the_header() -> None:
    assert all(f[4] >> 6 == 0 and not f[4] & 0x20 for f in FRAMES)


@pytest.mark.parametrize(
    "file", sorted(VECTORS.glob("valid/*/*.zstd")), ids=lambda f: f.parent.name
)
def test_frames_are_written_byte_for_byte(file: Path) -> None:
    data = file.read_bytes()
    for event in walk(data):
        if isinstance(event, Frame):
            raw = data[event.start : event.end]
            assert write_frame(ZstdDecompressor().decompress(raw)) == raw


@pytest.mark.parametrize("cut", range(1, len(FRAMES[2])))
def test_torn_at_every_byte_of_the_last_frame(cut: int) -> None:
    data = FRAMES[0] + FRAMES[1] + FRAMES[2][:cut]
    events = walk(data)
    assert covers(events, len(data))
    assert text_of(events).startswith(TEXTS[0] + TEXTS[1])
    last = events[-1]
    if cut < len(MAGIC):
        assert last == Stray(len(data) - cut, len(data), torn=True)
    else:
        assert isinstance(last, Frame)
        assert (last.state, last.reason, last.number) == ("torn", "end", 3)


@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_a_frame_that_lacks_only_its_checksum_gives_everything(missing: int) -> None:
    assert text_of(walk(FRAMES[0] + FRAMES[2][:-missing])) == TEXTS[0] + TEXTS[2]


@pytest.mark.parametrize("at", range(len(FRAMES[1])))
def test_any_flip_is_located_and_reading_goes_on(at: int) -> None:
    broken = bytearray(FRAMES[1])
    broken[at] ^= 0x10
    data = FRAMES[0] + bytes(broken) + FRAMES[2]
    events = walk(data)
    assert covers(events, len(data))
    assert text_of(events).startswith(TEXTS[0])
    # The bytes between sound frames are named, whatever they look like now.
    wrong = [e for e in events if isinstance(e, Stray)] + [
        f
        for f in frames_of(events)
        if f.state != "whole" or f.start not in (0, len(FRAMES[0] + broken))
    ]
    assert wrong
    assert min(e.start for e in wrong) == len(FRAMES[0])


@pytest.mark.parametrize("bit", [0x08, 0x10])
@pytest.mark.parametrize("lost", [0, 1, 10])
def test_bits_of_the_header_that_no_frame_has(bit: int, lost: int) -> None:
    broken = bytearray(FRAMES[1])
    broken[len(MAGIC)] ^= bit
    torn = FRAMES[0] + broken[: len(broken) - lost]
    events = walk(torn)
    assert covers(events, len(torn))
    last = frames_of(events)[-1]
    assert (last.state, last.reason) == ("torn" if lost else "damaged", "structure")
    whole = TEXTS[0] + TEXTS[1]
    assert text_of(events) == whole[: len(text_of(events))]
    assert lost > CHECKSUM_BYTES or text_of(events) == whole
    assert len(frames_of(walk(torn + FRAMES[2]))) == 3 - bool(lost)


@pytest.mark.parametrize("at", range(len(MAGIC), len(FRAMES[1])))
@pytest.mark.parametrize("flip", [0x01, 0x08, 0x40, 0xFF])
def test_what_follows_from_a_damaged_frame_is_part_of_it(at: int, flip: int) -> None:
    broken = bytearray(FRAMES[1])
    broken[at] ^= flip
    wrong = [
        event
        for event in walk(FRAMES[0] + bytes(broken) + FRAMES[2])
        if isinstance(event, Stray) or (isinstance(event, Frame) and event.state != "whole")
    ]
    assert len(wrong) <= 1


def test_checksum_flip_holds_the_text_back_as_unsound() -> None:
    broken = FRAMES[1][:-1] + bytes([FRAMES[1][-1] ^ 1])
    events = walk(FRAMES[0] + broken + FRAMES[2])
    assert text_of(events) == TEXTS[0] + TEXTS[2]
    assert frames_of(events)[1].state == "damaged"
    assert frames_of(events)[1].reason == "data"


@pytest.mark.parametrize(
    ("stray", "torn"),
    [
        (b"\0" * 3, True),
        (b"abc", True),
        (b"\0" * 4, False),
        (SKIPPABLE, False),
        (b"{}\n" * 9, False),
    ],
)
def test_stray_bytes_at_the_end(stray: bytes, torn: bool) -> None:
    data = FRAMES[0] + stray
    assert walk(data)[-1] == Stray(len(FRAMES[0]), len(data), torn)


def test_skippable_frame_between_frames_is_stray() -> None:
    data = FRAMES[0] + SKIPPABLE + FRAMES[1]
    events = walk(data)
    assert Stray(len(FRAMES[0]), len(FRAMES[0] + SKIPPABLE)) in events
    assert text_of(events) == TEXTS[0] + TEXTS[1]


def test_ten_thousand_empty_frames() -> None:
    empty = write_frame(b"")
    events = walk(FRAMES[0] + empty * 10_000 + FRAMES[1])
    assert len(frames_of(events)) == 10_002
    assert text_of(events) == TEXTS[0] + TEXTS[1]


def test_a_bomb_is_stopped_and_located(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "sesskit.logs.dsh.frames"
    monkeypatch.setattr(f"{module}.FREE_EXPANSION_BYTES", 1024 * 1024)
    bomb = write_frame(b"\0" * 64 * 1024 * 1024)
    assert len(bomb) * dsh_limits.EXPANSION_FACTOR < 64 * 1024 * 1024
    tracemalloc.start()
    given_bytes, frames = 0, []
    for event in read_frames(io.BytesIO(FRAMES[0] + bomb + FRAMES[1])):
        if isinstance(event, Piece):
            given_bytes += len(event.data)
        elif isinstance(event, Frame):
            frames.append((event.state, event.reason))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert frames[1] == ("damaged", "bomb")
    assert given_bytes < 16 * 1024 * 1024
    assert peak < 8 * 1024 * 1024


def test_large_frames_stream_before_their_end_is_seen() -> None:
    text = bytes(range(256)) * 4096 * 3
    events = walk(write_frame(text))
    pieces = [e for e in events if isinstance(e, Piece)]
    assert {p.sound for p in pieces} == {None}
    assert b"".join(p.data for p in pieces) == text
    assert frames_of(events)[0].size == len(text)


def test_frames_without_checksum() -> None:
    (frame,) = frames_of(walk(ZstdCompressor().compress(b"x", ZstdCompressor.FLUSH_FRAME)))
    assert (frame.state, frame.checksum) == ("whole", False)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from([*FRAMES, MAGIC, SKIPPABLE]), st.binary(max_size=30)), max_size=6
    )
)
def test_total_for_any_bytes(parts: list[bytes]) -> None:
    data = b"".join(parts)
    events = walk(data)
    assert covers(events, len(data))
    frames = frames_of(events)
    assert all(b.number == a.number + 1 for a, b in pairwise(frames))

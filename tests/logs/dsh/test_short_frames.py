"""Short frames that follow each other: the same text however they are unpacked."""

import io
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from backports.zstd import ZstdDecompressor, ZstdError

from sesskit.logs.dsh import short_frames
from sesskit.logs.dsh.frames import Frame, Piece, Run, read_frames, read_runs, write_frame

TEXTS = [b"header\n", *(b"%d\n" % number * (number % 5) for number in range(1, 40))]
FRAMES = [write_frame(text) for text in TEXTS]


class Again:
    """As `zstandard.ZstdDecompressor`, by another library."""

    def decompressobj(self) -> ZstdDecompressor:
        return ZstdDecompressor()


@pytest.fixture(params=["none", "stand-in", "zstandard"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "none":
        monkeypatch.setitem(sys.modules, "zstandard", None)
    elif request.param == "stand-in" or find_spec("zstandard") is None:
        module = SimpleNamespace(ZstdDecompressor=Again, ZstdError=ZstdError)
        monkeypatch.setitem(sys.modules, "zstandard", module)
    monkeypatch.setattr(short_frames, "_MANY", 3)
    short_frames.reused.cache_clear()
    yield request.param
    short_frames.reused.cache_clear()


def test_runs_give_what_frames_give(library: str) -> None:
    data = b"".join(FRAMES)
    found = list(read_runs(io.BytesIO(data)))
    (run,) = [event for event in found if isinstance(event, Run)]
    assert (run.first, run.start) == (2, len(FRAMES[0]))
    assert [text for _, _, text in run.frames] == TEXTS[1:]
    events = list(read_frames(io.BytesIO(data)))
    assert [e.data for e in events if isinstance(e, Piece)] == [t for t in TEXTS if t]
    assert {e.state for e in events if isinstance(e, Frame)} == {"whole"}
    assert (short_frames.reused() is None) == (library == "none")


@pytest.mark.parametrize("at", range(6, len(FRAMES[8])))
def test_a_damaged_frame_is_no_short_one(library: str, at: int) -> None:
    broken = bytearray(FRAMES[8])
    broken[at] ^= 0x10
    data = b"".join(FRAMES[:8]) + bytes(broken) + b"".join(FRAMES[9:])
    runs = [event for event in read_runs(io.BytesIO(data)) if isinstance(event, Run)]
    assert [text for _, _, text in runs[0].frames][:7] == TEXTS[1:8]
    assert runs[0].first + len(runs[0].frames) == 9


@pytest.mark.parametrize("cut", range(1, len(FRAMES[8])))
def test_a_torn_frame_is_no_short_one(library: str, cut: int) -> None:
    data = b"".join(FRAMES[:8]) + FRAMES[8][:cut]
    runs = [event for event in read_runs(io.BytesIO(data)) if isinstance(event, Run)]
    assert [len(run.frames) for run in runs] == [7]


def test_long_frames_come_alone(library: str) -> None:
    long = write_frame(bytes(range(256)) * 2048)
    data = FRAMES[0] + FRAMES[1] * 5 + long + FRAMES[1] * 2
    found = list(read_runs(io.BytesIO(data)))
    assert [len(event.frames) for event in found if isinstance(event, Run)] == [5, 2]
    pieces = [event.data for event in found if isinstance(event, Piece)]
    assert b"".join(pieces[1:]) == bytes(range(256)) * 2048

"""Whole short frames that follow each other, unpacked together: what most of a log is made of.

Nothing is said of what is wrong: a frame in which anything is not as it should be is left to the
careful way, with all that stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from backports.zstd import ZstdDecompressor, ZstdError

from sesskit.logs.dsh.frame_events import ShortFrame
from sesskit.logs.dsh.frame_headers import extent
from sesskit.logs.dsh.windows import Window
from sesskit.schemas.dsh_limits import EXPANSION_FACTOR

RUN_BYTES = 64 * 1024
_MOST_BLOCKS = 2
_MOST_TEXT = _MOST_BLOCKS * 128 * 1024
"""A block holds at most 128 KiB."""
_AHEAD = 64 * 1024
_MANY = 512
"""From so many frames on it pays to import a decompressor that can be used again."""


class ShortFrames:
    """Reads them from a window."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._count = 0
        self._unpack: Callable[[memoryview], bytes | None] = unpack

    def take(self, spare: int, most: int = RUN_BYTES) -> list[ShortFrame]:
        """The next ones, about ``most`` bytes of text; none where the next frame is another.

        ``spare`` is what text there may be beyond what these frames allow for themselves.
        """
        self._window.ensure(_AHEAD)
        buffer, at = self._window.held()
        start, found = at, []
        with memoryview(buffer) as view:
            while most > 0:
                size, checksum, blocks = extent(buffer, at)
                if not 0 < blocks <= _MOST_BLOCKS:
                    break
                with view[at : at + size] as frame:
                    text = self._unpack(frame)
                if text is None:
                    break
                spare += EXPANSION_FACTOR * size - len(text)
                if spare < 0:
                    break
                found.append((size, checksum, text))
                at += size
                most -= len(text)
        self._window.pass_over(at - start)
        self._count += len(found)
        if self._count > _MANY:
            self._unpack = reused() or unpack
        return found


def unpack(data: memoryview) -> bytes | None:
    """The text of a whole frame; None where the bytes are anything else, or it is long."""
    decompressor = ZstdDecompressor()
    try:
        text = decompressor.decompress(data, _MOST_TEXT)
    except (ZstdError, MemoryError):
        return None
    return text if decompressor.eof else None


@cache
def reused() -> Callable[[memoryview], bytes | None] | None:
    """The same by a decompressor that is made only once; it comes with the extra ``sesskit[fast]``.

    To make one can take several times as long as to unpack a few lines.
    """
    try:
        zstandard: Any = import_module("zstandard")
    except ImportError:
        return None
    begin = zstandard.ZstdDecompressor().decompressobj

    def again(data: memoryview) -> bytes | None:
        frame = begin()
        try:
            text: bytes = frame.decompress(data)
        except (zstandard.ZstdError, MemoryError):
            return None
        return text if frame.eof and len(text) <= _MOST_TEXT else None

    return again

"""The beginning of a file: enough to recognise it by, without reading it all."""

from __future__ import annotations

import os
from pathlib import Path

from sesskit.records.reading import StrPath, open_regular, reason_for
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Unreadable

_LONGEST = 64 * 1024 * 1024
_BLOCK = 1024 * 1024
_END = 4096


def read_line_end(path: StrPath) -> bytes:
    """The last kB of a regular file's first line, or of its first 64 MB; empty if unreadable."""
    kept, left = b"", _LONGEST
    try:
        descriptor = open_regular(Path(path))
        try:
            while left > 0 and (block := os.read(descriptor, min(left, _BLOCK))):
                line, ended, _ = block.partition(b"\n")
                kept, left = (kept + line)[-_END:], left - len(block)
                if ended:
                    break
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return b""
    return kept


def read_head(path: StrPath, size: int = RECOGNITION_BYTES) -> bytes | Missing | Unreadable:
    """The first ``size`` bytes of a regular file, fewer if it is shorter.

    Links are followed. Whatever is no readable regular file gets the answer that `read_document`
    would give, and is not opened.
    """
    try:
        descriptor = open_regular(Path(path))
        try:
            return os.read(descriptor, size)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable("its name cannot be the name of a file")

"""Opening log files to read, and their text: regular files only, never hanging."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sesskit.logs.dsh.frame_headers import MAGIC
from sesskit.records.reading import open_regular, reason_for
from sesskit.schemas.outcomes import Missing, Unreadable

_BLOCK = 1 << 18
_BAD_NAME = "its name cannot be the name of a file"


def opened(path: Path) -> int | Missing | Unreadable:
    """A descriptor to read a regular file from, or why there is none."""
    try:
        return open_regular(path)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable(_BAD_NAME)


def text_of(source: BinaryIO) -> Iterator[bytes]:
    """The text of a log in pieces, decompressed where it is compressed."""
    head = source.read(len(MAGIC))
    source.seek(0)
    if head != MAGIC:
        yield from blocks(source)
        return
    from sesskit.logs.dsh.frames import Piece, read_frames  # only for such logs

    yield from (event.data for event in read_frames(source) if isinstance(event, Piece))


def blocks(source: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream in pieces."""
    while block := source.read(_BLOCK):
        yield block

"""Looking at one file: how it is read (`Reading`), what is in it (`look`), its bytes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import NamedTuple

from sesskit.logs.formats import STDIN, Finding, examine
from sesskit.logs.walking import Source
from sesskit.records.format import Options
from sesskit.records.reading import ZeroFilled, read_document, read_stream
from sesskit.schemas.outcomes import Unreadable

NO_MEMORY = "there is not enough memory to read it"


class Reading(NamedTuple):
    """How files are read: as which format (None recognises it), and with which options."""

    format: str | None = None
    options: Options = Options()


Look = Callable[[Source, Reading], Finding]
"""How a command finds out what is in a source."""


def look(source: Source, reading: Reading) -> Finding:
    """What is in one source. The garbage collector rests meanwhile: a decode makes no garbage."""
    if source.trouble is not None:
        return Finding(source.path, Unreadable(source.trouble))
    resting = gc.isenabled()
    gc.disable()
    try:
        if source.path == STDIN:
            return _stdin(reading)
        if "#" in source.path and reading.format in (None, "dsh-log"):
            from sesskit.cli.database import looked_up  # only now: it brings SQLite

            inside = looked_up(source.path)
            if inside is not None:
                return inside
        return examine(source.path, format=reading.format, options=reading.options)
    finally:
        if resting:
            gc.enable()


def survived(by: Look, source: Source, reading: Reading) -> Finding:
    """What ``by`` finds; a file that takes more memory than there is, is unreadable.

    Parsers in C say `SystemError` where they forget to say `MemoryError`.
    """
    try:
        return by(source, reading)
    except (MemoryError, SystemError):
        return Finding(source.path, Unreadable(NO_MEMORY))


def data_of(finding: Finding) -> bytes:
    """The bytes of a file that was examined; none where they cannot be read any more.

    Of a large file of NULs only a few: there is nothing to be seen in the others.
    """
    found = read_document(finding.path) if finding.source is None else finding.source
    if isinstance(found, ZeroFilled):
        return found.sample()
    return found if isinstance(found, bytes) else b""


def read_stdin() -> bytes | ZeroFilled | Unreadable:
    """All of standard input, or why there is none."""
    return read_stream(sys.stdin.buffer) if sys.stdin else Unreadable("it is closed")


def _stdin(reading: Reading) -> Finding:
    read = read_stdin()
    if isinstance(read, Unreadable):
        return Finding(STDIN, read)
    data = read if isinstance(read, bytes) else read.sample()
    return examine(data, format=reading.format, options=reading.options)

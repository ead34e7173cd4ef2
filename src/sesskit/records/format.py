"""What a format is to everyone who does not decode it: its name, how to recognise and to decode it.

A format's module makes one `Format` value; the registry of all formats is `sesskit.logs.formats`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal, NamedTuple

from sesskit.schemas.outcomes import Decoded, Outcome

Sure = Literal["certain", "likely", "guess"]


class Recognition(NamedTuple):
    """How sure a format is that a file is one of its own, and why.

    ``certain`` and ``likely`` rest on what the file says (or on a session layout of folders). A
    ``guess`` rests on next to nothing, an empty ``.json`` say: it decides about a file that was
    named, and in a folder only beside files that were recognised.
    """

    sure: Sure
    why: str


class Options(NamedTuple):
    """How to decode.

    ``thorough`` also finds what costs time to find (duplicate member names); without ``keep`` the
    value of a `Valid` answer may be None; ``zone`` is the zone of date-times that name none;
    without ``sidecars`` a log's sidecars are not looked at; so many ``workers`` (processes) may
    share one big log.
    """

    thorough: bool = False
    keep: bool = True
    zone: tzinfo = UTC
    sidecars: bool = True
    workers: int = 1


Recognizer = Callable[[bytes, str], Recognition | None]
"""From the beginning of a file and its absolute path ("" if it has none). Cheap, total, pure."""


class Format(NamedTuple):
    """One format: ``versions`` are those this build reads.

    ``decode`` is total and takes the whole file. A format whose files are too big to hold gives
    ``read`` as well; then a path is read by it, and gets the same answers as `decode` would give.
    """

    name: str
    title: str
    versions: tuple[int, ...]
    recognize: Recognizer
    decode: Callable[[bytes, Options], Decoded]
    read: Callable[[Path, Options], Outcome] | None = None

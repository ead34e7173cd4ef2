"""The formats of dsh for the registry: session logs and databases of them."""

from __future__ import annotations

import io
import os
from pathlib import Path

from msgspec.structs import replace

from sesskit.logs.dsh.decode import examine
from sesskit.logs.dsh.generations import DATABASE_SCHEMAS, READ_VERSIONS
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.recognition import recognize, recognize_store
from sesskit.records.format import Format, Options
from sesskit.records.reading import reason_for
from sesskit.schemas.outcomes import Decoded, Outcome, Unreadable, Valid

__all__ = ["LOG", "STORE"]


def _decode(data: bytes, options: Options) -> Decoded:
    return examine(io.BytesIO(data), keep=options.keep, thorough=options.thorough)


def _read(path: Path, options: Options) -> Outcome:
    """The same from a file, streamed: memory stays flat without ``keep``."""
    found = opened(path)
    if not isinstance(found, int):
        return found
    try:
        with os.fdopen(found, "rb") as source:
            return examine(
                source,
                path.absolute(),
                keep=options.keep,
                thorough=options.thorough,
            )
    except OSError as error:
        return Unreadable(reason_for(error))


def _decode_store(data: bytes, options: Options) -> Decoded:
    from sesskit.logs.dsh import sqlite  # only here: most files are logs

    outcome = sqlite.decode(data)
    return _light(outcome) if isinstance(outcome, Valid) and not options.keep else outcome


def _read_store(path: Path, options: Options) -> Outcome:
    from sesskit.logs.dsh import sqlite

    outcome = sqlite.read(path)
    return _light(outcome) if isinstance(outcome, Valid) and not options.keep else outcome


def _light(outcome: Valid) -> Valid:
    return replace(outcome, value=None)


LOG = Format("dsh-log", "dsh session log", READ_VERSIONS, recognize, _decode, _read)
STORE = Format(
    "dsh-sqlite",
    "dsh session database",
    DATABASE_SCHEMAS,
    recognize_store,
    _decode_store,
    _read_store,
)

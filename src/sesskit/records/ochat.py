"""ochat session snapshots: what the registry and the library know of them.

outcome = decode(path.read_bytes())     # Valid(Snapshot), Corrupt or Unsupported
migrate_snapshot(data).data             # the same session as version 5
export_json(outcome.value)              # neutral JSON, and import_json back
"""

from __future__ import annotations

from msgspec.structs import replace

from sesskit.records.format import Format, Options
from sesskit.records.ochat_exchange import export_json, import_json, snapshot_bytes
from sesskit.records.ochat_migrate import (
    migrate_snapshot,
    migrate_snapshot_file,
    reset_snapshot,
    reset_snapshot_file,
)
from sesskit.records.ochat_reading import read_snapshot
from sesskit.records.ochat_recognition import recognize
from sesskit.records.ochat_snapshot import Snapshot, encode
from sesskit.schemas.ochat_sessions import VERSIONS
from sesskit.schemas.outcomes import Decoded, Valid

__all__ = [
    "RECORD",
    "Snapshot",
    "decode",
    "encode",
    "export_json",
    "import_json",
    "migrate_snapshot",
    "migrate_snapshot_file",
    "reset_snapshot",
    "reset_snapshot_file",
    "snapshot_bytes",
]


def decode(data: bytes, *, version: int | None = None) -> Decoded:
    """What is in these bytes; the value of a `Valid` answer is a `Snapshot`. Total.

    With ``version`` (0 to 5) they are read as that version and as no other.
    """
    return read_snapshot(data, version)


def _decode(data: bytes, options: Options) -> Decoded:
    outcome = read_snapshot(data)
    if isinstance(outcome, Valid) and not options.keep:
        return replace(outcome, value=None)
    return outcome


RECORD = Format("ochat-record", "ochat session snapshot", VERSIONS, recognize, _decode)

"""ochat snapshots out as neutral JSON and back in, byte for byte what they were."""

from __future__ import annotations

from sesskit.artifacts.exchange import Exchange
from sesskit.records.format import Options
from sesskit.records.ochat_exchange import export_json, import_json, snapshot_bytes
from sesskit.schemas.outcomes import Decoded


def _read(data: bytes, options: Options) -> Decoded:
    return import_json(data)


EXCHANGE = Exchange(export_json, _read, snapshot_bytes)

"""Whole-document session records: formats, store, migration, safe files, and the session view.

Knows nothing of logs, and nothing of the redaction of values.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from typing import Any

    from sesskit.records.ochat_store import OchatStore
    from sesskit.records.robota_store import RobotaStore

_HOMES = {
    "OchatStore": "sesskit.records.ochat_store",
    "RobotaStore": "sesskit.records.robota_store",
}

__all__ = ["OchatStore", "RobotaStore"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sesskit.records' has no attribute {name!r}")
    return getattr(import_module(home), name)

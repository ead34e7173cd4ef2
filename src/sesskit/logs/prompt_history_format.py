"""What the registry knows of Robota prompt histories."""

from __future__ import annotations

from sesskit.logs.prompt_history_check import check_history, read_history_file
from sesskit.logs.robota_recognition import history
from sesskit.records.format import Format

__all__ = ["HISTORY"]

HISTORY = Format(
    "robota-history", "Robota prompt history", (), history, check_history, read_history_file
)

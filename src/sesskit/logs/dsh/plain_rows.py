"""Rows as programs write them, told at a glance; for the others `rows.row_fault` looks closely."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_ROW = {"type", "seq0", "time0", "data"}
_FEW = 1_024
_SMALL = 2**42
"""Times and gaps so small, and so few, cannot lead beyond what a double holds exactly."""

_ROW_MEMBERS = {"text-chunks": 5, "reasoning-chunks": 5}


def is_plain_row(row: Json) -> bool:
    """Whether a row is surely sound: as programs write them."""
    data = row.get("data")
    if row.keys() != _ROW or type(data) is not dict or len(data) != _ROW_MEMBERS.get(row["type"]):
        return False
    texts, gaps = data.get("texts"), data.get("dt")
    if type(texts) is not list or type(gaps) is not list or not 0 <= len(gaps) < _FEW:
        return False
    if len(gaps) != len(texts) - 1:
        return False
    numbers: tuple[Any, ...] = (row["seq0"], row["time0"], data.get("turn"), data.get("step"))
    whole = {type(number) for number in (*numbers, data.get("index"), *gaps)} == {int}
    if not whole or {type(text) for text in texts} != {str}:
        return False
    small = all(0 <= number <= _SMALL for number in (*numbers, data["index"]))
    return small and (not gaps or -_SMALL <= min(gaps) <= max(gaps) <= _SMALL)

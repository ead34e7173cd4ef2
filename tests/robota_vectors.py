"""Reads the cases in tests/data/robota-record/vectors/: rows, sound records, edits."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "data" / "robota-record" / "vectors"
VALID = sorted((VECTORS / "valid").glob("*.json"))
BASES: dict[str, Any] = {path.stem: json.loads(path.read_bytes()) for path in VALID}

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (VECTORS / f"{name}.jsonl").read_bytes().splitlines()]


def edited(row: Row) -> Any:
    """The row's base with its edits applied, in order, to a copy."""
    value = copy.deepcopy(BASES[row["base"]])
    for edit in row["edits"]:
        *way, last = edit["path"] or [None]
        if last is None:
            value = edit["value"]
            continue
        holder = value
        for key in way:
            holder = holder[key]
        if edit["op"] == "delete":
            del holder[last]
        elif isinstance(holder, list) and last == len(holder):
            holder.append(edit["value"])
        else:
            holder[last] = edit["value"]
    return value


def name_of(row: Row) -> str:
    return str(row["name"])

"""Reads the cases in tests/data/ochat-record/vectors/, packed or not."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "data" / "ochat-record" / "vectors"

Row = dict[str, Any]


def raw(name: str) -> bytes:
    """The bytes of a file of the collection."""
    path = VECTORS / name
    return path.read_bytes() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes())


def told(name: str) -> Any:
    """The JSON of a file of the collection."""
    return json.loads(raw(name))


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in raw(name).splitlines()]


INDEX = rows("index.jsonl")
DAMAGED = rows("damaged.jsonl")
V5 = [row["name"] for row in INDEX if row["name"].startswith("v5/")]


def name_of(row: Row) -> str:
    return str(row["name"])


def damaged(name: str) -> bytes:
    """The bytes of a row of damaged.jsonl."""
    return data_of(next(row for row in DAMAGED if row["name"] == name))


def data_of(row: Row) -> bytes:
    return base64.b64decode(row["data_b64"])

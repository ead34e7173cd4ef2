"""Streams inside messages: how v2 and later keep the pieces that an answer came by.

Neighbouring deltas of one block are one record, however few; everything else is a record of its
own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]

_RUNS = {
    "text-delta": ("text-chunks", "texts", "text"),
    "reasoning-delta": ("reasoning-chunks", "texts", "text"),
    "tool-call-delta": ("tool-call-chunks", "args", "argumentsDelta"),
}
_SAME = ("index", "id", "name")


def grouped(chunks: Iterable[tuple[int, Json]]) -> list[Json]:
    """The records of a stream, from its chunks and their times in order."""
    records: list[Json] = []
    last = 0
    for time, chunk in chunks:
        run = _RUNS.get(chunk["type"])
        if run is None:
            records.append({"type": "chunk", "time": time, "chunk": chunk})
            continue
        tag, texts, text = run
        open_run: Json = records[-1] if records else {}
        same = open_run.get("type") == tag and all(
            (n in open_run, open_run.get(n)) == (n in chunk, chunk.get(n)) for n in _SAME
        )
        if same:
            open_run["dt"].append(time - last)
            open_run[texts].append(chunk[text])
        else:
            record: Json = {"type": tag, "time0": time, "index": chunk["index"], "dt": []}
            record |= {name: chunk[name] for name in ("id", "name") if name in chunk}
            record[texts] = [chunk[text]]
            records.append(record)
        last = time
    return records

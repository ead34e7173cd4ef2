"""Where events of a log name other events of it, by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sesskit.schemas.dsh_values import is_index
from sesskit.schemas.issues import Keys

Json = dict[str, Any]

_LISTS = {
    "compaction/summary": "shadowedSeqs",
    "compaction/prune": "shadowedSeqs",
    "session/title": "messageSeqs",
    "session/title-llm-request": "messageSeqs",
}
_SPAN_KEYS = ("start", "end", "startSeq", "endSeq")


def references(event: Json) -> Iterator[tuple[Keys, Any]]:
    """Every reference of an event in its data: where it stands, and what it says."""
    data = event["data"]
    if not isinstance(data, dict):
        return
    if event["type"] == "command/done" and "sourceEventSeq" in data:
        yield ("data", "sourceEventSeq"), data["sourceEventSeq"]
    name = _LISTS.get(event["type"], "")
    listed = data.get(name)
    for index, seq in enumerate(listed if isinstance(listed, list) else ()):
        yield ("data", name, index), seq
    span = data.get("shadowedRange") if name == "shadowedSeqs" else None
    if isinstance(span, dict):
        for key in ("start", "end"):
            if key in span:
                yield ("data", "shadowedRange", key), span[key]


def remapped(event: Json, seq: int, new: Callable[[int], int]) -> Json:
    """The event under another number, with every reference led to the new numbers.

    ``new`` gives the number that an earlier event has now; what it raises comes through.
    """
    changed = {**event, "seq": seq}
    if isinstance(event.get("sourceEventSeqs"), list):
        changed["sourceEventSeqs"] = [new(int(source)) for source in event["sourceEventSeqs"]]
    operation = event.get("surfaceOp")
    if isinstance(operation, dict):
        ends = {k: new(int(v)) for k, v in operation.items() if k in _SPAN_KEYS and is_index(v)}
        changed["surfaceOp"] = {"op": "replace", **ends}
    data = event["data"]
    name = _LISTS.get(event["type"])
    if not isinstance(data, dict):
        return changed
    if event["type"] == "command/done" and "sourceEventSeq" in data:
        changed["data"] = {**data, "sourceEventSeq": new(int(data["sourceEventSeq"]))}
    elif name is not None and isinstance(data.get(name), list):
        moved = {**data, name: [_moved(listed, new) for listed in data[name]]}
        span = data.get("shadowedRange") if name == "shadowedSeqs" else None
        if isinstance(span, dict):
            moved["shadowedRange"] = {key: _moved(seq, new) for key, seq in span.items()}
        changed["data"] = moved
    return changed


def _moved(seq: Any, new: Callable[[int], int]) -> Any:
    return new(int(seq)) if is_index(seq) else seq

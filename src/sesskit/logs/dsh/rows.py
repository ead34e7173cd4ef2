"""Chunk rows: one stored line that stands for several streamed deltas.

Formats v0 and v1 store runs of `assistant/chunk` deltas as one row. A row's tag has no slash, so
it is never an event type. ``unpack`` and ``pack`` follow the original reader and writer exactly:
unpacking what was packed gives the same events again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct

from sesskit.schemas.dsh_values import (
    is_count,
    is_index,
    is_negative_zero,
    is_number,
    is_safe_integer,
)

Json = dict[str, Any]

LEAST_MEMBERS = 3
"""A shorter run is stored event by event."""


class _Kind(Struct, frozen=True):
    """How one kind of delta is packed: the row's tag and list, the chunk's type and text."""

    tag: str
    texts: str
    chunk: str
    text: str
    called: bool = False


class _Rules(NamedTuple):
    """What the reader of a version takes for a number in a row."""

    count: Callable[[object], bool]
    safe: Callable[[object], bool]
    number: Callable[[object], bool]
    named: bool


def _is_plain(value: object) -> bool:
    return is_safe_integer(value) and not is_negative_zero(value)


_LOOSE = _Rules(is_index, is_safe_integer, is_number, named=False)
_RELEASED = _Rules(is_count, _is_plain, is_count, named=True)

_KINDS = (
    _Kind("text-chunks", "texts", "text-delta", "text"),
    _Kind("reasoning-chunks", "texts", "reasoning-delta", "text"),
    _Kind("tool-call-chunks", "args", "tool-call-delta", "argumentsDelta", called=True),
)
_BY_TAG = {kind.tag: kind for kind in _KINDS}
_BY_CHUNK = {kind.chunk: kind for kind in _KINDS}

_ROW_KEYS = {"type", "seq0", "time0", "data"}
_EVENT_KEYS = {"type", "seq", "time", "data"}
_CHUNK_DATA_KEYS = {"turn", "step", "chunk"}
_NUMBERS = ("turn", "step", "index")


def is_row(value: object) -> bool:
    """Whether a parsed line carries the tag of a chunk row, well formed or not."""
    return (
        isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in _BY_TAG
    )


def row_fault(row: Json, *, released: bool = False) -> tuple[str | int, ...] | None:
    """Where a row is malformed, as keys into it; None when it is well formed.

    ``released`` asks for the rules of v1: counts where v0 takes any number, no ``-0``, a call with
    an id. That a member's number is no safe integer is no fault in v0: the original does not look.
    """
    kind = _BY_TAG[row["type"]]
    if (fault := _key_fault(row, _ROW_KEYS)) is not None:
        return (fault,)
    rules = _RELEASED if released else _LOOSE
    if not rules.count(row["seq0"]):
        return ("seq0",)
    if not rules.safe(row["time0"]):
        return ("time0",)
    data = row["data"]
    if not isinstance(data, dict):
        return ("data",)
    inner = _data_fault(kind, data, rules)
    if inner is not None:
        return ("data", *inner)
    time = int(row["time0"])
    for index, gap in enumerate(data["dt"]):
        time += int(gap)
        if not is_safe_integer(time):
            return ("data", "dt", index)
    last = int(row["seq0"]) + len(data[kind.texts]) - 1
    return ("seq0",) if released and not is_safe_integer(last) else None


def _data_fault(kind: _Kind, data: Json, rules: _Rules) -> tuple[str | int, ...] | None:
    texts, gaps = data.get(kind.texts), data.get("dt")
    expected = {*_NUMBERS, "dt", kind.texts}
    if kind.called:
        expected |= {"id", "name"} if "name" in data else {"id"}
    if (fault := _key_fault(data, expected)) is not None:
        return (fault,)
    for key in _NUMBERS:
        if not rules.number(data[key]):
            return (key,)
    for key in ("id", "name"):
        if key in expected and not isinstance(data[key], str):
            return (key,)
    if kind.called and rules.named and not data["id"]:
        return ("id",)
    if not isinstance(texts, list) or not texts:
        return (kind.texts,)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            return (kind.texts, index)
    if not isinstance(gaps, list) or len(gaps) != len(texts) - 1:
        return ("dt",)
    return next((("dt", at) for at, gap in enumerate(gaps) if not rules.safe(gap)), None)


def _key_fault(value: Json, expected: set[str]) -> str | None:
    """The first unknown key, else the first missing one."""
    if value.keys() == expected:
        return None
    return next((key for key in value if key not in expected), None) or min(expected - value.keys())


def members(row: Json) -> int:
    """How many events a well-formed row stands for."""
    return len(row["data"][_BY_TAG[row["type"]].texts])


def unpack(row: Json) -> Iterator[Json]:
    """The events of a well-formed row, in order, members in the order dsh gives them."""
    kind, data = _BY_TAG[row["type"]], row["data"]
    seq, time = int(row["seq0"]), int(row["time0"])
    head: Json = {"type": kind.chunk, "index": data["index"]}
    if kind.called:
        head |= {key: data[key] for key in ("id", "name") if key in data}
    for place, text in enumerate(data[kind.texts]):
        time += int(data["dt"][place - 1]) if place else 0
        chunk = {**head, kind.text: text}
        yield {
            "type": "assistant/chunk",
            "seq": seq + place,
            "time": time,
            "data": {"turn": data["turn"], "step": data["step"], "chunk": chunk},
        }


def pack(events: Iterable[Json]) -> Iterator[Json]:
    """The stored records of one batch of events: rows for long runs, the rest verbatim.

    A batch is what one flush writes; a run that a flush cuts packs as two rows or not at all.
    """
    run: list[Json] = []
    for event in events:
        if run and not _continues(run[-1], event):
            yield from _closed(run)
            run = []
        if _packable(event) is None:
            yield event
        else:
            run.append(event)
    yield from _closed(run)


def _packable(event: Json) -> _Kind | None:
    """The kind of delta an event holds, if it has exactly the members a row can stand for."""
    if event.get("type") != "assistant/chunk" or event.keys() != _EVENT_KEYS:
        return None
    data = event["data"]
    if not isinstance(data, dict) or data.keys() != _CHUNK_DATA_KEYS:
        return None
    chunk = data["chunk"]
    kind = _BY_CHUNK.get(str(chunk.get("type"))) if isinstance(chunk, dict) else None
    if kind is None or not _is_plain_chunk(kind, chunk):
        return None
    numbers = (data["turn"], data["step"], chunk["index"])
    whole = is_count(event["seq"]) and is_safe_integer(event["time"])
    return kind if whole and all(is_number(n) for n in numbers) else None


def _is_plain_chunk(kind: _Kind, chunk: Json) -> bool:
    texts = {kind.text}
    if kind.called:
        texts |= {"id", "name"} if "name" in chunk else {"id"}
    keys = {"type", "index", *texts}
    return chunk.keys() == keys and all(isinstance(chunk[key], str) for key in texts)


def _continues(last: Json, event: Json) -> bool:
    if _packable(event) is None or event["seq"] != last["seq"] + 1:
        return False
    old, new = last["data"], event["data"]
    same = all(old[key] == new[key] for key in ("turn", "step"))
    apart = ("text", "argumentsDelta")
    chunks = [{k: v for k, v in data["chunk"].items() if k not in apart} for data in (old, new)]
    return same and chunks[0] == chunks[1] and is_safe_integer(event["time"] - last["time"])


def _closed(run: list[Json]) -> Iterator[Json]:
    if len(run) < LEAST_MEMBERS:
        yield from run
        return
    first = run[0]
    chunk = first["data"]["chunk"]
    kind = _BY_CHUNK[chunk["type"]]
    times = [int(event["time"]) for event in run]
    data = {key: first["data"][key] for key in ("turn", "step")} | {"index": chunk["index"]}
    data["dt"] = [later - time for time, later in pairwise(times)]
    if kind.called:
        data |= {key: chunk[key] for key in ("id", "name") if key in chunk}
    data[kind.texts] = [event["data"]["chunk"][kind.text] for event in run]
    yield {"type": kind.tag, "seq0": int(first["seq"]), "time0": times[0], "data": data}

"""What speaks against an event as the next one of a writer, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sesskit.logs.dsh.names import ids_of
from sesskit.logs.dsh.rows import is_row
from sesskit.logs.dsh.standing import (
    CLEAR,
    DELTAS,
    HARD,
    STREAM,
    WEAK,
    Block,
    Standing,
    blocks_of,
    calls_of,
    piece_of,
    pieces_of,
)
from sesskit.schemas.dsh_values import is_index

Json = dict[str, Any]

Texts = Callable[[Any, Any, str], Iterable[str]]
"""What blocks of a stream come to say, by turn, step and kind, as far as is known."""


def nothing_known(_turn: Any, _step: Any, _kind: str) -> Iterable[str]:
    """Where no event behind was looked at."""
    return []


def conflicts(standing: Standing, record: Json, texts: Texts = nothing_known) -> int:
    """How much speaks against the event, or row, as the next one; below 0 something is for it."""
    kind, data = record["type"], record["data"]
    if standing.blind or not isinstance(data, dict):
        return 0
    return sum(_against(standing, kind, data, record, texts))


def _against(s: Standing, kind: str, data: Json, record: Json, texts: Texts) -> Iterator[int]:
    yield _place(s, kind, data)
    if kind in DELTAS:
        said = "".join(pieces_of(data))
        yield _says(s, data.get("index"), DELTAS[kind], data.get("id"), said, texts)
    elif kind == STREAM:
        yield _stream(s, data.get("chunk"), texts)
    else:
        yield from _NAMED.get(kind, _nothing)(s, data, record)
        if s.blocks and kind in _BETWEEN_STREAMS:
            yield CLEAR
        yield _cited(s, record)


def _nothing(_s: Standing, _data: Json, _record: Json) -> Iterator[int]:
    return iter(())


def _place(s: Standing, kind: str, data: Json) -> int:
    """Turn and step: they begin, end and count as they must."""
    if kind == "turn/start":
        following = not is_index(s.turn) or data.get("turn") == s.turn + 1
        return HARD * s.in_turn + CLEAR * (not following and s.turn is not None)
    if "turn" not in data or data["turn"] is None:
        return 0
    against = HARD * (not s.in_turn or data["turn"] != s.turn)
    if kind == "step/start":
        following = is_index(s.step) and data.get("step") == s.step + 1
        return against + HARD * s.in_step + CLEAR * (not following)
    if kind == "turn/end":
        return against + CLEAR * s.in_step
    if "step" in data:
        against += HARD * (not s.in_step or data["step"] != s.step)
    return against


# Streams.


def _stream(s: Standing, chunk: Any, texts: Texts) -> int:
    if not isinstance(chunk, dict) or not isinstance(chunk.get("index"), int | float):
        return CLEAR * bool(s.blocks)  # usage and the end come when no block is open
    kind, index = str(chunk.get("type")), chunk["index"]
    if kind == "block-start":
        return CLEAR * (index in s.blocks)
    if kind != "block-end":
        kind = kind.removesuffix("-delta")
        return _says(s, index, kind, chunk.get("id"), piece_of(chunk), texts)
    block = s.blocks.get(index)
    return HARD if block is None else _ended(block, chunk.get("block"))


def _says(s: Standing, index: Any, kind: str, call: Any, text: str, texts: Texts) -> int:
    block = s.blocks.get(index)
    if block is None:
        return CLEAR
    if block.kind != kind or (call is not None and block.call not in (None, call)):
        return HARD
    if block.said is None:
        return 0
    known = list(texts(s.turn, s.step, kind))
    said = block.said + text
    return CLEAR * (bool(known) and not any(one.startswith(said) for one in known))


def _ended(block: Block, said: Any) -> int:
    if not isinstance(said, dict):
        return 0
    if said.get("type") != block.kind:
        return HARD
    if block.call is not None and said.get("id") not in (None, block.call):
        return HARD
    text = said.get("arguments" if block.kind == "tool-call" else "text")
    return HARD * (block.said is not None and isinstance(text, str) and text != block.said)


# Messages and tools.


def _assistant(s: Standing, data: Json, record: Json) -> Iterator[int]:
    yield CLEAR * bool(s.calls or s.begun)
    message = data.get("message")
    source = message.get("source") if isinstance(message, dict) else None
    if s.route is not None and isinstance(source, dict):
        yield WEAK * ((source.get("provider"), source.get("model")) != s.route)
    sources = record.get("sourceEventSeqs")
    if not isinstance(sources, list):
        yield CLEAR * bool(s.blocks)
        return
    ranges = list(s.streamed)
    count = sum(end - start for start, end in ranges)
    same = count == len(sources) and all(
        is_index(seq) and any(start <= seq < end for start, end in ranges) for seq in sources
    )
    yield 0 if same else HARD
    if same and not s.blocks:
        for kind, said in s.done.items():
            if kind != "tool-call" and said is not None:
                blocks = (b.get("text") for b in blocks_of(data) if b.get("type") == kind)
                yield HARD * ("".join(t for t in blocks if isinstance(t, str)) != said)


def _call(s: Standing, data: Json, _record: Json) -> Iterator[int]:
    for call in calls_of(data):
        if call not in s.calls:
            yield HARD
        elif s.calls[call] == (data.get("name"), data.get("arguments")):
            yield -WEAK
        else:
            yield CLEAR


def _result(s: Standing, data: Json, record: Json) -> Iterator[int]:
    if isinstance(record.get("surfaceOp"), dict):
        return
    for call in calls_of(data):
        if call in s.begun:
            sources = record.get("sourceEventSeqs")
            wrong = isinstance(sources, list) and sources != [s.begun[call]]
            yield CLEAR if wrong else -WEAK
        else:
            yield -WEAK if call in s.calls else HARD


def _step_end(s: Standing, _data: Json, _record: Json) -> Iterator[int]:
    yield CLEAR * bool(s.calls or s.begun)
    yield CLEAR * bool(s.streamed)  # a stream ends in a message


def _user(s: Standing, data: Json, _record: Json) -> Iterator[int]:
    if isinstance(data.get("id"), str):
        yield -CLEAR if data["id"] in s.waiting else WEAK * bool(s.waiting)


def _inbox(s: Standing, data: Json, _record: Json) -> Iterator[int]:
    removed = data.get("removedCount")
    if is_index(removed) and removed > len(s.waiting):
        yield CLEAR


def _context(s: Standing, data: Json, _record: Json) -> Iterator[int]:
    if s.route is not None:
        yield CLEAR * ((data.get("provider"), data.get("model")) != s.route)


_NAMED: dict[str, Callable[[Standing, Json, Json], Iterator[int]]] = {
    "assistant/message": _assistant,
    "tool/call": _call,
    "tool/result": _result,
    "step/end": _step_end,
    "user/message": _user,
    "agent/inbox/spliced": _inbox,
    "request/context": _context,
}
_BETWEEN_STREAMS = frozenset(
    ["step/start", "step/end", "turn/start", "turn/end", "tool/call", "tool/result"]
)


def _cited(s: Standing, record: Json) -> int:
    """Events that it refers to, as far as they are remembered."""
    kind = record["type"]
    operation = record.get("surfaceOp")
    if kind == "assistant/message" or s.places.full:
        return 0
    seqs: list[Any] = []
    if isinstance(operation, dict):
        seqs += [v for k, v in operation.items() if k != "op"]
    data = record["data"]
    if kind in ("session/title", "session/title-llm-request"):
        listed = data.get("messageSeqs")
        seqs += listed if isinstance(listed, list) else []
    return CLEAR * any(is_index(seq) and seq not in s.places for seq in seqs)


def shared_names(standing: Standing, others: list[Standing], record: Json) -> int:
    """What the ids say that an event names: those of this writer, or only of another one."""
    data = record["data"]
    if is_row(record) or record["type"] == STREAM or not isinstance(data, dict):
        return 0
    if standing.names.full:
        return 0
    strange = [name for name in ids_of(data) if name not in standing.names]
    foreign = any(name in other.names for name in strange for other in others)
    return CLEAR * foreign

"""How a writer's events stand so far, and what speaks against another event as the next one of it.

Where two writers stand at the same number, only what the events say can tell whose the next one
is: open turn and step, what a stream has said so far, calls, messages that were waiting, ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log1p
from typing import Any, NamedTuple

from sesskit.logs.dsh.names import Seen, content_of, ids_of, named
from sesskit.logs.dsh.rows import is_row
from sesskit.schemas.dsh_values import is_safe_integer

Json = dict[str, Any]

STREAM = "assistant/chunk"
MOST_SAID = 1 << 20
"""Characters of an open block that are remembered; of a longer one nothing is."""

HARD, CLEAR, WEAK = 8, 4, 1
"""What cannot be, what is not as it should be, and what is unusual."""

_ODD = 6.0
_UNRELIABLE = 0.1
_BACK = 3.0
"""How odd it is that a clock goes back which never did."""

DELTAS = {"text-chunks": "text", "reasoning-chunks": "reasoning", "tool-call-chunks": "tool-call"}
"""Rows, and the kind of the blocks that they are of."""

_PIECES = ("text", "argumentsDelta")

Target = tuple[Any, Any, str]
"""Turn, step and kind of a block of a stream."""


class Block(NamedTuple):
    """An open block: its kind, the call that it is of, what it said; None is not known."""

    kind: str
    call: str | None = None
    said: str | None = ""


@dataclass(slots=True)
class Standing:
    """What is open after the events that were seen."""

    turn: Any = None
    step: Any = None
    in_turn: bool = False
    in_step: bool = False
    time: int = 0
    pace: float = 0.0
    """The usual logarithm of the milliseconds between two events."""
    backwards: bool = False
    """Whether its clock ever went back, before the lines that are in doubt now."""
    went_back: bool = False
    route: tuple[Any, Any] | None = None
    blind: bool = False
    """Whether nothing is known before the next turn starts."""
    calls: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Calls that a model asked for in this step, with name and arguments, until they are begun."""
    begun: dict[str, int] = field(default_factory=dict)
    """Calls that were begun, with the number of the event, until they are answered."""
    waiting: dict[str, None] = field(default_factory=dict)
    blocks: dict[Any, Block] = field(default_factory=dict)
    done: dict[str, str | None] = field(default_factory=dict)
    """What the stream of this step has said, by kind, in blocks that ended."""
    streamed: list[tuple[int, int]] = field(default_factory=list)
    """Runs of pieces of the stream since the last message, from and up to before."""
    places: Seen = field(default_factory=Seen)
    """Numbers of events that others refer to."""
    names: Seen = field(default_factory=Seen)

    def copy(self) -> Standing:
        """One that goes its own way."""
        return Standing(
            self.turn,
            self.step,
            self.in_turn,
            self.in_step,
            self.time,
            self.pace,
            self.backwards,
            self.went_back,
            self.route,
            self.blind,
            dict(self.calls),
            dict(self.begun),
            dict(self.waiting),
            dict(self.blocks),
            dict(self.done),
            list(self.streamed),
            self.places.copy(),
            self.names.copy(),
        )

    def signature(self) -> tuple[Any, ...]:
        """What tells one standing from another for what may come next."""
        return (
            repr((self.turn, self.step, self.route)),
            (self.in_turn, self.in_step),
            tuple(self.calls),
            tuple(self.begun.items()),
            tuple(self.waiting),
            tuple((repr(index), block) for index, block in self.blocks.items()),
            tuple(self.done.items()),
            tuple(self.streamed[-1:]),
        )

    def settle(self) -> None:
        """Nothing is in doubt: copies need not tell what was before from what comes."""
        self.names.settle()
        self.places.settle()
        self.backwards = self.went_back

    # Time.

    def oddity(self, record: Json) -> float:
        """How far the time since the last event is from what is usual: only of use to compare."""
        gap = self._gap(record)
        odd = abs(log1p(abs(gap)) - self.pace)
        if self.backwards:
            return min(odd, _ODD) * _UNRELIABLE
        return min(odd, _ODD) + _BACK * (gap < 0)

    def _gap(self, record: Json) -> int:
        """The time since the last event, in milliseconds."""
        gap = begin_of(record) - self.time
        return gap if gap >= 0 else time_of(record) - self.time

    def _goes_on(self, record: Json) -> None:
        gap = self._gap(record)
        if self.time:
            self.pace = (self.pace + log1p(abs(gap))) / 2
            self.went_back = self.went_back or gap < 0
        self.time = time_of(record)

    # Taking in.

    def see(self, record: Json, seq: int, count: int = 1) -> None:
        """Take in an event, or a row of them; total."""
        kind, data = record["type"], record["data"]
        self._goes_on(record)
        if not isinstance(data, dict):
            return
        if kind in DELTAS:
            self.time += int(sum(data["dt"]))
            self._stream_goes_on(seq, count)
            said = "".join(pieces_of(data))
            self._says(data.get("index"), DELTAS[kind], data.get("id"), said)
            return
        if kind == STREAM:
            self._stream_goes_on(seq, 1)
            self._chunk(data.get("chunk"))
            return
        if kind in _REFERRED:
            self.places.add(seq, seq)
        for name in ids_of(data):
            self.names.add(name, seq)
        see = _SEEN.get(kind)
        if see is not None:
            see(self, data, seq)

    def _stream_goes_on(self, seq: int, count: int) -> None:
        if self.streamed and self.streamed[-1][1] == seq:
            self.streamed[-1] = self.streamed[-1][0], seq + count
        else:
            self.streamed.append((seq, seq + count))

    def _boundary(self, _data: Json, _seq: int) -> None:
        self.in_step = False
        for held in (self.calls, self.begun, self.blocks, self.done, self.streamed):
            held.clear()

    def _turn_start(self, data: Json, seq: int) -> None:
        self._boundary(data, seq)
        self.in_turn, self.turn, self.step, self.blind = True, data.get("turn"), 0, False

    def _turn_end(self, data: Json, seq: int) -> None:
        self._boundary(data, seq)
        self.in_turn, self.turn = False, data.get("turn")

    def _step_start(self, data: Json, seq: int) -> None:
        self._boundary(data, seq)
        self.in_step, self.step = True, data.get("step")

    def _step_end(self, data: Json, seq: int) -> None:
        self._boundary(data, seq)
        self.step = data.get("step")

    def _assistant(self, data: Json, _seq: int) -> None:
        for block in blocks_of(data):
            if block.get("type") == "tool-call" and isinstance(block.get("id"), str):
                self.calls[block["id"]] = block.get("name"), block.get("arguments")
        self._attempt(data, _seq)

    def _attempt(self, _data: Json, _seq: int) -> None:
        for held in (self.blocks, self.done, self.streamed):
            held.clear()

    def _call(self, data: Json, seq: int) -> None:
        for call in calls_of(data):
            self.calls.pop(call, None)
            self.begun[call] = seq

    def _result(self, data: Json, _seq: int) -> None:
        for call in calls_of(data):
            self.calls.pop(call, None)
            self.begun.pop(call, None)

    def _inbox(self, data: Json, _seq: int) -> None:
        self.waiting.update(dict.fromkeys(named(data.get("inserted"), "id")))

    def _user(self, data: Json, _seq: int) -> None:
        if isinstance(data.get("id"), str):
            self.waiting.pop(data["id"], None)

    def _header(self, data: Json, _seq: int) -> None:
        header = data.get("header")
        config = header.get("config") if isinstance(header, dict) else None
        if isinstance(config, dict):
            self.route = config.get("provider"), config.get("model")

    def _chunk(self, chunk: Any) -> None:
        if not isinstance(chunk, dict) or not isinstance(chunk.get("index"), int | float):
            return
        kind, index = str(chunk.get("type")), chunk["index"]
        if kind == "block-start":
            self.blocks[index] = Block(str(chunk.get("blockType")))
        elif kind == "block-end":
            block = self.blocks.pop(index, None)
            if block is not None:
                before = self.done.get(block.kind, "")
                whole = before is not None and block.said is not None
                self.done[block.kind] = f"{before}{block.said}" if whole else None
        else:
            self._says(index, kind.removesuffix("-delta"), chunk.get("id"), piece_of(chunk))

    def _says(self, index: Any, kind: str, call: Any, text: str) -> None:
        block = self.blocks.get(index, Block(kind))
        said = None if block.said is None else block.said + text
        said = None if said is None or len(said) > MOST_SAID else said
        self.blocks[index] = Block(block.kind, block.call or call, said)


def time_of(record: Json) -> int:
    """When an event, or the first one of a row, was recorded."""
    return int(record["time0" if is_row(record) else "time"])


def begin_of(record: Json) -> int:
    """When what an event tells began: for a message with its stream, when the stream did."""
    data = record["data"]
    stream = data.get("stream") if isinstance(data, dict) else None
    first = stream[0] if isinstance(stream, list) and stream else None
    begun = first.get("time0", first.get("time")) if isinstance(first, dict) else None
    return int(begun) if is_safe_integer(begun) else time_of(record)


def pieces_of(row: Json) -> list[str]:
    """What the members of a row say."""
    pieces: list[str] = row["texts"] if "texts" in row else row["args"]
    return pieces


def piece_of(chunk: Json) -> str:
    """What a delta says."""
    return "".join(chunk[name] for name in _PIECES if isinstance(chunk.get(name), str))


def blocks_of(data: Json) -> list[Json]:
    """The blocks of a message."""
    content = content_of(data)
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def calls_of(data: Json) -> set[str]:
    """The calls that an event of a tool is about."""
    found = set(named([data], "callId")) | set(named(content_of(data), "toolCallId"))
    message = data.get("message")
    if isinstance(message, dict):
        found |= set(named([message, message.get("source")], "callId"))
        found |= set(named([message], "toolCallId"))
    return found


_SEEN = {
    "turn/start": Standing._turn_start,
    "turn/end": Standing._turn_end,
    "step/start": Standing._step_start,
    "step/end": Standing._step_end,
    "assistant/message": Standing._assistant,
    "assistant/attempt": Standing._attempt,
    "tool/call": Standing._call,
    "tool/result": Standing._result,
    "agent/inbox/spliced": Standing._inbox,
    "user/message": Standing._user,
    "request/header": Standing._header,
}
_REFERRED = frozenset(
    ["user/message", "assistant/message", "tool/result", "system/message", "tool/call"]
)

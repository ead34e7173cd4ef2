"""Logs that two or three writers wrote at once, from a seed: each goes on from the same events."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from sesskit.logs.dsh.closers import OpenTurn
from sesskit.logs.dsh.edges import Refused
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.rows import pack
from sesskit.logs.dsh.view import text_of_log
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]
Lines = list[bytes]

HEADER = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
ORDERS = ("one after the other", "by turns", "in batches", "at random", "by time")
_WORDS = ["the", "a", "of", "to", "and", "code", "file", "line", "run", "test", "red", "blue"]
_MODEL = {"kind": "model", "provider": "p", "model": "m"}


class Writer:
    """One writer's events: turns of an agent, with ids of its own."""

    def __init__(self, chance: random.Random, name: str, *, streams: bool, pace: int) -> None:
        self.events: list[Json] = []
        self.seq, self.turn, self.time = 0, 0, 1000
        self._chance, self._name = chance, name
        self._streams, self._pace = streams, pace
        self._made = 0

    def after(self, other: Writer, wait: int) -> Writer:
        """Go on from where another one stands."""
        self.seq, self.turn, self.time = other.seq, other.turn, other.time + wait
        return self

    def reopening(self, other: Writer, chance: random.Random) -> Writer:
        """Open the log that another one is writing, and close its turn."""
        opened = OpenTurn()
        for event in other.events:
            opened.see(event)
        self.events = opened.closers()
        last = other.events[-1]
        self.seq = last["seq"] + 1 + len(self.events)
        self.turn = sum(event["type"] == "turn/start" for event in other.events)
        self.time = last["time"] + chance.choice((0, 3, 5000))
        self.resume()
        return self

    def resume(self) -> None:
        """What a program writes first that opens the log again."""
        self._add("session/end-seed", {})

    def one_turn(self) -> None:
        """A turn with a few steps."""
        chance = self._chance
        self.turn += 1
        said = self._message("u", "user", [_text(self._words())], {"kind": "user"})
        waited = chance.random() < 0.7
        if waited:
            self._inbox(inserted=[said])
        self._add("turn/start", {"turn": self.turn})
        if waited:
            self._inbox(removedCount=1, inserted=[])
        steps = chance.randint(1, 3)
        for step in range(1, steps + 1):
            here = {"turn": self.turn, "step": step}
            self._add("step/start", here)
            if step == 1:
                self._add("user/message", said, surfaceOp="append")
                if chance.random() < 0.3:
                    config = {"config": {"provider": "p", "model": "m"}}
                    self._add("request/header", {"header": config, "reason": "resume"})
            calls = step < steps or chance.random() < 0.3
            self._answer(here, chance.choice((1, 1, 2)) if calls else 0)
            self._add("step/end", here)
        if chance.random() < 0.4:
            title = {"title": self._words(), "messageSeqs": [], "source": {"kind": "user"}}
            self._add("session/title", title)
        self._add("turn/end", {"turn": self.turn, "reason": {"kind": "completed"}})

    def _inbox(self, **what: Any) -> None:
        self._add("agent/inbox/spliced", {"target": "next-turn", "start": 0, **what})

    def _answer(self, here: Json, calls: int) -> None:
        blocks = [{"type": kind, "text": self._words()} for kind in self._kinds()]
        asked = [self._call() for _ in range(calls)]
        sources: list[int] = []
        if self._streams:
            for index, block in enumerate([*blocks, *asked]):
                sources += [self._chunk(here, c) for c in self._stream_of(index, block)]
            usage = {"inputTokens": 5, "outputTokens": 6}
            sources.append(self._chunk(here, {"type": "usage", "usage": usage}))
            sources.append(self._chunk(here, {"type": "finish", "reason": {"kind": "stop"}}))
        message = self._message("a", "assistant", [*blocks, *asked], _MODEL)
        cited = {"sourceEventSeqs": sources} if self._streams else {}
        data = {**here, "message": message}
        self._add("assistant/message", data, surfaceOp="append", **cited)
        together = self._chance.random() < 0.5
        begun: list[tuple[str, int]] = []
        for call in asked:
            data = {**here, "callId": call["id"], "name": "read", "arguments": call["arguments"]}
            begun.append((call["id"], self._add("tool/call", data)))
            if not together:
                self._result(here, *begun.pop())
        for one in begun:
            self._result(here, *one)

    def _result(self, here: Json, call: str, seq: int) -> None:
        block = {"type": "tool-result", "toolCallId": call, "content": [_text(self._words())]}
        message = self._message("r", "user", [block], {"kind": "tool", "callId": call})
        data = {**here, "message": message}
        self._add("tool/result", data, surfaceOp="append", sourceEventSeqs=[seq])

    def _stream_of(self, index: int, block: Json) -> list[Json]:
        kind = str(block["type"])
        start = {"type": "block-start", "index": index, "blockType": kind}
        if kind == "tool-call":
            call = {"type": "tool-call-delta", "index": index, "id": block["id"]}
            pieces = [{**call, "argumentsDelta": p} for p in self._pieces(block["arguments"])]
        else:
            delta = {"type": f"{kind}-delta", "index": index}
            pieces = [{**delta, "text": piece} for piece in self._pieces(block["text"])]
        return [start, *pieces, {"type": "block-end", "index": index, "block": block}]

    def _kinds(self) -> tuple[str, ...]:
        return ("reasoning", "text") if self._chance.random() < 0.5 else ("text",)

    def _call(self) -> Json:
        arguments = f'{{"n":{self._chance.randint(0, 3)}}}'
        return {"type": "tool-call", "id": self._id("c"), "name": "read", "arguments": arguments}

    def _message(self, kind: str, role: str, content: list[Json], source: Json) -> Json:
        return {"id": self._id(kind), "role": role, "content": content, "source": source}

    def _id(self, kind: str) -> str:
        self._made += 1
        return f"{kind}-{self._name}-{self._made}"

    def _words(self) -> str:
        return " ".join(self._chance.choices(_WORDS, k=self._chance.randint(1, 12)))

    def _pieces(self, text: str) -> list[str]:
        size = self._chance.randint(1, 5)
        return [text[at : at + size] for at in range(0, len(text), size)]

    def _chunk(self, here: Json, chunk: Json) -> int:
        return self._add("assistant/chunk", {**here, "chunk": chunk})

    def _add(self, kind: str, data: Json, **more: Any) -> int:
        event = {"type": kind, "seq": self.seq, "time": self.time, "data": data, **more}
        self.events.append(event)
        self.seq += 1
        self.time += self._pace if self._pace >= 0 else self._chance.randint(-20, 20)
        return self.seq - 1


@dataclass(frozen=True)
class Interleaved:
    """The common lines, the lines of each writer, and the file that they made of it."""

    version: int
    order: str
    pace: int
    common: Lines
    tails: list[Lines]
    mixed: Lines

    @property
    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in (*self.common, *self.mixed))


def interleaved(seed: int) -> Interleaved:
    """A file of two or three writers; with a pace of 0 times are equal, below that they jump."""
    chance = random.Random(seed)
    version, streams = chance.choice((0, 0, 3)), chance.random() < 0.6
    pace = chance.choice((7, 7, 0, -1))
    before = Writer(chance, "P", streams=streams, pace=pace)
    for _ in range(chance.randint(1, 3)):
        before.one_turn()
    writers: list[Writer] = []
    for number in range(chance.choice((2, 2, 2, 3))):
        writer = Writer(chance, "ABC"[number], streams=streams, pace=pace)
        writer.after(before, chance.choice((0, 3, 500)))
        if number and chance.random() < 0.5:
            writer.resume()
        for _ in range(chance.randint(1, 3)):
            writer.one_turn()
        if chance.random() < 0.25:
            del writer.events[chance.randrange(2, len(writer.events) + 1) :]
        writers.append(writer)
    packed = version == 0 and streams and chance.random() < 0.5
    common, tails = _lines(before, writers, version, chance if packed else None)
    order = chance.choice(ORDERS)
    return Interleaved(version, order, pace, common, tails, _mixed(tails, order, chance))


def reopened(seed: int) -> Interleaved:
    """A file that a second program opened and closed in the middle of the first one's turn."""
    chance = random.Random(seed)
    version, streams = chance.choice((0, 0, 3)), chance.random() < 0.6
    pace = chance.choice((7, 7, 0, -1))
    first = Writer(chance, "A", streams=streams, pace=pace)
    for _ in range(chance.randint(1, 3)):
        first.one_turn()
    cut = chance.randrange(2, len(first.events) - 1)
    before = Writer(chance, "P", streams=streams, pace=pace)
    before.events, first.events = first.events[:cut], first.events[cut:]
    second = Writer(chance, "B", streams=streams, pace=pace).reopening(before, chance)
    for _ in range(chance.randint(1, 2)):
        second.one_turn()
    packed = chance if streams and chance.random() < 0.5 else None
    try:
        common, tails = _lines(before, [first, second], version, packed)
    except Refused:  # the step to v2 minds how a call was closed that never began
        version = 0
        common, tails = _lines(before, [first, second], version, packed)
    order = chance.choice(ORDERS)
    return Interleaved(version, order, pace, common, tails, _mixed(tails, order, chance))


def _lines(
    before: Writer, writers: list[Writer], version: int, chance: random.Random | None
) -> tuple[Lines, list[Lines]]:
    if version == 0:
        header = dumps(HEADER)
        tails = [_stored(writer.events, chance) for writer in writers]
        return [header, *_stored(before.events, chance)], tails
    whole = []
    for writer in writers:
        text = b"".join(dumps(e) + b"\n" for e in (HEADER, *before.events, *writer.events))
        migrated = migrate_log(text, version)
        whole.append(text_of_log(b"".join(migrated.blocks())).splitlines())
    same = 0
    while len({tuple(lines[: same + 1]) for lines in whole}) == 1:
        same += 1
    return whole[0][:same], [lines[same:] for lines in whole]


def _stored(events: list[Json], chance: random.Random | None) -> Lines:
    if chance is None:
        return [dumps(event) for event in events]
    lines: Lines = []
    at = 0
    while at < len(events):
        size = chance.randint(3, 30)
        lines += map(dumps, pack(events[at : at + size]))
        at += size
    return lines


def _mixed(tails: list[Lines], order: str, chance: random.Random) -> Lines:
    left = [list(lines) for lines in tails]
    mixed: Lines = []
    while any(left):
        there = [lines for lines in left if lines]
        if order == "one after the other":
            chosen, size = there[0], len(there[0])
        elif order == "by time":
            chosen, size = min(there, key=lambda lines: _time(lines[0])), 1
        elif order == "by turns":
            chosen, size = min(there, key=lambda lines: -len(lines)), 1
        else:
            chosen, size = chance.choice(there), chance.randrange(1, 9)
            size = size if order == "in batches" else 1
        mixed += chosen[:size]
        del chosen[:size]
    return mixed


def _time(line: bytes) -> int:
    name = b'"time0":' if b'"time0":' in line else b'"time":'
    return int(line.split(name, 1)[1].split(b",", 1)[0])


def _text(text: str) -> Json:
    return {"type": "text", "text": text}

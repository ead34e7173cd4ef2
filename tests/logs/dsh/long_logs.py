"""Long logs as programs write them, generated as a stream from a seed: turns, steps, streams."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.rows import pack
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]

HEADER = {"type": "session", "version": 0, "id": "long", "createdAt": 1, "delegationDepth": 0}
BATCH = 40
_POOL = 512


class LongLog:
    """A v0 log, turn by turn; memory of one turn, the same bytes for the same seed."""

    def __init__(self, seed: int = 1, *, result_bytes: int = 6 * 1024) -> None:
        self._result_bytes = result_bytes
        self._random = random.Random(seed)
        self._words = [f" {self._text(self._random.randint(2, 11))}" for _ in range(_POOL)]
        self._count = 0
        self._time = 1_787_000_000_000

    def turns(self) -> Iterator[list[Json]]:
        """The events of one turn after the other, without end."""
        number = 0
        while True:
            number += 1
            events: list[Json] = []
            self._turn(events, number)
            yield events

    def write(self, path: Path, size: int) -> int:
        """Write whole turns until the file has ``size`` bytes; gives how many events it holds."""
        compressed = path.suffix == ".zstd"
        with path.open("wb") as target:
            written = target.write(_block([HEADER], compressed=compressed))
            for events in self.turns():
                for at in range(0, len(events), BATCH):
                    batch = pack(events[at : at + BATCH])
                    written += target.write(_block(batch, compressed=compressed))
                if written >= size:
                    return self._count
        raise AssertionError

    def _turn(self, events: list[Json], turn: int) -> None:
        self._add(events, "turn/start", {"turn": turn})
        for step in (1, 2):
            self._add(events, "step/start", {"turn": turn, "step": step})
            if step == 1:
                self._add(events, "user/message", _said(turn, self._text(600)), surfaceOp="append")
            self._answer(events, turn, step)
            self._add(events, "step/end", {"turn": turn, "step": step})
        self._add(events, "turn/end", {"turn": turn, "reason": {"kind": "completed"}})

    def _answer(self, events: list[Json], turn: int, step: int) -> None:
        place = {"turn": turn, "step": step}
        sources: list[int] = []
        content: list[Json] = []
        for index, (kind, count) in enumerate((("reasoning", 60), ("text", 100))):
            said = self._random.choices(self._words, k=count)
            block = {"type": kind, "text": "".join(said)}
            start = {"type": "block-start", "index": index, "blockType": kind}
            end = {"type": "block-end", "index": index, "block": block}
            deltas = [{"type": f"{kind}-delta", "index": index, "text": text} for text in said]
            for chunk in (start, *deltas, end):
                sources.append(self._add(events, "assistant/chunk", {**place, "chunk": chunk}))
            content.append(block)
        call = f"c{turn}-{step}"
        asked = {"type": "tool-call", "id": call, "name": "read", "arguments": '{"n":1}'}
        finish = {"type": "finish", "reason": {"kind": "tool-calls"}}
        sources.append(self._add(events, "assistant/chunk", {**place, "chunk": finish}))
        message = {
            "id": f"a{turn}-{step}",
            "role": "assistant",
            "content": [*content, asked],
            "source": {"kind": "model", "provider": "mockco", "model": "m-1"},
        }
        usage = {"inputTokens": 10, "outputTokens": 20}
        data = {**place, "message": message, "usage": usage}
        more = {"sourceEventSeqs": sources, "surfaceOp": "append"}
        self._add(events, "assistant/message", data, **more)
        named = {"callId": call, "name": "read", "arguments": '{"n":1}'}
        asked_at = self._add(events, "tool/call", {**place, **named})
        result = _result(turn, step, call, self._text(self._result_bytes))
        more = {"sourceEventSeqs": [asked_at], "surfaceOp": "append"}
        self._add(events, "tool/result", {**place, "message": result}, **more)

    def _add(self, events: list[Json], kind: str, data: Json, **more: Any) -> int:
        seq = self._count
        self._time += 7
        events.append({"type": kind, "seq": seq, "time": self._time, "data": data, **more})
        self._count += 1
        return seq

    def _text(self, length: int) -> str:
        return base64.b64encode(self._random.randbytes(length)).decode()[:length]


def _block(records: Any, *, compressed: bool) -> bytes:
    text = b"".join(dumps(record) + b"\n" for record in records)
    return write_frame(text) if compressed else text


def _said(turn: int, text: str) -> Json:
    content = [{"type": "text", "text": text}]
    return {"id": f"u{turn}", "role": "user", "content": content, "source": {"kind": "user"}}


def _result(turn: int, step: int, call: str, text: str) -> Json:
    content = [{"type": "text", "text": text}]
    block = {"type": "tool-result", "toolCallId": call, "content": content, "isError": False}
    source = {"kind": "tool", "callId": call}
    return {"id": f"t{turn}-{step}", "role": "user", "content": [block], "source": source}

"""Looking ahead: what comes in the file, and what the blocks of streams in it come to say."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from sesskit.logs.dsh.salvage import Found
from sesskit.logs.dsh.standing import STREAM, blocks_of

MOST_LINES = 4_096
MOST_BYTES = 8 * 1024 * 1024
"""How far ahead is looked."""

_TEXTS = {"text": "text", "reasoning": "text", "tool-call": "arguments"}
_Key = tuple[Any, Any, str]


class Ahead:
    """Lines one after the other; with `look`, those that come are read already."""

    def __init__(self, found: Iterable[Found]) -> None:
        self._found = iter(found)
        self._held: deque[Found] = deque()
        self._bytes = 0
        self._texts: dict[_Key, deque[str]] = {}

    def __iter__(self) -> Iterator[Found]:
        while True:
            if not self._held:
                item = next(self._found, None)
                if item is None:
                    return
                yield item
                continue
            item = self._held.popleft()
            self._bytes -= len(item.text)
            for key, _ in _said(item):
                self._texts[key].popleft()
                if not self._texts[key]:
                    del self._texts[key]
            yield item

    def look(self) -> None:
        """Read on, as far as is looked ahead."""
        while len(self._held) < MOST_LINES and self._bytes < MOST_BYTES:
            item = next(self._found, None)
            if item is None:
                return
            self._held.append(item)
            self._bytes += len(item.text)
            for key, text in _said(item):
                self._texts.setdefault(key, deque()).append(text)

    def behind_run(self, end: int) -> tuple[int, int | None]:
        """Where the run ends that goes on at event ``end``, and the number of the line behind it.

        None is the end of the file, or of what was looked at.
        """
        for item in self._held:
            if item.seq != end:
                return end, item.seq
            end += item.count
        return end, None

    def texts(self, turn: Any, step: Any, kind: str) -> Iterable[str]:
        """What blocks of a stream come to say, as far as was looked."""
        try:
            return self._texts.get((turn, step, kind), ())
        except TypeError:  # a turn or step that is no number
            return ()


def _said(item: Found) -> Iterator[tuple[_Key, str]]:
    """What whole blocks of a stream say in a line."""
    kind, data = item.record["type"], item.record["data"]
    if kind not in (STREAM, "assistant/message") or not isinstance(data, dict):
        return
    turn, step = data.get("turn"), data.get("step")
    if not isinstance(turn, int | float) or not isinstance(step, int | float):
        return
    if kind == STREAM:
        chunk = data.get("chunk")
        block = chunk.get("block") if isinstance(chunk, dict) else None
        blocks = [block] if isinstance(block, dict) else []
    else:
        blocks = blocks_of(data)
    for block in blocks:
        block_kind = block.get("type")
        if isinstance(block_kind, str) and block_kind in _TEXTS:
            text = block.get(_TEXTS[block_kind])
            if isinstance(text, str):
                yield (turn, step, block_kind), text

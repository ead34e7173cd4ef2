"""The quick lane: lines as programs write them, folded in without building their events.

It never decides that something is wrong. A line that is not the next sound event of a plain kind,
or that breaks any rule, is left to the careful way, which gives the same answer for what is taken
here; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.quick_folds import early_folds, is_log, later_folds
from sesskit.logs.dsh.relational import Relations
from sesskit.logs.dsh.stored import has_negative_zero
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.dsh_lines import STREAM_LINES, CallLine, ChunkLine, line_decoder

_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)
_Fold = Callable[[Any], bool]


class QuickLane:
    """The lane for one log; it shares the folds of the log's judge.

    ``expected`` is the number of the next event, which whoever takes other lines keeps true.
    """

    def __init__(self, judge: Judge, expected: int = 0) -> None:
        self.expected = expected
        generation = judge.generation
        self._judge = judge
        self._open_turn = judge.open_turn
        self._relations: Any = judge.relations
        self._decode, types = line_decoder(generation.version, generation.known)
        early = isinstance(judge.relations, Relations)
        own = early_folds(judge) if early else later_folds(judge)
        unrelated = types.keys() - judge.related_types
        folds: dict[str, _Fold] = {**dict.fromkeys(unrelated, is_log), **own}
        self._folds = {types[kind]: fold for kind, fold in folds.items()}
        self._runs = frozenset(STREAM_LINES) - {ChunkLine}

    def take(self, data: bytes) -> bool:
        """Whether the line is taken in."""
        if b"-0" in data and has_negative_zero(data):
            return False
        try:
            event = self._decode(data)
        except _REFUSALS:
            return False
        kind = type(event)
        if kind in self._runs:
            return self._run(event)
        fold = self._folds.get(kind)
        if event.seq != self.expected:
            return False
        if fold is None:
            if kind is not ChunkLine or not self._is_here(event.data):
                return False
        elif not fold(event):
            return False
        self._took(1, event.time)
        return True

    def _run(self, line: Any) -> bool:
        if line.seq0 != self.expected or not self._is_here(line.data):
            return False
        gaps, time = line.data.dt, line.time0
        count = len(line.data.args if type(line) is CallLine else line.data.texts)
        if len(gaps) != count - 1:
            return False
        end = time + sum(gaps)
        rising = not gaps or min(gaps) >= 0
        farthest = end if rising else abs(time) + sum(map(abs, gaps))
        if farthest > MAX_SAFE_INTEGER:
            return False
        self._took(count, end)
        return True

    def _is_here(self, data: Any) -> bool:
        relations = self._relations
        here = relations.step == data.step and relations.turn == data.turn
        return here and relations.step is not None

    def _took(self, count: int, time: int) -> None:
        self.expected += count
        self._judge.count += count
        self._open_turn.next_seq = self.expected
        self._open_turn.time = time

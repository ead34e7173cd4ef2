"""The quick lane: lines as programs write them, folded in without building their events.

It never decides that something is wrong. A line that is not the next sound event of a plain kind,
or that breaks any rule, is left to the careful way, which gives the same answer for what is taken
here; a test holds the two together.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.logs.dsh.quick_folds import early_folds, later_folds
from sesskit.logs.dsh.relational import Relations
from sesskit.schemas.dsh_lines import STREAM_LINES, ChunkLine, line_decoder

_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)
_SOME = 256
"""Lines that are looked at in one go."""


def _is_odd(_event: Any) -> bool:
    """Types that only the careful way knows how to fold."""
    return False


def _is_log(_event: Any) -> bool:
    """Types that only count; the decoder takes none with surface fields."""
    return True


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
        folds = {**dict.fromkeys(types, _is_odd), **dict.fromkeys(unrelated, _is_log), **own}
        self._folds = {types[kind]: fold for kind, fold in folds.items()}
        self._read = self._decode

    def take(self, lines: list[bytes], at: int, zeros: bool = True) -> int:
        """Take in lines from one on; gives the place of the first that is not taken.

        ``zeros`` says that there may be a ``-0`` in them.
        """
        self._read = self._plain if zeros else self._decode
        count = len(lines)
        while at < count:
            some = lines[at : at + _SOME]
            taken = self._take(some)
            at += taken
            if taken < len(some):
                break
        return at

    def _take(self, lines: list[bytes]) -> int:
        """How many of the lines are taken, from the first on."""
        relations, folds = self._relations, self._folds
        turn, step = relations.turn, relations.step
        expected = self.expected
        taken, last = 0, None
        try:
            for event in map(self._read, lines):
                if event.seq != expected:
                    break
                fold = folds.get(type(event))
                if fold is not None:
                    if not fold(event):
                        break
                    expected += 1
                    turn, step = relations.turn, relations.step
                else:
                    data = event.data
                    if data.step != step or data.turn != turn:
                        break
                    if type(event) is ChunkLine:
                        expected += 1
                    else:
                        count = len(data.texts)
                        if len(data.dt) != count - 1:
                            break
                        expected += count
                taken += 1
                last = event
        except _REFUSALS:
            pass
        if last is not None:
            self._took(expected, last)
        return taken

    def _plain(self, data: bytes) -> Any:
        if has_negative_zero(data):
            raise ValueError
        return self._decode(data)

    def _took(self, expected: int, last: Any) -> None:
        self._judge.count += expected - self.expected
        self._open_turn.next_seq = self.expected = expected
        run = type(last) in _RUNS
        self._open_turn.time = last.time + sum(last.data.dt) if run else last.time


_RUNS = frozenset(STREAM_LINES) - {ChunkLine}

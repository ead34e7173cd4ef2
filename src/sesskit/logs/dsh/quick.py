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
from sesskit.logs.dsh.lines import LogText
from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.logs.dsh.quick_folds import Fold, early_folds, later_folds
from sesskit.logs.dsh.relational import Relations
from sesskit.schemas.dsh_lines import STREAM_LINES, ChunkLine, line_decoder, usual_kinds

Watch = Callable[[list[Any], list[bytes], int, int], None]
"""Gets events, their lines, and the number and the offset of the first line."""

_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)
_SOME = 256
"""Lines that are looked at in one go."""
_WRITTEN = b'{"type":"'
_STREAMED = frozenset(["assistant/chunk"])


def _is_odd(_event: Any) -> bool:
    """Types that only the careful way knows how to fold."""
    return False


def _is_log(_event: Any) -> bool:
    """Types that only count; the decoder takes none with surface fields."""
    return True


class QuickLane:
    """The lane for one log; it shares the folds of the log's judge.

    ``expected`` is the number of the next event, which whoever takes other lines keeps true. What
    is taken of ``text`` goes to ``watch``.
    """

    def __init__(
        self, judge: Judge, text: LogText | None = None, watch: Watch | None = None
    ) -> None:
        self.expected = 0
        self._text, self._watch = text, watch
        self._events: list[Any] | None = None
        generation = judge.generation
        self._judge = judge
        self._open_turn = judge.open_turn
        self._relations: Any = judge.relations
        early = isinstance(judge.relations, Relations)
        self._own = early_folds(judge) if early else later_folds(judge)
        self._folds: dict[type, Fold] = {}
        self._version = generation.version
        self._others = set(generation.known) - _STREAMED
        self._kinds: frozenset[str] = frozenset()
        self._learn(usual_kinds(self._version) & self._others)

    def _learn(self, kinds: frozenset[str]) -> None:
        """Take in lines of these types, too. Decoders are made of the types that a log has: that
        of all types takes longer than many a log."""
        self._kinds |= kinds
        self._others -= kinds
        self._decode, types = line_decoder(self._version, self._kinds)
        for kind in kinds:
            fold = _is_odd if kind in self._judge.related_types else _is_log
            self._folds[types[kind]] = self._own.get(kind, fold)

    def _learns(self, line: bytes) -> bool:
        """Whether a line is of a type that was not known, and now is."""
        if not line.startswith(_WRITTEN):
            return False
        kind = line[len(_WRITTEN) : line.find(b'"', len(_WRITTEN))].decode("utf-8", "replace")
        related = kind in self._judge.related_types and kind not in self._own
        if kind not in self._others or related:
            return False
        self._learn(frozenset([kind]))
        return True

    def take_one(self, line: bytes) -> bool:
        """Whether a single line is taken in."""
        return self.take([line], 0) == 1

    def take(self, lines: list[bytes], at: int, zeros: bool = True) -> int:
        """Take in lines from one on; gives the place of the first that is not taken.

        ``zeros`` says that there may be a ``-0`` in them.
        """
        first, count = at, len(lines)
        self._events = [] if self._watch is not None else None
        while at < count:
            some = lines[at : at + _SOME]
            taken = self._take(some, self._plain if zeros else self._decode)
            at += taken
            if taken < len(some) and not self._learns(some[taken]):
                break
        if self._watch is not None and self._text is not None and self._events:
            where = self._text.number + 1, self._text.offset
            self._watch(self._events, lines[first:at], *where)
        return at

    def _take(self, lines: list[bytes], decode: Callable[[bytes], Any]) -> int:
        """How many of the lines are taken, from the first on."""
        relations, folds = self._relations, self._folds
        turn, step = relations.turn, relations.step
        expected = self.expected
        taken, last, keep = 0, None, None if self._events is None else self._events.append
        try:
            for event in map(decode, lines):
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
                if keep is not None:
                    keep(event)
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

"""Compactions of a log of v2 or v3: one at a time, in one turn, with one summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.script_values import UNDEFINED, broken, crash, member, same
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]
Span = Callable[[Any, Any, Any], bool]


class _Compaction(Struct):
    """The compaction that is open."""

    id: Any
    turn: Any
    command: Any
    start: int
    summarised: bool = False


class Compactions(Struct):
    """The book of one log; ``is_span`` says whether events are a span of the surface.

    A turn may begin or end while a compaction is open only if a seed ends before the compaction
    does: it was inherited unfinished. That is known later than the turn, so it is said later.
    """

    is_span: Span
    _open: _Compaction | None = None
    _started: int | None = None
    _crossed: dict[int, int] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether a compaction has begun and not ended."""
        return self._open is not None

    def boundary(self, seq: int) -> None:
        """A turn begins or ends."""
        if self._open is not None:
            self._crossed.setdefault(self._open.start, seq)

    def start(self, seq: int, data: Json, turn: int | None) -> Iterator[Issue]:
        """A compaction begins, while this turn is open."""
        yield from self._settled()
        self._started = seq
        if self._open is not None:
            yield broken("compaction-open", "a compaction is open already")
        named = member(data, "turn")
        if not _is_of(named, turn):
            yield broken("compaction-turn", "a compaction names the open turn", "data", "turn")
        command = member(data, "sourceCommandId")
        self._open = _Compaction(member(data, "compactionId"), named, command, seq)

    def summary(self, data: Json, turn: int | None) -> Iterator[Issue]:
        """The open one is summed up."""
        yield from self.owned(data)
        if self._open is not None:
            if not _is_of(self._open.turn, turn):
                yield broken("compaction-turn", "a compaction is of the open turn", "data")
            if self._open.summarised:
                yield broken("compaction-repeated", "the compaction has a summary already")
            self._open.summarised = True
        yield from self.span(data)

    def end(self, data: Json, turn: int | None) -> Iterator[Issue]:
        """The open one ends."""
        yield from self._settled()
        self._started = None
        yield from self.owned(data)
        opened, self._open = self._open, None
        if opened is None:
            return
        if not same(member(data, "turn"), opened.turn) or not _is_of(opened.turn, turn):
            message = "a compaction ends in the turn that it began in"
            yield broken("compaction-turn", message, "data", "turn")
        if "error" not in data and not opened.summarised:
            message = "a compaction without summary ends with an error"
            yield broken("compaction-end-without-summary", message)

    def end_seed(self) -> None:
        """What was inherited ends; a compaction that is open ends with it."""
        if self._started is not None:
            self._crossed.pop(self._started, None)
        self._open = self._started = None

    def abandon(self) -> None:
        """What was begun last is not in the log after all."""
        self._open = self._started = None

    def finish(self) -> list[Issue]:
        """The log ends."""
        return list(self._settled())

    def owned(self, data: Json, *keys: str) -> Iterator[Issue]:
        """Whether the open compaction is the one that these data name."""
        opened = self._open
        named = opened is not None and same(member(data, "compactionId"), opened.id)
        if opened is None or not named or not same(member(data, "sourceCommandId"), opened.command):
            message = "no compaction of this id is open"
            yield broken("compaction-unknown", message, "data", *keys)

    def span(self, data: Json) -> Iterator[Issue]:
        """The list of hidden events is a span of the surface."""
        hidden, seqs = member(data, "shadowedRange"), member(data, "shadowedSeqs")
        if hidden in (None, UNDEFINED) or seqs in (None, UNDEFINED):
            yield crash("data")
        elif not self.is_span(member(hidden, "start"), member(hidden, "end"), seqs):
            message = "must name a span of the surface, whole and in order"
            yield broken("compaction-span", message, "data", "shadowedSeqs")

    def _settled(self) -> Iterator[Issue]:
        """What was crossed by a turn was not inherited after all."""
        for seq in self._crossed.values():
            message = "a turn began or ended while a compaction was open"
            yield Issue("compaction-open", message, seq=seq)
        self._crossed.clear()


def _is_of(owner: Any, turn: int | None) -> bool:
    return turn is None if owner is None else same(owner, turn)

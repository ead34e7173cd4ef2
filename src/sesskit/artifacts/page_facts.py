"""What a timeline says of a turn, or of all turns of a page: when, how long, how much."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sesskit.artifacts.page_markup import parts
from sesskit.artifacts.page_words import clock, lasted, seconds_of, tokens
from sesskit.records.view import ToolCall, Turn, Usage
from sesskit.schemas.instants import Instant

__all__ = ["Facts", "facts_of", "together"]


class Facts(NamedTuple):
    """When something began and ended, and what it took; None where nobody says."""

    started: Instant | None
    ended: Instant | None
    tokens: tuple[int, int] | None
    calls: int

    @property
    def day(self) -> str:
        """The day on which it began; empty where nobody says."""
        return "" if self.started is None else clock(self.started)[0]

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        return seconds_of(self.started, self.ended)

    def bar(self, longest: float) -> int:
        """How long it took, in tenths of the longest one; whatever took time has one at least."""
        seconds = self.seconds
        return max(round(10 * seconds / longest), 1) if seconds and longest else 0

    def row(self, target: str, title: str, opening: str, bar: int, day: str = "") -> str:
        """A line of a timeline; ``day`` is that of the line before."""
        began = "" if self.started is None else " ".join(clock(self.started))
        began = began.removeprefix(f"{day} ") if day else began
        taken, given = ("", "") if self.tokens is None else (f"{n:,}" for n in self.tokens)
        calls = str(self.calls or "")
        took = lasted(self.seconds)
        return str(parts().row(target, title, opening, began, took, taken, given, calls, bar))


def facts_of(turn: Turn) -> Facts:
    """The facts of a turn."""
    usages: list[Usage] = [m.usage for m in turn.messages if m.usage is not None]
    calls = sum(isinstance(block, ToolCall) for m in turn.messages for block in m.blocks)
    return Facts(turn.started, turn.ended, tokens(usages), calls)


def together(several: Iterable[Facts]) -> Facts:
    """The facts of several turns as those of one."""
    facts = list(several)
    counted = [one.tokens for one in facts if one.tokens is not None]
    summed = (sum(n for n, _ in counted), sum(n for _, n in counted)) if counted else None
    return Facts(
        min((one.started for one in facts if one.started is not None), default=None),
        max((one.ended for one in facts if one.ended is not None), default=None),
        summed,
        sum(one.calls for one in facts),
    )

"""What goes on which page: turns and messages one after the other, no page beyond its size.

A turn that does not end on its page goes on on the next one, and so does a message that is bigger
than any page. Pages fill up from the first on, so that a session that grows keeps the pages it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sesskit.artifacts.page_facts import Facts
from sesskit.artifacts.page_markup import parts
from sesskit.artifacts.page_telling import Told

__all__ = ["Leaf", "Pager", "TurnHead"]


class TurnHead(NamedTuple):
    """A turn as it is opened, and its line in the timeline. ``bar`` is its length, from 0 to 10.

    Without ``facts`` it is no turn but another part of a session, and has no such line.
    """

    anchor: str
    title: str
    state: str = ""
    good: bool = True
    notes: tuple[str, ...] = ()
    opening: str = ""
    facts: Facts | None = None
    bar: int = 0

    def opened(self, again: str = "") -> str:
        """The markup that opens it; ``again`` ends its anchor where it goes on."""
        title = f"{self.title}, continued" if again else self.title
        made = parts().turn_head(self.anchor + again, title, self.state, self.good, self.notes)
        return str(made)

    def row(self, again: str = "", day: str = "") -> str:
        """Its line in the timeline of a page, after one of that day."""
        if self.facts is None:
            return ""
        opening = "continued" if again else self.opening
        title = self.title.removeprefix("Turn ").replace("Before the first turn", "before")
        return self.facts.row(f"#{self.anchor}{again}", title, opening, self.bar, day)


@dataclass(slots=True)
class Leaf:
    """One page in the making. ``size`` counts bytes of its body and its timeline.

    ``turns`` are those that begin here.
    """

    body: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    turns: list[TurnHead] = field(default_factory=list)
    messages: int = 0
    day: str = ""
    size: int = 0

    def put(self, html: str) -> None:
        """Add to the body."""
        self.body.append(html)
        self.size += _bytes(html)


class Pager:
    """Collects turns and messages; `leaves` are the pages."""

    def __init__(self, limit: int) -> None:
        self.leaves = [Leaf()]
        self._limit = limit
        self._turn: TurnHead | None = None

    def turn(self, head: TurnHead) -> None:
        """A turn begins. What follows belongs to it, until the next one or `close`."""
        self.close()
        if not self._fits(_bytes(head.opened()) + _bytes(head.row()) + _END):
            self._next()
        self._turn = head
        self._leaf.turns.append(head)
        self._open(head)

    def close(self) -> None:
        """The turn is over."""
        if self._turn is not None:
            self._leaf.put("</section>\n")
            self._turn = None

    def message(self, anchor: str, number: str, told: Told) -> None:
        """A message of the turn; in pieces where it is too big for any page."""
        head = told.head(anchor, number)
        size = _bytes(head) + sum(map(_bytes, told.parts)) + _END
        if not self._fits(size) and self._leaf.messages:
            self._next()
        self._leaf.messages += 1
        self._leaf.put(head)
        if self._fits(size):
            self._leaf.put("".join(told.parts))
        else:
            self._over(anchor, number, told)
        self._leaf.put("</article>\n")

    @property
    def _leaf(self) -> Leaf:
        return self.leaves[-1]

    def _fits(self, size: int) -> bool:
        return self._leaf.size + size <= self._limit

    def _over(self, anchor: str, number: str, told: Told) -> None:
        """The parts of a message, on as many pages as it takes."""
        for anchor_again, part in zip(_again(anchor), told.parts, strict=False):
            if not self._fits(_bytes(part) + _END):
                self._leaf.put("</article>\n")
                self._next()
                again = told._replace(who=f"{told.who}, continued")
                self._leaf.put(again.head(anchor_again, number))
                self._leaf.messages += 1
            self._leaf.put(part)

    def _open(self, turn: TurnHead, again: str = "") -> None:
        row = turn.row(again, self._leaf.day)
        if turn.facts is not None:
            self._leaf.day = turn.facts.day or self._leaf.day
        self._leaf.put(turn.opened(again))
        self._leaf.rows += [row] if row else []
        self._leaf.size += _bytes(row)

    def _next(self) -> None:
        """Go on on a new page, in the same turn."""
        if self._turn is not None:
            self._leaf.put("</section>\n")
        self.leaves.append(Leaf())
        if self._turn is not None:
            self._open(self._turn, f"-{len(self.leaves)}")


_END = 64
"""Bytes of what closes a message and its turn."""


def _again(anchor: str) -> Iterator[str]:
    number = 1
    while True:
        yield f"{anchor}-{number}"
        number += 1


def _bytes(html: str) -> int:
    return len(html) if html.isascii() else len(html.encode())

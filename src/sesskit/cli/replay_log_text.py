"""The conversation and the timeline of a log, line by line, for people: masked, made harmless."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatchmethod
from typing import Any, Protocol

from sesskit.cli.folding import folded
from sesskit.cli.replaying import Wishes
from sesskit.cli.screen import Screen
from sesskit.logs.robota_moments import Moment
from sesskit.logs.robota_talk import (
    Answered,
    Began,
    Called,
    Compacted,
    Helper,
    Item,
    Said,
    TurnBegan,
    TurnEnded,
)
from sesskit.schemas.instants import Instant

_SAID, _INPUT, _RESULT = 200, 4, 8
_NAME, _ID, _PATH, _REASON = 40, 32, 60, 60
_GOOD = ("answered", "complete")
_BAD = frozenset({"retry", "denied", "blocked", "fallback", "error"})
_KIND = 11


class Telling:
    """Tells the items of one log; ``depth`` is how many logs of parents it is folded into."""

    def __init__(self, screen: Screen, how: Wishes, *, depth: int = 0) -> None:
        self._screen, self._how, self._short = screen, how, how.short
        self._margin = 4 * depth
        self._day = ""

    def lines(self, item: Item) -> Iterator[str]:
        """The lines of one item."""
        margin = " " * self._margin
        for line in self._told(item):
            yield f"{margin}{line}".rstrip()

    @singledispatchmethod
    def _told(self, item: Any) -> Iterator[str]:
        raise TypeError(f"no words for a {type(item).__name__}")

    @_told.register
    def _(self, item: Began) -> Iterator[str]:
        model = f"{self._short(item.provider, _NAME)} {self._short(item.model, _NAME)}"
        words = f"{model}, in {self._short(item.cwd, _PATH)}"
        yield ""
        title = self._screen.paint("title", f"session {self._short(item.session, _PATH)}")
        yield f"{title}{self._when(item.moment)}"
        yield f"  {self._screen.paint('faint', words)}"

    @_told.register
    def _(self, item: TurnBegan) -> Iterator[str]:
        yield ""
        yield f"{self._screen.paint('title', f'turn {item.number}')}{self._when(item.moment)}"

    @_told.register
    def _(self, item: Said) -> Iterator[str]:
        who = (
            item.role
            if item.peer is None
            else f"{item.role} (from {self._short(item.peer, _NAME)})"
        )
        mark = "  [interrupted]" if item.interrupted else ""
        mark += "  [streamed, never committed]" if item.streamed else ""
        yield ""
        yield f"  {self._screen.paint('title', who)}{self._when(item.moment)}{mark}"
        yield from self._text(item.text, 4, _SAID)
        for kind in item.parts:
            yield f"    {self._screen.paint('faint', f'[{self._short(kind, _NAME)}]')}"

    @_told.register
    def _(self, item: Called) -> Iterator[str]:
        name = self._screen.paint("title", self._short(item.name, _NAME) or "(no name)")
        yield f"    call {name} {self._short(item.id, _ID)}".rstrip()
        yield from self._text(item.arguments, 6, _INPUT)

    @_told.register
    def _(self, item: Answered) -> Iterator[str]:
        state = self._screen.paint("valid" if item.state in _GOOD else "bad", item.state)
        name = self._short(item.name, _NAME) or "(no name)"
        yield f"    result of {name} {self._short(item.id, _ID)}   {state}"
        yield from self._text(item.text, 6, _RESULT)

    @_told.register
    def _(self, item: Compacted) -> Iterator[str]:
        trigger = self._short(item.trigger, _NAME)
        words = f"{trigger} compaction, {item.before:,.0f} to {item.after:,.0f}"
        yield ""
        yield f"  {self._screen.paint('faint', f'[{words} tokens]')}"

    @_told.register
    def _(self, item: Helper) -> Iterator[str]:
        asked = f", asked for by {self._short(item.call, _ID)}" if item.call else ""
        words = f"subagent {self._short(item.id, _ID)}{asked}: {self._short(item.path, _PATH)}"
        yield ""
        yield f"  {self._screen.paint('faint', f'[{words}]')}"

    @_told.register
    def _(self, item: TurnEnded) -> Iterator[str]:
        state = self._screen.paint("valid" if item.state in _GOOD else "bad", item.state)
        reason = f": {self._short(item.reason, _REASON)}" if item.reason else ""
        yield ""
        yield f"  turn {item.number} {state}{reason}"
        how = "open" if item.state == "open" else "interrupted"
        for name in item.left:
            yield f"    call {self._short(name, _NAME)}   {self._screen.paint('bad', how)}"

    def _text(self, text: str, indent: int, most: int) -> Iterator[str]:
        if not text:
            return iter(())
        width = self._screen.width - self._margin
        lines = None if self._how.full else most
        return folded(self._how.text(text), width, indent=indent, lines=lines)

    def _when(self, moment: Moment) -> str:
        """The time of day behind a name, and the day where it is another."""
        if moment.time is None:
            return ""
        day, _, clock = str(moment.time)[:-5].partition("T")
        shown = clock if day == self._day else f"{day} {clock}"
        self._day = day
        return f"   {self._screen.paint('faint', shown)}"


class When(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def time(self) -> Instant | None: ...


class Shown(Protocol):
    """What has a line on a timeline."""

    @property
    def moment(self) -> When: ...
    @property
    def kind(self) -> str: ...
    @property
    def words(self) -> str: ...


class Timeline:
    """Lines of a timeline: the time since its first entry, the line of the log, what happened."""

    def __init__(self, screen: Screen, how: Wishes) -> None:
        self._screen, self._how = screen, how
        self._start: int | None = None

    def lines(self, entry: Shown) -> Iterator[str]:
        """The lines of one entry: one, unless all of a long text is to be shown."""
        head = f"{self._since(entry.moment)}  {entry.moment.line:>6}  "
        word = f"{entry.kind:<{_KIND}}"
        painted = self._screen.paint("bad" if entry.kind in _BAD else "faint", word)
        room = max(self._screen.width - len(head) - _KIND - 1, 20)
        first, *more = [self._how.short(entry.words, room)]
        if self._how.full:
            text = self._how.text(entry.words)
            first, *more = list(folded(text, room)) or [""]
        yield f"{head}{painted} {first}".rstrip()
        yield from (" " * (len(head) + _KIND + 1) + line for line in more)

    def _since(self, moment: When) -> str:
        """``+00:01:02.345``; blanks where the line has no time."""
        if moment.time is None:
            return " " * 13
        if self._start is None:
            self._start = moment.time.ms
        seconds, milliseconds = divmod(abs(moment.time.ms - self._start), 1000)
        sign = "-" if moment.time.ms < self._start else "+"
        minutes, left = divmod(seconds, 60)
        return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{left:02}.{milliseconds:03}"

"""A session as a conversation for people: turns, who said what and when, calls and their results.

Texts are masked, folded, and made harmless; long ones are shortened unless all was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from sesskit.cli.folding import folded
from sesskit.cli.replaying import Seen, Wishes
from sesskit.cli.rows import Row, rows_of, size_words
from sesskit.cli.screen import Screen
from sesskit.records.refs import text_of
from sesskit.records.view import (
    Blob,
    Block,
    By,
    Call,
    Compaction,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Role,
    StoredFile,
    Text,
    ToolCall,
    Turn,
    Uri,
)
from sesskit.schemas.instants import Instant

_USUAL: dict[Role, By] = {"user": "person", "assistant": "model", "system": "machine"}
"""Who speaks in a role, where nothing else is said."""

_NAME, _ID, _ADDRESS = 40, 32, 60
_GOOD = ("answered", "complete", "unrecorded")


class Lengths(NamedTuple):
    """Lines of each kind of text that are shown; None for all."""

    said: int | None = 200
    system: int | None = 8
    thought: int | None = 8
    input: int | None = 4
    result: int | None = 8


FULL = Lengths(None, None, None, None, None)


def conversation(
    seen: Seen,
    screen: Screen,
    wishes: Wishes = Wishes(),
    *,
    before: Callable[[Message], None] | None = None,
) -> Iterator[str]:
    """The lines of a session, each of them at most as wide as the screen.

    ``before`` is called when the lines of a message are asked for.
    """
    return _Conversation(seen, screen, wishes, before).lines()


class _Conversation:
    """One session being told."""

    def __init__(
        self,
        seen: Seen,
        screen: Screen,
        wishes: Wishes,
        before: Callable[[Message], None] | None = None,
    ) -> None:
        self.before = before
        self.session = seen.session
        self.read = seen.read
        self.screen = screen
        self.lengths = FULL if wishes.full else Lengths()
        self.given = wishes.text
        self.short = wishes.short
        self.day = ""
        self.speaker = ""

    def lines(self) -> Iterator[str]:
        rows = list(self._about())
        if rows:
            yield ""
            yield from rows_of(rows, self.screen)
        for ref in self.session.system:
            if text_of(ref, self.read) != self._opening():
                yield from ("", self._label("system", "before the talk"))
                yield from self._text(ref, 4, self.lengths.system)
        for turn in self.session.turns:
            yield from self._turn(turn)
        if not self.session.turns:
            yield from ("", "  nothing was said")
        if any(loss.kind == "unread" for loss in self.session.losses):
            yield from ("", "  not all of it could be read; there may have been more")

    def _opening(self) -> str | None:
        """The text that the talk begins with, if that is the system's: it is not shown twice."""
        first = next(self.session.messages(), None)
        if first is None or first.role != "system":
            return None
        texts = [text_of(block.ref, self.read) for block in first.blocks if isinstance(block, Text)]
        return texts[0] if len(texts) == 1 else None

    def _turn(self, turn: Turn) -> Iterator[str]:
        state = (
            turn.state if turn.reason is None else f"{turn.state}: {self.short(turn.reason, _NAME)}"
        )
        title = f"turn {turn.number}" if turn.number else "before the first turn"
        when = self._span(turn)
        painted = self.screen.paint("valid" if turn.state in _GOOD else "bad", state)
        gap = "   " if when else ""
        self.speaker = ""
        yield ""
        yield f"{self.screen.paint('title', title)}   {painted}{gap}{when}"
        for message in turn.messages:
            yield from self._message(message)

    def _span(self, turn: Turn) -> str:
        if turn.started is None:
            return ""
        self.day, begin = _split(turn.started)
        day, end = _split(turn.ended or turn.started)
        if (day, end) == (self.day, begin):
            return f"{day} {begin} UTC"
        return f"{self.day} {begin} to {end if day == self.day else f'{day} {end}'} UTC"

    def _message(self, message: Message) -> Iterator[str]:
        if self.before is not None:
            self.before(message)
        who: str = message.role
        if message.by != _USUAL[message.role]:
            who += f" ({message.by})"
        when = ""
        if message.time is not None:
            day, clock = _split(message.time)
            when = clock if day == self.day else f"{day} {clock}"
            self.day = day
        model = "" if message.model is None else self.short(message.model, _NAME)
        yield ""
        # Some formats keep every part of an answer as a message of its own.
        if when or model or who != self.speaker:
            yield self._label(who, "  ".join(filter(None, (when, model))))
        self.speaker = who
        yield from self._blocks(message.blocks, 4, self.lengths.said)

    def _label(self, who: str, note: str) -> str:
        gap = "   " if note else ""
        return f"  {self.screen.paint('title', who)}{gap}{self.screen.paint('faint', note)}"

    def _blocks(self, blocks: Iterable[Block], indent: int, lines: int | None) -> Iterator[str]:
        for block in blocks:
            if isinstance(block, Text):
                yield from self._text(block.ref, indent, lines)
            elif isinstance(block, ToolCall):
                yield from self._call(block.call, indent)
            else:
                yield from self._other(block, indent)

    def _other(self, block: Block, indent: int) -> Iterator[str]:
        """What is no plain text: a word about it in brackets, and its text if it has one."""
        words, ref, lines = self._told(block), None, self.lengths.said
        if isinstance(block, Reasoning) and not block.sealed:
            ref, lines = block.ref, self.lengths.thought
        elif isinstance(block, Compaction):
            ref = block.ref
        elif isinstance(block, Uri):
            words += f" {self.short(text_of(block.ref, self.read), _ADDRESS - len(words))}"
        yield " " * indent + self.screen.paint("faint", f"[{words}]")
        if ref is not None:
            yield from self._text(ref, indent + 2, lines)

    def _call(self, call: Call, indent: int) -> Iterator[str]:
        margin = " " * indent
        name = self.short(call.name, _NAME) or "(no name)"
        identity = f" {self.short(call.id, _ID)}" if call.id else ""
        state = self.screen.paint("valid" if call.state in _GOOD else "bad", call.state)
        kind = "" if call.kind == "function" else f"{call.kind} "
        yield f"{margin}{kind}call {self.screen.paint('title', name)}{identity}   {state}"
        if call.input is not None:
            yield from self._text(call.input.ref, indent + 2, self.lengths.input)
        if call.result is None:
            return
        result = call.result
        notes = [f"exit {result.exit}"] if result.exit is not None else []
        notes += [f"{result.duration:g} s"] if result.duration is not None else []
        yield f"{margin}{self.screen.paint('faint', '  '.join(('result', *notes)))}"
        yield from self._blocks(result.blocks, indent + 2, self.lengths.result)

    def _text(self, ref: Ref, indent: int, lines: int | None) -> Iterator[str]:
        text = self.given(text_of(ref, self.read))
        return folded(text, self.screen.width, indent=indent, lines=lines)

    def _about(self) -> Iterator[Row]:
        session = self.session
        for label, text in (
            ("session", session.id),
            ("title", session.title),
            ("folder", session.cwd),
        ):
            if text:
                yield label, self.short(text, _ADDRESS)

    def _told(self, block: Block) -> str:
        """What a block is that is no plain text and no call."""
        if isinstance(block, Reasoning):
            return "sealed reasoning" if block.sealed else "reasoning"
        if isinstance(block, Blob):
            return f"{self.short(block.media or 'bytes', _NAME)}, {size_words(block.ref.length)}"
        if isinstance(block, Uri):
            return self.short(block.media or "address", _NAME)
        if isinstance(block, StoredFile):
            return f"file {self.short(block.id, _NAME)}"
        if isinstance(block, Compaction):
            count = "" if block.replaced is None else f" {block.replaced:,}"
            return f"summary of{count} earlier messages"
        if isinstance(block, Notice):
            return f"notice: {self.short(block.kind, _NAME)}"
        if isinstance(block, Opaque):
            kind = self.short(block.kind, _NAME) or "part"
            return f"{kind}, {size_words(block.ref.length)}, that nothing here reads"
        return block.type


def _split(time: Instant) -> tuple[str, str]:
    """Day and clock time of an instant."""
    day, _, clock = str(time)[:-5].partition("T")
    return day, clock

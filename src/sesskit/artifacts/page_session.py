"""One session put on pages: its system prompt, the turns of its talk, those of its branches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.page_facts import Facts, facts_of
from sesskit.artifacts.page_layout import Pager, TurnHead
from sesskit.artifacts.page_telling import GOOD, Agents, Teller, Told
from sesskit.artifacts.page_text import excerpt
from sesskit.artifacts.page_words import clock, lasted, plural
from sesskit.records.overview import overview
from sesskit.records.refs import Read, text_of
from sesskit.records.view import Message, Session, Text, Turn

__all__ = ["Source", "about", "title_of", "write_session"]

_TITLE: Final = 120
_WORD: Final = 80
_REASON: Final = 200


class Source(NamedTuple):
    """A session, how the bytes behind its refs are read, and what its file is called."""

    session: Session
    read: Read
    name: str = ""


def title_of(session: Session) -> str:
    """What a session is called."""
    return excerpt(session.title or session.id or "", _TITLE) or f"A {session.format} session"


def about(session: Session) -> Iterator[tuple[str, str]]:
    """Labels and words on a session as a whole."""
    seen = overview(session)
    version = f", version {session.version.word}" if session.version else ""
    program = session.agent
    words = {
        "session": session.id,
        "format": f"{session.format}{version}",
        "program": "" if program is None else f"{program.name} {program.version or ''}".strip(),
        "models": ", ".join(session.models[:5]),
        "folder": session.cwd,
        "began (UTC)": "" if seen.first is None else " ".join(clock(seen.first)),
        "ended (UTC)": "" if seen.last is None else " ".join(clock(seen.last)),
        "lasted": lasted(Facts(seen.first, seen.last, None, 0).seconds),
        "messages": ", ".join(f"{count:,} {role}" for role, count in seen.messages.items()),
        "turns": ", ".join(f"{count:,} {state}" for state, count in seen.turns.items()),
        "calls": ", ".join(f"{count:,} {state}" for state, count in seen.calls.items()),
        "tokens": _tokens(session),
        "tools": f"{len(session.tools):,} described" if session.tools else "",
        "forked from": session.origin.of if session.origin.kind == "fork" else "",
    }
    yield from ((label, excerpt(text, _WORD)) for label, text in words.items() if text)


def _tokens(session: Session) -> str:
    usage = overview(session).usage
    if usage is None:
        return ""
    return f"{usage.prompt:,} in (of these {usage.cached:,} cached), {usage.output:,} out"


def write_session(
    source: Source, pager: Pager, number: int, *, agents: Agents, images: bool
) -> int:
    """Put a session on pages; ``number`` is 0 for the main one, then counts its subagents.

    Gives the number of the page, from 1 on, on which a subagent begins.
    """
    teller = Teller(source.read, images=images, agents=agents)
    return _Writing(source, pager, number, teller).write()


class _Writing:
    """One session being put on pages."""

    def __init__(self, source: Source, pager: Pager, number: int, teller: Teller) -> None:
        self.session = source.session
        self.read = source.read
        self.pager = pager
        self.teller = teller
        self.number = number
        self.prefix = f"s{number}-" if number else ""
        self.said = 0
        branches = (turn for branch in self.session.branches for turn in branch.turns)
        every = [facts_of(turn).seconds or 0 for turn in (*self.session.turns, *branches)]
        self.longest = max(every, default=0)

    def write(self) -> int:
        """All of it; gives the page on which a subagent begins."""
        if self.number:
            title = f"Subagent {title_of(self.session)}"
            self._open(f"s{self.number}", title, tuple(self._notes()))
        page = len(self.pager.leaves)
        self._system()
        for turn in self.session.turns:
            self._turn(turn, "", "")
        for count, branch in enumerate(self.session.branches, 1):
            for turn in branch.turns:
                self._turn(turn, f"b{count}-", f"Branch {count}, ")
        self.pager.close()
        return page

    def _notes(self) -> Iterator[str]:
        """What is said of a subagent where it begins."""
        yield self.session.format
        yield plural(len(self.session.turns), "turn")
        used = _tokens(self.session)
        if used:
            yield f"tokens {used}"

    def _open(self, anchor: str, title: str, notes: tuple[str, ...]) -> None:
        self.pager.turn(TurnHead(anchor, title, notes=notes))

    def _system(self) -> None:
        shown = ("", self._first())
        texts = [ref for ref in self.session.system if text_of(ref, self.read) not in shown]
        made = tuple(part for ref in texts for part in self.teller.text(ref, "k", "system prompt"))
        if made:
            self._open(f"{self.prefix}system", "Before the talk", ())
            self.pager.message(f"{self.prefix}m0", "0", Told("system", "system", "", "", "", made))

    def _first(self) -> str | None:
        """The text that the talk begins with, if that is the system's: it is not shown twice."""
        first = next(self.session.messages(), None)
        if first is None or first.role != "system":
            return None
        texts = [text_of(block.ref, self.read) for block in first.blocks if isinstance(block, Text)]
        return texts[0] if len(texts) == 1 else None

    def _turn(self, turn: Turn, branch: str, words: str) -> None:
        facts = facts_of(turn)
        title = f"{words}Turn {turn.number}" if turn.number else f"{words}Before the first turn"
        reason = "" if turn.reason is None else f": {excerpt(turn.reason, _REASON)}"
        state, good = f"{turn.state}{reason}", turn.state in GOOD
        bar = facts.bar(self.longest)
        anchor = f"{self.prefix}{branch}t{turn.number}"
        opening = _opening(turn, self.teller)
        notes = tuple(_turn_notes(facts))
        self.pager.turn(TurnHead(anchor, title, state, good, notes, opening, facts, bar))
        for message in turn.messages:
            self._put(self.teller.told(message))

    def _put(self, told: Told) -> None:
        self.said += 1
        self.pager.message(f"{self.prefix}m{self.said}", str(self.said), told)


def _opening(turn: Turn, teller: Teller) -> str:
    """What the person says that the turn begins with."""
    spoken: list[Message] = [message for message in turn.messages if message.by == "person"]
    return teller.opening(spoken[0]) if spoken else ""


def _turn_notes(facts: Facts) -> Iterator[str]:
    took = lasted(facts.seconds)
    if took:
        yield took
    if facts.tokens is not None:
        yield f"{facts.tokens[0]:,} tokens in, {facts.tokens[1]:,} out"

"""A part of a session for `sesskit replay`, by turns, lines or times of its view; and its pace."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from sesskit.cli.pacing import Clock
from sesskit.cli.replay_logs import Bound, Ranged
from sesskit.cli.replay_text import conversation
from sesskit.cli.replaying import Seen, Wishes
from sesskit.cli.screen import Screen, write
from sesskit.records.view import Message, Session, Turn


def part_of(session: Session, part: Ranged) -> Session:
    """The session with the messages of a part only; both ends belong to it."""
    if part.first is None and part.last is None:
        return session
    turns = []
    for turn in session.turns:
        kept = tuple(m for m in turn.messages if _lies_in(m, turn, part.first, part.last))
        if kept:
            turns.append(replace(turn, messages=kept))
    system = session.system if part.first is None else ()
    return replace(session, turns=tuple(turns), system=system, model=None)


def _lies_in(message: Message, turn: Turn, first: Bound | None, last: Bound | None) -> bool:
    begins = first is None or (at := _at(message, turn, first.kind)) is None or at >= first.value
    ends = last is None or (at := _at(message, turn, last.kind)) is None or at <= last.value
    return begins and ends


def _at(message: Message, turn: Turn, kind: str) -> float | None:
    """Where a message is, as an end of that kind counts; None where it does not say."""
    if kind == "turn":
        return turn.number
    if kind == "line":
        return message.refs[0].line if message.refs else None
    return None if message.time is None else message.time.ms


def tell(
    seen: Seen,
    part: Ranged,
    screen: Screen,
    wishes: Wishes,
    sleep: Callable[[float], None] | None = None,
) -> None:
    """Write a conversation at its pace: each message after the time that lay before it."""
    clock = Clock(part.speed, part.idle, sleep)
    lines = conversation(seen, screen, wishes, before=lambda message: clock.wait(message.time))
    for line in lines:
        write(f"{line}\n")

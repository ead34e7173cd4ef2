"""What `sesskit replay` takes for one log beyond other formats: a part of it, events, its pace."""

from __future__ import annotations

from re import fullmatch
from typing import Annotated, NamedTuple

import typer

from sesskit.cli.replaying import LOG, Made, Seen, Wishes
from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN, Finding, identify
from sesskit.logs.walking import is_folder
from sesskit.schemas.instants import parse_instant

IDLE_SECONDS = 2.0
"""The longest wait between two things that are shown with ``--speed``."""

_WHERE = "a line (12), a turn (turn:3) or a time (2026-05-11T08:00:00Z)"

From = Annotated[
    str | None,
    typer.Option("--from", metavar="WHERE", help="Of a log: from a line (12), turn:3 or a time."),
]
To = Annotated[
    str | None, typer.Option("--to", metavar="WHERE", help="Of a log: up to there, included.")
]
Events = Annotated[
    bool,
    typer.Option("--events", help="Of a log: requests, tokens, tools, refusals on a timeline."),
]
Subagents = Annotated[
    bool, typer.Option("--with-subagents", help="Of a log: fold in the logs of its subagents.")
]
Speed = Annotated[
    float | None,
    typer.Option("--speed", metavar="X", help="Of a log: as it went, X times as fast."),
]
Idle = Annotated[
    float | None,
    typer.Option("--idle", metavar="S", help="With --speed: wait S seconds at most; 2 if not set."),
]


class Bound(NamedTuple):
    """An end of a part: ``kind`` is line, turn or time (in milliseconds)."""

    kind: str
    value: float


class Ranged(NamedTuple):
    """What of one log is to be shown, and how."""

    first: Bound | None = None
    last: Bound | None = None
    events: bool = False
    subagents: bool = False
    speed: float | None = None
    idle: float = IDLE_SECONDS


def ranged(
    first: str | None,
    last: str | None,
    *,
    events: bool,
    subagents: bool,
    speed: float | None,
    idle: float | None,
) -> Ranged:
    """The options as values. Raises `BadUsage` for what is none."""
    if speed is not None and not 0 < speed < float("inf"):
        raise BadUsage("--speed takes a number above 0: 1 as it went, 10 ten times as fast")
    if idle is not None and speed is None:
        raise BadUsage("--idle goes with --speed")
    if idle is not None and not 0 <= idle < float("inf"):
        raise BadUsage("--idle takes seconds, from 0 on")
    if events and subagents:
        raise BadUsage("--events is of one log; leave out --with-subagents")
    ends = _bound("--from", first), _bound("--to", last)
    return Ranged(*ends, events, subagents, speed, IDLE_SECONDS if idle is None else idle)


def _bound(option: str, text: str | None) -> Bound | None:
    if text is None:
        return None
    found = fullmatch(r"(?:(line|turn):)?(\d{1,15})", text)
    if found is not None:
        return Bound(found[1] or "line", int(found[2]))
    moment = parse_instant(text.removeprefix("time:"))
    if moment is None:
        raise BadUsage(f"{option} takes {_WHERE}")
    return Bound("time", moment.ms)


def one_log(paths: list[str] | None, format: str | None) -> str | None:
    """The path of the one log that is to be replayed; None for anything else."""
    if not paths or len(paths) != 1 or paths[0] == STDIN or is_folder(paths[0]):
        return None
    found = identify(paths[0], format)
    return None if isinstance(found, Finding) or found.entry.name != LOG else paths[0]


def transcript(seen: Seen, wishes: Wishes) -> Made:
    """A log whose sidecars cannot be read has no transcript."""
    raise BadUsage("a transcript is made of the file of a log; standard input is none")

"""What `sesskit replay` takes for one log beyond other formats: a part of it, events, its pace."""

from __future__ import annotations

from re import ASCII, fullmatch, search
from typing import Annotated, NamedTuple

import typer

from sesskit.cli.options import zone_of
from sesskit.cli.output import Display
from sesskit.cli.replaying import Wishes
from sesskit.cli.usage import BadUsage
from sesskit.schemas.instants import parse_instant

IDLE_SECONDS = 2.0
"""The longest wait between two things that are shown with ``--speed``."""

_DAY_MS = 86_400_000
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
    follow: bool = False


def ranged(
    first: str | None,
    last: str | None,
    *,
    events: bool = False,
    subagents: bool = False,
    speed: float | None = None,
    idle: float | None = None,
    follow: bool = False,
    zone: str = "UTC",
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
    begin, end = _bound("--from", first, zone), _bound("--to", last, zone, whole_day=True)
    if begin and end and begin.kind == end.kind and end.value < begin.value:
        raise BadUsage(f"--to {last} lies before --from {first}")
    longest = IDLE_SECONDS if idle is None else idle
    return Ranged(begin, end, events, subagents, speed, longest, follow)


def _bound(option: str, text: str | None, zone: str, *, whole_day: bool = False) -> Bound | None:
    if text is None:
        return None
    found = fullmatch(r"(?:(line|turn):)?(\d{1,15})", text, ASCII)
    if found is not None:
        kind, value = found[1] or "line", int(found[2])
        if kind == "line" and value == 0:
            raise BadUsage(f"{option} 0: lines count from 1")
        return Bound(kind, value)
    moment = parse_instant(text.removeprefix("time:"), zone_of(zone))
    if moment is None or search(r"\d{4}", text, ASCII) is None:  # -1 is no year
        raise BadUsage(f"{option} takes {_WHERE}")
    day = whole_day and fullmatch(r"(?:time:)?\d{4}-\d\d-\d\d", text, ASCII) is not None
    return Bound("time", moment.ms + (_DAY_MS - 1 if day else 0))


def refuse_together(form: str | None, part: Ranged, how: Wishes, display: Display) -> None:
    """Raise `BadUsage` for options that do not go together."""
    if form is not None and (part.events or part.subagents or part.speed is not None):
        raise BadUsage("--events, --with-subagents and --speed are for people; leave out --as")
    if form == "transcript" and how.fill_results:
        raise BadUsage("--fill-results goes with --as messages")
    json = display.output == "json"
    if json and part.speed is not None:
        raise BadUsage("--speed is for people; leave out --output json")
    if not part.follow:
        return
    for given, name in (
        (json, "--output json"),
        (form == "messages", "--as messages"),
        (display.out is not None, "--out"),
    ):
        if given:
            raise BadUsage(f"--follow has no end, and {name} needs one")
    if part.subagents or part.speed is not None:
        raise BadUsage("--follow shows one log as it grows; no --with-subagents, no --speed")

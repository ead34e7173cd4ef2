"""A log in numbers, in one pass, whatever its length: memory holds one turn at a time.

The numbers are those that `overview` counts in the session view of the log; a test holds the two
together. What only logs of dsh have (steps, routes, compactions) comes on top.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, BinaryIO

from sesskit.logs.dsh.decode import open_log, outcome
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.tallies import Tally
from sesskit.logs.dsh.view import Viewing
from sesskit.logs.dsh.view_events import Gathered
from sesskit.records.overview import Overview
from sesskit.records.view import Message, Ref, Session
from sesskit.schemas.dsh_values import is_count
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded

STREAM = "assistant/chunk"


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is in a log. ``overview`` is None where there is no header; its session has no turns,
    and calls that had trouble are without their inputs and results.

    ``tools`` counts calls by the tool's name and their state, ``routes`` answers by
    ``provider/model``. ``replaced`` are events that stand for others in the next request,
    ``inherited`` those that came from a seed, ``closers`` the types of those that a load adds.
    """

    outcome: Decoded
    overview: Overview | None
    events: int = 0
    steps: int = 0
    tools: dict[str, dict[str, int]] = field(default_factory=dict)
    routes: dict[str, int] = field(default_factory=dict)
    compactions: int = 0
    replaced: int = 0
    retries: int = 0
    inherited: int = 0
    closers: tuple[str, ...] = ()


def inspect_log(
    source: BinaryIO, path: PurePath | None = None, *, thorough: bool = False
) -> Inspection:
    """Read a log to its end, checked and counted in the same pass; total."""
    reader = open_log(source, path, keep=False, thorough=thorough)
    work = _Work(Viewing(reader, rough=True))
    issues: list[Issue] = []
    for stored in reader:
        issues += stored.issues
        work.take(stored)
    answer = outcome(reader, issues)
    if reader.header is None:
        return Inspection(answer, None)
    counted = work.overview()
    return Inspection(
        answer,
        counted,
        work.events,
        work.kinds["step/start"],
        {name: dict(states) for name, states in sorted(work.tools.items())},
        dict(work.routes.most_common()),
        work.kinds["compaction/summary"],
        work.replaced,
        work.kinds["llm/retry"],
        _inherited(reader),
        tuple(str(event["type"]) for event in reader.judge.closers())
        if reader.judge is not None
        else (),
    )


def _inherited(reader: LogReader) -> int:
    judge = reader.judge
    if judge is None:
        return 0
    said = judge.header.get("seedLength", 0) if judge.inherited is None else judge.inherited
    return int(said) if is_count(said) else 0


@dataclass(slots=True)
class _Work:
    """An inspection under way. ``viewing`` holds the turn that is not counted yet."""

    viewing: Viewing
    events: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    tools: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    replaced: int = 0
    _tally: Tally = field(default_factory=Tally)
    _whole: Gathered = field(default_factory=Gathered)

    def take(self, stored: Stored) -> None:
        """One line of the log."""
        self.events += stored.events
        value = stored.value
        if value is None and stored.events:
            # A line of a stream that went through the fast lane: most lines of old logs.
            line = stored.line
            self._tally.mark(STREAM, Ref(line.offset, len(line.data), line.number, ""))
            self.viewing.size = line.offset + len(line.data) + line.ended
            return
        if isinstance(value, dict):
            kind = value.get("type")
            self.kinds[kind if isinstance(kind, str) else ""] += 1
            self.replaced += isinstance(value.get("surfaceOp"), dict)
            if kind == "turn/start":
                self._fold(last=False)
            elif kind == "assistant/message":
                self._route(value.get("data"))
        self.viewing.take(stored)

    def overview(self) -> Overview:
        """All of it together."""
        self._fold(last=True)
        self.viewing.gathered = self._whole
        return self._tally.overview(self.viewing.session())

    def _route(self, data: Any) -> None:
        message = data.get("message") if isinstance(data, dict) else None
        source = message.get("source") if isinstance(message, dict) else None
        if isinstance(source, dict):
            self.routes[f"{source.get('provider')}/{source.get('model')}"] += 1

    def _fold(self, *, last: bool) -> None:
        """Count what was gathered, and keep of it only what is about the whole session."""
        gathered = self.viewing.gathered
        self.viewing.gathered = Gathered(counted=gathered.counted)
        if not last:
            # So that nothing looks as if the talk ended here.
            gathered.talk.begin()
            gathered.talk.say(Message("user", "person", (), ()))
        turns = gathered.talk.turns()
        part = Session(
            "dsh-log",
            Ref(0, 0),
            turns=turns if last else turns[:-1],
            marks=tuple(gathered.marks),
            usage=tuple(gathered.usage),
        )
        self._tally.add(part)
        for call in part.calls():
            self.tools[call.name][call.state] += 1
        whole = self._whole
        whole.models |= gathered.models
        whole.system += gathered.system
        whole.tools += gathered.tools
        whole.children += gathered.children
        whole.title = gathered.title or whole.title
        whole.ended = gathered.ended or whole.ended

"""An inspection under way: lines in, numbers out, one turn in memory at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.lines import Line
from sesskit.logs.dsh.quick_turns import PlainTurn, QuickLine
from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.tallies import Tally
from sesskit.logs.dsh.view import Viewing
from sesskit.logs.dsh.view_events import Gathered, instant
from sesskit.records.overview import Overview
from sesskit.records.view import Message, Ref, Session
from sesskit.schemas.dsh_lines import PREFIXES, STREAM_LINES, ChunkLine
from sesskit.schemas.json_text import parse_fast

STREAM = "assistant/chunk"
MOST_HELD = 4 * 1024 * 1024
"""So many bytes of a turn are held as text."""
_STREAMS = frozenset(STREAM_LINES)


class Work(Struct):
    """What was counted so far. ``viewing`` holds the turn that is not counted yet, or the lines of
    ``_quick`` do, as long as all of them were taken quickly."""

    viewing: Viewing
    events: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    tools: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    replaced: int = 0
    _tally: Tally = field(default_factory=Tally)
    _whole: Gathered = field(default_factory=Gathered)
    _quick: list[QuickLine] | None = None
    _held: int = 0

    def watch(self, events: list[Any], lines: list[bytes], number: int, offset: int) -> None:
        """Lines that were taken quickly, as events, and where they begin."""
        for event, data in zip(events, lines, strict=True):
            if type(event) not in _STREAMS:
                kind = event.__struct_config__.tag
                self._took(QuickLine(event, kind, data, offset, number))
            elif data.startswith(PREFIXES):
                # Most lines of old logs.
                self.events += 1 if type(event) is ChunkLine else len(event.data.texts)
                self._tally.stream(STREAM, len(data), offset, number)
            else:
                self.events += 1 if type(event) is ChunkLine else len(event.data.texts)
                self.take(_stored(data, offset, number, event.seq, 0))
            number += 1
            offset += len(data) + 1
        self.viewing.size = offset

    def take(self, stored: Stored) -> None:
        """One line of the log, in general."""
        self.events += stored.events
        value = stored.value
        if isinstance(value, dict):
            kind = value.get("type")
            self.kinds[kind if isinstance(kind, str) else ""] += 1
            self.replaced += isinstance(value.get("surfaceOp"), dict)
            if kind == "turn/start":
                self._fold(last=False)
            elif kind == "assistant/message":
                self._route(value.get("data"))
        self._look_closely()
        self.viewing.take(stored)

    def overview(self) -> Overview:
        """All of it together."""
        self._fold(last=True)
        self.viewing.gathered = self._whole
        return self._tally.overview(self.viewing.session())

    def _took(self, line: QuickLine) -> None:
        self.events += 1
        self.kinds[line.kind] += 1
        if line.kind == "turn/start":
            self._fold(last=False)
            # The first tokens of a log are looked for in the text of their line.
            self._quick = [] if self.viewing.gathered.counted and self._tally.used else None
            self._held = 0
        elif line.kind == "assistant/message":
            source = line.event.data.message.source
            self.routes[f"{source.provider}/{source.model}"] += 1
        if self._quick is not None:
            self._quick.append(line)
            self._held += len(line.data)
            if self._held > MOST_HELD:
                self._look_closely()
        else:
            self._view(line)

    def _view(self, line: QuickLine) -> None:
        self.viewing.take(_stored(line.data, line.offset, line.number, line.event.seq, 1))

    def _look_closely(self) -> None:
        """The turn is none of the plain ones: go over its lines again, by their values."""
        lines, self._quick = self._quick, None
        size = self.viewing.size
        for line in lines or ():
            self._view(line)
        self.viewing.size = size

    def _route(self, data: Any) -> None:
        message = data.get("message") if isinstance(data, dict) else None
        source = message.get("source") if isinstance(message, dict) else None
        if isinstance(source, dict):
            self.routes[f"{source.get('provider')}/{source.get('model')}"] += 1

    def _fold_plainly(self, lines: list[QuickLine]) -> bool:
        """Count a turn by its events, if it is a plain one."""
        turn = PlainTurn()
        if not all(map(turn.take, lines)) or not turn.whole:
            return False
        self._tally.turn(turn)
        for name, state in turn.calls.values():
            self.tools[name][str(state)] += 1
        self._whole.models |= turn.models
        self._whole.ended = instant(lines[-1].event.time)
        self._quick = None
        return True

    def _fold(self, *, last: bool) -> None:
        """Count what was gathered, and keep of it only what is about the whole session."""
        if self._quick and not last and self._fold_plainly(self._quick):
            return
        self._look_closely()
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


def _stored(data: bytes, offset: int, number: int, seq: int, events: int) -> Stored:
    """A line that was taken quickly, for who looks at values."""
    return Stored(Line(number, offset, data), parse_fast(data), [], seq, events)

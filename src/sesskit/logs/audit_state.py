"""What the audit remembers: of the file, of the process (a segment of it), of a turn, call, batch.

Everything is bounded by the conversation, not by the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sesskit.logs.audit_history import History
from sesskit.logs.audit_lines import Findings, Json, Line, call_name, text_in

Expecting = Callable[[Line | None], bool]
"""Looks at the next line that is not the host's, None at the end of the process. True: the line
was what was waited for, and nobody else need look at it."""


@dataclass(slots=True)
class Call:
    """One provider request and what has come of it."""

    line: Line
    round: int
    forced: bool
    state: Literal["requested", "raw", "normalized", "announced"] = "requested"
    deltas: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    """The deltas as a reader saw them."""
    next_delta: set[int] = field(default_factory=lambda: {0})
    next_native: set[int] | None = None
    raw: Json | None = None
    normalized: Json | None = None
    announced: Json | str | None = None
    differed: bool = False
    gap: bool = False
    """Not all that was streamed is known."""
    rounds: set[int] = field(default_factory=set)
    """The rounds that its commit may be stamped with."""
    fallback: Line | None = None

    def streamed(self) -> frozenset[str]:
        """What was streamed; what was shown, where that differs."""
        if self.gap:
            return frozenset()
        return frozenset(("".join(self.deltas), "".join(self.shown)))

    @property
    def messages(self) -> list[Json]:
        return self.line.messages("messages")


@dataclass(slots=True)
class Requested:
    """A tool request of a batch; ``result`` is the line of its result."""

    id: str
    name: str
    result: Line | None = None
    odd: bool = False
    """That it succeeded is wrong, and that was told."""


@dataclass(slots=True)
class Batch:
    """A batch of tool calls, from its announcement to the last tool message."""

    calls: list[Json]
    others: dict[str, Json] = field(default_factory=dict)
    """The calls as they were announced, by id, where what was committed differs."""
    requests: list[Requested] = field(default_factory=list)
    phase: Literal["requests", "gate", "results", "commits"] = "requests"
    ids: dict[str, int] = field(default_factory=dict)
    """Where the calls stand, by id."""
    places: dict[str, int] = field(default_factory=dict)
    """Where the requests stand, by each id that they have."""
    asked: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    """How many requests have a result."""
    misnamed: Counter[str] = field(default_factory=Counter)
    """Gate events whose tool is a wrong one, by event: they are those of another."""
    gated: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    worked: Counter[str] = field(default_factory=Counter)
    successes: Counter[str] = field(default_factory=Counter)
    reported: set[tuple[str, str]] = field(default_factory=set)
    last_result: int = -1
    last_commit: int = -1

    def __post_init__(self) -> None:
        for place, call in enumerate(self.calls):
            self.ids.setdefault(text_in(call, "id") or "", place)

    def request(self, call: Json, alias: str | None = None) -> None:
        """A tool is asked for."""
        request = Requested(text_in(call, "id") or "", call_name(call))
        for identity in (request.id, alias):
            if identity is not None:
                self.places.setdefault(identity, len(self.requests))
        self.asked[request.name] += 1
        self.requests.append(request)

    def presume(self, end: int) -> None:
        """Requests up to there were lost: their results come all the same."""
        for call in self.calls[len(self.requests) : end]:
            self.request(call)

    def position(self, identity: str | None) -> int | None:
        """Where a request stands in the batch."""
        return None if identity is None else self.places.get(identity)

    def is_waiting(self) -> bool:
        """Whether a call passed the gate and nothing came of it yet."""
        no_results = self.phase in ("requests", "gate")
        return no_results and sum(self.gated.values()) > sum(self.outcomes.values())

    def once(self, rule: str, name: str) -> bool:
        """Whether a rule has not yet been broken by this tool in this batch."""
        known = (rule, name) in self.reported
        self.reported.add((rule, name))
        return not known


@dataclass(slots=True)
class Turn:
    """A turn, from its user line to answer or error.

    ``implicit`` turns are executions resumed by another process: no user line, no answer.
    """

    line: Line
    implicit: bool = False
    started: bool = False
    input: str | None = None
    max_tokens: float | None = None
    execution: str | None = None
    foreign: str | None = None
    """The execution of another that the line before belonged to."""
    over: Turn | None = None
    """The turn that was open when this one began."""
    resumed: bool = False
    undrained: bool = False
    rounds: set[int] = field(default_factory=lambda: {0})
    call: Call | None = None
    last_call: Call | None = None
    forced: bool = False
    calls: list[Json] = field(default_factory=list)
    other_calls: list[Json] = field(default_factory=list)
    batch: Batch | None = None
    reminder: str | None = None
    reminded: bool = False
    last_text: str = ""
    interrupted: list[Line] = field(default_factory=list)
    changed_provider: bool = False
    odd_answer: bool = False
    """The history of its answer is wrong; what follows from it is not looked at."""
    odd_tool: bool = False
    """The tool message announced last is wrong, and that was told."""
    announced_tool: bool = False
    """The tool message of the line before was announced."""
    input_lost: bool = False
    """The line that committed its input is not there."""

    def is_parked(self) -> bool:
        """Whether the turn waits for a saved approval, or was resumed after one."""
        waits = self.batch is not None and self.batch.is_waiting()
        return waits or self.resumed or self.implicit


@dataclass(frozen=True, slots=True)
class Partial:
    """What was streamed before an abort, or shown; nothing if not all is known. ``sure`` if the
    history holds it."""

    texts: frozenset[str]
    sure: bool


class Doubt(NamedTuple):
    """What a process had said of itself before a line that cannot be read: it may be another one
    that goes on."""

    conversations: frozenset[str]
    prompt: str | None
    tools: set[str] | None


@dataclass(slots=True)
class Segment:
    """What one process wrote: from session_init to the next."""

    first: bool
    init: Line | None = None
    prompt: str | None = None
    said_length: int | None = None
    """How long the prompt is said to be, where it is not."""
    tools: set[str] | None = None
    conversations: set[str] = field(default_factory=set)
    stray: str | None = None
    """The conversation of another that the line before belonged to."""
    message_ids: set[str] = field(default_factory=set)
    history: History = field(default_factory=History)
    turn: Turn | None = None
    shutdown: Line | None = None
    after_shutdown: bool = False
    asked: bool = False
    """A provider was asked."""
    system_missing: bool = False
    reader: bool = False
    unmirrored: Line | None = None
    swallow: str | None = None
    """A text that mirrors a delta already reported."""
    answer: tuple[Turn, Line] | None = None
    """The turn and the assistant line that the next context belongs to."""
    context: Line | None = None
    compacted: Line | None = None
    odd_compaction: bool = False
    """Its figures are wrong, and that was told."""
    partial: Partial | None = None
    """The streamed part of an answer that an abort cut off."""
    direct: Counter[str] = field(default_factory=Counter)
    lost: bool = False
    """A line could not be read, and none since then shows where the process stands."""
    blind: bool = False
    """A line of the process could not be read."""
    doubt: Doubt | None = None
    expecting: Expecting | None = None


@dataclass(slots=True)
class State:
    """All the audit knows."""

    findings: Findings = field(default_factory=Findings)
    segment: Segment = field(default_factory=lambda: Segment(first=True))
    started: bool = False
    executions: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    """Executions that ended in an error."""
    parked: set[str] = field(default_factory=set)
    """Executions that wait for a saved approval."""
    requested: set[str] = field(default_factory=set)
    """Ids of tool calls that were requested."""
    unanswered: set[str] = field(default_factory=set)
    """Ids of tool calls reported as unanswered."""
    tasks: dict[str, str] = field(default_factory=dict)
    blind: bool = False
    """A line of the file could not be read."""


def tool_names(value: Any) -> set[str]:
    """The names of a list of tool schemas."""
    if not isinstance(value, list):
        return set()
    return {text_in(tool, "name") or "" for tool in value if isinstance(tool, dict)}

"""The session view: one model of a session for every format.

A view, never a store. Each part says where its bytes are (a `Ref`), and no text is copied: a
block's text is read through its ref when somebody asks (`sesskit.records.refs`), so a view stays
small next to its file. What cannot be placed is a `Mark` or an `Opaque` block, never dropped;
how calls and turns ended is always said in words, never by the absence of a member.

Everything is frozen; `sesskit.records.talk` holds the rules that build it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from sesskit.records.blocks import (
    DAMAGED_CALLS,
    NO_RESULT,
    Blob,
    Block,
    Call,
    CallKind,
    CallRefs,
    CallState,
    Compaction,
    Input,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Result,
    StoredFile,
    Text,
    ToolCall,
    Uri,
)
from sesskit.schemas.instants import Instant

__all__ = [
    "DAMAGED_CALLS",
    "NO_RESULT",
    "Agent",
    "Blob",
    "Block",
    "Branch",
    "By",
    "Call",
    "CallKind",
    "CallRefs",
    "CallState",
    "Child",
    "Compaction",
    "FamilyFile",
    "Input",
    "Loss",
    "Mark",
    "MarkClass",
    "Message",
    "Notice",
    "Opaque",
    "Origin",
    "Reasoning",
    "Ref",
    "Result",
    "Role",
    "Session",
    "StoredFile",
    "Sureness",
    "Text",
    "TimeIs",
    "ToolCall",
    "Turn",
    "TurnState",
    "Uri",
    "Usage",
    "Version",
    "is_orphan",
]

Role = Literal["system", "user", "assistant"]
By = Literal["person", "model", "machine", "synthetic"]
TimeIs = Literal["exact", "inherited", "inferred"]
Sureness = Literal["certain", "likely", "guess"]

TurnState = Literal[
    "complete",
    "error",
    "interrupted",
    "open",  # the file ends before the turn does
    "superseded",  # taken back later
    "abandoned",  # on a branch that is not the active one
    "inherited",  # copied from a parent session
]
MarkClass = Literal[
    "setting",
    "title",
    "usage",
    "progress",
    "snapshot",
    "permission",
    "hook",
    "request-log",
    "index",
    "unknown",
]


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one answer of a model, counted once for each ``key``.

    ``prompt`` is all input, cached included; ``output`` is all output, reasoning included.
    """

    key: str
    prompt: int
    output: int
    ref: Ref
    cached: int = 0
    cache_written: int | None = None
    reasoning: int | None = None
    cost: float | None = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of the talk. ``ids`` names every record that it was put together from."""

    role: Role
    by: By
    blocks: tuple[Block, ...]
    refs: tuple[Ref, ...]
    id: str | None = None
    ids: tuple[str, ...] = ()
    time: Instant | None = None
    time_is: TimeIs = "exact"
    model: str | None = None
    stop: str | None = None
    usage: Usage | None = None


class Turn(msgspec.Struct, frozen=True, gc=False):
    """What follows one message of a person. Number 0 holds what stands before the first one."""

    number: int
    messages: tuple[Message, ...]
    state: TurnState
    id: str | None = None
    started: Instant | None = None
    ended: Instant | None = None
    reason: str | None = None


class Branch(msgspec.Struct, frozen=True, gc=False):
    """Turns that are not part of the active talk."""

    id: str
    turns: tuple[Turn, ...]


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A record outside the talk: ``type`` and ``state`` are the words of its format."""

    type: str
    class_: MarkClass
    ref: Ref
    time: Instant | None = None
    state: str | None = None


class Version(msgspec.Struct, frozen=True, gc=False):
    """The version a file says it has, where it says so, and how sure that is."""

    word: str
    sure: Sureness
    ref: Ref | None = None


class Origin(msgspec.Struct, frozen=True, gc=False):
    """Where a session comes from. ``of`` and ``up_to`` name the parent and its last shared part."""

    kind: Literal["new", "fork", "helper", "page"] = "new"
    of: str | None = None
    up_to: str | None = None
    by: Literal["copy", "reference"] | None = None
    call: str | None = None


class Child(msgspec.Struct, frozen=True, gc=False):
    """A session that this one started. ``path`` is where its transcript is said to be."""

    id: str
    ref: Ref
    state: str | None = None
    path: str | None = None
    call: str | None = None


class FamilyFile(msgspec.Struct, frozen=True, gc=False):
    """One file that belongs to the session, and what for: record, log, sidecar, transcript ..."""

    role: str
    path: str


class Loss(msgspec.Struct, frozen=True, gc=False):
    """What the source does not have, or what could not be placed: how often, and where first."""

    kind: str
    count: int
    first: Ref | None = None


class Agent(msgspec.Struct, frozen=True, gc=False):
    name: str
    version: str | None = None


class Session(msgspec.Struct, frozen=True, gc=False):
    """A whole session. ``turns`` is the talk: the active branch, in order.

    ``model`` is what the next request would hold, where that is not the talk itself.
    ``total`` is the range of the whole file; the refs of talk and marks lie inside it.
    """

    format: str
    total: Ref
    version: Version | None = None
    id: str | None = None
    title: str | None = None
    cwd: str | None = None
    agent: Agent | None = None
    models: tuple[str, ...] = ()
    started: Instant | None = None
    ended: Instant | None = None
    system: tuple[Ref, ...] = ()
    tools: tuple[Ref, ...] = ()
    origin: Origin = Origin()
    turns: tuple[Turn, ...] = ()
    branches: tuple[Branch, ...] = ()
    model: tuple[Message, ...] | None = None
    marks: tuple[Mark, ...] = ()
    children: tuple[Child, ...] = ()
    family: tuple[FamilyFile, ...] = ()
    usage: tuple[Usage, ...] = ()
    losses: tuple[Loss, ...] = ()

    def messages(self) -> Iterator[Message]:
        """The messages of the talk, in order."""
        for turn in self.turns:
            yield from turn.messages

    def calls(self) -> Iterator[Call]:
        """The calls of the talk in the order they were made, orphan results where they stand."""
        for message in self.messages():
            yield from (block.call for block in message.blocks if isinstance(block, ToolCall))

    def for_model(self) -> Iterator[Message]:
        """What the next request would hold: the talk, unless the format says otherwise."""
        yield from self.messages() if self.model is None else self.model

    def in_file_order(self) -> list[tuple[str, Ref]]:
        """Everything that has a place, as it stands in the file: what it is, and where.

        Messages go by their role, results as ``tool``, marks by their type. Some lie inside
        others, which then come first.
        """
        placed = [
            *((m.role, ref) for m in self.messages() if not is_orphan(m) for ref in m.refs),
            *(("tool", ref) for call in self.calls() for ref in call.refs.results),
            *(("system", ref) for ref in self.system),
            *((mark.type, mark.ref) for mark in self.marks),
        ]
        return sorted(placed, key=lambda pair: (pair[1].file, pair[1].offset, -pair[1].length))


def is_orphan(message: Message) -> bool:
    """Whether a message was made up by the view, to hold a result whose call is not there."""
    return any(isinstance(b, ToolCall) and b.call.state == "orphan" for b in message.blocks)

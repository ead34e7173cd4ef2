"""What messages are made of in the session view: refs, blocks, calls and their states.

Block names follow the part types of the OpenTelemetry conventions for generative AI; `notice` and
`opaque` are our own. `sesskit.records.view` hands all of these out.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

CallKind = Literal["function", "custom", "shell", "server"]
CallState = Literal[
    "answered",  # a result that reports no error
    "failed",  # a result that reports an error
    "denied",  # refused by a person or a rule
    "cancelled",  # stopped on purpose
    "interrupted",  # no result: the turn broke here
    "abandoned",  # no result, on a branch that is not the active one
    "open",  # no result, and the file ends or the call still runs
    "unanswered",  # no result in the middle of the talk: damage
    "orphan",  # a result without its call: damage
    "unrecorded",  # the format keeps no results, or no ids to find them by
]

DAMAGED_CALLS: tuple[CallState, ...] = ("unanswered", "orphan")
NO_RESULT: tuple[CallState, ...] = ("interrupted", "abandoned", "open", "unanswered", "unrecorded")


class Ref(msgspec.Struct, frozen=True, gc=False):
    """Where something is: ``length`` bytes from ``offset`` of a file (decompressed, if it was).

    ``file`` is empty for the session's own file, else a path of `Session.family`. ``form`` says
    what the bytes are: ``json`` (one JSON value, a text with its quotes) or ``raw`` (UTF-8 text).
    ``line`` counts from 1; ``pointer`` is the JSON Pointer inside the record or the line.
    """

    offset: int
    length: int
    line: int | None = None
    pointer: str | None = None
    file: str = ""
    form: Literal["json", "raw"] = "json"

    @property
    def end(self) -> int:
        return self.offset + self.length


class Text(msgspec.Struct, frozen=True, gc=False):
    type: ClassVar[str] = "text"
    ref: Ref


class Reasoning(msgspec.Struct, frozen=True, gc=False):
    """What a model thought; ``sealed`` where the bytes are encrypted or signed for its vendor."""

    type: ClassVar[str] = "reasoning"
    ref: Ref | None
    sealed: bool = False


class Blob(msgspec.Struct, frozen=True, gc=False):
    """Bytes held in the file itself; the ref's text is base64."""

    type: ClassVar[str] = "blob"
    ref: Ref
    media: str | None = None


class Uri(msgspec.Struct, frozen=True, gc=False):
    """Something elsewhere; the ref's text is its address."""

    type: ClassVar[str] = "uri"
    ref: Ref
    media: str | None = None


class StoredFile(msgspec.Struct, frozen=True, gc=False):
    """A file known to the provider by ``id``."""

    type: ClassVar[str] = "file"
    id: str
    ref: Ref


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """The place of a call in the talk. The results belong to the call, they are no messages."""

    type: ClassVar[str] = "tool_call"
    call: Call


class Compaction(msgspec.Struct, frozen=True, gc=False):
    """A summary that stands for earlier messages (``replaced``: how many, where it is known)."""

    type: ClassVar[str] = "compaction"
    ref: Ref
    replaced: int | None = None


class Notice(msgspec.Struct, frozen=True, gc=False):
    """A word of the program to the person, not part of what the model reads."""

    type: ClassVar[str] = "notice"
    kind: str
    ref: Ref


class Opaque(msgspec.Struct, frozen=True, gc=False):
    """Something of the talk that this build cannot name; ``kind`` is the format's own word."""

    type: ClassVar[str] = "opaque"
    kind: str
    ref: Ref


Block = Text | Reasoning | Blob | Uri | StoredFile | ToolCall | Compaction | Notice | Opaque


class Input(msgspec.Struct, frozen=True, gc=False):
    """The arguments of a call: a JSON value, or (``as_text``) a text that should hold one."""

    ref: Ref
    as_text: bool = False


class Result(msgspec.Struct, frozen=True, gc=False):
    """What a call gave back. ``structured`` is a second, typed copy; ``duration`` is seconds."""

    blocks: tuple[Block, ...]
    structured: Ref | None = None
    overflow: str | None = None
    exit: int | None = None
    duration: float | None = None


class CallRefs(msgspec.Struct, frozen=True, gc=False):
    """The records a call was read from; no ``call`` for an orphan, no ``results`` without any."""

    call: Ref | None
    results: tuple[Ref, ...] = ()


class Call(msgspec.Struct, frozen=True, gc=False):
    """One use of a tool, from its arguments to its result, and how it ended."""

    id: str | None
    name: str
    state: CallState
    refs: CallRefs
    kind: CallKind = "function"
    input: Input | None = None
    result: Result | None = None
    namespace: str | None = None
    child: str | None = None

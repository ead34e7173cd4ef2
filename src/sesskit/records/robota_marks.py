"""What stands in a Robota record beside its talk, as marks: a line of `MARKED` for each member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from sesskit.records.outline import Span, children, kind, members
from sesskit.records.view import Mark, MarkClass, Ref
from sesskit.schemas.instants import Instant
from sesskit.schemas.issues import Keys


class How(NamedTuple):
    """How a member is marked: its class, and which of its members are its state and its time.

    ``inside`` names an array within it whose elements are marked too, with their own ``step``.
    """

    class_: MarkClass
    state: str = ""
    time: str = ""
    inside: str = ""
    step: str = ""


class Known(NamedTuple):
    """An element that was looked into: where it is, and its members."""

    ref: Ref
    found: dict[str, Span]


class Reader(Protocol):
    """What marking needs of the record that is looked at."""

    data: bytes

    def ref(self, span: Span, keys: Keys | None) -> Ref: ...
    def word(self, span: Span | None) -> str | None: ...
    def time(self, span: Span | None) -> Instant | None: ...


MARKED: dict[str, How] = {
    "id": How("setting"),
    "cwd": How("setting"),
    "createdAt": How("setting"),
    "updatedAt": How("setting"),
    "name": How("title"),
    "messages": How("unknown"),  # only where they are no array
    "systemPrompt": How("setting"),
    "sandboxSnapshotId": How("snapshot"),
    "toolSchemas": How("setting"),
    "history": How("progress", "category", "timestamp"),
    "backgroundTasks": How("progress", "status", "updatedAt"),
    "backgroundTaskEvents": How("progress", "type"),
    "backgroundJobGroups": How("progress", "status", "updatedAt"),
    "backgroundJobGroupEvents": How("progress", "type"),
    "sessionLoops": How("setting", "phase", "createdAt"),
    "skillActivationEvents": How("progress", "status", "timestamp"),
    "memoryEvents": How("progress", "type", "at"),
    "usedMemoryReferences": How("index"),
    "contextReferences": How("index", "status", "loadedAt"),
    "goal": How("setting", "status", "startedAt", inside="progress", step="signal"),
    "plan": How("setting", "phase", "createdAt", inside="steps", step="status"),
    "activeBranch": How("snapshot"),
}


class Marking(NamedTuple):
    """Turns one member of a record into marks."""

    reader: Reader
    name: str
    how: How

    def marks(self, span: Span, keys: Keys) -> Iterator[Mark]:
        """A mark for each element of an array, else one for the value; then those inside it."""
        if kind(self.reader.data, span) == "array":
            for element in children(self.reader.data, span):
                yield self._mark(self.name, element, (*keys, element.key), self.how.state)
            return
        yield self._mark(self.name, span, keys, self.how.state)
        inside = members(self.reader.data, span).get(self.how.inside) if self.how.inside else None
        if inside is None:
            return
        name = f"{self.name}.{self.how.inside}"
        for step in children(self.reader.data, inside):
            yield self._mark(name, step, (*keys, self.how.inside, step.key), self.how.step)

    def _mark(self, name: str, span: Span, keys: Keys, state: str) -> Mark:
        found = members(self.reader.data, span)
        time = self.reader.time(found.get(self.how.time)) if self.how.time else None
        word = self.reader.word(found.get(state)) if state else None
        return Mark(name, self.how.class_, self.reader.ref(span, keys), time, word)

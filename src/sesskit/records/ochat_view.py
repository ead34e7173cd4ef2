"""The session view of an ochat snapshot, from its bytes.

Total: a damaged snapshot gives all that lies before the damage, the rest is one mark. Every member
of the record is the talk or a mark; texts are refs into the file, without the length before them.

A snapshot says nothing of times, models, usage, or the working directory. What the moderator did
to the history is a mark: the talk is what happened, not what the next request would hold.
"""

from __future__ import annotations

from typing import Any, Final

from sesskit.records.ochat_attempts import Attempt, attempts, choose, to_report
from sesskit.records.ochat_talk import SAYS, Parts, Saying
from sesskit.records.talk import Talk
from sesskit.records.view import Agent, Loss, Mark, MarkClass, Ref, Session, Version
from sesskit.schemas.binprot import HEADER_BYTES, BinaryError, declared_length, read_length
from sesskit.schemas.binprot_places import Child, children
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_types import Record
from sesskit.schemas.issues import Keys, pointer
from sesskit.schemas.ochat_sessions import type_of

FORMAT: Final = "ochat-record"
AGENT: Final = Agent("ochat")
NEVER_STORED: Final = ("time", "cwd", "usage", "model", "system-prompt", "tool-definitions")
"""What no snapshot says, whatever happened."""

_MARKS: Final[dict[str, MarkClass]] = {
    "prompt_file": "setting",
    "local_prompt_copy": "setting",
    "next_history_sequence": "index",
    "tasks": "progress",
    "moderator_snapshot": "snapshot",
    "moderator_state": "snapshot",
    "shell_state": "permission",
    "kv_store": "setting",
    "vfs_root": "setting",
}

_LISTED: Final = ("tasks", "kv_store")
"""Members of which each element is a mark of its own."""


def view(data: bytes) -> Session:
    """The view of a snapshot."""
    return _View(data).session()


class _View:
    """One snapshot being looked at."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.talk = Talk()
        self.marks: list[Mark] = []

    def session(self) -> Session:
        data, whole = self.data, Ref(0, len(self.data), form="raw")
        made = self._attempt()
        if made is None:
            marks = (Mark("bytes", "unknown", whole),)
            return Session(FORMAT, whole, agent=AGENT, marks=marks)
        self._mark("frame", "index", 0, HEADER_BYTES)
        found: Parts = {}
        end = HEADER_BYTES
        for part in children(type_of(made.layout), data, HEADER_BYTES):
            found[str(part.key)] = part
            end = self._member(part)
        if end < len(data):
            self._mark("bytes", "unknown", end, len(data))
        version = found.get("version")
        ref = None if version is None else self.ref(version, ("version",))
        return Session(
            FORMAT,
            whole,
            version=Version(str(made.layout.version), "certain" if ref else "likely", ref),
            id=self.word(found.get("id")),
            agent=AGENT,
            turns=self.talk.turns(),
            marks=tuple(self.marks),
            losses=tuple(Loss(kind, 1) for kind in NEVER_STORED),
        )

    def _attempt(self) -> Attempt | None:
        length = declared_length(self.data)
        if length is None or length < 0:
            return None
        end = min(HEADER_BYTES + length, len(self.data))
        made = attempts(self.data, end)
        return choose(made) or to_report(self.data, made, end)

    def _member(self, part: Child) -> int:
        """A member of the record becomes talk or a mark; gives where the next one begins."""
        name, end = str(part.key), min(part.end, len(self.data))
        if name == "history":
            return self._history(part, end)
        if name in _LISTED and part.end == end:
            for one in children(part.node, self.data, part.start):
                state = self.word(self.parts(one).get("state"))
                self._mark(name, _MARKS[name], one.start, one.end, (name, one.key or 0), state)
        elif name in _MARKS:
            self._mark(name, _MARKS[name], part.start, end, (name,))
        elif part.end > len(self.data):
            return part.start  # cut: what is left of it is said to be bytes
        return end

    def _history(self, history: Child, end: int) -> int:
        last = history.start
        for part in children(history.node, self.data, history.start):
            if part.end > len(self.data):
                return part.start
            self._item(part, ("history", part.key or 0))
            last = part.end
        return end if history.end <= len(self.data) else last

    def _item(self, part: Child, keys: Keys) -> None:
        held, identity = part, None
        if isinstance(part.node, Record):  # an entry: an id, and the item
            entry = self.parts(part)
            held, identity = entry["item"], self.word(entry["id"])
            keys = (*keys, "item")
        case = next(children(held.node, self.data, held.start))
        if isinstance(case.node, Record):
            item = Saying(self, part, case.node.name, self.parts(case), keys, identity)
            SAYS[case.node.name](item)

    def parts(self, part: Child) -> Parts:
        return {str(one.key): one for one in children(part.node, self.data, part.start)}

    def _value(self, part: Child) -> Any:
        return reader(part.node)(self.data, part.start, [])[0]

    def word(self, part: Child | None) -> str | None:
        """A text of the snapshot; None for bytes that are none, and where there is none."""
        try:
            value = None if part is None else self._value(part)
        except BinaryError:
            return None
        return value if isinstance(value, str) else None

    def ref(self, part: Child, keys: Keys) -> Ref:
        return Ref(part.start, part.end - part.start, pointer=pointer(keys), form="raw")

    def text(self, part: Child, keys: Keys) -> Ref:
        """The bytes of a text, without its length."""
        size, start = read_length(self.data, part.start, [])
        return Ref(start, size, pointer=pointer(keys), form="raw")

    def _mark(
        self,
        kind: str,
        what: MarkClass,
        start: int,
        end: int,
        keys: Keys | None = None,
        state: str | None = None,
    ) -> None:
        place = None if keys is None else pointer(keys)
        ref = Ref(start, end - start, pointer=place, form="raw")
        self.marks.append(Mark(kind, what, ref, state=state))

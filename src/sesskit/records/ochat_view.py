"""The session view of an ochat snapshot, from its bytes.

Total: a damaged snapshot gives all that lies before the damage, the rest is one mark. Every member
of the record is the talk or a mark; texts are refs into the file, without the length before them.
Nothing but ids and names is read: the view is made from where the parts are.

A snapshot says nothing of times, models, usage, or the working directory. What the moderator did
to the history is a mark: the talk is what happened, not what the next request would hold.
"""

from __future__ import annotations

from typing import Any, Final, get_args

from sesskit.records.ochat_attempts import first_number, likely_layout
from sesskit.records.ochat_talk import SAYS, Item, places_of, word_at
from sesskit.records.ochat_tasks import TaskState
from sesskit.records.talk import Talk
from sesskit.records.view import Agent, Loss, Mark, MarkClass, Ref, Session, Version
from sesskit.schemas.binprot import HEADER_BYTES, BinaryError, declared_length, read_length
from sesskit.schemas.binprot_spots import spotter
from sesskit.schemas.binprot_types import ListOf, Member, Node, Record, Sum
from sesskit.schemas.ochat_sessions import Layout, layouts_of, type_of

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

_ONE_LAYOUT: Final = (4, 5)
"""Versions that are laid out in one way only; the others take some trying."""

_STATES: Final[tuple[str, ...]] = get_args(TaskState)
"""States of tasks by their tags."""


def view(data: bytes) -> Session:
    """The view of a snapshot."""
    number = first_number(data)
    if number in _ONE_LAYOUT:
        seen = _View(data, layouts_of(number)[0])
        if seen.whole and seen.end == HEADER_BYTES + (declared_length(data) or 0):
            return seen.session()
    return _View(data, likely_layout(data)).session()


class _View:
    """One snapshot being looked at, in a layout; without one nothing can be said of it."""

    def __init__(self, data: bytes, layout: Layout | None) -> None:
        self.data = data
        self.layout = layout
        self.talk = Talk()
        self.marks: list[Mark] = []
        self.losses = [Loss(kind, 1) for kind in NEVER_STORED]
        self.found: dict[str, tuple[int, int]] = {}
        self.said = 0
        """Where the history ends, as far as it can be read."""
        self.end = 0
        """Where what can be read ends."""
        self.whole = False
        if layout is not None:
            self._mark("frame", "index", (0, HEADER_BYTES))
            self.end = self._members(type_of(layout))

    def session(self) -> Session:
        data, whole = self.data, Ref(0, len(self.data), form="raw")
        if self.end < len(data) or self.layout is None:
            self._mark("bytes", "unknown", (self.end, len(data)))
        if self.layout is None:
            return self._seen(whole)
        at = self.found.get("version")
        ref = None if at is None else self._ref(at, "/version")
        version = Version(str(self.layout.version), "certain" if ref else "likely", ref)
        name = word_at(data, self.found["id"][0]) if "id" in self.found else None
        return self._seen(whole, version, name)

    def _seen(self, whole: Ref, version: Version | None = None, name: str | None = None) -> Session:
        return Session(
            FORMAT,
            whole,
            version=version,
            id=name,
            agent=AGENT,
            turns=self.talk.turns(),
            marks=tuple(self.marks),
            losses=tuple(self.losses) if self.layout else (Loss("unread", 1, whole),),
        )

    def _members(self, node: Record) -> int:
        """Every member of the record becomes talk or a mark; gives where they end.

        One that cannot be read to its end is the last.
        """
        position = HEADER_BYTES
        for member in node.members:
            try:
                end = self._member(member, position)
            except BinaryError:
                return self._cut(member.name, position)
            self.found[member.name] = position, end
            position = end
        self.whole = True
        return position

    def _member(self, member: Member, start: int) -> int:
        name, node = member.name, member.node
        if name == "history" and isinstance(node, ListOf):
            return self._history(node.of, start)
        if name in _LISTED and isinstance(node, ListOf):
            return self._listed(name, node.of, start)
        end = spotter(node)(self.data, start)[1]
        if name in _MARKS:
            self._mark(name, _MARKS[name], (start, end), f"/{name}")
        return end

    def _cut(self, name: str, start: int) -> int:
        """What there is of a member that cannot be read; gives where all else begins."""
        end = len(self.data)
        if name == "history":
            start = self.said or start
        self.losses.append(Loss("unread", 1, self._ref((start, end))))
        if name not in _MARKS:
            return start
        self._mark(name, _MARKS[name], (start, end), f"/{name}")
        return end

    def _listed(self, name: str, node: Node, start: int) -> int:
        count, position = read_length(self.data, start, [])
        spot, found = spotter(node), []
        for _ in range(count):
            spots, end = spot(self.data, position)
            found.append((spots, position, end))
            position = end
        for number, (spots, begin, end) in enumerate(found):
            state = _STATES[self.data[spots[3]]] if name == "tasks" else None
            self._mark(name, _MARKS[name], (begin, end), f"/{name}/{number}", state)
        return position

    def _history(self, node: Node, start: int) -> int:
        count, position = read_length(self.data, start, [])
        spot, self.said = spotter(node), position
        for number in range(count):
            spots, end = spot(self.data, position)
            self._item(node, spots, self._ref((position, end), f"/history/{number}"))
            position = self.said = end
        return position

    def _item(self, node: Node, spots: Any, ref: Ref) -> None:
        identity, place = None, ref.pointer
        if isinstance(node, Record):  # an entry: an id, and the item
            at = places_of(node)
            identity, spots = word_at(self.data, spots[at["id"]]), spots[at["item"]]
            node, place = node.members[at["item"] - 1].node, f"{place}/item"
            ref = Ref(ref.offset, ref.length, pointer=place, form="raw")
        if isinstance(node, Sum):
            tag, inner = spots
            case = node.cases[tag]
            item = Item(self.data, case, inner, ref, f"{place}/{case.name}", identity)
            SAYS[case.name](item, self.talk)

    def _ref(self, place: tuple[int, int], pointer: str | None = None) -> Ref:
        return Ref(place[0], place[1] - place[0], pointer=pointer, form="raw")

    def _mark(
        self,
        kind: str,
        what: MarkClass,
        place: tuple[int, int],
        pointer: str | None = None,
        state: str | None = None,
    ) -> None:
        self.marks.append(Mark(kind, what, self._ref(place, pointer), state=state))

"""The session view of an ochat snapshot, from its bytes.

Total: a damaged snapshot gives all that lies before the damage, the rest is one mark. Every member
of the record is the talk or a mark; texts are refs into the file, without the length before them.

A snapshot says nothing of times, models, usage, or the working directory. What the moderator did
to the history is a mark: the talk is what happened, not what the next request would hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from sesskit.records.ochat_attempts import Attempt, attempts, choose, to_report
from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    Agent,
    Block,
    By,
    CallKind,
    Input,
    Loss,
    Mark,
    MarkClass,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Result,
    Role,
    Session,
    Text,
    Uri,
    Version,
)
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

_SPEAKERS: Final[dict[str, tuple[Role, By]]] = {
    "User": ("user", "person"),
    "Assistant": ("assistant", "model"),
    "System": ("system", "machine"),
    "Developer": ("system", "machine"),
}
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

Parts = dict[str, Child]


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
        if name in _MARKS:
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
            item = _Item(self, part, case.node.name, self.parts(case), keys, identity)
            _SAYS[case.node.name](item)

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
        self, kind: str, what: MarkClass, start: int, end: int, keys: Keys | None = None
    ) -> None:
        place = None if keys is None else pointer(keys)
        self.marks.append(Mark(kind, what, Ref(start, end - start, pointer=place, form="raw")))


class _Item:
    """One item of the history, and how its parts become blocks."""

    def __init__(
        self, owner: _View, part: Child, name: str, parts: Parts, keys: Keys, identity: str | None
    ) -> None:
        self.owner = owner
        self.name = name
        self.parts = parts
        self.keys = (*keys, name)
        self.ref = owner.ref(part, keys)
        own = self.word("id")
        self.id = identity or own
        self.ids = tuple(one for one in (identity, own) if one)

    def word(self, name: str) -> str | None:
        return self.owner.word(self.parts.get(name))

    def text(self, name: str) -> Ref:
        return self.owner.text(self.parts[name], (*self.keys, name))

    def elements(self, name: str, part: Child | None = None) -> Iterator[tuple[Child, Keys]]:
        held = part or self.parts[name]
        for one in children(held.node, self.owner.data, held.start):
            yield one, (*self.keys, name, one.key or 0)

    def say(self, role: Role, by: By, blocks: list[Block | Asked], stop: str | None = None) -> None:
        message = Message(role, by, (), (self.ref,), id=self.id, ids=self.ids, stop=stop)
        self.owner.talk.say(message, blocks)

    def content(self, part: Child, keys: Keys) -> Block:
        """An element of a message or a result: a text, or the address of a picture."""
        case = next(children(part.node, self.owner.data, part.start))
        name = case.node.name if isinstance(case.node, Record) else ""
        parts = self.owner.parts(case)
        if "text" in parts:
            return Text(self.owner.text(parts["text"], (*keys, name, "text")))
        if "image_url" in parts:
            return Uri(self.owner.text(parts["image_url"], (*keys, name, "image_url")), "image/*")
        return Opaque(name, self.owner.ref(part, keys))


def _input_message(item: _Item) -> None:
    role, by = _SPEAKERS[item.word("role") or "User"]
    item.say(role, by, [item.content(part, keys) for part, keys in item.elements("content")])


def _output_message(item: _Item) -> None:
    texts: list[Block | Asked] = []
    for part, keys in item.elements("content"):
        inner = item.owner.parts(part)
        texts.append(Text(item.owner.text(inner["text"], (*keys, "text"))))
    item.say("assistant", "model", texts, item.word("status"))


def _reasoning(item: _Item) -> None:
    thoughts: list[Block | Asked] = []
    for part, keys in item.elements("summary"):
        inner = item.owner.parts(part)
        thoughts.append(Reasoning(item.owner.text(inner["text"], (*keys, "text"))))
    # A model that kept its thoughts to itself has still thought.
    item.say("assistant", "model", thoughts or [Reasoning(None)])


def _call(kind: CallKind, member: str) -> Callable[[_Item], None]:
    def say(item: _Item) -> None:
        arguments = Input(item.text(member), as_text=True)
        asked = Asked(item.word("call_id"), item.word("name") or "", item.ref, arguments, kind)
        item.say("assistant", "model", [asked])

    return say


def _call_output(item: _Item) -> None:
    part = item.parts["output"]
    case = next(children(part.node, item.owner.data, part.start), None)
    if case is None:  # a plain text: layout R1
        blocks: list[Block] = [Text(item.text("output"))]
    else:
        blocks = list(_output_blocks(item, case))
    item.owner.talk.answer(item.word("call_id"), Result(tuple(blocks)), item.ref)


def _output_blocks(item: _Item, case: Child) -> Iterator[Block]:
    name = case.node.name if isinstance(case.node, Record) else ""
    inner = next(children(case.node, item.owner.data, case.start))
    if name == "Text":
        yield Text(item.owner.text(inner, (*item.keys, "output", name)))
        return
    for part in children(inner.node, item.owner.data, inner.start):
        yield item.content(part, (*item.keys, "output", name, part.key or 0))


def _search(name: str) -> Callable[[_Item], None]:
    """A search of the provider: its results are not stored, or only as what was found."""

    def say(item: _Item) -> None:
        asked = Asked(item.word("id"), name, item.ref, kind="server", state="unrecorded")
        results = item.parts.get("results")
        if results is not None and item.owner.data[results.start]:
            blocks = (Notice("search-results", item.owner.ref(results, (*item.keys, "results"))),)
            asked.result, asked.state = Result(blocks), "answered"
        item.say("assistant", "model", [asked])

    return say


_SAYS: Final[dict[str, Callable[[_Item], None]]] = {
    "Input_message": _input_message,
    "Output_message": _output_message,
    "Reasoning": _reasoning,
    "Function_call": _call("function", "arguments"),
    "Custom_tool_call": _call("custom", "input"),
    "Function_call_output": _call_output,
    "Custom_tool_call_output": _call_output,
    "Web_search_call": _search("web_search"),
    "File_search_call": _search("file_search"),
}

"""Items of an ochat history as the talk of a session view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    Block,
    By,
    CallKind,
    Input,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Result,
    Role,
    Text,
    Uri,
)
from sesskit.schemas.binprot_places import Child, children
from sesskit.schemas.binprot_types import Record
from sesskit.schemas.issues import Keys

_SPEAKERS: Final[dict[str, tuple[Role, By]]] = {
    "User": ("user", "person"),
    "Assistant": ("assistant", "model"),
    "System": ("system", "machine"),
    "Developer": ("system", "machine"),
}

Parts = dict[str, Child]


class Owner(Protocol):
    """The snapshot that an item belongs to."""

    data: bytes
    talk: Talk

    def parts(self, part: Child, /) -> Parts: ...
    def word(self, part: Child | None, /) -> str | None: ...
    def ref(self, part: Child, keys: Keys, /) -> Ref: ...
    def text(self, part: Child, keys: Keys, /) -> Ref: ...


class Saying:
    """One item of the history, and how its parts become blocks."""

    def __init__(
        self, owner: Owner, part: Child, name: str, parts: Parts, keys: Keys, identity: str | None
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


def _input_message(item: Saying) -> None:
    role, by = _SPEAKERS[item.word("role") or "User"]
    item.say(role, by, [item.content(part, keys) for part, keys in item.elements("content")])


def _output_message(item: Saying) -> None:
    texts: list[Block | Asked] = []
    for part, keys in item.elements("content"):
        inner = item.owner.parts(part)
        texts.append(Text(item.owner.text(inner["text"], (*keys, "text"))))
    item.say("assistant", "model", texts, item.word("status"))


def _reasoning(item: Saying) -> None:
    thoughts: list[Block | Asked] = []
    for part, keys in item.elements("summary"):
        inner = item.owner.parts(part)
        thoughts.append(Reasoning(item.owner.text(inner["text"], (*keys, "text"))))
    # A model that kept its thoughts to itself has still thought.
    item.say("assistant", "model", thoughts or [Reasoning(None)])


def _call(kind: CallKind, member: str) -> Callable[[Saying], None]:
    def say(item: Saying) -> None:
        arguments = Input(item.text(member), as_text=True)
        asked = Asked(item.word("call_id"), item.word("name") or "", item.ref, arguments, kind)
        item.say("assistant", "model", [asked])

    return say


def _call_output(item: Saying) -> None:
    part = item.parts["output"]
    case = next(children(part.node, item.owner.data, part.start), None)
    if case is None:  # a plain text: layout R1
        blocks: list[Block] = [Text(item.text("output"))]
    else:
        blocks = list(_output_blocks(item, case))
    item.owner.talk.answer(item.word("call_id"), Result(tuple(blocks)), item.ref)


def _output_blocks(item: Saying, case: Child) -> Iterator[Block]:
    name = case.node.name if isinstance(case.node, Record) else ""
    inner = next(children(case.node, item.owner.data, case.start))
    if name == "Text":
        yield Text(item.owner.text(inner, (*item.keys, "output", name)))
        return
    for part in children(inner.node, item.owner.data, inner.start):
        yield item.content(part, (*item.keys, "output", name, part.key or 0))


def _search(name: str) -> Callable[[Saying], None]:
    """A search of the provider: its results are not stored, or only as what was found."""

    def say(item: Saying) -> None:
        asked = Asked(item.word("id"), name, item.ref, kind="server", state="unrecorded")
        results = item.parts.get("results")
        if results is not None and item.owner.data[results.start]:
            blocks = (Notice("search-results", item.owner.ref(results, (*item.keys, "results"))),)
            asked.result, asked.state = Result(blocks), "answered"
        item.say("assistant", "model", [asked])

    return say


SAYS: Final[dict[str, Callable[[Saying], None]]] = {
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

"""Items of an ochat history as the talk of a session view, from the spots of their parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, get_args

from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    Block,
    By,
    CallKind,
    Input,
    Message,
    Notice,
    Reasoning,
    Ref,
    Result,
    Role,
    Text,
    Uri,
)
from sesskit.schemas.binprot import read_length
from sesskit.schemas.binprot_places import children
from sesskit.schemas.binprot_types import Part, Record
from sesskit.schemas.ochat_items import (
    ContentOutput,
    InputImage,
    InputText,
    OutputInputImage,
    OutputInputText,
    TextOutput,
)
from sesskit.schemas.ochat_items import Role as Speaker

_SPEAKERS: Final[dict[str, tuple[Role, By]]] = {
    "User": ("user", "person"),
    "Assistant": ("assistant", "model"),
    "System": ("system", "machine"),
    "Developer": ("system", "machine"),
}
_ROLES: Final = tuple(_SPEAKERS[word] for word in get_args(Speaker))
"""By the tag of the role."""

_PICTURE: Final = "image/*"


def text_at(data: bytes, spot: int, pointer: str) -> Ref:
    """The bytes of the text at a spot, without its length."""
    size, start = read_length(data, spot, [])
    return Ref(start, size, pointer=pointer, form="raw")


def word_at(data: bytes, spot: int | None) -> str | None:
    """The text at a spot; None for bytes that are none, and where there is none."""
    if spot is None:
        return None
    size, start = read_length(data, spot, [])
    try:
        return data[start : start + size].decode()
    except UnicodeDecodeError:
        return None


@cache
def places_of(node: Record) -> dict[str, int]:
    """Where the spots of a record have those of its members, by name."""
    return {member.name: place for place, member in enumerate(node.members, 1)}


@dataclass(slots=True)
class Item:
    """One item of the history: its constructor, its spots, and the pointer to its members."""

    data: bytes
    node: Record
    spots: list[Any]
    ref: Ref
    pointer: str
    identity: str | None

    def spot(self, name: str) -> Any:
        """The spot of a member; None where the layout has no such member, or it is absent."""
        place = places_of(self.node).get(name)
        return None if place is None else self.spots[place]

    def word(self, name: str) -> str | None:
        return word_at(self.data, self.spot(name))

    def text(self, name: str) -> Ref:
        return text_at(self.data, self.spot(name), f"{self.pointer}/{name}")

    def message(self, role: Role, by: By, stop: str | None = None) -> Message:
        own = self.word("id")
        ids = tuple(one for one in (self.identity, own) if one)
        name = self.identity or own
        return Message(role, by, (), (self.ref,), id=name, ids=ids, stop=stop)

    def part(self, kinds: tuple[type[Part], ...], found: tuple[int, list[Any]], at: str) -> Block:
        """An element of a message or a result: a text, or the address of a picture."""
        tag, spots = found
        cls = kinds[tag]
        name = cls.__struct_encode_fields__[0]
        ref = text_at(self.data, spots[1], f"{at}/{cls.constructor}/{name}")
        return Text(ref) if name == "text" else Uri(ref, _PICTURE)


_CONTENT: Final = (InputText, InputImage)
_OUTPUT: Final = (OutputInputText, OutputInputImage)


def _input_message(item: Item, talk: Talk) -> None:
    role, by = _ROLES[item.data[item.spot("role")]]
    at = f"{item.pointer}/content"
    parts = enumerate(item.spot("content"))
    blocks = [item.part(_CONTENT, found, f"{at}/{number}") for number, found in parts]
    talk.say(item.message(role, by), blocks)


def _texts(item: Item, name: str, member: int) -> list[Ref]:
    """The texts in the elements of a list, each the so-manieth member of its record."""
    at = f"{item.pointer}/{name}"
    return [
        text_at(item.data, spots[member], f"{at}/{number}/text")
        for number, spots in enumerate(item.spot(name))
    ]


def _output_message(item: Item, talk: Talk) -> None:
    blocks = [Text(ref) for ref in _texts(item, "content", 2)]
    talk.say(item.message("assistant", "model", item.word("status")), blocks)


def _reasoning(item: Item, talk: Talk) -> None:
    thoughts = [Reasoning(ref) for ref in _texts(item, "summary", 1)]
    # A model that kept its thoughts to itself has still thought.
    talk.say(item.message("assistant", "model"), thoughts or [Reasoning(None)])


def _call(kind: CallKind, member: str) -> Callable[[Item, Talk], None]:
    def say(item: Item, talk: Talk) -> None:
        arguments = Input(item.text(member), as_text=True)
        asked = Asked(item.word("call_id"), item.word("name") or "", item.ref, arguments, kind)
        talk.say(item.message("assistant", "model"), [asked])

    return say


def _call_output(item: Item, talk: Talk) -> None:
    blocks = _output_blocks(item, item.spot("output"))
    talk.answer(item.word("call_id"), Result(blocks), item.ref)


def _output_blocks(item: Item, found: int | tuple[int, list[Any]]) -> tuple[Block, ...]:
    if isinstance(found, int):  # a plain text: layout R1
        return (Text(item.text("output")),)
    tag, spots = found
    at = f"{item.pointer}/output/{(TextOutput, ContentOutput)[tag].constructor}"
    if tag == 0:
        return (Text(text_at(item.data, spots[1], at)),)
    return tuple(item.part(_OUTPUT, one, f"{at}/{n}") for n, one in enumerate(spots[1]))


def _search(name: str) -> Callable[[Item, Talk], None]:
    """A search of the provider: its results are not stored, or only as what was found."""

    def say(item: Item, talk: Talk) -> None:
        asked = Asked(item.word("id"), name, item.ref, kind="server", state="unrecorded")
        if item.spot("results") is not None:
            asked.result, asked.state = Result((_found(item),)), "answered"
        talk.say(item.message("assistant", "model"), [asked])

    return say


def _found(item: Item) -> Notice:
    parts = children(item.node, item.data, item.spots[0])
    results = next(part for part in parts if part.key == "results")
    size, place = results.end - results.start, f"{item.pointer}/results"
    return Notice("search-results", Ref(results.start, size, pointer=place, form="raw"))


SAYS: Final[dict[str, Callable[[Item, Talk], None]]] = {
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

"""Messages of the session view as parts of a page: each part of bounded size, none lost.

Texts of people and models are read as Markdown, what goes into tools and comes out of them is shown
as it is. What is long is folded; what is too long for that is cut into pieces, each folded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from sesskit.artifacts.page_markdown import markdown
from sesskit.artifacts.page_markup import parts, trusted
from sesskit.artifacts.page_text import PIECE, cut, escaped, excerpt, visible
from sesskit.artifacts.page_words import about_block, clock, lasted, size_of, who
from sesskit.records.refs import Read, input_of, text_of
from sesskit.records.view import (
    Blob,
    Block,
    Call,
    Compaction,
    Input,
    Message,
    Opaque,
    Reasoning,
    Ref,
    Result,
    Text,
    ToolCall,
    Uri,
)
from sesskit.schemas.json_text import repeats_names

__all__ = ["Agents", "Teller", "Told"]

FOLDED: Final = 6_000
"""Characters from which on a text is folded."""
PICTURE_BYTES: Final = 200_000
"""Bytes of base64 of the biggest picture that a page takes in."""

_EXCERPT: Final = 72
OPENING: Final = 40
_NAME: Final = 60
_MEMBERS: Final = 40
_NESTED: Final = 200
"""Values in values of the arguments of a call that are shown by their names."""
_MEDIA: Final = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
GOOD: Final = frozenset(("answered", "complete", "unrecorded", "inherited"))

Agents = Mapping[str, tuple[str, str]]
"""Anchor and title of each subagent that is part of the page, by its id and by ``call ID``."""


class Told(NamedTuple):
    """A message: how it is opened, given its anchor, and what is in it."""

    kind: str
    who: str
    day: str
    clock: str
    model: str
    parts: tuple[str, ...]

    def head(self, anchor: str, number: str) -> str:
        """The markup that opens it."""
        return str(
            parts().message_head(
                anchor, number, self.kind, self.who, self.day, self.clock, self.model
            )
        )


class Teller:
    """Tells the messages of one session, whose bytes ``read`` gives."""

    def __init__(self, read: Read, *, images: bool = False, agents: Agents | None = None) -> None:
        self._read = read
        self._images = images
        self._agents = agents or {}
        self._day = ""

    def told(self, message: Message) -> Told:
        """One message, in parts."""
        day, time = ("", "") if message.time is None else clock(message.time)
        shown = "" if day == self._day else day
        self._day = day or self._day
        model = "" if message.model is None else excerpt(message.model, _NAME)
        made = [part for block in message.blocks for part in self._block(block)]
        return Told(message.role, who(message), shown, time, model, tuple(made))

    def opening(self, message: Message) -> str:
        """What a message begins with, on one line."""
        texts = (block.ref for block in message.blocks if isinstance(block, Text))
        return next((excerpt(text_of(ref, self._read), OPENING) for ref in texts), "")

    def text(self, ref: Ref, kind: str = "", title: str = "") -> Iterator[str]:
        """A text for people, folded if it is long or has a title."""
        text = self._text(ref)
        html = markdown(text) if len(text) <= PIECE else None
        if html is None:
            yield from self._plain(text, kind, title)
        elif title or len(text) > FOLDED:
            line = f"{title}: {excerpt(text, _EXCERPT)}" if title else excerpt(text, _EXCERPT)
            yield _fold(kind, f"{line} ({size_of(text)})", html)
        else:
            yield html

    def _text(self, ref: Ref) -> str:
        text = visible(text_of(ref, self._read))
        return text or (f"[in {ref.file}, which is not here]" if ref.file and ref.length else "")

    def _plain(self, text: str, kind: str, title: str) -> Iterator[str]:
        """A text as it stands, in pieces if it is long."""
        pieces = cut(escaped(text))
        if len(pieces) == 1:
            body = _pre(pieces[0])
            if not title and len(text) <= FOLDED:
                yield body
                return
            line = f"{title} ({size_of(text)})" if title else ""
            yield _fold(kind, line or f"{excerpt(text, _EXCERPT)} ({size_of(text)})", body)
            return
        for number, piece in enumerate(pieces, 1):
            words = f"{title or 'text'}, part {number} of {len(pieces)} ({size_of(text)} in all)"
            yield _fold(kind, words, _pre(piece))

    def _block(self, block: Block) -> Iterator[str]:
        if isinstance(block, Text):
            yield from self.text(block.ref)
        elif isinstance(block, ToolCall):
            yield from self._call(block.call)
        elif isinstance(block, Reasoning) and block.ref is not None and not block.sealed:
            yield from self.text(block.ref, "r", "thinking")
        elif isinstance(block, Compaction):
            yield from self.text(block.ref, "k", about_block(block))
        else:
            yield from self._other(block)

    def _other(self, block: Block) -> Iterator[str]:
        """What is no text: a picture, a word about it, or the JSON that it is."""
        if isinstance(block, Blob) and self._images:
            picture = self._picture(block)
            if picture:
                yield picture
                return
        words = about_block(block)
        if isinstance(block, Uri) or (isinstance(block, Opaque) and block.ref.form == "json"):
            yield from self._plain(self._text(block.ref), "", words)
        else:
            yield str(parts().note(words))

    def _picture(self, block: Blob) -> str | None:
        """A picture of a kind that every browser shows, if it is small and what it says it is."""
        if block.media not in _MEDIA or block.ref.length > PICTURE_BYTES:
            return None
        data = text_of(block.ref, self._read)
        if not _BASE64.fullmatch(data):
            return None
        return str(parts().picture(block.media, data))

    def _call(self, call: Call) -> Iterator[str]:
        shown = self._input(call.input)
        name = excerpt(call.name, _NAME) or "(no name)"
        kind = "" if call.kind == "function" else call.kind
        line = parts().call_line(
            name, kind, call.state, call.state in GOOD, excerpt(shown, _EXCERPT)
        )
        pieces = cut(escaped(shown))
        if excerpt(shown, _EXCERPT) == shown:
            yield str(parts().short_call(line))
        else:
            yield _fold("c", line, _pre(pieces[0]))
        for number, piece in enumerate(pieces[1:], 2):
            words = f"input of {name}, part {number} of {len(pieces)}"
            yield _fold("c", words, _pre(piece))
        agent = self._agents.get(call.child or "") or self._agents.get(f"call {call.id}")
        if agent:
            yield str(parts().agent_link(*agent))
        if call.result is not None:
            yield from self._result(call.result, name)

    def _input(self, asked: Input | None) -> str:
        """The arguments of a call, or a typed result."""
        if asked is None:
            return ""
        value, sound = input_of(asked, self._read)
        written = text_of(asked.ref, self._read)
        named = _named(value, written) if sound else None
        return self._text(asked.ref) if named is None else visible(named)

    def _result(self, result: Result, name: str) -> Iterator[str]:
        notes = [f"exit {result.exit}"] if result.exit is not None else []
        notes += [lasted(result.duration)] if result.duration is not None else []
        notes += [f"goes on in {excerpt(result.overflow, _NAME)}"] if result.overflow else []
        title = ", ".join([f"result of {name}", *notes])
        for block in result.blocks:
            if isinstance(block, Text):
                yield from self._plain(self._text(block.ref), "c", title)
            else:
                yield from self._block(block)
        if not result.blocks and result.structured is not None:
            shown = self._input(Input(result.structured))
            yield from self._plain(shown, "c", title)
        elif not result.blocks:
            yield str(parts().note(title + ", empty"))


def _named(value: Any, written: str) -> str | None:
    """An object as lines of names and values; None for what is better shown as it is written.

    A name that is there twice would lose a value, which could be the one that somebody hides.
    """
    if not isinstance(value, dict) or len(value) > _MEMBERS:
        return None
    if written.count("{") + written.count("[") > _NESTED:
        return None
    if repeats_names(written.encode("utf-8", "replace")):
        return None
    return "\n".join(f"{name}: {_said(member)}" for name, member in value.items())


def _said(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return f"\n{value}" if "\n" in value else value


def _fold(kind: str, summary: Any, body: str) -> str:
    return str(parts().fold(kind, summary, trusted(body)))


def _pre(piece: str) -> str:
    # The first line feed of such an element is not part of it.
    return f"<pre>\n{piece}</pre>" if piece.startswith("\n") else f"<pre>{piece}</pre>"

"""A session as a list of messages that a provider of the OpenAI chat form takes (session view).

What that form asks for holds of every list made here: each call has the result right behind the
message that asked for it, no assistant message is empty, pictures are in user messages only. What
the form has no place for is left out and told as losses, with the first place of each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sesskit.records.refs import Read, text_of
from sesskit.records.view import (
    Blob,
    Block,
    Call,
    Compaction,
    Loss,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Session,
    StoredFile,
    Text,
    ToolCall,
    Uri,
)

Wire = dict[str, Any]
"""One message as it goes to a provider."""

Change = Callable[[str], str]


def chat_messages(
    session: Session,
    read: Read,
    *,
    fill_results: bool = False,
    change: Change = lambda text: text,
) -> tuple[list[Wire], tuple[Loss, ...]]:
    """The messages that the next request would hold, and what could not be carried over.

    A call without a result is left out; with ``fill_results`` it gets one that says how it ended.
    Every text of the session goes through ``change`` (to mask it, say).
    """
    chat = _Chat(read, change, fill_results)
    chat.begin(session)
    for message in session.for_model():
        chat.say(message)
    chat.close()
    return chat.messages, tuple(Loss(kind, *told) for kind, told in chat.losses.items())


@dataclass(slots=True)
class _Answer:
    """What the model said in one go: texts, then calls."""

    texts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


class _Chat:
    """The list while it is made."""

    def __init__(self, read: Read, change: Change, fill_results: bool) -> None:
        self.read, self.change, self.fill_results = read, change, fill_results
        self.messages: list[Wire] = []
        self.losses: dict[str, tuple[int, Ref | None]] = {}
        self.answer: _Answer | None = None
        self.made = 0

    def begin(self, session: Session) -> None:
        """What the model was told before anybody spoke, unless the talk begins with the same."""
        first = next(session.for_model(), None)
        again = [] if first is None or first.role != "system" else self._texts(first.blocks)
        for ref in session.system:
            text = self._text(ref)
            if text and [text] != again:
                self.messages.append({"role": "system", "content": text})

    def say(self, message: Message) -> None:
        """The next message of the talk."""
        if message.role == "assistant":
            self._answered(message)
            return
        self.close()
        parts = [part for block in message.blocks if (part := self._part(block, message.role))]
        if parts:
            self.messages.append({"role": message.role, "content": _content(parts)})
        elif not message.blocks:
            self._lose("empty-message", message.refs[0])

    def close(self) -> None:
        """Nothing more is said in the answer of the model: it goes into the list."""
        answer, self.answer = self.answer, None
        if answer is None:
            return
        calls = [(call, self._result(call)) for call in answer.calls]
        kept = [(call, result, self._id(call)) for call, result in calls if result is not None]
        if not answer.texts and not kept:
            return
        texts = [{"type": "text", "text": text} for text in answer.texts]
        said: Wire = {"role": "assistant", "content": _content(texts) if texts else None}
        if kept:
            said["tool_calls"] = [self._call(call, name) for call, _, name in kept]
        self.messages.append(said)
        self.messages += [
            {"role": "tool", "tool_call_id": name, "content": result} for _, result, name in kept
        ]

    def _answered(self, message: Message) -> None:
        texts = self._texts(message.blocks)
        calls = [block.call for block in message.blocks if isinstance(block, ToolCall)]
        for block in message.blocks:
            if not isinstance(block, ToolCall | Text | Compaction):
                self._part(block, message.role)  # only for what is lost
        calls = [call for call in calls if self._is_function(call)]
        if not texts and not calls:
            if not message.blocks:
                self._lose("empty-message", message.refs[0])
            return
        if self.answer is None or not self._goes_on(self.answer, texts, calls, message.refs[0]):
            self.close()
            self.answer = _Answer()
        self.answer.texts += texts
        self.answer.calls += calls

    def _goes_on(self, answer: _Answer, texts: list[str], calls: list[Call], here: Ref) -> bool:
        """Whether a message belongs to the answer before it: formats tear answers apart.

        It does if it only adds calls, and no result of an earlier call came in between.
        """
        results = [ref for call in answer.calls for ref in call.refs.results]
        between = any(ref.offset < here.offset for ref in results if ref.file == here.file)
        return bool(calls) and not texts and not between

    def _is_function(self, call: Call) -> bool:
        """Whether this form can hold a call; a result without one, or a search, it cannot."""
        where = call.refs.call or call.refs.results[0]
        if call.state == "orphan":
            self._lose("result-without-call", where)
        elif call.kind == "server":
            self._lose("call-of-the-provider", where)
        return call.state != "orphan" and call.kind != "server"

    def _result(self, call: Call) -> Any:
        """The content of the result; None where there is none and none is made up."""
        where = call.refs.call or call.refs.results[0]
        if call.result is None:
            if not self.fill_results:
                self._lose("call-without-result", where)
                return None
            return f"[there is no result: {call.state}]"
        if call.state != "answered":
            self._lose("state-of-a-call", where)
        parts = [part for block in call.result.blocks if (part := self._part(block, "tool"))]
        return _content(parts) if parts else ""

    def _id(self, call: Call) -> str:
        if call.id:
            return self.change(call.id)
        self.made += 1
        return f"call-without-id-{self.made}"

    def _call(self, call: Call, name: str) -> Wire:
        given = "{}"
        if call.input is not None and call.input.as_text:
            given = self._text(call.input.ref)
        elif call.input is not None:
            given = self.change(self.read(call.input.ref).decode("utf-8", errors="replace"))
        function = {"name": self.change(call.name), "arguments": given}
        return {"id": name, "type": "function", "function": function}

    def _texts(self, blocks: Iterable[Block]) -> list[str]:
        told = (self._text(b.ref) for b in blocks if isinstance(b, Text | Compaction))
        return [text for text in told if text]

    def _part(self, block: Block, role: str) -> Wire | None:
        """A part of a content; None for what has no place there."""
        if isinstance(block, Text | Compaction):
            text = self._text(block.ref)
            return {"type": "text", "text": text} if text else None
        if isinstance(block, Blob | Uri):
            return self._picture(block, role)
        if isinstance(block, ToolCall):
            self._is_function(block.call)
        elif isinstance(block, Reasoning) and block.ref is not None:
            self._lose("sealed-reasoning" if block.sealed else "reasoning", block.ref)
        elif isinstance(block, StoredFile):
            self._lose("file", block.ref)
        elif isinstance(block, Opaque):
            self._lose("unknown-part", block.ref)
        elif isinstance(block, Notice):
            pass  # a word of the program to the person: no model ever read it
        return None

    def _picture(self, block: Blob | Uri, role: str) -> Wire | None:
        picture = block.media is None or block.media.startswith("image/")
        if role != "user" or not picture:
            self._lose("picture" if picture else "file", block.ref)
            return None
        address = self._text(block.ref)
        if isinstance(block, Blob):
            address = f"data:{block.media or 'image/png'};base64,{address}"
        return {"type": "image_url", "image_url": {"url": address}}

    def _text(self, ref: Ref) -> str:
        return self.change(text_of(ref, self.read))

    def _lose(self, kind: str, ref: Ref | None) -> None:
        count, first = self.losses.get(kind, (0, ref))
        self.losses[kind] = (count + 1, first)


def _content(parts: list[Wire]) -> Any:
    """A single text as a text, anything else as a list of parts."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]
    return parts

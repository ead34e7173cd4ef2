"""Calls of a step in a log of v2 or v3: asked for by a model, recorded, answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.closers import is_not_started
from sesskit.logs.dsh.script_values import UNDEFINED, as_key, broken, crash, member, same
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]

_CONTENT = ("data", "message", "content")
_SOURCE = ("data", "message", "source")


class _Call(Struct):
    """A call that a model asked for."""

    name: Any
    arguments: Any
    recorded: bool = False


class Calls(Struct):
    """The calls of the open step that wait for their results."""

    version: int
    _open: dict[Any, _Call] = field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        """Whether a call has no result."""
        return bool(self._open)

    def unrecorded(self, call: Any) -> dict[str, Any] | None:
        """The name and arguments of a call that was asked for and not recorded."""
        asked = self._open.get(as_key(call))
        if asked is None or asked.recorded:
            return None
        named = isinstance(asked.name, str) and isinstance(asked.arguments, str)
        return {"name": asked.name, "arguments": asked.arguments} if named else None

    def ask(self, calls: list[tuple[str, str, str]]) -> bool:
        """Open calls that are asked for by id, name and arguments, unless one is open already."""
        ids = {call for call, _, _ in calls}
        if len(ids) != len(calls) or not ids.isdisjoint(self._open):
            return False
        self._open.update((call, _Call(name, arguments)) for call, name, arguments in calls)
        return True

    def record(self, call: str, name: str, arguments: str) -> bool:
        """Record a call as one that is about to run, if it was asked for like that."""
        asked = self._open.get(call)
        if asked is None or asked.recorded or asked.name != name or asked.arguments != arguments:
            return False
        asked.recorded = True
        return True

    def answer(self, call: str) -> bool:
        """Settle a call that was recorded."""
        asked = self._open.get(call)
        if asked is None or not asked.recorded:
            return False
        del self._open[call]
        return True

    def clear(self) -> None:
        """A turn begins."""
        self._open.clear()

    def unanswered(self, what: str) -> Iterator[Issue]:
        """A step or a turn ends."""
        if self._open:
            message = f"the {what} ends while a call is unanswered"
            yield broken("unresolved-tool-call", message)
        self._open.clear()

    def asked(self, message: Any) -> Iterator[Issue]:
        """A model said something, and maybe asked for calls."""
        if not isinstance(message, Mapping):
            yield broken("message-missing", "expected a message object", "data", "message")
            return
        content = member(message, "content")
        for block in content if isinstance(content, list) else ():
            if block is None:
                yield crash(*_CONTENT)
                return
            if isinstance(block, Mapping) and block.get("type") == "tool-call":
                yield from self._asked(block)
        if not isinstance(content, list | str):  # text is taken letter by letter
            yield crash(*_CONTENT)

    def _asked(self, block: Json) -> Iterator[Issue]:
        call = as_key(member(block, "id"))
        if call in self._open:
            yield broken("call-repeated", "the same call is asked for again", "data")
        self._open[call] = _Call(member(block, "name"), member(block, "arguments"))

    def recorded(self, data: Json) -> Iterator[Issue]:
        """A call is about to run."""
        call = self._open.get(as_key(member(data, "callId")))
        named = call is not None and same(call.name, member(data, "name"))
        if call is None or call.recorded or not named or not _asks(call, data):
            message = "matches no call that a model asked for in this step"
            yield broken("call-unasked", message, "data", "callId")
        else:
            call.recorded = True

    def answered(self, event: Json, data: Json) -> Iterator[Issue]:
        """A tool is done."""
        message = member(data, "message")
        source = member(message, "source")
        if not isinstance(source, Mapping):
            yield broken("message-no-source", "a message needs a source", *_SOURCE)
            return
        if "error" in data and not isinstance(data["error"], Mapping):
            yield broken("type", "expected an object", "data", "error")
        name = member(source, "callId")
        call = self._open.pop(as_key(name), None)
        if call is None:
            text = "answers no call that a model asked for in this step"
            yield broken("result-without-call", text, *_SOURCE, "callId")
        elif call.recorded:
            return
        elif member(message, "content") in (None, UNDEFINED):
            yield crash(*_CONTENT)
        elif not is_not_started(event, name, self.version):
            text = "a call without record is answered only by the exact repair"
            yield broken("result-without-call", text, *_SOURCE, "callId")


def _asks(call: _Call, data: Json) -> bool:
    return same(call.arguments, member(data, "arguments"))

"""A session as the member ``replay`` of a file of the report: all of its talk, masked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sesskit.cli.deep import writable
from sesskit.cli.replaying import Seen, Wishes
from sesskit.records.overview import dotted_of
from sesskit.records.refs import input_of, text_of
from sesskit.records.view import (
    Blob,
    Block,
    Call,
    Compaction,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    StoredFile,
    Text,
    ToolCall,
    Turn,
    Uri,
)
from sesskit.schemas.instants import Instant
from sesskit.schemas.masking import MASK, mask_payload, mask_text
from sesskit.schemas.sensitive import mapped, rebuilt


def replay_member(seen: Seen, wishes: Wishes = Wishes()) -> dict[str, Any]:
    """Turns, messages, blocks, calls with their results. Instants are UTC; what is unknown null."""
    session, replay = seen.session, _Replay(seen, wishes)
    return {
        "id": replay.maybe(session.id),
        "title": replay.maybe(session.title),
        "cwd": replay.maybe(session.cwd),
        "started": _time(session.started),
        "ended": _time(session.ended),
        "system": [replay.text(ref) for ref in session.system],
        "turns": [replay.turn(turn) for turn in session.turns],
        "whole": all(loss.kind != "unread" for loss in session.losses),
        "losses": [{"kind": loss.kind, "count": loss.count} for loss in session.losses],
    }


class _Replay:
    """Turns the parts of a view into JSON."""

    def __init__(self, seen: Seen, wishes: Wishes) -> None:
        self.read = seen.read
        self.given = wishes.text
        self.word = wishes.word
        self.unmasked = wishes.unmasked
        self._shown: dict[type, Callable[[Any], dict[str, Any]]] = {
            Text: lambda block: {"text": self.text(block.ref)},
            Reasoning: self._reasoning,
            Blob: lambda block: {"media": self.maybe(block.media), "bytes": block.ref.length},
            Uri: lambda block: {"media": self.maybe(block.media), "uri": self.text(block.ref)},
            StoredFile: lambda block: {"id": self.word(block.id)},
            Compaction: lambda block: {"text": self.text(block.ref), "replaced": block.replaced},
            Notice: lambda block: {"kind": self.word(block.kind)},
            Opaque: lambda block: {"kind": self.word(block.kind), "bytes": block.ref.length},
            ToolCall: lambda block: {"call": self._call(block.call)},
        }

    def turn(self, turn: Turn) -> dict[str, Any]:
        return {
            "number": turn.number,
            "id": self.maybe(turn.id),
            "state": turn.state,
            "reason": self.maybe(turn.reason),
            "started": _time(turn.started),
            "ended": _time(turn.ended),
            "messages": [self._message(message) for message in turn.messages],
        }

    def text(self, ref: Ref) -> str:
        return self.given(text_of(ref, self.read))

    def _message(self, message: Message) -> dict[str, Any]:
        return {
            "role": message.role,
            "by": message.by,
            "id": self.maybe(message.id),
            "time": _time(message.time),
            "model": self.maybe(message.model),
            **self._place(message.refs[0] if message.refs else None),
            "blocks": self._blocks(message.blocks),
        }

    def _blocks(self, blocks: Iterable[Block]) -> list[dict[str, Any]]:
        return [{"type": block.type, **self._shown[type(block)](block)} for block in blocks]

    def _reasoning(self, block: Reasoning) -> dict[str, Any]:
        text = None if block.ref is None or block.sealed else self.text(block.ref)
        return {"text": text, "sealed": block.sealed}

    def _call(self, call: Call) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": self.maybe(call.id),
            "name": self.word(call.name),
            "kind": call.kind,
            "state": call.state,
            **self._place(call.refs.call),
            "input": None,
            "result": None,
        }
        if call.input is not None:
            value, parsed = input_of(call.input, self.read)
            shown["input"] = writable(self._input(value)) if parsed else self.given(value)
        if call.result is not None:
            result: dict[str, Any] = {"blocks": self._blocks(call.result.blocks)}
            for name in ("exit", "duration"):
                if getattr(call.result, name) is not None:
                    result[name] = getattr(call.result, name)
            shown["result"] = result
        return shown

    def maybe(self, text: str | None) -> str | None:
        return None if text is None else self.word(text)

    def _place(self, ref: Ref | None) -> dict[str, Any]:
        if ref is None:
            return {}
        place: dict[str, Any] = {"offset": ref.offset}
        if ref.line is not None:
            place["line"] = ref.line
        if ref.pointer is not None:
            place["path"] = self.word(dotted_of(ref.pointer))
        return place

    def _input(self, value: Any) -> Any:
        """An input without its secrets, with numbers that JSON has."""
        if self.unmasked:
            return mapped(value, leaf=_finite)
        return rebuilt(value, MASK, leaf=_leaf, name=mask_text)


def _leaf(value: Any) -> Any:
    return mask_payload(value) if isinstance(value, str) else _finite(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "[a number beyond all doubles]"
    return value


def _time(time: Instant | None) -> str | None:
    return None if time is None else str(time)

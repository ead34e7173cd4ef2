"""The gaps of old bare Robota records, and what is put into them (robota-record section 9)."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeGuard

import msgspec

from sesskit.schemas.instants import is_instant
from sesskit.schemas.issues import Key, Keys
from sesskit.schemas.robota_messages import Part

NoteKind = Literal["filled", "moved", "kept", "changed"]

_HEAD: Final = ("id", "timestamp", "state", "role", "content")
_ROLES: Final = ("user", "assistant", "system", "tool")
_STEPS: Final[dict[str, tuple[NoteKind, str]]] = {
    "message-id": ("filled", "there was no id; it has one from its position now"),
    "message-timestamp": ("filled", "there was no timestamp; it has the updatedAt of the record"),
    "message-state": ("filled", "there was no state; it is complete now"),
    "message-content": ("filled", "there was no content in an assistant message; it is null now"),
    "content-parts": (
        "moved",
        "content was a list of parts; they are parts, and their text content",
    ),
    "history-null": ("filled", "history was null; it is absent now"),
    "history": ("filled", "an entry was made for each message"),
    "history-kept": ("kept", "there was a history already; nothing was filled in"),
    "history-empty": ("kept", "there are no messages; no history was made"),
}


class Step(msgspec.Struct, frozen=True):
    """Something that was done to the record, or left alone, and where."""

    kind: NoteKind
    code: str
    keys: Keys
    message: str


class Cure:
    """A copy of one bare record as it is being mended; the input is not changed."""

    def __init__(self, value: Any) -> None:
        self.record: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
        self.steps: list[Step] = []
        messages = self.record.get("messages")
        self._messages: list[Any] = list(messages) if isinstance(messages, list) else []
        self._ids = {m.get("id") for m in self._messages if _has_text(m, "id")}

    @property
    def places(self) -> set[Keys]:
        """Where something was mended: the decoder's issues there no longer hold."""
        return {step.keys for step in self.steps}

    def fill(self) -> None:
        """Fill what old builds left out. Nothing that is there is replaced."""
        if self.record.get("history", ...) is None:
            del self.record["history"]
            self._did("history-null", "history")
        for n, message in enumerate(self._messages):
            if isinstance(message, dict) and message.get("role") in _ROLES:
                self._messages[n] = self._filled(message, n)
        if self._messages:
            self.record["messages"] = self._messages

    def backfill(self) -> None:
        """A history entry for each message, if there are no entries. The messages must be sound."""
        if self.record.get("history"):
            self._did("history-kept", "history")
        elif not self._messages:
            self._did("history-empty", "history")
        else:
            self.record["history"] = [_entry(message) for message in self._messages]
            for n in range(len(self._messages)):
                self._did("history", "history", n)

    def _filled(self, message: dict[str, Any], n: int) -> dict[str, Any]:
        given = {name: message[name] for name in _HEAD if name in message}
        if "id" not in given:
            given["id"] = self._new_id(n)
            self._did("message-id", "messages", n, "id")
        if "timestamp" not in given and _is_instant(self.record.get("updatedAt")):
            given["timestamp"] = self.record["updatedAt"]
            self._did("message-timestamp", "messages", n, "timestamp")
        if "state" not in given:
            given["state"] = "complete"
            self._did("message-state", "messages", n, "state")
        if "content" not in given and given["role"] == "assistant":
            given["content"] = None
            self._did("message-content", "messages", n, "content")
        rest = {name: value for name, value in message.items() if name not in given}
        content = given.get("content")
        if "parts" not in rest and _are_parts(content):
            texts = [part["text"] for part in content if part["type"] == "text"]
            given["content"], rest["parts"] = "\n".join(texts), content
            self._did("content-parts", "messages", n, "content")
        return {**{name: given[name] for name in _HEAD if name in given}, **rest}

    def _new_id(self, n: int) -> str:
        """An id from the position, which no other message has."""
        new, more = f"legacy-{n}", 1
        while new in self._ids:
            more += 1
            new = f"legacy-{n}-{more}"
        self._ids.add(new)
        return new

    def _did(self, code: str, *keys: Key) -> None:
        kind, message = _STEPS[code]
        self.steps.append(Step(kind, code, keys, message))


def _entry(message: dict[str, Any]) -> dict[str, Any]:
    """A history entry as the running system makes it of a message."""
    return {
        "id": message["id"],
        "timestamp": message["timestamp"],
        "category": "chat",
        "type": message["role"],
        "data": message,
    }


def _are_parts(content: Any) -> TypeGuard[list[dict[str, Any]]]:
    if not isinstance(content, list):
        return False
    try:
        msgspec.convert(content, list[Part])
    except msgspec.ValidationError:
        return False
    return True


def _has_text(value: Any, name: str) -> bool:
    return isinstance(value, dict) and isinstance(value.get(name), str)


def _is_instant(value: Any) -> bool:
    return isinstance(value, str) and is_instant(value)

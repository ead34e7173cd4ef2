"""Old shapes inside v0 logs, brought up to date whenever they are read; never written back.

They come from builds before messages had ids and before turns had reasons of today's form. The
upgraded events are those that the original gives, member for member, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.vocabulary import RETIRED_V0
from sesskit.schemas.dsh_values import is_count, is_number
from sesskit.schemas.issues import Issue, Keys

Json = dict[str, Any]

_PLAIN_ENDS = frozenset(["completed", "blocked", "max-tokens", "interrupted", "disposed"])
_FAILURE = {"message": str, "code": str}
_FAILURE_MORE = {"status": float, "providerRetryAfterMs": float, "requestId": str}


def retired(event: Json) -> Issue | None:
    """Why an event makes a v0 log unreadable whatever else it says: a type or reason of old."""
    kind, data = event["type"], event.get("data")
    if isinstance(kind, str) and kind in RETIRED_V0:
        message = "events of this type were retired, and no program reads logs that hold one"
        return Issue("retired-vocabulary", message, keys=("type",))
    if kind == "request/header" and isinstance(data, dict) and data.get("reason") == "fallback":
        message = "this reason was retired, and no program reads logs that hold it"
        return Issue("retired-vocabulary", message, keys=("data", "reason"))
    return None


class Malformed(Exception):
    """An old shape that is none of those that are known; ``keys`` lead to it from the event."""

    def __init__(self, keys: Keys, message: str) -> None:
        super().__init__(message)
        self.issue = Issue("legacy-malformed", message, keys=keys)


class Upgrader(Struct):
    """Upgrades the events of one log, in order.

    It remembers the ids of tool results, because a rewritten one has the id of the first.
    """

    session_id: str
    result_ids: dict[int, Any] = field(default_factory=dict)

    def upgrade(self, event: Json) -> Json:
        """The event as it is today: the same object where nothing is old. Raises `Malformed`."""
        step = _STEPS.get(event["type"]) if isinstance(event["type"], str) else None
        data = event.get("data")
        if event["type"] == "steering/message" and not isinstance(data, dict):
            raise Malformed(("data",), "a steering message has a turn and what was said")
        upgraded = step(self, event, data) if step and isinstance(data, dict) else event
        if upgraded["type"] == "tool/result":
            self.remember(upgraded)
        return upgraded

    def remember(self, event: Json) -> None:
        """Keep the id of a tool result of today's form."""
        message = event["data"].get("message") if isinstance(event.get("data"), dict) else None
        if isinstance(message, dict):
            self.result_ids[event["seq"]] = message.get("id")

    def _minted(self, event: Json) -> str:
        return f"legacy-message:{self.session_id}:{int(event['seq'])}"

    def _turn_start(self, event: Json, data: Json) -> Json:
        if "trigger" not in data:
            return event
        trigger = data["trigger"]
        known = data.keys() == {"turn", "trigger"} and _is_turn(data["turn"])
        if not known or not isinstance(trigger, dict) or not _is_word(trigger.get("kind")):
            raise Malformed(("data",), "an old turn start has exactly a turn and a trigger")
        return _with_data(event, {"turn": data["turn"]})

    def _turn_end(self, event: Json, data: Json) -> Json:
        reason = data.get("reason")
        kind = reason.get("kind") if isinstance(reason, dict) else None
        known = data.keys() == {"turn", "reason"} and _is_turn(data["turn"])
        if not known or not isinstance(reason, dict) or not isinstance(kind, str):
            raise Malformed(("data",), "a turn end has exactly a turn and a reason with a kind")
        today = _reason_of_today(kind, reason)
        return event if today is reason else _with_data(event, {**data, "reason": today})

    def _steering(self, event: Json, data: Json) -> Json:
        message = data.get("message")
        if not is_number(data.get("turn")):
            raise Malformed(("data", "turn"), "a steering message names its turn")
        if data.keys() == {"turn", "message"} and isinstance(message, dict):
            return _with_data({**event, "type": "user/message"}, message)
        if data.keys() != {"turn", "content", "source"}:
            raise Malformed(("data",), "a steering message has a turn and what was said, no more")
        said = {"content": data["content"], "source": data["source"]}
        said |= {"id": self._minted(event), "role": "user"}
        return _with_data({**event, "type": "user/message"}, said)

    def _user(self, event: Json, data: Json) -> Json:
        if "id" in data or "role" in data or not {"content", "source"} <= data.keys():
            return event
        return _with_data(event, {**data, "id": self._minted(event), "role": "user"})

    def _assistant(self, event: Json, data: Json) -> Json:
        if "message" in data or not {"content", "provenance"} <= data.keys():
            return event
        provenance = data["provenance"] if isinstance(data["provenance"], dict) else {}
        message = {
            "id": self._minted(event),
            "role": "assistant",
            "content": data["content"],
            "source": {**provenance, "kind": "model"},
        }
        rest = {k: v for k, v in data.items() if k not in ("content", "provenance")}
        return _with_data(event, {**rest, "message": message})

    def _result(self, event: Json, data: Json) -> Json:
        if "message" in data or not {"callId", "content", "isError"} <= data.keys():
            return event
        call = data["callId"]
        block = {"type": "tool-result", "toolCallId": call}
        block |= {"content": data["content"], "isError": data["isError"]}
        operation = event.get("surfaceOp")
        rewrites = isinstance(operation, Mapping) and operation.get("op") == "replace"
        target = operation.get("start") if isinstance(operation, Mapping) else None
        message = {
            "id": self.result_ids.get(_as_key(target)) if rewrites else self._minted(event),
            "role": "user",
            "content": [block],
            "source": {"kind": "tool", "callId": call},
        }
        rest = {k: v for k, v in data.items() if k not in ("callId", "content", "isError")}
        return _with_data(event, {**rest, "message": message})


_STEPS: dict[str, Callable[[Upgrader, Json, Json], Json]] = {
    "turn/start": Upgrader._turn_start,
    "turn/end": Upgrader._turn_end,
    "steering/message": Upgrader._steering,
    "user/message": Upgrader._user,
    "assistant/message": Upgrader._assistant,
    "tool/result": Upgrader._result,
}


def _reason_of_today(kind: str, reason: Json) -> Json:
    if kind in _PLAIN_ENDS and reason.keys() != {"kind"}:
        raise Malformed(("data", "reason"), "a reason of this kind has no other member")
    if kind == "disposed":
        return {"kind": "aborted", "reason": {"kind": "disposed"}}
    if kind == "aborted" and "reason" not in reason:
        if reason.keys() != {"kind"}:
            raise Malformed(("data", "reason"), "an old reason of this kind has no other member")
        return {"kind": "aborted", "reason": {"kind": "legacy"}}
    if kind == "error" and "error" not in reason:
        return {"kind": "error", "error": _failure_of_today(reason)}
    return reason


def _failure_of_today(reason: Json) -> Json:
    """What went wrong, from the two old forms of an error."""
    message, code = reason.get("message"), reason.get("code", "UNKNOWN")
    if is_count(reason.get("step")):
        if reason.keys() == {"kind", "step", "failure"} and _is_failure(reason["failure"]):
            return dict(reason["failure"])
        plain = reason.keys() - {"code"} == {"kind", "step", "message"}
        if plain and isinstance(message, str) and isinstance(code, str):
            return {"message": message, "code": code}
    raise Malformed(("data", "reason"), "an old error has a step and what failed in it")


def _is_failure(value: object) -> bool:
    if not isinstance(value, dict) or not _FAILURE.keys() <= value.keys():
        return False
    kinds = {**_FAILURE, **_FAILURE_MORE}
    return value.keys() <= kinds.keys() and all(
        isinstance(member, str) if kinds[key] is str else is_number(member)
        for key, member in value.items()
    )


def _is_turn(value: object) -> bool:
    return is_count(value) and value >= 1


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _as_key(value: object) -> int:
    return int(value) if is_count(value) else -1


def _with_data(event: Json, data: Json) -> Json:
    return {**event, "data": data}

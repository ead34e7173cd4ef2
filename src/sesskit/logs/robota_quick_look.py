"""A look at sound lines of a Robota log by their typed events: what a count needs, and no places.

It is `LogLook` for those lines that the check of the log decoded anyway. Refs are those of the
lines; a test holds the numbers to those of the session view.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import UNSET

from sesskit.logs.robota_view_look import LogLook
from sesskit.logs.robota_view_marks import CLASSES, SPEAKERS
from sesskit.records.overview import message_element
from sesskit.records.talk import Asked
from sesskit.records.view import Mark, Message, Ref, Result, Usage
from sesskit.schemas.instants import Instant

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_COUNTS: Final = (("inputTokens", "promptTokens"), ("outputTokens", "completionTokens"))
_NO_RESULT: Final = Result(())


class QuickLook(LogLook):
    """Takes lines as `look` does, and sound ones with their events."""

    def take(self, event: Any, ref: Ref, time: bytes) -> bool:
        """A sound line with its event, typed or a twin; False where it must be looked at."""
        if self._started is None:
            return False
        name = event.__struct_config__.tag
        step = _STEPS.get(name)
        if step is None:
            return self.passed(name, ref, time)
        placed = step(self, event, ref)
        if placed is None:
            return False
        self._late = time
        if name != "history_mutation":
            self._mark(Mark(name, CLASSES[name], ref), placed=placed)
        return True


def _request(look: QuickLook, event: Any, ref: Ref) -> bool:
    look.requests[event.provider, event.model] += 1
    look.requested(event.execution_id, event.round, forced=event.forced_summary is True)
    return False


def _user(look: QuickLook, event: Any, ref: Ref) -> bool | None:
    """Counts only while there are no committed messages."""
    return False if look.committed else None


def _assistant(look: QuickLook, event: Any, ref: Ref) -> bool | None:
    if not look.committed:
        return None
    look.ended("complete")
    return False


def _batch(look: QuickLook, event: Any, ref: Ref) -> bool:
    look.refusals.clear()
    return False


def _refused(look: QuickLook, event: Any, ref: Ref) -> bool:
    look.refusals[event.tool] += 1
    return False


def _result(look: QuickLook, event: Any, ref: Ref) -> bool:
    if event.tool_call_id is UNSET:
        return False
    name = "" if event.tool_name is UNSET else event.tool_name
    look.executed(name, event.tool_call_id, ref, None, well=event.success)
    return True


def _message(look: QuickLook, event: Any, ref: Ref) -> bool:
    message = event.message
    role = message.__struct_config__.tag
    metadata = {} if message.metadata is UNSET else message.metadata
    time = _instant(message.timestamp)
    look.commit(role, None if event.execution_id is UNSET else event.execution_id)
    if role == "tool":
        call = message.tool_call_id
        state, _ = look.outcome_of(call, metadata.get("success"))
        name = None if message.name is UNSET else message.name
        look.into.talk.answer(call, _NO_RESULT, ref, state=state, name=name, time=time)
    else:
        usage = _usage(metadata, message.id, ref)
        if usage is not None:
            look.into.use(usage)
        said = Message(*SPEAKERS[role], (), (ref,), time=time)
        look.into.talk.say(said, _calls(message, ref) if role == "assistant" else [])
    look.into.placed(message_element(role), ref)
    return True


def _calls(message: Any, ref: Ref) -> list[Asked]:
    if message.tool_calls is UNSET:
        return []
    return [
        Asked(
            call.id,
            call.function.name,
            Ref(ref.offset, ref.length, ref.line, f"/message/toolCalls/{place}"),
        )
        for place, call in enumerate(message.tool_calls)
    ]


def _usage(metadata: dict[str, Any], name: str, ref: Ref) -> Usage | None:
    inner = metadata.get("usage")
    inner = inner if isinstance(inner, dict) else {}
    counts = []
    for plain, other in _COUNTS:
        places = ((metadata, plain), (inner, plain), (inner, other))
        count = next((held[key] for held, key in places if key in held), None)
        if type(count) is not int:
            return None
        counts.append(count)
    key = metadata.get("usageObservationId")
    return Usage(key if isinstance(key, str) else name, counts[0], counts[1], ref)


def _instant(time: Instant | datetime) -> Instant:
    return time if isinstance(time, Instant) else Instant((time - _EPOCH) // _MILLISECOND)


_STEPS: Final[dict[str, Callable[[QuickLook, Any, Ref], bool | None]]] = {
    "provider_request": _request,
    "user": _user,
    "assistant": _assistant,
    "tool_batch_started": _batch,
    "tool_denied": _refused,
    "tool_blocked": _refused,
    "tool_execution_result": _result,
    "history_mutation": _message,
}
"""What is taken by its event. A step says if the line has its place already; None: not taken."""

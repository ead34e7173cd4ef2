"""Which event is due in a turn: an odd line that is exactly that is one that was mislabelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sesskit.logs.audit_lines import Line, text_in
from sesskit.logs.audit_state import Turn


def is_due(turn: Turn, line: Line) -> bool:
    """Whether an event of a stranger is the very one that the open turn waits for."""
    look = _DUE.get(line.event)
    return look is not None and look(turn, line)


def _state_is(*states: str) -> Callable[[Turn, Line], bool]:
    return lambda turn, line: turn.call is not None and turn.call.state in states


def _delta(turn: Turn, line: Line) -> bool:
    call = turn.call
    return (
        call is not None and call.state == "requested" and line.count("sequence") in call.next_delta
    )


def _request(turn: Turn, line: Line) -> bool:
    number, last = line.count("round"), max(turn.rounds)
    if turn.call is not None:
        return turn.call.fallback is not None and number == last
    return number == (last if line.data.get("forcedSummary") is True else last + 1)


def _batch(turn: Turn, line: Line) -> bool:
    return turn.call is None and turn.batch is None and bool(turn.calls)


def _tool_request(turn: Turn, line: Line) -> bool:
    batch = turn.batch
    if batch is None or batch.phase != "requests" or len(batch.requests) >= len(batch.calls):
        return False
    return text_in(batch.calls[len(batch.requests)], "id") == line.text("toolCallId")


def _result(turn: Turn, line: Line) -> bool:
    place = None if turn.batch is None else turn.batch.position(line.text("toolCallId"))
    return (
        turn.batch is not None and place is not None and turn.batch.requests[place].result is None
    )


def _tool_message(turn: Turn, line: Line) -> bool:
    batch, message = turn.batch, line.mapping("message")
    place = None if batch is None else batch.position(text_in(message, "toolCallId"))
    return batch is not None and place is not None and place > batch.last_commit


def _announcement(turn: Turn, line: Line) -> bool:
    call = turn.call
    return call is not None and call.state == ("requested" if call.forced else "normalized")


def _mutation(turn: Turn, line: Line) -> bool:
    role = line.mapping("message").get("role")
    if role == "tool":
        return turn.announced_tool
    return role == "assistant" and turn.call is not None and turn.call.state == "announced"


_DUE: Final[dict[str, Callable[[Turn, Line], bool]]] = {
    "provider_request": _request,
    "provider_fallback": _state_is("requested"),
    "provider_stream_raw_delta": _delta,
    "provider_response_raw": _state_is("requested"),
    "provider_response_normalized": _state_is("raw"),
    "assistant_message_committed": _announcement,
    "tool_batch_started": _batch,
    "tool_execution_request": _tool_request,
    "tool_execution_result": _result,
    "tool_message_committed": _tool_message,
    "history_mutation": _mutation,
}

"""Audit rules of answers that enter the history: announced, the same, and what was streamed."""

from __future__ import annotations

from sesskit.logs.audit_lines import Json, Line, calls_in, content_of, mapping_in
from sesskit.logs.audit_open import out_of_order
from sesskit.logs.audit_state import Call, State, Turn


def committed_answer(state: State, turn: Turn, line: Line) -> None:
    """response-order, commit-differs, delta-content: an assistant message enters the history."""
    call, message = turn.call, line.mapping("message")
    failed = line.data.get("providerError") is True
    no_room = line.data.get("contextOverflow") is True
    turn.call = None
    turn.calls, turn.other_calls = calls_in(message), []
    turn.batch = None
    turn.last_text = content_of(message) or turn.last_text
    if message.get("state") == "interrupted":
        turn.interrupted.append(line)
    if failed and call is None and not turn.implicit:
        out_of_order(state, line, "no request stands before this failure")
    if failed or no_room:
        return
    if call is None:
        if not turn.implicit or turn.last_call is not None:
            out_of_order(state, line, "no response stands before this commit")
        return
    turn.forced = call.forced
    if call.state != "announced":
        out_of_order(state, line, "committed without being announced")
    _commit_differs(state, turn, call, line)
    if not call.forced:
        _delta_content(state, call, line, content_of(message))


def _commit_differs(state: State, turn: Turn, call: Call, line: Line) -> None:
    find, announced, message = state.findings.find, call.announced, line.mapping("message")
    if isinstance(announced, str):
        if call.forced and content_of(message) != announced:
            text = "not the text that was announced"
            find("commit-differs", line, text, keys=("message", "content"))
            return
    elif announced is not None and not _are_announced(call, calls_in(message)):
        find("commit-differs", line, "not the calls announced", keys=("message", "toolCalls"))
        turn.other_calls = calls_in(announced)
        return
    number = mapping_in(message, "metadata").get("round")
    if number is not None and all(number != due for due in call.rounds):
        keys = ("message", "metadata", "round")
        find("commit-differs", line, "stamped with another round", keys=keys)


def _are_announced(call: Call, committed: list[Json]) -> bool:
    """Whether these calls were announced; once it was told that the responses differ, in any."""
    responses = (call.announced, *((call.normalized, call.raw) if call.differed else ()))
    return any(
        isinstance(response, dict) and without_doubles(calls_in(response)) == committed
        for response in responses
    )


def without_doubles(calls: list[Json]) -> list[Json]:
    """Calls as they are committed: one for each id."""
    kept: dict[str, Json] = {}
    for call in calls:
        kept.setdefault(str(call.get("id")), call)
    return list(kept.values())


def _delta_content(state: State, call: Call, line: Line, content: str) -> None:
    responses = [r for r in (call.normalized, call.raw, call.announced) if isinstance(r, dict)]
    if call.gap:
        return
    if call.deltas:
        right = set(call.streamed())
    elif call.differed:
        right = {content_of(response) for response in responses}
    else:
        right = {content_of(response) for response in responses[:1]}
    if right and content not in right:
        what = "streamed" if call.deltas else "answered"
        keys = ("message", "content")
        state.findings.find("delta-content", line, f"not what was {what}", keys=keys)

"""Audit rules of rounds: request, stream, response, announcement, commit."""

from __future__ import annotations

from functools import partial

from sesskit.logs.audit_lines import REDACTED, Json, Line, calls_in, content_of
from sesskit.logs.audit_open import call_or_none, left_open, out_of_order
from sesskit.logs.audit_requests import request_sent
from sesskit.logs.audit_state import Call, State, Turn, tool_names


def in_round(state: State, turn: Turn, line: Line) -> None:
    """round-order, for every event but the request."""
    found = line.count("round")
    if found in turn.rounds:
        turn.rounds = {found}
        return
    if turn.last_call is None and turn.call is None and not turn.implicit:
        return  # no request yet: an answer that the window had no room to ask for
    if turn.implicit and turn.rounds == {0}:
        return  # messages restored from another process
    expected = max(turn.rounds)
    message = f"this belongs to round {expected}"
    state.findings.find("round-order", line, message, keys=("round",), expected=str(expected))


def provider_request(state: State, turn: Turn, line: Line) -> None:
    """A provider is asked: round-order, response-order, fallback-route, forced summaries."""
    segment, find = state.segment, state.findings.find
    open_call = turn.call
    forced = line.data.get("forcedSummary") is True
    again = open_call is not None and open_call.fallback is not None
    if open_call is not None and not again and not (forced and _was_empty(open_call)):
        left_open(state, open_call, line)
    if turn.forced:
        find("forced-summary", line, "the forced summary was to be the last call of the turn")
    number = line.count("round")
    repeated = open_call is not None and number == open_call.round
    expected = _request_round(state, turn, line, number, same=again or forced or repeated)
    if forced and "tools" in line.data:
        find("summary-tools", line, "a forced summary offers no tools", keys=("tools",))
    if line.data.get("tools") == REDACTED:
        segment.tools = None
    elif segment.tools is not None:
        segment.tools = segment.tools | tool_names(line.data.get("tools"))
    call = Call(line, expected if number is None else number, forced)
    call.rounds = {expected, call.round}
    if again and open_call is not None:
        call.deltas, call.next_delta = open_call.deltas, open_call.next_delta
        call.next_native = open_call.next_native
        _after_fallback(state, turn, open_call, line)
    else:
        request_sent(state, turn, call)
    turn.call = turn.last_call = call
    turn.batch = None


def _was_empty(call: Call) -> bool:
    if call.state != "normalized" or call.normalized is None:
        return False
    responses = (call.normalized, call.raw if call.differed else None)
    return any(r is not None and not content_of(r) and not calls_in(r) for r in responses)


def _request_round(state: State, turn: Turn, line: Line, number: int | None, *, same: bool) -> int:
    """round-order for a request; gives the round that is due."""
    last = max(turn.rounds)
    expected = last if same else last + 1
    if turn.implicit and turn.rounds == {0} and number is not None:
        expected = number  # a resumed execution goes on
    if number != expected:
        message = f"round {expected} is due"
        state.findings.find("round-order", line, message, keys=("round",), expected=str(expected))
    turn.rounds = {expected} if number is None else {expected, number}
    return expected


def _after_fallback(state: State, turn: Turn, before: Call, line: Line) -> None:
    fallback, find = before.fallback, state.findings.find
    turn.changed_provider = True
    if fallback is None:
        return
    for name, target in (("provider", "toProvider"), ("model", "toModel")):
        if line.text(name) != fallback.text(target):
            message = f"not the {name} that the fallback named"
            find("fallback-route", line, message, keys=(name,))
            return
    if line.data.get("messages") != before.line.data.get("messages"):
        message = f"not the messages of line {before.line.number}"
        find("fallback-route", line, message, keys=("messages",))
        state.segment.history.keep_sent(line.messages("messages"))


def provider_fallback(state: State, turn: Turn, line: Line) -> None:
    """fallback-route: it leaves the provider last asked, and a request follows."""
    call, find = turn.call, state.findings.find
    if call is None or call.state != "requested":
        out_of_order(state, line, "no open request stands before this fallback")
        return
    call.fallback = line
    for name, source in (("provider", "fromProvider"), ("model", "fromModel")):
        if call.line.text(name) != line.text(source):
            message = f"line {call.line.number} asked another {name}"
            find("fallback-route", line, message, keys=(source,))
            break
    state.segment.expecting = partial(_next_is_request, state, call, line)


def _next_is_request(state: State, call: Call, line: Line, following: Line | None) -> bool:
    if following is not None and following.event not in ("provider_request", "error"):
        call.fallback = None
        state.findings.find("fallback-route", line, "no request follows the fallback")
    return False


def provider_stream_raw_delta(state: State, turn: Turn, line: Line) -> None:
    """delta-sequence, delta-mirror, and the order of the stream."""
    call, segment = call_or_none(state, turn, line), state.segment
    if call is None or call.state != "requested" or call.forced:
        out_of_order(state, line, "a delta outside the stream of a request")
        segment.swallow = line.text("delta")
        return
    sequence = line.count("sequence")
    if sequence is not None:
        if sequence not in call.next_delta:
            _not_next(state, "delta-sequence", line, call.next_delta)
            call.next_delta = {n + 1 for n in call.next_delta} | {sequence + 1}
        else:
            call.next_delta = {sequence + 1}
    call.deltas.append(line.text("delta") or "")
    segment.expecting = partial(_next_is_its_copy, state, call, line)


def _next_is_its_copy(state: State, call: Call, line: Line, following: Line | None) -> bool:
    segment, delta = state.segment, line.text("delta") or ""
    shown = delta if following is None else following.text("delta")
    copied = following is not None and (following.lost or shown == line.text("delta"))
    if following is not None and following.event == "text_delta" and copied:
        reader_is_there(state)
        call.shown.append(shown or delta)
        return True
    call.shown.append(delta)
    if following is None:
        return False
    if segment.reader:
        _no_copy(state, line)
    elif segment.unmirrored is None:
        segment.unmirrored = line
    return False


def _not_next(state: State, rule: str, line: Line, due: set[int]) -> None:
    expected = str(max(due))
    message = f"number {expected} is due"
    state.findings.find(rule, line, message, keys=("sequence",), expected=expected)


def _no_copy(state: State, line: Line) -> None:
    state.findings.find("delta-mirror", line, "this delta was not shown to the reader at once")


def reader_is_there(state: State) -> None:
    """The session shows text to a reader: a delta that was not shown before is a fault."""
    segment = state.segment
    segment.reader = True
    if segment.unmirrored is not None:
        _no_copy(state, segment.unmirrored)
        segment.unmirrored = None


def text_delta(state: State, line: Line) -> None:
    """turn-order and delta-mirror, for a text that does not copy the delta right before it."""
    segment, turn, find = state.segment, state.segment.turn, state.findings.find
    swallow, segment.swallow = segment.swallow, None
    if swallow is not None and line.text("delta") == swallow:
        return
    if turn is None:
        if not state.parked:
            find("turn-order", line, "a text delta outside a turn")
        return
    call = turn.call
    if call is not None and not call.forced and call.state == "requested":
        find("delta-mirror", line, "shown during a call, and no provider sent it")
        reader_is_there(state)
        return
    if call is None or not call.forced:
        reader_is_there(state)
    if call is None and turn.last_call is not None and line.text("delta") not in (None, "\n\n"):
        find("delta-mirror", line, "shown between two rounds, and no provider sent it")


def provider_native_raw_payload(state: State, turn: Turn, line: Line) -> None:
    """native-sequence. A provider that begins with another number counts in its own way."""
    call = call_or_none(state, turn, line)
    if call is None or call.state != "requested":
        out_of_order(state, line, "a native payload outside a request")
        return
    sequence = line.count("sequence")
    if sequence is None:
        return
    if call.next_native is None:
        call.next_native = {1} if sequence == 0 else set()
    elif call.next_native and sequence not in call.next_native:
        _not_next(state, "native-sequence", line, call.next_native)
        call.next_native = {n + 1 for n in call.next_native} | {sequence + 1}
    elif call.next_native:
        call.next_native = {sequence + 1}


def provider_response_raw(state: State, turn: Turn, line: Line) -> None:
    """The response as the provider gave it."""
    call = call_or_none(state, turn, line)
    if call is None or call.forced or call.state != "requested":
        out_of_order(state, line, "no open request stands before this response")
        if call is None:
            return
    call.raw = line.mapping("response")
    call.state = "raw"


def provider_response_normalized(state: State, turn: Turn, line: Line) -> None:
    """response-differs, tool-call-count."""
    call = turn.call
    response = line.mapping("response")
    if call is None or call.state != "raw":
        out_of_order(state, line, "no raw response stands before this one")
        if call is None or call.state != "requested":
            return
    elif response != call.raw:
        _differs(state, call, line, "response", "the raw response")
    call.normalized, call.state = response, "normalized"
    count = line.count("toolCallsCount")
    if count is not None and count != len(calls_in(response)):
        state.findings.find(
            "tool-call-count",
            line,
            "not the number of calls in the response",
            keys=("toolCallsCount",),
            expected=str(len(calls_in(response))),
            found=str(count),
        )


def _differs(state: State, call: Call, line: Line, name: str, other: str) -> None:
    call.differed = True
    state.findings.find("response-differs", line, f"differs from {other}", keys=(name,))


def _other(call: Call) -> Json | None:
    """The raw response, once it was said that the normalized one differs from it."""
    return call.raw if call.differed else call.normalized


def assistant_message_committed(state: State, turn: Turn, line: Line) -> None:
    """forced-summary, response-differs: an answer is announced."""
    call, message = turn.call, line.data.get("message")
    if isinstance(message, str):
        if call is None or not call.forced:
            state.findings.find(
                "forced-summary", line, "a bare text, and no summary was forced", keys=("message",)
            )
        elif call.state != "requested":
            out_of_order(state, line, "announced twice")
    elif call is None or (call.state != "normalized" and not call.forced):
        out_of_order(state, line, "no normalized response stands before this announcement")
    elif call.normalized is not None and message not in (call.normalized, _other(call)):
        _differs(state, call, line, "message", "the normalized response")
    if call is not None:
        call.announced = message if isinstance(message, dict | str) else {}
        call.state = "announced"

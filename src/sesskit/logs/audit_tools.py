"""Audit rules of tool calls: batch, requests, gate, results, messages."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from sesskit.logs.audit_gate import requests_are_there, success
from sesskit.logs.audit_lines import (
    GATE,
    Json,
    Line,
    call_name,
    content_of,
    is_redacted,
    mapping_in,
    text_in,
)
from sesskit.logs.audit_state import Batch, State, Turn
from sesskit.schemas.ecmascript import dumps


def tool_batch_started(state: State, turn: Turn, line: Line) -> None:
    """batch-calls."""
    calls = turn.calls
    if turn.other_calls and line.count("requestCount") == len(turn.other_calls) != len(calls):
        calls = turn.other_calls  # the commit was the odd one
    names = [call_name(call) for call in calls]
    if turn.call is not None:
        message = f"the request of line {turn.call.line.number} is left open"
        state.findings.find("response-order", line, message)
    elif not calls or turn.batch is not None:
        state.findings.find("batch-calls", line, "no commit with calls stands before this batch")
    elif line.count("requestCount") != len(calls):
        message = "not the number of calls committed"
        state.findings.find("batch-calls", line, message, keys=("requestCount",))
    elif line.data.get("tools") != names:
        state.findings.find("batch-calls", line, "not the tools called", keys=("tools",))
    others = {text_in(call, "id") or "": call for call in turn.other_calls}
    turn.batch = Batch(calls, others)


def tool_execution_request(state: State, turn: Turn, line: Line) -> None:
    """request-calls."""
    batch = turn.batch
    if batch is None:
        message = "no batch was announced before this request"
        state.findings.find("batch-calls", line, message)
        batch = turn.batch = Batch(turn.calls)
    identity = line.text("toolCallId") or ""
    state.requested.add(identity)
    place = len(batch.requests)
    wrong = _wrong_request(batch, place, line)
    if wrong is not None:
        key, message = wrong
        state.findings.find("request-calls", line, message, keys=(key,))
    if place >= len(batch.calls):
        return
    batch.presume(batch.ids.get(identity, 0))  # lost ones are missing from here on
    batch.request(batch.calls[len(batch.requests)], identity)


def _wrong_request(batch: Batch, place: int, line: Line) -> tuple[str, str] | None:
    if place >= len(batch.calls):
        return "toolCallId", "the model did not make this call"
    call = batch.calls[place]
    if line.text("toolCallId") != text_in(call, "id"):
        return "toolCallId", "another call is due"
    if line.text("toolName") != call_name(call):
        return "toolName", "not the tool called"
    if line.count("index") not in (None, place):
        return "index", f"number {place} is due"
    parameters = line.data.get("parameters")
    other = batch.others.get(text_in(call, "id") or "", call)
    if not (_same_arguments(call, parameters) or _same_arguments(other, parameters)):
        return "parameters", "not the arguments the model wrote"
    return None


def _same_arguments(call: Json, parameters: Any) -> bool:
    if is_redacted(parameters):
        return True
    text = text_in(mapping_in(call, "function"), "arguments") or ""
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        failed = isinstance(parameters, dict) and "argumentDecodeError" in parameters
        return failed or (not text.strip() and parameters == {})
    return bool(decoded == parameters)


def tool_execution_result(state: State, turn: Turn, line: Line) -> None:
    """result-pairing, and whether the call may have succeeded."""
    batch = turn.batch
    if batch is None:
        message = "no batch stands before this result"
        state.findings.find("result-pairing", line, message)
        return
    requests_are_there(state, batch, line)
    batch.phase = "results"
    place = batch.position(line.text("toolCallId"))
    if place is None and "toolCallId" not in line.data:
        place = line.count("index")
    if place is None or place >= len(batch.requests):
        message = "no request stands before this result"
        state.findings.find("result-pairing", line, message, keys=("toolCallId",))
        place = line.count("index")
        if place is None or place >= len(batch.requests) or batch.requests[place].result:
            return
    request = batch.requests[place]
    if request.result is not None:
        message = "a second result"
        state.findings.find("result-pairing", line, message, keys=("toolCallId",))
        return
    if place < batch.last_result:
        state.findings.find("result-pairing", line, "out of order", keys=("toolCallId",))
    elif line.count("index") not in (None, place):
        message = f"number {place} is due"
        state.findings.find("result-pairing", line, message, keys=("index",))
    elif line.text("toolName") not in (None, request.name):
        message = "not the tool that was requested"
        state.findings.find("result-pairing", line, message, keys=("toolName",))
    batch.answered += 1
    request.result, batch.last_result = line, max(place, batch.last_result)
    if line.data.get("success") is True:
        request.odd = success(state, batch, line, request.name, ("success",))


def tool_message_committed(state: State, turn: Turn, line: Line) -> None:
    """result-pairing, tool-commit, tool-content: a tool message is announced."""
    batch, find = turn.batch, state.findings.find
    message = line.mapping("message")
    if batch is None:
        find("tool-commit", line, "no batch stands before this message")
    else:
        batch.phase = "commits"
        before = len(state.findings.waiting)
        missing = len(batch.requests) - batch.answered
        if missing and batch.once("result-pairing", ""):
            find("result-pairing", line, f"{missing} requests have no result")
        _announced(state, batch, line, message)
        turn.odd_tool = len(state.findings.waiting) > before
    state.segment.expecting = partial(_next_is_the_message, state, turn, line)


def _next_is_the_message(state: State, turn: Turn, line: Line, following: Line | None) -> bool:
    message = line.mapping("message")
    if following is None:
        return False
    if following.event in GATE:
        state.segment.expecting = partial(_next_is_the_message, state, turn, line)
        return False
    same = following.event == "history_mutation" and following.data.get("message") == message
    if not same and not following.lost and not turn.odd_tool:
        state.findings.find(
            "tool-commit", line, "not the message that is committed", keys=("message",)
        )
    if following.event != "history_mutation":
        state.segment.history.append(message)
    turn.announced_tool = True
    return False


def _announced(state: State, batch: Batch, line: Line, message: Json) -> None:
    find, place = state.findings.find, batch.position(text_in(message, "toolCallId"))
    if place is None or place <= batch.last_commit:
        text = "not the call that is due"
        find("tool-commit", line, text, keys=("message", "toolCallId"))
        return
    batch.last_commit = place
    result = batch.requests[place].result
    metadata = mapping_in(message, "metadata")
    if line.count("index") not in (None, place):
        find("tool-commit", line, f"number {place} is due", keys=("index",))
        return
    if result is None or text_in(metadata, "error") == "context_overflow":
        return
    if batch.requests[place].odd:
        return
    if "success" in metadata and metadata["success"] != result.data.get("success"):
        text = f"not the success of line {result.number}"
        find("tool-commit", line, text, keys=("message", "metadata", "success"))
    elif "parts" not in message and not _shows(result, content_of(message)):
        text = f"not the result of line {result.number}"
        find("tool-content", line, text, keys=("message", "content"))


def _shows(result: Line, content: str) -> bool:
    if result.data.get("success") is True:
        if "result" not in result.data:
            return True
        value = result.data["result"]
        expected = value if isinstance(value, str) else dumps(value).decode()
    else:
        error = result.text("error")
        if error is None:
            return True
        expected = f"Error: {error}"
    return content == expected or is_redacted([expected, content])


def committed_tool_message(state: State, turn: Turn, line: Line) -> None:
    """tool-commit: a tool message enters the history."""
    announced, turn.announced_tool = turn.announced_tool, False
    batch = turn.batch
    if announced or batch is None or turn.implicit:
        return
    if batch.phase in ("results", "commits"):
        state.findings.find("tool-commit", line, "committed without being announced")
        return
    turn.resumed = True  # a parked execution commits what its approval gave
    place = batch.position(text_in(line.mapping("message"), "toolCallId"))
    if place is not None and mapping_in(line.mapping("message"), "metadata").get("success") is True:
        keys = ("message", "metadata", "success")
        success(state, batch, line, batch.requests[place].name, keys)

"""Audit rules of the permission gate: what it logs of a call, and whether a call may succeed."""

from __future__ import annotations

from sesskit.logs.audit_lines import Line
from sesskit.logs.audit_state import Batch, State
from sesskit.schemas.issues import Keys

_ANY = "\0"
"""Counts for the tool whose name was logged wrong."""
_REFUSED = ("tool_denied", "tool_blocked")


def requests_are_there(state: State, batch: Batch, line: Line) -> None:
    """request-calls: what comes after the requests comes after all of them."""
    if len(batch.requests) < len(batch.calls) and batch.once("request-calls", ""):
        missing = len(batch.calls) - len(batch.requests)
        message = f"{missing} of the calls committed were not requested before this"
        state.findings.find("request-calls", line, message)
        batch.presume(len(batch.calls))


def gate_event(state: State, line: Line) -> None:
    """tool-stray, tool-ungated, unknown-succeeded, for what the gate logs in a turn or outside."""
    segment, turn = state.segment, state.segment.turn
    name = line.text("tool") or ""
    if line.event == "tool_call" and segment.tools is not None and name not in segment.tools:
        message = "a tool that no schema names passes the gate"
        state.findings.find("unknown-succeeded", line, message, keys=("tool",))
        if turn is None:
            segment.direct[_ANY] += 1
        elif turn.batch is not None:
            turn.batch.misnamed["tool_call"] += 1
    if "delegated" in line.data:
        return  # a check of its own, without a call
    if turn is None or turn.implicit:
        _direct(state, line, name)
        return
    batch = turn.batch
    if batch is None or batch.phase in ("results", "commits"):
        state.findings.find("tool-stray", line, "not between the requests and results of a batch")
        return
    requests_are_there(state, batch, line)
    batch.phase = "gate"
    if line.event == "tool_call":
        batch.gated[name] += 1
        if batch.gated[name] > batch.asked[name]:
            turn.resumed = True  # the gate is asked again when a parked execution goes on
        return
    batch.outcomes[name] += 1
    batch.refusals[name] += line.event in _REFUSED
    batch.worked[name] += line.event == "tool_result" and line.data.get("success") is True
    if batch.outcomes[name] > batch.gated[name] and not _other_name(batch, name, "tool_call"):
        batch.misnamed[line.event] += 1
        if batch.once("tool-ungated", name):
            message = "this outcome has no tool_call of its own"
            state.findings.find("tool-ungated", line, message)


def _other_name(batch: Batch, name: str, event: str) -> bool:
    """Whether a gate event of this tool was logged under a wrong name; that was told."""
    if not batch.misnamed[event] or not batch.asked[name]:
        return False
    batch.misnamed[event] -= 1
    counted = batch.gated if event == "tool_call" else batch.worked
    counted[name] += 1
    return True


def _direct(state: State, line: Line, name: str) -> None:
    """A tool used outside a turn."""
    direct = state.segment.direct
    if line.event == "tool_call":
        direct[name] += 1
    elif direct[name] or direct[_ANY]:
        direct[name if direct[name] else _ANY] -= 1
    elif not state.parked and not state.segment.blind:
        state.findings.find("tool-ungated", line, "this outcome has no tool_call of its own")


def success(state: State, batch: Batch, line: Line, name: str, keys: Keys) -> bool:
    """One cause, one finding: the gravest reason why a call cannot have succeeded."""
    batch.successes[name] += 1
    successes = batch.successes[name]
    asked = batch.asked[name]
    gated = successes <= batch.gated[name] or _other_name(batch, name, "tool_call")
    worked = successes <= batch.worked[name] or _other_name(batch, name, "tool_result")
    tools = state.segment.tools
    reasons = (
        ("unknown-succeeded", tools is not None and name not in tools, "no schema names it"),
        ("tool-ungated", not gated, "it did not pass the gate"),
        ("refusal-succeeded", successes > asked - batch.refusals[name], "it was refused"),
        ("tool-outcome", not worked, "its tool did not succeed"),
    )
    for rule, broken, why in reasons:
        if broken:
            if batch.once(rule, name):
                message = f"the call succeeds, and {why}"
                state.findings.find(rule, line, message, keys=keys)
            return True
    return False

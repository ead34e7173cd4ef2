"""Calls that are open, left open, or missing: response-order where other rules meet it."""

from __future__ import annotations

from sesskit.logs.audit_lines import Line
from sesskit.logs.audit_state import Call, State, Turn


def out_of_order(state: State, line: Line, why: str) -> None:
    """response-order."""
    state.findings.find("response-order", line, why)


def left_open(state: State, call: Call, line: Line) -> None:
    """response-order: something comes before the answer was committed."""
    out_of_order(state, line, f"the request of line {call.line.number} is left open")
    if call.state == "announced":
        state.segment.history.presume("assistant")


def call_or_none(state: State, turn: Turn, line: Line) -> Call | None:
    """The open call. Where a request is due and something else comes, its line was lost: that is
    reported, and what follows has a call all the same."""
    due = turn.last_call is None or (turn.batch is not None and turn.batch.phase == "commits")
    if turn.call is None and due:
        out_of_order(state, line, "no request stands before this")
        number = line.count("round") or 0
        turn.call = turn.last_call = Call(line, number, forced=False, rounds={number})
        turn.batch, turn.rounds = None, {number}
    return turn.call

"""Lines that cannot be read: whatever they held, the audit goes on behind them.

Nothing is held against a process until a line shows again where it stands: the start of a process
or a turn, a run, a request, an answer, an end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sesskit.logs.audit_lines import Line
from sesskit.logs.audit_state import Doubt, Segment, State, Turn


def lose(state: State, line: Line) -> None:
    """A line that nobody can read."""
    old = state.segment
    if old.turn is not None and old.turn.execution is not None:
        state.parked.add(old.turn.execution)
    doubt = old.doubt or Doubt(frozenset(old.conversations), old.prompt, old.tools)
    state.started = state.blind = True
    state.segment = Segment(first=False, lost=True, blind=True, asked=True, doubt=doubt)
    state.segment.system_missing = old.system_missing


def same_process(state: State, line: Line) -> None:
    """A conversation that goes on behind a lost line is that of the same process."""
    segment, conversation = state.segment, line.text("conversationId")
    if segment.doubt is None or conversation is None:
        return
    if conversation in segment.doubt.conversations:
        segment.prompt, segment.tools = segment.doubt.prompt, segment.doubt.tools
    segment.doubt = None


def found_again(state: State, line: Line) -> bool:
    """Behind a lost line. False where the line is one to be looked at again like any other."""
    execution, call = line.text("executionId"), line.text("toolCallId")
    if execution is not None:
        state.executions.add(execution)
        state.parked.add(execution)
    if call is not None:
        state.requested.add(call)
    look = _SHOWS.get(line.event)
    if look is None:
        return True
    state.segment.lost = False
    return look(state, line)


def _as_it_is(state: State, line: Line) -> bool:
    return False


def _run(state: State, line: Line) -> bool:
    state.segment.turn = Turn(Line(line.number, "user", {}))
    return False


def _request(state: State, line: Line) -> bool:
    number = line.count("round") or 0
    before = number if line.data.get("forcedSummary") is True else number - 1
    turn = Turn(line, started=True, resumed=True, rounds={before})
    turn.execution = line.text("executionId")
    state.segment.turn = turn
    return False


def _answer(state: State, line: Line) -> bool:
    state.segment.turn = Turn(line, started=True, resumed=True)
    return False


def _no_turn(state: State, line: Line) -> bool:
    if line.event == "context":
        state.segment.context = line
    return True


def _shutdown(state: State, line: Line) -> bool:
    state.segment.lost, state.segment.shutdown = True, line
    return True


_SHOWS: Final[dict[str, Callable[[State, Line], bool]]] = {
    "user": _as_it_is,
    "pre_run": _run,
    "provider_request": _request,
    "assistant": _answer,
    "error": _no_turn,
    "context": _no_turn,
    "context_compact": _as_it_is,
    "session_shutdown": _shutdown,
}

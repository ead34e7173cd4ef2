"""Lines that are not there and may have been: what a session remembers after one nobody can read.

Each is told only what must have been in it, and does nothing where it cannot have stood. Of a line
that is there and not believed, figures that nothing else depends on are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from sesskit.logs.audit_commits import without_doubles
from sesskit.logs.audit_lines import Line, calls_in, content_of
from sesskit.logs.audit_state import Call, Partial, Segment, State, Turn
from sesskit.logs.audit_turns import is_empty_answer, next_is_context, user

Phantom = Callable[[State, Line], bool]
"""Takes the line in; False where it cannot have stood there."""


def _user(state: State, line: Line) -> bool:
    if state.segment.turn is not None and not state.segment.turn.is_parked():
        return False
    user(state, line)
    return True


def _pre_run(state: State, line: Line) -> bool:
    segment = state.segment
    turn = segment.turn
    if turn is None or turn.started or turn.execution is not None:
        return False
    turn.started, turn.max_tokens = True, line.figure("maxTokens")
    if segment.compacted or segment.partial or segment.history.open_calls():
        segment.history.forget()
    segment.compacted, segment.partial = None, None
    segment.history.head_may_change()
    return True


def _mutation(state: State, line: Line) -> bool:
    segment, turn = state.segment, state.segment.turn
    if turn is None:
        return False
    if turn.execution is None:
        turn.input_lost = True
        segment.history.presume("user")
        return True
    if turn.call is not None:
        return _answer(state, turn, turn.call)
    if turn.announced_tool or segment.history.open_calls():
        turn.resumed |= not turn.announced_tool
        turn.announced_tool = False
        segment.history.presume("tool")
        return True
    return False


def _answer(state: State, turn: Turn, call: Call) -> bool:
    announced = call.announced
    if call.state != "announced" or announced is None:
        return False
    turn.call, turn.batch, turn.forced = None, None, call.forced
    text = announced if isinstance(announced, str) else content_of(announced)
    turn.last_text = text or turn.last_text
    turn.calls = [] if isinstance(announced, str) else without_doubles(calls_in(announced))
    state.segment.history.presume("assistant")
    return True


def _request(state: State, line: Line, *, forced: bool = False) -> bool:
    turn = state.segment.turn
    if turn is None or turn.execution is None:
        return False
    if turn.call is not None and not (forced and is_empty_answer(turn.call)):
        return False
    number = max(turn.rounds) + (0 if forced else 1)
    turn.call = turn.last_call = Call(line, number, forced=forced, rounds={number})
    turn.rounds, turn.batch = {number}, None
    state.segment.asked = True
    return True


def _delta(state: State, line: Line) -> bool:
    segment = state.segment
    call = segment.turn.call if segment.turn is not None else None
    if call is None or call.forced or call.state != "requested":
        return False
    call.next_delta = {number + 1 for number in call.next_delta}
    call.gap = True
    segment.expecting = _next_is_its_copy
    return True


def _next_is_its_copy(following: Line | None) -> bool:
    return following is not None and following.event == "text_delta"


def _text(state: State, line: Line) -> bool:
    return state.segment.turn is not None


def _assistant(state: State, line: Line) -> bool:
    segment, turn = state.segment, state.segment.turn
    if turn is None or (turn.call is not None and not is_empty_answer(turn.call)):
        return False
    segment.turn, segment.answer = None, None
    turn.odd_answer = True
    segment.expecting = partial(next_is_context, state, turn, line)
    return True


def _context(state: State, line: Line) -> bool:
    if state.segment.answer is None:
        return False
    state.segment.answer, state.segment.context = None, None
    return True


def _error(state: State, line: Line) -> bool:
    segment, turn = state.segment, state.segment.turn
    if turn is None:
        return False
    if turn.call is not None:
        segment.partial = Partial(turn.call.streamed(), sure=False)
    if turn.execution is not None:
        state.failed.add(turn.execution)
    segment.turn = None
    return True


def _session_init(state: State, line: Line) -> bool:
    if state.segment.shutdown is None:
        return False
    state.segment = Segment(first=False, init=line, asked=True)
    return True


PHANTOMS: Final[dict[str, Phantom]] = {
    "user": _user,
    "pre_run": _pre_run,
    "history_mutation": _mutation,
    "provider_request": _request,
    "forced_summary": partial(_request, forced=True),
    "provider_stream_raw_delta": _delta,
    "text_delta": _text,
    "assistant": _assistant,
    "context": _context,
    "error": _error,
    "session_init": _session_init,
}
"""By event; a forced summary is a request of its own kind."""

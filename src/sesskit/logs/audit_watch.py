"""One reading of a log, line by line: which rule looks at which line, and what it remembers."""

from __future__ import annotations

from collections.abc import Callable

from sesskit.logs import audit_commits as commits
from sesskit.logs import audit_rounds as rounds
from sesskit.logs import audit_sessions as sessions
from sesskit.logs import audit_tools as tools
from sesskit.logs import audit_turns as turns
from sesskit.logs.audit_compaction import context, context_compact
from sesskit.logs.audit_due import is_due
from sesskit.logs.audit_fork import fork
from sesskit.logs.audit_gate import gate_event
from sesskit.logs.audit_lines import GATE, HOST, LOST, Line
from sesskit.logs.audit_lost import found_again, lose, same_process
from sesskit.logs.audit_phantoms import PHANTOMS
from sesskit.logs.audit_requests import unanswered
from sesskit.logs.audit_state import State, Turn
from sesskit.schemas.issues import Issue

_OUTSIDE: dict[str, Callable[[State, Line], None]] = {
    "user": turns.user,
    "pre_run": turns.pre_run,
    "assistant": turns.assistant,
    "error": turns.error,
    "context": context,
    "context_compact": context_compact,
    "text_delta": rounds.text_delta,
    "session_shutdown": sessions.session_shutdown,
    "session_shutdown_step_error": sessions.session_shutdown_step_error,
    **dict.fromkeys(GATE, gate_event),
}
_INSIDE: dict[str, Callable[[State, Turn, Line], None]] = {
    "provider_request": rounds.provider_request,
    "provider_fallback": rounds.provider_fallback,
    "provider_stream_raw_delta": rounds.provider_stream_raw_delta,
    "provider_native_raw_payload": rounds.provider_native_raw_payload,
    "provider_response_raw": rounds.provider_response_raw,
    "provider_response_normalized": rounds.provider_response_normalized,
    "structured_output_transport": lambda state, turn, line: None,
    "assistant_message_committed": rounds.assistant_message_committed,
    "tool_batch_started": tools.tool_batch_started,
    "tool_execution_request": tools.tool_execution_request,
    "tool_execution_result": tools.tool_execution_result,
    "tool_message_committed": tools.tool_message_committed,
}
_STREAM = ("provider_stream_raw_delta", "provider_native_raw_payload")


class Watch:
    """One reading of the lines of one log."""

    __slots__ = ("_state",)

    def __init__(self, state: State | None = None) -> None:
        self._state = State() if state is None else state

    def fork(self) -> Watch:
        """The same reading, to go on in another way."""
        return Watch(fork(self._state))

    def look(self, line: Line) -> list[Issue]:
        """Look at one line; gives what it brings to light."""
        if line.event == LOST:
            lose(self._state, line)
        else:
            self._look(line)
        return self._state.findings.take()

    def phantom(self, event: str, near: Line, *, doubted: bool = False) -> bool:
        """Go on as if a line of that event had been there, and nobody knew what it says.

        With ``doubted`` it is the line ``near`` that is there and not believed. False where it
        cannot have been there; the reading is not to be used then.
        """
        segment = self._state.segment
        name = "provider_request" if event == "forced_summary" else event
        line = Line(near.number, name, near.data if doubted else {}, near.offset, lost=True)
        expecting, segment.expecting = segment.expecting, None
        if expecting is not None:
            expecting(line)
        return PHANTOMS[event](self._state, line) and not self._state.findings.take()

    def end(self) -> list[Issue]:
        """The log ends here."""
        turns.end_of_process(self._state)
        return self._state.findings.take()

    def _look(self, line: Line) -> None:
        state = self._state
        sessions.first_line(state, line)
        if line.event in HOST:
            sessions.host_event(state, line)
            return
        if line.event == "session_init":
            turns.end_of_process(state)
            sessions.session_init(state, line)
            return
        same_process(state, line)
        if state.segment.lost and found_again(state, line):
            return
        expecting, state.segment.expecting = state.segment.expecting, None
        if expecting is not None and expecting(line):
            return
        if self._is_after_shutdown(line):
            return
        outside = _OUTSIDE.get(line.event)
        if outside is not None:
            outside(state, line)
        elif line.event in _INSIDE or line.event == "history_mutation":
            self._inside(line)

    def _is_after_shutdown(self, line: Line) -> bool:
        segment = self._state.segment
        mine = line.event in ("session_shutdown", "session_shutdown_step_error")
        if segment.shutdown is None or mine:
            return False
        if segment.turn is not None and segment.turn.undrained:
            return False
        if segment.answer is not None and segment.answer[0].undrained:
            return False
        if not segment.after_shutdown:
            segment.after_shutdown = True
            message = f"the process was shut down in line {segment.shutdown.number}"
            self._state.findings.find("after-shutdown", line, message)
        return True

    def _inside(self, line: Line) -> None:
        """An event of an execution."""
        state = self._state
        turn = self._admit(line)
        if turn is None:
            return
        self._conversation(line)
        if line.event == "history_mutation":
            self._committed(turn, line)
            return
        if line.event != "provider_request":
            rounds.in_round(state, turn, line)
        _INSIDE[line.event](state, turn, line)

    def _conversation(self, line: Line) -> None:
        """conversation-changed, once for lines of the same other one in a row."""
        segment, conversation = self._state.segment, line.text("conversationId")
        if conversation is None:
            return
        if not segment.conversations:
            segment.conversations.add(conversation)
        stray = None if conversation in segment.conversations else conversation
        if stray is not None and stray != segment.stray:
            keys = ("conversationId",)
            self._state.findings.find("conversation-changed", line, "another one", keys=keys)
        segment.stray = stray

    def _admit(self, line: Line) -> Turn | None:
        """The turn an event belongs to; None where it is reported and passed by."""
        state, segment = self._state, self._state.segment
        execution, turn = line.text("executionId"), segment.turn
        if execution is None:
            return turn
        if execution in state.failed and line.event in _STREAM:
            state.findings.find("late-stream", line, "its execution had failed")
            segment.swallow = line.text("delta")
            return None
        if turn is None:
            return self._resumed(line, execution)
        if turn.execution is None and turn.over is not None and turn.over.execution == execution:
            segment.turn = turn = turn.over  # the input in between changed nothing
        if turn.execution is None:
            if execution in state.executions:
                keys = ("executionId",)
                state.findings.find("execution-reused", line, "an earlier turn's", keys=keys)
            turn.execution = execution
            state.executions.add(execution)
            if not turn.input_lost:
                turns.committed_input(state, turn, line)
        elif execution != turn.execution:
            if execution != turn.foreign:
                turn.foreign = execution
                keys = ("executionId",)
                state.findings.find("execution-foreign", line, "not the open turn's", keys=keys)
            return turn if is_due(turn, line) else None
        turn.foreign = None
        return turn

    def _resumed(self, line: Line, execution: str) -> Turn | None:
        """An execution outside a turn: one that was saved and goes on, or a stranger."""
        state, segment = self._state, self._state.segment
        opens = line.event in ("history_mutation", "provider_request")
        if not opens or (execution in state.executions and execution not in state.parked):
            keys = ("executionId",)
            state.findings.find("execution-foreign", line, "no turn is open", keys=keys)
            return None
        state.executions.add(execution)
        segment.turn = Turn(line, implicit=True, execution=execution)
        if segment.history.known is None:
            segment.history.unknown_before(line.count("index") or 0)
            segment.history.system_may_come()
        return segment.turn

    def _committed(self, turn: Turn, line: Line) -> None:
        """A message enters the history."""
        state, segment = self._state, self._state.segment
        message, index = line.mapping("message"), line.count("index")
        role, identity = message.get("role"), message.get("id")
        if role == "user":
            unanswered(state, line)
        else:
            rounds.in_round(state, turn, line)
        presumed = role == "user" and segment.history.was_presumed(message)
        if presumed:
            segment.history.known_now(message)
        elif index is not None and not segment.history.index_fits(index):
            due = str(len(segment.history))
            text = f"{due} is due"
            state.findings.find("history-index", line, text, keys=("index",), expected=due)
        if isinstance(identity, str):
            if identity in segment.message_ids:
                text = "committed before"
                state.findings.find("message-id-repeated", line, text, keys=("message", "id"))
            segment.message_ids.add(identity)
        if message.get("state") == "interrupted" and role != "assistant":
            text = "only an assistant message is interrupted"
            state.findings.find("interrupted-odd", line, text, keys=("message", "state"))
        if role == "assistant":
            commits.committed_answer(state, turn, line)
        elif role == "tool":
            tools.committed_tool_message(state, turn, line)
        if not presumed:
            segment.history.append(message)

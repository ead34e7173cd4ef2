"""The contract audit: does a log keep what a live session promises?

It reads the lines once, in order, and remembers the conversation, not the file. It does not lean on
the decoder: what is no event of a session is passed by here and reported there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from sesskit.logs import audit_commits as commits
from sesskit.logs import audit_rounds as rounds
from sesskit.logs import audit_sessions as sessions
from sesskit.logs import audit_tools as tools
from sesskit.logs import audit_turns as turns
from sesskit.logs.audit_compaction import context, context_compact
from sesskit.logs.audit_due import is_due
from sesskit.logs.audit_lines import GATE, HOST, Line
from sesskit.logs.audit_requests import unanswered
from sesskit.logs.audit_state import State, Turn
from sesskit.schemas.issues import Issue
from sesskit.schemas.robota_contract import RULES

__all__ = ["RULES", "Audit", "audit"]

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
    **dict.fromkeys(GATE, tools.gate_event),
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


class Audit:
    """One pass over the lines of one log."""

    def __init__(self) -> None:
        self._state = State()

    def line(self, number: int, value: Any) -> Iterator[Issue]:
        """Look at one line (parsed, sidecars resolved); gives what it brings to light."""
        if isinstance(value, dict) and isinstance(value.get("event"), str):
            self._look(Line(number, value["event"], value))
        return self._state.findings.take()

    def end(self) -> Iterator[Issue]:
        """The log ends here."""
        turns.end_of_process(self._state)
        return self._state.findings.take()

    def _look(self, line: Line) -> None:
        state = self._state
        sessions.every_line(state, line)
        if line.event in HOST:
            sessions.host_event(state, line)
            return
        if line.event == "session_init":
            turns.end_of_process(state)
            sessions.session_init(state, line)
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
        conversation = line.text("conversationId")
        if conversation is not None and conversation not in state.segment.conversations:
            if state.segment.conversations:
                keys = ("conversationId",)
                state.findings.find("conversation-changed", line, "another one", keys=keys)
            state.segment.conversations.add(conversation)
        if line.event == "history_mutation":
            self._committed(turn, line)
            return
        if line.event != "provider_request":
            rounds.in_round(state, turn, line)
        _INSIDE[line.event](state, turn, line)

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
            turns.committed_input(state, turn, line)
        elif execution != turn.execution:
            if execution not in turn.foreign:
                turn.foreign.add(execution)
                keys = ("executionId",)
                state.findings.find("execution-foreign", line, "not the open turn's", keys=keys)
            return turn if is_due(turn, line) else None
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


def audit(
    lines: Iterable[tuple[int, Any]],
    *,
    rules: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Iterator[Issue]:
    """Every finding in a log; ``code`` is the id of the rule.

    ``lines`` are numbers and parsed values, sidecars resolved. With ``rules`` only those are
    reported, those of ``ignore`` never.
    """
    wanted = set(rules or RULES) - set(ignore)
    auditor = Audit()
    for number, value in lines:
        yield from (issue for issue in auditor.line(number, value) if issue.code in wanted)
    yield from (issue for issue in auditor.end() if issue.code in wanted)

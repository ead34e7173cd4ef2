"""Audit rules of processes and shutdowns, and of background tasks."""

from __future__ import annotations

from dataclasses import dataclass, field

from sesskit.logs.audit_lines import Findings, Line, calls_in, mapping_in, text_in, utf16_length
from sesskit.logs.audit_state import Segment, State, tool_names
from sesskit.schemas.instants import parse_instant
from sesskit.schemas.issues import Issue

_ENDS = {
    "background_task_completed": "completed",
    "background_task_failed": "failed",
    "background_task_cancelled": "cancelled",
}
_STATUS = {
    "background_task_created": "queued",
    "background_task_started": "running",
    **_ENDS,
}
_BEFORE_SHUTDOWN = ("abort",)
_AFTER_SHUTDOWN = ("persist", "session-end-hook", "destroy-agent")


@dataclass(slots=True)
class Envelopes:
    """session-mixed, time-backwards: what lines say beside their events; nothing follows."""

    findings: Findings = field(default_factory=Findings)
    sessions: set[str] = field(default_factory=set)
    last_time: int | None = None

    def look(self, line: Line) -> list[Issue]:
        """Look at one line."""
        find, session = self.findings.find, line.text("sessionId")
        if session is not None and session not in self.sessions:
            if self.sessions:
                find("session-mixed", line, "a line of another session", keys=("sessionId",))
            self.sessions.add(session)
        moment = parse_instant(line.text("timestamp") or "")
        if moment is not None:
            if self.last_time is not None and moment.ms < self.last_time:
                find("time-backwards", line, "older than the line before", keys=("timestamp",))
            self.last_time = moment.ms
        return self.findings.take()


def first_line(state: State, line: Line) -> None:
    """init-first."""
    if not state.started and line.event != "session_init":
        message = "the log does not start with session_init: its front is missing"
        state.findings.find("init-first", line, message)
    state.started = True


def session_init(state: State, line: Line) -> None:
    """A process begins."""
    prompt = line.text("systemPrompt")
    segment = Segment(first=False, init=line, prompt=prompt)
    segment.tools = tool_names(line.data.get("toolSchemas"))
    if state.segment.init is None:
        segment.first = True
    state.segment = segment
    length = line.count("systemPromptLength")
    if prompt is None or length is None or prompt == "[REDACTED]":
        return
    if length != utf16_length(prompt):
        segment.said_length = length
        state.findings.find(
            "prompt-length",
            line,
            "not the length of the system prompt",
            keys=("systemPromptLength",),
            expected=str(utf16_length(prompt)),
            found=str(length),
        )


def session_shutdown(state: State, line: Line) -> None:
    """shutdown-repeated, shutdown-in-turn."""
    segment, find = state.segment, state.findings.find
    if segment.after_shutdown:
        return  # a process that started without a word; told at its first line
    if segment.shutdown is not None:
        find("shutdown-repeated", line, "this process was shut down before")
        return
    segment.shutdown = line
    turn = segment.turn
    if turn is not None and not turn.is_parked():
        turn.undrained = True
        find("shutdown-in-turn", line, f"the turn of line {turn.line.number} is still open")


def session_shutdown_step_error(state: State, line: Line) -> None:
    """shutdown-step."""
    step, shut = line.text("step") or "", state.segment.shutdown is not None
    early = step in _BEFORE_SHUTDOWN or step.startswith("drain-")
    if (early and shut) or (step in _AFTER_SHUTDOWN and not shut):
        side = "before" if early else "after"
        state.findings.find(
            "shutdown-step", line, f"this step comes {side} session_shutdown", keys=("step",)
        )


def host_event(state: State, line: Line) -> None:
    """task-status, task-after-end, task-origin."""
    if line.event != "background_task_event":
        return
    name = "backgroundEvent" if "backgroundEvent" in line.data else "data"
    event = line.mapping(name)
    kind, task = text_in(event, "type") or "", mapping_in(event, "task")
    identity = text_in(event, "taskId") or text_in(task, "id") or ""
    _task_order(state, line, identity, kind)
    expected, status = _STATUS.get(kind), text_in(task, "status")
    if expected is not None and status is not None and status != expected:
        state.findings.find(
            "task-status",
            line,
            "the status of the task is not that of its event",
            keys=(name, "task", "status"),
            expected=expected,
            found="another status",
        )
    _task_origin(state, line)


def _task_order(state: State, line: Line, identity: str, kind: str) -> None:
    ended = state.tasks.get(identity)
    if ended == "ended" and kind != "background_task_closed":
        state.tasks[identity] = "reported"
        state.findings.find("task-after-end", line, "this task had ended")
    elif kind in _ENDS and ended is None:
        state.tasks[identity] = "ended"


def _task_origin(state: State, line: Line) -> None:
    origin = line.text("originToolCallId")
    if origin is None or origin in state.requested or state.blind:
        return
    restored = state.segment.history.messages()
    if any(text_in(call, "id") == origin for message in restored for call in calls_in(message)):
        return
    state.findings.find(
        "task-origin",
        line,
        "the call that started this task was never requested",
        keys=("originToolCallId",),
    )

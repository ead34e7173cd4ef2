"""The events of a log as a timeline: who asked whom for what, tokens, tools, refusals, retries.

One `Entry` for each line that says something by itself. Streamed pieces and raw payloads, which
repeat what another line says, are not told; they are counted by the caller's line numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import UNSET

from sesskit.logs.robota_moments import Moment, task_event
from sesskit.schemas import robota_log as lines
from sesskit.schemas import robota_log_turns as turns
from sesskit.schemas.robota_messages import AssistantMessage


class Entry(NamedTuple):
    """``kind`` is a word of `KINDS`; ``words`` say what happened, ``figures`` hold its numbers."""

    moment: Moment
    kind: str
    words: str
    figures: Mapping[str, float]


class _Told(NamedTuple):
    kind: str
    words: str
    figures: Mapping[str, float] = MappingProxyType({})


KINDS = (
    "start",
    "prompt",
    "request",
    "retry",
    "answer",
    "call",
    "result",
    "denied",
    "blocked",
    "fallback",
    "compaction",
    "context",
    "error",
    "task",
    "group",
    "memory",
    "server-tool",
    "shutdown",
    "end",
)
"""Words for what happened."""


def timeline(moments: Iterable[Moment]) -> Iterator[Entry]:
    """The timeline of moments, in their order."""
    asked: set[tuple[str, int]] = set()
    for moment in moments:
        tell = _TELL.get(type(moment.event))
        told = None if tell is None else tell(moment.event)
        if told is None:
            continue
        if isinstance(moment.event, turns.ProviderRequest):
            key = (moment.event.execution_id, moment.event.round)
            if key in asked and moment.event.forced_summary is not True:
                told = told._replace(kind="retry")
            asked.add(key)
        yield Entry(moment, *told)


def _start(event: turns.SessionInit) -> _Told:
    return _Told(
        "start",
        f"{event.provider} {event.model}, {len(event.tool_schemas)} tools, in {event.cwd}",
        {"tools": len(event.tool_schemas)},
    )


def _prompt(event: turns.User) -> _Told:
    return _Told("prompt", event.content)


def _request(event: turns.ProviderRequest) -> _Told:
    effort = "" if event.effort is UNSET else f", effort {event.effort}"
    summary = ", forced summary" if event.forced_summary is True else ""
    words = f"round {event.round}: {event.provider} {event.model}{effort}{summary}"
    figures = {"round": event.round, "messages": len(event.messages)}
    return _Told("request", f"{words}, {len(event.messages)} messages", figures)


def _committed(event: turns.HistoryMutation) -> _Told | None:
    message = event.message
    if not isinstance(message, AssistantMessage):
        return None
    tokens = tokens_of({} if message.metadata is UNSET else message.metadata)
    calls = 0 if message.tool_calls is UNSET else len(message.tool_calls)
    said = [f"{len(message.content or ''):,} characters"]
    said += [f"{calls} {'call' if calls == 1 else 'calls'}"] if calls else []
    if tokens:
        said.append(f"{tokens['promptTokens']:,} tokens in, {tokens['outputTokens']:,} out")
    said += ["interrupted"] if message.state == "interrupted" else []
    return _Told("answer", ", ".join(said), {"calls": calls, **tokens})


def tokens_of(metadata: dict[str, Any]) -> dict[str, float]:
    """The tokens that the metadata of an answer names, in one of its two spellings; or nothing."""
    usage = metadata.get("usage")
    inner: dict[str, Any] = usage if isinstance(usage, dict) else {}
    found = [
        metadata.get(plain, inner.get(plain, inner.get(other)))
        for plain, other in (("inputTokens", "promptTokens"), ("outputTokens", "completionTokens"))
    ]
    counts = [int(count) for count in found if isinstance(count, int | float)]
    return dict(zip(("promptTokens", "outputTokens"), counts, strict=True)) if counts[1:] else {}


def _call(event: turns.ToolExecutionRequest) -> _Told:
    return _Told("call", event.tool_name)


def _result(event: turns.ToolExecutionResult) -> _Told:
    name = "" if event.tool_name is UNSET else event.tool_name
    error = "" if event.error is UNSET else f": {event.error}"
    return _Told("result", f"{name} {'answered' if event.success else f'failed{error}'}".strip())


def _denied(event: turns.ToolDenied) -> _Told:
    return _Told("denied", f"{event.tool}: {event.reason}")


def _blocked(event: turns.ToolBlocked) -> _Told:
    return _Told("blocked", f"{event.tool}: {event.reason}")


def _fallback(event: turns.ProviderFallback) -> _Told:
    way = f"{event.from_provider} {event.from_model} to {event.to_provider} {event.to_model}"
    return _Told("fallback", f"{way}: {event.reason}")


def _compaction(event: turns.ContextCompact) -> _Told:
    before, after = event.before.used_tokens, event.after.used_tokens
    words = f"{event.trigger}: {before:,.0f} to {after:,.0f} tokens"
    return _Told("compaction", words, {"before": before, "after": after})


def _context(event: turns.Context) -> _Told:
    used, most = event.used_tokens, event.max_tokens
    words = f"{used:,.0f} of {most:,.0f} tokens ({event.used_percentage:.0f}%)"
    return _Told("context", words, {"used": used, "max": most})


def _error(event: turns.Error) -> _Told:
    return _Told("error", event.message)


def _task(event: lines.BackgroundTaskEvent) -> _Told | None:
    happened: Any = task_event(event)
    word = str(type(happened).__struct_config__.tag).removeprefix("background_task_")
    if word == "text_delta":
        return None
    task = getattr(happened, "task", None)
    name = getattr(happened, "task_id", None) if task is None else f"{task.kind} {task.id}"
    return _Told("task", f"{name or ''} {word.replace('_', ' ')}".strip())


def _group(event: lines.BackgroundJobGroupEvent) -> _Told:
    happened: Any = event.data if event.background_job_group_event is UNSET else None
    happened = event.background_job_group_event if happened is None else happened
    word = str(type(happened).__struct_config__.tag).removeprefix("background_job_group_")
    return _Told("group", f"{happened.group.id} {word.replace('_', ' ')}".strip())


def _memory(event: lines.MemoryLine) -> _Told:
    happened: Any = event.data if event.memory_event is UNSET else event.memory_event
    return _Told("memory", str(happened.type))


def _server_tool(event: lines.ServerTool) -> _Told:
    return _Told("server-tool", event.tool)


def _shutdown(event: turns.SessionShutdown) -> _Told:
    return _Told("shutdown", event.reason)


def _shutdown_step(event: turns.SessionShutdownStepError) -> _Told:
    return _Told("error", f"shutdown step {event.step}: {event.error}")


def _end(event: turns.Assistant) -> _Told:
    words = f"the turn is complete, {event.history_length:,} messages in the history"
    return _Told("end", words, {"messages": event.history_length})


_TELL: dict[type, Callable[[Any], _Told | None]] = {
    turns.SessionInit: _start,
    turns.User: _prompt,
    turns.ProviderRequest: _request,
    turns.HistoryMutation: _committed,
    turns.ToolExecutionRequest: _call,
    turns.ToolExecutionResult: _result,
    turns.ToolDenied: _denied,
    turns.ToolBlocked: _blocked,
    turns.ProviderFallback: _fallback,
    turns.ContextCompact: _compaction,
    turns.Context: _context,
    turns.Error: _error,
    turns.Assistant: _end,
    turns.SessionShutdown: _shutdown,
    turns.SessionShutdownStepError: _shutdown_step,
    lines.BackgroundTaskEvent: _task,
    lines.BackgroundJobGroupEvent: _group,
    lines.MemoryLine: _memory,
    lines.ServerTool: _server_tool,
}

"""Events beside the talk, by what they are to somebody who reads it."""

from __future__ import annotations

from sesskit.records.view import MarkClass

MARKS: dict[str, MarkClass] = {
    **dict.fromkeys(["turn/start", "turn/end", "step/start", "step/end"], "progress"),
    **dict.fromkeys(["assistant/chunk", "assistant/attempt", "tool/call"], "progress"),
    **dict.fromkeys(["text-chunks", "reasoning-chunks", "tool-call-chunks"], "progress"),
    **dict.fromkeys(["llm/retry", "llm/retry-started", "todo/write", "goal/change"], "progress"),
    **dict.fromkeys(["compaction/start", "compaction/end", "compaction/prune"], "progress"),
    **dict.fromkeys(["compaction/summary", "session/end-seed"], "snapshot"),
    **dict.fromkeys(["request/header", "request/context", "system/message"], "setting"),
    **dict.fromkeys(["agent-preset/selected", "plan/mode", "model/selection"], "setting"),
    **dict.fromkeys(["sandbox/mode", "subagent/descriptor", "schedule/change"], "setting"),
    **dict.fromkeys(["session/title"], "title"),
    **dict.fromkeys(["session/title-llm-request"], "request-log"),
    **dict.fromkeys(["web/deepseek-search-llm-request"], "request-log"),
    **dict.fromkeys(["approval/asked", "approval/decided", "approval/policy"], "permission"),
    **dict.fromkeys(["permission/preset"], "permission"),
    **dict.fromkeys(["hook/invoked", "hook/result"], "hook"),
    **dict.fromkeys(["user/message", "assistant/message", "tool/result"], "snapshot"),
    "usage": "usage",
}
"""Types that are not here are of the class `unknown`."""

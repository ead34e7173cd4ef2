"""Events beside the talk, by what they are to somebody who reads it."""

from __future__ import annotations

from sesskit.records.view import MarkClass

MARKS: dict[str, MarkClass] = {
    **dict.fromkeys(["turn/start", "turn/end", "step/start", "step/end"], "progress"),
    **dict.fromkeys(["assistant/chunk", "assistant/attempt", "tool/call"], "progress"),
    **dict.fromkeys(["text-chunks", "reasoning-chunks", "tool-call-chunks"], "progress"),
    **dict.fromkeys(["llm/retry", "llm/retry-started", "todo/write", "goal/change"], "progress"),
    **dict.fromkeys(["agent/inbox/spliced", "command/run", "command/done"], "progress"),
    **dict.fromkeys(["team/member", "team/task"], "progress"),
    **dict.fromkeys(["team/message/queued", "team/message/delivered"], "progress"),
    **dict.fromkeys(["tool/code-dispatch-start", "tool/code-dispatch"], "progress"),
    **dict.fromkeys(["tool/ptc-dispatch-start", "tool/ptc-dispatch"], "progress"),
    **dict.fromkeys(["tool-workflow/run-start", "tool-workflow/run-end"], "progress"),
    **dict.fromkeys(["tool-workflow/agent-start", "tool-workflow/agent-end"], "progress"),
    **dict.fromkeys(["feedback/record", "feedback/message-put"], "index"),
    **dict.fromkeys(["feedback/message-delete"], "index"),
    **dict.fromkeys(["session-log-deepseek/delivery-accepted"], "index"),
    **dict.fromkeys(["subagent/model-selection-policy"], "setting"),
    **dict.fromkeys(["compaction/start", "compaction/end", "compaction/prune"], "progress"),
    **dict.fromkeys(["compaction/summary", "session/end-seed"], "snapshot"),
    **dict.fromkeys(["request/header", "request/context", "system/message"], "setting"),
    **dict.fromkeys(["agent-preset/selected", "plan/mode", "model/selection"], "setting"),
    **dict.fromkeys(["sandbox/mode", "subagent/descriptor", "schedule/change"], "setting"),
    **dict.fromkeys(["subagent/catalog"], "setting"),
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

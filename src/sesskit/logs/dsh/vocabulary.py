"""The event types of each format version, and what each build knows.

Types are added without raising the version, so "known" is a matter of the build that reads. The
lists here are those of the builds that the verdicts are about.
"""

from __future__ import annotations

_EVERY_ERA = [
    "turn/start",
    "turn/end",
    "step/start",
    "step/end",
    "user/message",
    "assistant/message",
    "tool/call",
    "tool/result",
    "request/header",
    "request/context",
    "session/end-seed",
    "session/title",
    "session/title-llm-request",
    "agent/inbox/spliced",
    "agent-preset/selected",
    "approval/asked",
    "approval/decided",
    "approval/policy",
    "sandbox/mode",
    "permission/preset",
    "plan/mode",
    "command/run",
    "command/done",
    "compaction/start",
    "compaction/end",
    "compaction/summary",
    "compaction/prune",
    "feedback/record",
    "goal/change",
    "hook/invoked",
    "hook/result",
    "llm/retry",
    "llm/retry-started",
    "schedule/change",
    "subagent/descriptor",
    "team/member",
    "team/task",
    "team/message/queued",
    "team/message/delivered",
    "todo/write",
    "tool-workflow/run-start",
    "tool-workflow/run-end",
    "tool-workflow/agent-start",
    "tool-workflow/agent-end",
    "web/deepseek-search-llm-request",
]
_CODE_MODE = ["tool/code-dispatch-start", "tool/code-dispatch"]
_SINCE_0_1_2 = [
    "model/selection",
    "subagent/model-selection-policy",
    "session-log-deepseek/delivery-accepted",
]
_FEEDBACK = ["feedback/message-put", "feedback/message-delete"]

KNOWN_V0 = frozenset([*_EVERY_ERA, *_CODE_MODE, "assistant/chunk"])
"""What 0.1.1-rc.2 knows: the reader that `session.jsonl` selects."""

RELEASED_V0 = KNOWN_V0 | frozenset(_SINCE_0_1_2)
"""The vocabulary that the released edges read as v0 and v1."""

KNOWN_V2 = (RELEASED_V0 - {"assistant/chunk"}) | {"assistant/attempt", *_FEEDBACK}
KNOWN_V3 = (KNOWN_V2 - set(_CODE_MODE)) | {
    "system/message",
    "tool/ptc-dispatch-start",
    "tool/ptc-dispatch",
}

KNOWN_V4 = KNOWN_V3 | {"subagent/catalog"}
"""What is known of v4, which nobody here has seen run; other types are carried as they are."""

KNOWN_SEED = frozenset(
    [
        "turn/start",
        "turn/end",
        "step/start",
        "step/end",
        "user/message",
        "assistant/message",
        "assistant/chunk",
        "tool/call",
        "tool/result",
        "steering/message",
        "context/message",
        "usage",
        "error",
    ]
)

RETIRED_V0 = frozenset(["request/header-delta", "mode/set"])
"""Types whose mere presence makes a v0 log unreadable, marked ignorable or not."""

COMPACT_NAMES = {
    f"compact/{end}": f"compaction/{end}" for end in ("start", "summary", "end", "prune")
}
"""Names of 0.0.1 builds; the released v0 edge renames them."""

KNOWN = {0: KNOWN_V0, 1: RELEASED_V0, 2: KNOWN_V2, 3: KNOWN_V3}

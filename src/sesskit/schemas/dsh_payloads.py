"""The payload of each event type, by format version."""

from __future__ import annotations

from typing import Any

from sesskit.schemas import dsh_compaction as c
from sesskit.schemas import dsh_goals as g
from sesskit.schemas import dsh_helpers as h
from sesskit.schemas import dsh_later as later
from sesskit.schemas import dsh_streams as s
from sesskit.schemas import dsh_turns as t
from sesskit.schemas import dsh_work as w

V1: dict[str, Any] = {
    "turn/start": t.TurnStart,
    "turn/end": t.TurnEnd,
    "step/start": t.StepMark,
    "step/end": t.StepMark,
    "user/message": t.UserMessage,
    "assistant/chunk": s.ChunkEvent,
    "assistant/message": t.AssistantMessage,
    "tool/call": t.ToolCall,
    "tool/result": t.ToolResult,
    "request/header": t.RequestHeader,
    "request/context": t.RequestContext,
    "session/end-seed": t.Nothing,
    "session/title": w.Title,
    "session/title-llm-request": w.TitleRequest,
    "agent/inbox/spliced": w.Inbox,
    "agent-preset/selected": w.PresetSelected,
    "approval/asked": w.ApprovalAsked,
    "approval/decided": w.ApprovalDecided,
    "approval/policy": w.ApprovalPolicy,
    "sandbox/mode": w.SandboxMode,
    "permission/preset": w.PermissionPreset,
    "plan/mode": w.PlanMode,
    "command/run": w.CommandRun,
    "command/done": w.CommandDone,
    "compaction/start": c.CompactionStart,
    "compaction/end": c.CompactionEnd,
    "compaction/summary": c.CompactionSummary,
    "compaction/prune": c.CompactionPrune,
    "feedback/record": g.Feedback,
    "goal/change": g.GoalChange,
    "hook/invoked": g.HookInvoked,
    "hook/result": g.HookResult,
    "llm/retry": g.Retry,
    "llm/retry-started": g.RetryStarted,
    "schedule/change": g.ScheduleChange,
    "subagent/descriptor": h.SubagentDescriptor,
    "team/member": h.TeamMember,
    "team/task": h.TeamTask,
    "team/message/queued": h.TeamMessageQueued,
    "team/message/delivered": h.TeamMessageDelivered,
    "todo/write": h.TodoWrite,
    "tool/code-dispatch-start": h.DispatchStart,
    "tool/code-dispatch": h.Dispatch,
    "tool-workflow/run-start": h.RunStart,
    "tool-workflow/run-end": h.RunEnd,
    "tool-workflow/agent-start": h.AgentStart,
    "tool-workflow/agent-end": h.AgentEnd,
    "web/deepseek-search-llm-request": h.SearchRequest,
    "model/selection": h.ModelSelection,
    "subagent/model-selection-policy": h.ModelPolicy,
    "session-log-deepseek/delivery-accepted": h.DeliveryAccepted,
}
"""Released v0 and v1, which have the same payloads."""

_NOT_IN_V2 = ("assistant/chunk",)
V2: dict[str, Any] = {
    **{kind: payload for kind, payload in V1.items() if kind not in _NOT_IN_V2},
    "assistant/message": later.StreamedMessage,
    "assistant/attempt": later.Attempt,
    "session/end-seed": later.EndSeed,
    "feedback/message-put": later.FeedbackPut,
    "feedback/message-delete": later.FeedbackDelete,
}
"""Released v2: streams are part of the message they gave."""

_NOT_IN_V3 = ("tool/code-dispatch-start", "tool/code-dispatch")
V3: dict[str, Any] = {
    **{kind: payload for kind, payload in V2.items() if kind not in _NOT_IN_V3},
    "request/header": later.V3RequestHeader,
    "system/message": later.SystemMessage,
    "tool/ptc-dispatch-start": h.DispatchStart,
    "tool/ptc-dispatch": h.Dispatch,
}
"""v3: the system prompt is a message, and programs that call tools have another name."""

PAYLOADS = {0: V1, 1: V1, 2: V2, 3: V3}

"""The names of the events of a Robota log, for those who only want to recognise one."""

from __future__ import annotations

EVENT_NAMES = frozenset(
    {
        "assistant",
        "assistant_message_committed",
        "background_job_group_event",
        "background_task_event",
        "context",
        "context_compact",
        "error",
        "history_mutation",
        "memory_event",
        "pre_run",
        "provider_fallback",
        "provider_native_raw_payload",
        "provider_request",
        "provider_response_normalized",
        "provider_response_raw",
        "provider_stream_raw_delta",
        "server_tool",
        "session_init",
        "session_shutdown",
        "session_shutdown_step_error",
        "structured_output_transport",
        "text_delta",
        "tool_batch_started",
        "tool_blocked",
        "tool_call",
        "tool_denied",
        "tool_execution_request",
        "tool_execution_result",
        "tool_message_committed",
        "tool_result",
        "user",
    }
)

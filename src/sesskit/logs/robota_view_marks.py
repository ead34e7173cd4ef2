"""Which lines of a Robota log are marks of which class, and who speaks in a message."""

from __future__ import annotations

from typing import Final

from sesskit.records.view import By, MarkClass, Role

SPEAKERS: Final[dict[str, tuple[Role, By]]] = {
    "user": ("user", "person"),
    "assistant": ("assistant", "model"),
    "system": ("system", "machine"),
}
CLASSES: Final[dict[str, MarkClass]] = {
    "session_init": "setting",
    "session_shutdown": "setting",
    "session_shutdown_step_error": "setting",
    "context": "usage",
    "context_compact": "snapshot",
    "memory_event": "snapshot",
    "tool_call": "permission",
    "tool_result": "permission",
    "tool_denied": "permission",
    "tool_blocked": "hook",
    "user": "index",
    "pre_run": "index",
    "assistant": "index",
    **dict.fromkeys(
        (
            "provider_request",
            "provider_native_raw_payload",
            "provider_response_raw",
            "provider_response_normalized",
            "provider_fallback",
            "structured_output_transport",
            "assistant_message_committed",
            "tool_message_committed",
        ),
        "request-log",
    ),
    **dict.fromkeys(
        (
            "provider_stream_raw_delta",
            "text_delta",
            "tool_batch_started",
            "tool_execution_request",
            "tool_execution_result",
            "background_task_event",
            "background_job_group_event",
            "server_tool",
            "error",
        ),
        "progress",
    ),
}

STEPS: Final = frozenset(
    {
        "session_init",
        "provider_request",
        "user",
        "assistant",
        "error",
        "tool_batch_started",
        "tool_denied",
        "tool_blocked",
        "tool_execution_result",
        "background_task_event",
    }
)
"""Events the view looks into, besides being marks."""

"""Small ochat sessions for tests, in any version and layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from sesskit.records.ochat import encode
from sesskit.records.ochat_session import create
from sesskit.schemas.ochat_items import (
    FunctionCall,
    InputMessage,
    InputText,
    OutputMessage,
    OutputText,
    PlainFunctionCallOutput,
    PlainOutputMessage,
    Reasoning,
)
from sesskit.schemas.ochat_moderator import ModeratorSnapshot, Overlay
from sesskit.schemas.ochat_sessions import Entry, Layout, SessionV1, SessionV2, SessionV3, SessionV5
from sesskit.schemas.ochat_values import UnitValue

PROMPT = "agents/trip.chatmd"
NO_OVERLAY = Overlay([], [], [], [], None)


def said(text: str = "hi", kind: str = "message") -> InputMessage:
    return InputMessage("User", [InputText(text, "input_text")], kind)


def answered(text: str = "yo", name: str = "m1") -> OutputMessage:
    content = [OutputText([], text, "output_text")]
    return OutputMessage("Assistant", name, content, "completed", None, "message")


def plainly_answered(text: str = "yo") -> PlainOutputMessage:
    return PlainOutputMessage(
        "Assistant", "m1", [OutputText([], text, "output_text")], "completed", "message"
    )


def called(call: str = "c1", own: str | None = None) -> FunctionCall:
    return FunctionCall("list_dir", '{"path":"docs"}', call, "function_call", own, None)


def plainly_returned(call: str = "c1") -> PlainFunctionCallOutput:
    return PlainFunctionCallOutput("a.md", call, "function_call_output", None, None)


def thought(name: str = "rs_1") -> Reasoning:
    return Reasoning([], "reasoning", name, None)


def session(*items: Any, name: str = "demo", **members: Any) -> SessionV5:
    entries = [Entry(f"{len(name)}:{name}:{n}", item) for n, item in enumerate(items)]
    made = create(PROMPT, session_id=name)
    return replace(made, history=entries, next_history_sequence=len(entries), **members)


def file_of(*items: Any, **members: Any) -> bytes:
    return encode(session(*items, **members))


def old_session(items: Sequence[Any], name: str | bytes = "demo") -> SessionV2[Any]:
    return SessionV2(2, name, PROMPT, None, list(items), [], [], "vfs")


def first_session(name: str, prompt: str = PROMPT) -> bytes:
    made: SessionV1[Any] = SessionV1(1, name, prompt, [], [], [], "vfs")
    return encode(made, Layout(1))


def moderated(items: Sequence[Any], overlay: Any = NO_OVERLAY) -> SessionV3[Any, Any]:
    snapshot: ModeratorSnapshot[Any] = ModeratorSnapshot(
        "main", "0" * 32, UnitValue(), [], False, overlay
    )
    return SessionV3(3, "demo", PROMPT, None, list(items), [], snapshot, [], "vfs")

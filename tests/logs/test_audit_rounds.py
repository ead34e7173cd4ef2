"""More broken promises: requests, responses, streams, tools."""

from __future__ import annotations

from typing import Any

import pytest

from audit_edits import Edit, Lines, add, again, both, findings, in_message, keep, put, take

SYSTEM = {"role": "system", "state": "complete", "timestamp": "2026-10-01T09:00:00.047Z"}
TRANSPORT = {
    "provider": "p",
    "model": "m",
    "mechanism": "none",
    "provenance": "catalog",
    "sent": False,
    "schemaInPrompt": True,
    "round": 1,
}


def tail(number: int, *messages: dict[str, Any]) -> Edit:
    def edit(lines: Lines) -> None:
        lines[number - 1]["messages"] += [{**SYSTEM, **message} for message in messages]

    return edit


def with_schema(lines: Lines) -> None:
    tail(5, {"id": "a", "content": "x"}, {"id": "b", "content": "schema"})(lines)
    names = ("executionId", "conversationId")
    ids = {name: lines[4][name] for name in names}
    add(6, "structured_output_transport", **TRANSPORT, **ids)(lines)


def in_peer(old: str, new: str) -> Edit:
    def edit(lines: Lines) -> None:
        message = lines[16]["messages"][3]
        message["content"] = message["content"].replace(old, new)

    return edit


def request_after_summary(lines: Lines) -> None:
    request = {name: value for name, value in lines[29].items() if name != "forcedSummary"}
    request["messages"] = [*lines[29]["messages"][:-1], lines[33]["message"]]
    request |= {"round": 3, "timestamp": lines[34]["timestamp"]}
    del lines[34:]
    lines.append(request)
    add(36, "error", message="x", stack="", historyLength=7)(lines)
    add(37, "session_shutdown", reason="x")(lines)


def no_arguments(parameters: dict[str, Any]) -> Edit:
    """The model calls with the empty text."""

    def edit(lines: Lines) -> None:
        for line in lines:
            messages = [*line.get("messages", ()), *line.get("history", ())]
            messages += [line[name] for name in ("message", "response") if name in line]
            for message in messages:
                for call in message.get("toolCalls", ()):
                    call["function"]["arguments"] = ""
        lines[12]["parameters"] = parameters

    return edit


def no_answer(lines: Lines) -> None:
    """The tool message is lost, announcement and all, and nobody minds but the request."""
    identity = lines[16]["message"]["id"]
    del lines[16:18]
    for line in lines:
        for name in ("messages", "history"):
            if name in line:
                line[name] = [m for m in line[name] if m["id"] != identity]
        if line["event"] == "history_mutation" and line["index"] > 3:
            line["index"] -= 1


def no_calls(message: dict[str, Any]) -> None:
    message["toolCalls"].pop()


def success(value: bool) -> Any:
    return lambda message: message["metadata"].update(success=value)


ROWS = [
    ("tool-turn", put(20, "messages", 2, "metadata", "round", 9), "request-history", 20),
    ("plain-turns", tail(5, {"id": "a", "content": ""}, {"id": "b", "content": ""}),
     "request-history", 5),
    ("plain-turns", tail(5, {"id": "a", "content": "x"}), None, 0),
    ("plain-turns", with_schema, None, 0),
    ("plain-turns", both(with_schema, put(5, "messages", -1, "role", "user")), None, 0),
    ("plain-turns", both(with_schema, put(5, "messages", -2, "role", "user")),
     "request-history", 5),
    ("plain-turns", tail(5, {"id": "a", "content": "x", "role": "user"}), "request-history", 5),
    ("unknown-tool-loop", take(26, "messages", -1), "request-history", 26),
    ("origins-and-reminders", take(30, "messages", -1), "request-history", 30),
    ("plain-turns", take(21, "messages", 0), "system-missing", 21),
    ("origins-and-reminders", in_peer("peer:pier-2", "peer:pier-9"), "peer-unmarked", 17),
    ("origins-and-reminders", in_peer("&lt;", "<"), "peer-unmarked", 17),
    ("tool-turn", put(20, "round", 3), "round-order", 20),
    ("plain-turns", put(9, "round", 2), "round-order", 9),
    ("plain-turns", put(15, "round", 2), "round-order", 15),
    ("plain-turns", take(15, "round"), "round-order", 15),
    ("unknown-tool-loop", put(26, "round", 3), "round-order", 26),
    ("plain-turns", take(12), "response-order", 12),
    ("plain-turns", again(14, 15), "response-order", 15),
    ("plain-turns", again(5, 6), "response-order", 6),
    ("plain-turns", both(take(12), take(12)), "response-order", 12),
    ("plain-turns", take(15), "response-order", 15),
    ("tool-turn", both(take(8), take(8), take(8)), "response-order", 8),
    ("plain-turns", take(5), "response-order", 5),
    ("plain-turns", put(12, "response", "content", "zzz"), "response-differs", 13),
    ("plain-turns", put(13, "response", "metadata", "outputTokens", 1), "response-differs", 13),
    ("tool-outcomes", put(6, "response", "content", "zz"), "response-differs", 7),
    ("tool-turn", put(9, "toolCallsCount", 0), "tool-call-count", 9),
    ("tool-outcomes", in_message(9, no_calls), "commit-differs", 9),
    ("plain-turns", put(9, "sequence", 2), "delta-sequence", 9),
    ("plain-turns", both(put(7, "sequence", 1), put(9, "sequence", 2)), "delta-sequence", 7),
    ("tool-outcomes", in_message(9, lambda m: m.update(content="hello")), "delta-content", 9),
    ("plain-turns", take(8), "delta-mirror", 7),
    ("plain-turns", add(6, "text_delta", delta="x"), "delta-mirror", 6),
    ("plain-turns", put(8, "delta", "?"), "delta-mirror", 8),
    ("plain-turns", add(8, "text_delta", delta="?"), "delta-mirror", 8),
    ("tool-turn", put(19, "delta", "\n\nmore"), "delta-mirror", 19),
    ("fallback", put(6, "fromModel", "zz"), "fallback-route", 6),
    ("fallback", put(7, "provider", "zz"), "fallback-route", 7),
    ("fallback", take(7, "messages", 0), "fallback-route", 7),
    ("unknown-tool-loop", put(26, "tools", []), "summary-tools", 26),
    ("forced-summaries", request_after_summary, "forced-summary", 35),
    ("tool-turn", take(12), "batch-calls", 12),
    ("tool-outcomes", lambda lines: lines[9]["tools"].reverse(), "batch-calls", 10),
    ("tool-turn", again(12, 13), "batch-calls", 13),
    ("tool-outcomes", take(13), "request-calls", 13),
    ("tool-outcomes", take(16), "request-calls", 16),
    ("tool-turn", put(13, "toolCallId", "call_z"), "request-calls", 13),
    ("tool-turn", put(13, "toolName", "Bash"), "request-calls", 13),
    ("tool-turn", no_arguments({"argumentDecodeError": "x"}), None, 0),
    ("tool-turn", no_arguments({}), None, 0),
    ("tool-turn", no_arguments({"path": "x"}), "request-calls", 13),
    ("tool-turn", again(13, 14, toolCallId="call_z", index=1), "request-calls", 14),
    ("tool-turn", again(16, 17), "result-pairing", 17),
    ("tool-turn", put(16, "toolName", "Bash"), "result-pairing", 16),
    ("tool-turn", put(17, "index", 1), "tool-commit", 17),
    ("parked-approval", take(14), "tool-outcome", 14),
    ("parked-approval", both(take(13), take(13)), "tool-outcome", 13),
    ("parked-approval", both(take(12), take(12), take(12)), "tool-ungated", 12),
    ("forced-summaries", take(76), "response-order", 76),
    ("tool-turn", put(16, "toolCallId", "call_z"), "result-pairing", 16),
    ("tool-outcomes", take(26), "result-pairing", 31),
    ("tool-turn", take(14), "tool-ungated", 14),
    ("server-and-refusals", take(14), "tool-ungated", 14),
    ("direct-and-sequential", take(2), "tool-ungated", 2),
    ("tool-turn", take(15), "tool-outcome", 15),
    ("unknown-tool-loop", add(12, "tool_call", tool="Teleport", args={}), "unknown-succeeded", 12),
    ("plain-turns", add(6, "tool_denied", tool="X", reason="permission"), "tool-stray", 6),
    ("plain-turns", add(6, "tool_blocked", tool="X", reason="hook", delegated=True), None, 0),
    ("tool-turn", take(18), "tool-commit", 17),
    ("tool-turn", in_message(17, success(value=False)), "tool-commit", 17),
    (
        "server-and-refusals",
        in_message(17, lambda m: m.update(content="Permission denied.")),
        "tool-content",
        17,
    ),
    ("tool-turn", no_answer, "calls-unanswered", 18),
    ("plain-turns", keep(0), None, 0),
]  # fmt: skip


@pytest.mark.parametrize(("base", "edit", "code", "line"), ROWS)
def test_one_cause_one_finding(base: str, edit: Edit, code: str | None, line: int) -> None:
    assert findings(base, edit) == ([] if code is None else [(code, line)])


def test_a_swapped_result_is_found_where_it_stands() -> None:
    def swap(lines: Lines) -> None:
        lines[26], lines[27] = lines[27], lines[26]
        lines[26]["timestamp"], lines[27]["timestamp"] = (
            lines[27]["timestamp"],
            lines[26]["timestamp"],
        )

    assert findings("tool-outcomes", swap) == [("result-pairing", 28)]


def test_an_altered_copy_is_one_finding() -> None:
    found = findings("plain-turns", put(8, "delta", "Two ferrie "))
    assert found == [("delta-mirror", 8)]


ODD: list[Any] = [None, 0, -1.5, "x", [], {}, [1], {"a": 1}, [{"role": 3}], True]


def test_members_of_the_wrong_kind_break_nothing() -> None:
    """The audit reads past what the decoder would refuse."""
    for name in ("tool-turn", "compactions", "fallback", "background"):
        for place in range(1, 40):
            for odd in ODD:

                def edit(lines: Lines, place: int = place, odd: Any = odd) -> None:
                    for member in list(lines[min(place, len(lines)) - 1]):
                        if member != "event":
                            lines[min(place, len(lines)) - 1][member] = odd

                findings(name, edit, counts=False)

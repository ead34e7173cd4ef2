"""Logs that keep their promises, changed in one place: what the audit says of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from robota_log_cases import VECTORS
from sesskit.logs.audit import audit
from sesskit.logs.audit_lines import call_name, calls_in, content_of, json_length, utf16_length

Lines = list[dict[str, Any]]
Edit = Callable[[Lines], Any]
LOGS = VECTORS / "audit" / "logs"


def load(name: str) -> Lines:
    text = (LOGS / name / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def findings(name: str, edit: Edit, *, counts: bool = True) -> list[tuple[str, int | None]]:
    """Codes and lines after an edit; members that count are made right again with ``counts``."""
    lines = load(name)
    edit(lines)
    if counts:
        for line in lines:
            recount(line)
    return [(issue.code, issue.line) for issue in audit(enumerate(lines, 1))]


def recount(line: dict[str, Any]) -> None:
    if line["event"] == "pre_run":
        length = json_length(line["history"])
        line["historyLength"], line["historyChars"] = len(line["history"]), length
        line["historyEstTokens"] = -(-length // 4)
    elif line["event"] == "assistant":
        line["historyLength"] = len(line["history"])
        line["estimatedChars"] = json_length(line["history"])
        line["historyStructure"] = [structure(message) for message in line["history"]]


def structure(message: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "role": message["role"],
        "contentLength": utf16_length(content_of(message)),
        "hasToolCalls": bool(calls_in(message)),
        "toolCallNames": [call_name(call) for call in calls_in(message)],
    }
    return found | ({"metadata": message["metadata"]} if "metadata" in message else {})


# Edits. Lines are numbered as in a file.


def put(number: int, *path_and_value: Any) -> Edit:
    """Set a value; the last argument is the value."""
    *path, value = path_and_value

    def edit(lines: Lines) -> None:
        holder: Any = lines[number - 1]
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    return edit


def take(number: int, *path: Any) -> Edit:
    """Remove a line, or a member or element of it."""

    def edit(lines: Lines) -> None:
        if not path:
            del lines[number - 1]
            return
        holder: Any = lines[number - 1]
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]

    return edit


def add(number: int, event: str, **members: Any) -> Edit:
    """Insert a new line; executions and times are those of the lines around."""

    def edit(lines: Lines) -> None:
        near = lines[min(number, len(lines)) - 1]
        names = ("timestamp", "sessionId")
        envelope = {"schemaVersion": 1, **{name: near[name] for name in names}, "event": event}
        lines.insert(number - 1, {**members, **envelope})

    return edit


def again(source: int, number: int, **members: Any) -> Edit:
    """Insert a line once more, changed a little, before another one."""

    def edit(lines: Lines) -> None:
        near = lines[min(number, len(lines)) - 1]
        copy = json.loads(json.dumps(lines[source - 1]))
        lines.insert(number - 1, {**copy, "timestamp": near["timestamp"], **members})

    return edit


def keep(count: int) -> Edit:
    def edit(lines: Lines) -> None:
        del lines[count:]

    return edit


def in_message(number: int, change: Callable[[dict[str, Any]], Any]) -> Edit:
    """Change the message of a line wherever it stands from there on."""

    def edit(lines: Lines) -> None:
        identity = lines[number - 1]["message"]["id"]
        for line in lines[number - 1 :]:
            messages = [*line.get("messages", []), *line.get("history", [])]
            if isinstance(line.get("message"), dict):
                messages.append(line["message"])
            for message in messages:
                if message["id"] == identity:
                    change(message)

    return edit


def both(*edits: Edit) -> Edit:
    def edit(lines: Lines) -> None:
        for each in edits:
            each(lines)

    return edit

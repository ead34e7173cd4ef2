"""One cause, one finding: a line that is lost, doubled, moved or changed, in every healthy log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit_edits import LOGS, Lines, both, findings, put
from sesskit.logs.audit import audit

NAMES = sorted(path.relative_to(LOGS) for path in LOGS.rglob("*.jsonl"))
SWAPS = {
    ("aborted-after-answer", 7), ("aborted-stream", 7), ("fallback", 9), ("plain-turns", 8),
    ("plain-turns", 6), ("compactions", 39), ("compactions", 64), ("parked-approval", 25),
}  # fmt: skip
"""Two lines that change places and break two things: the first text shown before it is known that
there is a reader; a prompt before the compaction that its run starts from; one before the message
that closed a parked turn."""


def load(name: Path) -> Lines:
    text = (LOGS / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def found(lines: list[Any]) -> list[tuple[str, int | None]]:
    return [(issue.code, issue.line) for issue in audit(enumerate(lines, 1))]


def several(
    edits: Iterator[tuple[int, list[Any]]],
) -> dict[int, list[tuple[str, int | None]]]:
    """The edits that bring more than one finding to light, by line."""
    answers = ((number, found(lines)) for number, lines in edits)
    return {number: answer for number, answer in answers if len(answer) > 1}


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_a_line_that_is_gone(name: Path) -> None:
    lines = load(name)
    assert several((n + 1, lines[:n] + lines[n + 1 :]) for n in range(len(lines))) == {}


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_a_line_that_is_doubled(name: Path) -> None:
    lines = load(name)
    assert several((n + 1, lines[: n + 1] + lines[n:]) for n in range(len(lines))) == {}


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_lines_that_nobody_can_read(name: Path) -> None:
    """One alone, or any number of lines in its place: nobody is accused."""
    lines = load(name)
    for number in range(len(lines)):
        for gone in (1, 3):
            assert found([*lines[:number], None, *lines[number + gone :]]) == []


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_what_is_wrong_elsewhere_is_told_behind_a_line_nobody_can_read(name: Path) -> None:
    lines = load(name)
    sizes = [n for n, line in enumerate(lines) if line["event"] == "pre_run"]
    for place in sizes:
        broken = [dict(line) for line in lines]
        broken[place]["historyChars"] += 1
        for lost in range(place):
            heard = [*broken[:lost], None, *broken[lost + 1 :]]
            assert found(heard) == [("pre-run-counts", place + 1)]


def swapped(lines: Lines) -> Iterator[tuple[int, Lines]]:
    for n in range(len(lines) - 1):
        first, second = dict(lines[n]), dict(lines[n + 1])
        first["timestamp"], second["timestamp"] = second["timestamp"], first["timestamp"]
        yield n + 1, [*lines[:n], second, first, *lines[n + 2 :]]


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES, ids=str)
def test_lines_that_change_places(name: Path) -> None:
    allowed = {number for log, number in SWAPS if log == name.stem}
    assert several(swapped(load(name))).keys() <= allowed


def changed(number: int, path: tuple[str | int, ...], value: Any) -> Any:
    def edit(lines: Lines) -> None:
        put(number, *path, value)(lines)

    return edit


CALL = ("message", "toolCalls", 0, "function")
MEMBERS = [
    ("tool-turn", 10, (*CALL, "arguments"), "{}", "response-differs", 10),
    ("tool-turn", 4, ("executionId",), "exec_other", "input-committed", 4),
    ("plain-turns", 3, ("input",), "?", "input-enriched", 3),
    ("compactions", 41, ("historyEstTokens",), 9, "pre-run-counts", 41),
    ("compactions", 38, ("usedTokens",), 9, "context-bounds", 38),
    ("compactions", 39, ("before", "usedTokens"), 9, "context-bounds", 39),
    ("compactions", 39, ("after", "usedTokens"), 9, "context-bounds", 39),
    ("compactions", 39, ("after", "maxTokens"), 9, "context-bounds", 39),
    ("fallback", 6, ("executionId",), "exec_other", "execution-foreign", 6),
    ("forced-summaries", 30, ("executionId",), "exec_other", "execution-foreign", 30),
    ("forced-summaries", 30, ("forcedSummary",), False, "round-order", 30),
    ("forced-summaries", 42, ("response", "content"), "?", "response-differs", 42),
    ("plain-turns", 7, ("delta",), "?", "delta-mirror", 8),
    ("plain-turns", 1, ("systemPrompt",), "?", "prompt-length", 1),
    ("tool-turn", 14, ("tool",), "Other", "unknown-succeeded", 14),
    ("tool-turn", 15, ("tool",), "Other", "tool-ungated", 15),
    ("tool-turn", 17, ("message", "content"), "?", "tool-content", 17),
    ("tool-turn", 17, ("message", "metadata", "success"), False, "tool-commit", 17),
    ("tool-turn", 17, ("message", "toolCallId"), "call_z", "tool-commit", 17),
    ("aborted-approval", 17, ("success",), True, "refusal-succeeded", 17),
    ("parked-approval", 27, ("history", 3, "toolCallId"), "call_z", "history-rewritten", 27),
]  # fmt: skip


@pytest.mark.parametrize(("name", "number", "path", "value", "code", "line"), MEMBERS)
def test_a_member_that_changes(
    name: str, number: int, path: tuple[str | int, ...], value: Any, code: str, line: int
) -> None:
    assert findings(name, changed(number, path, value), counts=False) == [(code, line)]


def test_another_fault_of_the_same_kind_is_told() -> None:
    edit = both(put(16, "conversationId", "other"), put(31, "conversationId", "other"))
    told = [("conversation-changed", 16), ("conversation-changed", 31)]
    assert findings("compactions", edit) == told


def test_a_log_with_very_many_faults_is_read_to_its_end() -> None:
    lines = load(Path("plain-turns/plain-turns.jsonl"))
    assert len(found([line for line in lines[:33] for _ in range(60)])) > 300

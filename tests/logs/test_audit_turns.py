"""More broken promises: processes, turns, histories, compactions, tasks."""

from __future__ import annotations

import pytest

from audit_edits import Edit, Lines, add, again, both, findings, in_message, keep, put, take

PROMPT = "\N{COMPASS}" * 3 + "x"


def everywhere(role: str, content: str) -> Edit:
    def edit(lines: Lines) -> None:
        for line in lines:
            for message in [*line.get("messages", []), *line.get("history", [])]:
                if message["role"] == role:
                    message["content"] = content

    return edit


def renumbered(first: int, by: int) -> Edit:
    def edit(lines: Lines) -> None:
        for line in lines[first - 1 :]:
            if line["event"] == "history_mutation":
                line["index"] += by

    return edit


def inserted(message: dict[str, str]) -> Edit:
    whole = {"state": "complete", "timestamp": "2026-10-01T09:00:00.047Z", **message}

    def edit(lines: Lines) -> None:
        for number, name in ((19, "history"), (21, "messages"), (32, "history")):
            lines[number - 1][name].insert(3, whole)

    return both(edit, renumbered(20, 1))


def removed(place: int, base: tuple[tuple[int, str], ...], first: int) -> Edit:
    def edit(lines: Lines) -> None:
        for number, name in base:
            lines[number - 1][name].pop(place)

    return both(edit, renumbered(first, -1))


SECOND_TURN = ((19, "history"), (21, "messages"), (32, "history"))
AFTER_ABORT = ((12, "history"), (14, "messages"), (21, "history"))
NATIVE = {"provider": "p", "payloadKind": "stream_event", "sequence": 0, "round": 1}


def late_native(lines: Lines) -> None:
    names = ("executionId", "conversationId")
    ids = {name: lines[4][name] for name in names}
    add(11, "provider_native_raw_payload", **NATIVE, **ids)(lines)


def whole_turn_after_shutdown(lines: Lines) -> None:
    lines += [{**line, "timestamp": lines[33]["timestamp"]} for line in lines[17:33]]


ROWS = [
    ("plain-turns", put(1, "sessionId", "x"), "session-mixed", 2),
    ("plain-turns", again(34, 35), "shutdown-repeated", 35),
    ("plain-turns", again(5, 35), "after-shutdown", 35),
    ("plain-turns", whole_turn_after_shutdown, "after-shutdown", 35),
    ("shutdown-steps", put(15, "step", "abort"), "shutdown-step", 15),
    ("shutdown-steps", put(15, "step", "drain-children"), "shutdown-step", 15),
    ("plain-turns", both(add(9, "session_shutdown", reason="x"), keep(18)), "shutdown-in-turn", 9),
    ("plain-turns", again(16, 18), "turn-order", 18),
    ("plain-turns", again(17, 18), "turn-order", 18),
    ("plain-turns", again(33, 34), "turn-order", 34),
    ("plain-turns", again(3, 4), "turn-order", 4),
    ("plain-turns", take(18), "turn-order", 18),
    ("plain-turns", add(18, "text_delta", delta="x"), "turn-order", 18),
    ("plain-turns", add(2, "text_delta", delta="x"), "turn-order", 2),
    ("plain-turns", keep(18), "turn-unended", 18),
    ("plain-turns", keep(19), "turn-unended", 18),
    ("plain-turns", keep(24), "turn-unended", 18),
    ("plain-turns", keep(32), "turn-unended", 18),
    ("plain-turns", again(14, 18), "execution-foreign", 18),
    ("plain-turns", put(28, "executionId", "exec_other"), "execution-foreign", 28),
    ("tool-turn", put(18, "executionId", "exec_other"), "execution-foreign", 18),
    ("tool-turn", put(12, "executionId", "exec_other"), "execution-foreign", 12),
    ("tool-turn", put(13, "executionId", "exec_other"), "execution-foreign", 13),
    ("tool-turn", put(16, "executionId", "exec_other"), "execution-foreign", 16),
    ("tool-turn", put(17, "executionId", "exec_other"), "execution-foreign", 17),
    ("tool-turn", put(20, "executionId", "exec_other"), "execution-foreign", 20),
    ("plain-turns", put(9, "executionId", "exec_other"), "execution-foreign", 9),
    ("aborted-stream", late_native, "late-stream", 11),
    ("plain-turns", in_message(20, lambda m: m.update(content="?")), "input-committed", 20),
    (
        "plain-turns",
        in_message(20, lambda m: m["metadata"].update(executionId="exec_z")),
        "input-committed",
        20,
    ),
    ("plain-turns", take(20), "input-committed", 20),
    ("plain-turns", both(again(4, 6), take(4)), "input-committed", 4),
    (
        "plain-turns",
        lambda lines: lines[15]["history"].append({**lines[15]["history"][1], "id": "z"}),
        "assistant-history",
        16,
    ),
    ("plain-turns", put(16, "history", 1, "content", "x"), "assistant-history", 16),
    ("plain-turns", put(16, "content", ""), "assistant-content", 16),
    ("aborted-stream", put(10, "historyLength", 1), "error-length", 10),
    ("aborted-stream", put(10, "historyLength", 4), "error-length", 10),
    ("plain-turns", put(20, "index", 4), "history-index", 20),
    ("plain-turns", put(4, "index", 0), "history-index", 4),
    ("plain-turns", both(put(20, "index", 4), put(31, "index", 5)), "history-index", 20),
    ("plain-turns", removed(1, SECOND_TURN, 20), "history-rewritten", 19),
    ("plain-turns", put(19, "history", 1, "content", "y"), "history-rewritten", 19),
    (
        "plain-turns",
        inserted({"id": "new", "role": "assistant", "content": "x"}),
        "history-rewritten",
        19,
    ),
    ("plain-turns", inserted({"id": "new", "role": "user", "content": "task done"}), None, 0),
    ("compactions", put(39, "trigger", ""), "compact-trigger", 39),
    ("compactions", put(64, "trigger", "auto"), None, 0),
    ("compactions", keep(39), None, 0),
    ("compactions", again(64, 17), "compact-in-turn", 17),
    (
        "compactions",
        removed(1, ((66, "history"), (68, "messages"), (75, "history")), 67),
        "compact-history",
        66,
    ),
    (
        "compactions",
        both(
            *(put(n, name, 1, "content", "A summary") for n, name in
              ((66, "history"), (68, "messages"), (75, "history")))
        ),
        "compact-history",
        66,
    ),
    ("plain-turns", put(17, "maxTokens", 0), "context-bounds", 17),
    ("plain-turns", put(17, "usedTokens", -1), "context-bounds", 17),
    ("plain-turns", put(33, "remainingPercentage", 97), "context-bounds", 33),
    (
        "compactions",
        put(64, "after", {"maxTokens": 1200, "usedTokens": 194, "usedPercentage": 16.17,
                          "remainingPercentage": 83.83}),
        "context-max",
        64,
    ),
    ("aborted-stream", removed(2, AFTER_ABORT, 13), "interrupted-kept", 12),
    (
        "aborted-stream",
        both(*(put(n, name, 2, "state", "complete") for n, name in AFTER_ABORT)),
        "interrupted-kept",
        12,
    ),
    ("plain-turns", in_message(4, lambda m: m.update(state="interrupted")), "interrupted-odd", 4),
    ("background", put(15, "backgroundEvent", "task", "status", "running"), "task-status", 15),
    ("background", again(35, 40), "task-after-end", 40),
    ("background", again(32, 53), "task-after-end", 53),
    (
        "plain-turns",
        both(put(1, "systemPrompt", PROMPT), put(1, "systemPromptLength", 7),
             everywhere("system", PROMPT)),
        None,
        0,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("base", "edit", "code", "line"), ROWS)
def test_one_cause_one_finding(base: str, edit: Edit, code: str | None, line: int) -> None:
    assert findings(base, edit) == ([] if code is None else [(code, line)])


COUNTS = [
    (put(19, "historyLength", 2), "pre-run-counts", 19),
    (put(19, "historyEstTokens", 236), "pre-run-counts", 19),
    (put(32, "estimatedChars", 1), "assistant-counts", 32),
    (put(32, "historyStructure", 1, "contentLength", 1), "assistant-counts", 32),
    (take(32, "historyStructure", 4), "assistant-counts", 32),
]


@pytest.mark.parametrize(("edit", "code", "line"), COUNTS)
def test_counts(edit: Edit, code: str, line: int) -> None:
    assert findings("plain-turns", edit, counts=False) == [(code, line)]


def restored(lines: Lines, *, system: bool) -> Lines:
    """A fresh process takes up the parked execution: restored messages first, then the rest."""
    ids = {name: lines[3][name] for name in ("executionId", "conversationId")}
    messages = [lines[4]["messages"][0], lines[3]["message"], lines[8]["message"]]
    made = [dict(lines[0], timestamp=lines[11]["timestamp"])]
    for index, message in enumerate(messages if system else messages[1:]):
        one: Lines = [lines[11]]
        add(1, "history_mutation", **ids, mutation="append_message", index=index, message=message)(
            one
        )
        made.append(one[0])
    return made + lines[12:]


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("same_file", [True, False])
def test_an_execution_resumed_by_another_process(system: bool, same_file: bool) -> None:
    def edit(lines: Lines) -> None:
        later = restored(lines, system=system)
        lines[:] = [*lines[:12], *later] if same_file else later

    assert findings("parked-approval", edit) == []

"""Audit rules of turns: their order, their input, their answer, and the counts they log."""

from __future__ import annotations

from functools import partial

from sesskit.logs.audit_compaction import compacted_history
from sesskit.logs.audit_history import Difference
from sesskit.logs.audit_lines import (
    Json,
    Line,
    call_name,
    calls_in,
    content_of,
    mapping_in,
    text_in,
    utf16_length,
)
from sesskit.logs.audit_open import left_open
from sesskit.logs.audit_state import Call, Partial, State, Turn

_REMINDER = ("<system-reminder>\n", "\n</system-reminder>\n")


def shown(differences: list[Difference]) -> str:
    """Differences as one sentence, message by message."""
    parts = [str(difference) for difference in differences[:8]]
    if len(differences) > 8:
        parts.append(f"and {len(differences) - 8} more")
    return "; ".join(parts)


def user(state: State, line: Line) -> None:
    """turn-overlap; a turn begins."""
    segment, old = state.segment, state.segment.turn
    turn = Turn(line)
    if old is not None:
        if old.is_parked():
            state.parked.add(old.execution or "")
        else:
            turn.over = old
            message = f"the turn of line {old.line.number} is still open"
            state.findings.find("turn-overlap", line, message)
    segment.turn = turn
    segment.expecting = partial(_next_is_pre_run, state, line)


def _next_is_pre_run(state: State, line: Line, following: Line | None) -> bool:
    if following is not None and following.event not in ("pre_run", "user", "session_shutdown"):
        state.findings.find("turn-order", line, "no pre_run follows this prompt")
    return False


def pre_run(state: State, line: Line) -> None:
    """input-enriched, pre-run-counts, history-rewritten, interrupted-kept, compact-history."""
    segment, turn, find = state.segment, state.segment.turn, state.findings.find
    if turn is None or turn.started or turn.execution is not None:
        find("turn-order", line, "no user line stands before this run")
        return
    turn.started = True
    turn.input, turn.max_tokens = line.text("input"), line.figure("maxTokens")
    prompt = turn.line.text("content")
    if turn.input is not None and prompt is not None and not _is_enriched(turn.input, prompt):
        find("input-enriched", line, "the input is not the prompt of the turn", keys=("input",))
    history = line.messages("history")
    before = len(state.findings.waiting)
    if segment.compacted is not None:
        compacted_history(state, line, history)
        segment.partial = None
    else:
        _history_kept(state, line, history)
    if len(state.findings.waiting) == before:  # a message that changed changes the counts as well
        _pre_run_counts(state, line, history)
    segment.history.start(
        history, with_system=None if segment.prompt is None else bool(segment.prompt)
    )


def _is_enriched(found: str, prompt: str) -> bool:
    if found == prompt:
        return True
    opening, closing = _REMINDER
    return found.startswith(opening) and found.endswith(closing + prompt)


def _pre_run_counts(state: State, line: Line, history: list[Json]) -> None:
    chars, tokens = line.count("historyChars"), line.count("historyEstTokens")
    length = line.measured("history")
    wrong = [
        ("historyLength", line.count("historyLength") != len(history)),
        ("historyChars", length is not None and chars != length),
        ("historyEstTokens", length is not None and tokens != -(-length // 4)),
    ]
    _wrong_counts(state, line, "pre-run-counts", wrong)


def _wrong_counts(state: State, line: Line, rule: str, wrong: list[tuple[str, bool]]) -> None:
    names = [name for name, is_wrong in wrong if is_wrong]
    if names:
        message = f"{', '.join(names)}: not what the history gives"
        state.findings.find(rule, line, message, keys=(names[0],))


def _history_kept(state: State, line: Line, history: list[Json]) -> None:
    segment, find = state.segment, state.findings.find
    kept = segment.history
    cut_off, segment.partial = segment.partial, None
    if kept.known is None or not history:
        kept.keep_other(None)
        return  # the first run of a process, or the host cleared the conversation
    if history[0].get("role") == "system":
        kept.replace_head(history[0])
    old = list(kept.known)
    differences = kept.compare(history, "kept", len(old))
    if differences:
        sentence = f"the history is not what the last run left: {shown(differences)}"
        place = ("history", differences[0].position)
        find("history-rewritten", line, sentence, keys=place)
        kept.keep_other(old)
        return
    kept.keep_other(None)
    added = history[len(kept) :]
    if cut_off is not None and (cut_off.sure or _begins_interrupted(added)):
        added = _partial_kept(state, line, cut_off.texts, added)
    opened = kept.open_calls()
    for n, message in enumerate(added, len(history) - len(added)):
        closer = message.get("role") == "tool" and text_in(message, "toolCallId") in opened
        if not closer and message.get("role") not in ("user", "system"):
            sentence = f"the history is not what the last run left: message {n}: not committed"
            find("history-rewritten", line, sentence, keys=("history", n))
            return


def _partial_kept(
    state: State, line: Line, streamed: frozenset[str], added: list[Json]
) -> list[Json]:
    """The cut-off answer comes next, marked, with all that was streamed."""
    place = len(state.segment.history)
    first = added[0] if added and added[0].get("role") == "assistant" else None
    same = first is not None and (not streamed or content_of(first) in streamed)
    if first is None or first.get("state") != "interrupted" or not same:
        message = "the answer that the abort cut off is not kept as it was streamed"
        keys = ("history", place) if first else ("history",)
        state.findings.find("interrupted-kept", line, message, keys=keys)
    return added[1:] if first is not None else added


def _begins_interrupted(added: list[Json]) -> bool:
    return bool(added) and added[0].get("state") == "interrupted"


def assistant(state: State, line: Line) -> None:
    """assistant-history, assistant-counts, assistant-content, interrupted-odd; the turn ends."""
    segment, turn, find = state.segment, state.segment.turn, state.findings.find
    if turn is None:
        find("turn-order", line, "an answer outside a turn")
        return
    open_call = turn.call
    if open_call is not None and not is_empty_answer(open_call):
        left_open(state, open_call, line)
    history = line.messages("history")
    kept = segment.history
    if kept.known is not None:
        differences = kept.compare(history, "kept")
        if differences:
            message = f"the history is not what was committed: {shown(differences)}"
            place = ("history", differences[0].position)
            find("assistant-history", line, message, keys=place)
            kept.keep_other(history)
            turn.odd_answer = True
    if not turn.odd_answer:
        _assistant_counts(state, line, history)
    if turn.last_text and line.text("content") != turn.last_text:
        find("assistant-content", line, "not the last text of the turn", keys=("content",))
    for odd in turn.interrupted:
        message = f"marked interrupted, and the turn ends with the answer of line {line.number}"
        find("interrupted-odd", odd, message, keys=("message", "state"))
    segment.turn, segment.answer = None, None
    segment.expecting = partial(next_is_context, state, turn, line)


def next_is_context(state: State, turn: Turn, line: Line, following: Line | None) -> bool:
    """turn-order, turn-unended: an answer and its context are one."""
    segment, find = state.segment, state.findings.find
    if following is not None and following.event == "context":
        segment.answer = (turn, line)
    elif following is not None:
        find("turn-order", line, "no context follows this answer")
        segment.context = None
    else:
        find("turn-unended", turn.line, "the log stops before the turn ends")
    return False


def is_empty_answer(call: Call) -> bool:
    """Whether a call gave no text, and therefore nothing to commit."""
    answer = call.normalized
    return call.state == "normalized" and bool(answer) and not content_of(answer or {})


def _assistant_counts(state: State, line: Line, history: list[Json]) -> None:
    length = line.measured("history")
    wrong = [
        ("historyLength", line.count("historyLength") != len(history)),
        ("estimatedChars", length is not None and line.count("estimatedChars") != length),
        ("historyStructure", line.data.get("historyStructure") != _structure(history)),
    ]
    _wrong_counts(state, line, "assistant-counts", wrong)


def _structure(history: list[Json]) -> list[Json]:
    return [
        {
            "role": message.get("role"),
            "contentLength": utf16_length(content_of(message)),
            "hasToolCalls": bool(calls_in(message)),
            "toolCallNames": [call_name(call) for call in calls_in(message)],
            **({"metadata": message["metadata"]} if "metadata" in message else {}),
        }
        for message in history
    ]


def error(state: State, line: Line) -> None:
    """error-length; the turn ends, and its execution with it."""
    segment, turn = state.segment, state.segment.turn
    if turn is None:
        state.findings.find("turn-order", line, "an error outside a turn")
        return
    length, kept = line.count("historyLength"), segment.history
    one_more = turn.call is not None and length == len(kept) + 1
    wrong = kept.is_sure() and length != len(kept) and not one_more
    if wrong:
        state.findings.find(
            "error-length",
            line,
            "not the length of the history",
            keys=("historyLength",),
            expected=str(len(kept)),
            found=str(length),
        )
    if turn.call is not None and (one_more or wrong):
        segment.partial = Partial(turn.call.streamed(), sure=one_more)
    if turn.execution is not None:
        state.failed.add(turn.execution)
    segment.turn = None


def end_of_process(state: State) -> None:
    """turn-unended, and whatever was still waited for."""
    segment = state.segment
    expecting, segment.expecting = segment.expecting, None
    if expecting is not None:
        expecting(None)
    turn = segment.turn
    if turn is not None and turn.is_parked():
        state.parked.add(turn.execution or "")
    elif turn is not None and not turn.undrained:
        message = "this turn has no end: the process stopped"
        state.findings.find("turn-unended", turn.line, message)


def committed_input(state: State, turn: Turn, line: Line) -> None:
    """input-committed: the first event of a turn."""
    message = line.mapping("message")
    owner = text_in(mapping_in(message, "metadata"), "executionId")
    right = (
        line.event == "history_mutation"
        and message.get("role") == "user"
        and turn.input in (None, message.get("content"))
        and "round" not in line.data
        and owner in (None, turn.execution)
    )
    if right:
        return
    state.findings.find("input-committed", line, "the turn does not begin by committing its input")
    if line.event != "history_mutation" or message.get("role") != "user":
        state.segment.history.presume("user")

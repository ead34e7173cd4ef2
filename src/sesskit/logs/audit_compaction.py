"""Audit rules of compactions and of the figures that say how full the window is."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from sesskit.logs.audit_lines import (
    Json,
    Line,
    content_of,
    figure_in,
    mapping_in,
    measured,
)
from sesskit.logs.audit_state import State, Turn
from sesskit.schemas.issues import Keys

SUMMARY = "[Context Summary]\n"
_CLOSE = 1e-9


def context(state: State, line: Line) -> None:
    """context-bounds, context-max, context-usage; the order is looked at by `turn-order`."""
    segment, find = state.segment, state.findings.find
    answer, segment.answer = segment.answer, None
    if answer is None:
        find("turn-order", line, "no answer stands right before this context")
        return
    turn, assistant = answer
    if not _bounds(state, line, line.data, ()):
        segment.context = None
        return
    segment.context = line
    _context_max(state, line, turn)
    history = assistant.messages("history")
    used = line.figure("usedTokens")
    expected = None if turn.odd_answer else _estimate(history)
    if expected is not None and used is not None and used != expected:
        find(
            "context-usage",
            line,
            "not what the usage and length of the history give",
            keys=("usedTokens",),
            expected=f"{expected:g}",
            found=f"{used:g}",
        )


def _context_max(state: State, line: Line, turn: Turn) -> None:
    largest = line.figure("maxTokens")
    if turn.max_tokens is None or largest is None or turn.changed_provider:
        return
    if largest != turn.max_tokens:
        message = "the run was started with another window"
        state.findings.find("context-max", line, message, keys=("maxTokens",))


def _estimate(history: list[Json]) -> float | None:
    """The used tokens: what the last answer that says so used, or the length if that is more."""
    for n, message in enumerate(reversed(history)):
        used = _usage(mapping_in(message, "metadata"))
        if used is None:
            continue
        if n == 0:
            return used
        length = measured(history)
        return None if length is None else max(used, -(-length // 4))
    length = measured(history)
    return None if length is None else -(-length // 4)


def _usage(metadata: Json) -> float | None:
    total = figure_in(mapping_in(metadata, "usage"), "totalTokens")
    if total is not None:
        return total
    taken, given = figure_in(metadata, "inputTokens"), figure_in(metadata, "outputTokens")
    return None if taken is None and given is None else (taken or 0) + (given or 0)


def _bounds(state: State, line: Line, figures: Json, keys: Keys) -> bool:
    """context-bounds: everything follows from used and max."""
    largest, used = figure_in(figures, "maxTokens"), figure_in(figures, "usedTokens")
    if largest is None or used is None:
        return True
    wrong: str | None = "maxTokens" if largest <= 0 else "usedTokens" if used < 0 else None
    if wrong is None:
        for name, right in _percentages(used, largest).items():
            said = figure_in(figures, name)
            if said is not None and min(abs(said - figure) for figure in right) > _CLOSE:
                wrong = name
                break
    if wrong is not None:
        message = "the figures do not fit together"
        state.findings.find("context-bounds", line, message, keys=(*keys, wrong))
    return wrong is None


def _percentages(used: float, largest: float) -> dict[str, set[float]]:
    """Both percentages, rounded half up to two places: exactly, and as doubles bring it about."""
    exact = min(Fraction(100), 100 * Fraction(used) / Fraction(largest))
    share = min(100.0, used / largest * 100)
    return {
        "usedPercentage": {_half_up(exact), _half_up(share)},
        "remainingPercentage": {_half_up(100 - exact), _half_up(100 - share)},
    }


def _half_up(figure: Fraction | float) -> float:
    half = Fraction(1, 2) if isinstance(figure, Fraction) else 0.5
    return math.floor(figure * 100 + half) / 100


def context_compact(state: State, line: Line) -> None:
    """compact-trigger, compact-in-turn, compact-empty, compact-before."""
    segment, find = state.segment, state.findings.find
    before, after = line.mapping("before"), line.mapping("after")
    sound = _bounds(state, line, before, ("before",)), _bounds(state, line, after, ("after",))
    segment.odd_compaction = not sound[1]
    if all(sound) and figure_in(before, "maxTokens") != figure_in(after, "maxTokens"):
        message = "the window changes in the middle of a compaction"
        find("context-max", line, message, keys=("after", "maxTokens"))
    if line.text("trigger") not in ("auto", "manual"):
        find("compact-trigger", line, "a compaction is auto or manual", keys=("trigger",))
    if segment.turn is not None and not segment.turn.is_parked():
        find("compact-in-turn", line, f"the turn of line {segment.turn.line.number} is open")
        if not segment.turn.started:  # the run that follows starts with what it left
            segment.compacted, segment.context = line, None
        return
    _compact_empty(state, line)
    if sound[0]:
        _compact_before(state, line, before)
    segment.compacted, segment.context = line, None
    if line.text("trigger") != "auto":
        return
    segment.expecting = partial(_next_is_user, state, line)


def _next_is_user(state: State, line: Line, following: Line | None) -> bool:
    if following is not None and following.event != "user":
        message = "an automatic compaction, and no turn begins after it"
        state.findings.find("compact-in-turn", line, message)
    return False


def _compact_empty(state: State, line: Line) -> None:
    segment = state.segment
    known = segment.history.known is not None or (segment.first and segment.init is not None)
    if known and not segment.history.has_talk() and segment.partial is None:
        state.findings.find("compact-empty", line, "there was nothing to compact")


def _compact_before(state: State, line: Line, before: Json) -> None:
    last = state.segment.context
    if last is None or last.figure("maxTokens") != figure_in(before, "maxTokens"):
        return
    if last.figure("usedTokens") != figure_in(before, "usedTokens"):
        message = f"not the usage of line {last.number}"
        state.findings.find("compact-before", line, message, keys=("before", "usedTokens"))


def compacted_history(state: State, line: Line, history: list[Json]) -> None:
    """compact-history and compact-after, at the run that starts with what compaction left."""
    segment = state.segment
    compacted, segment.compacted = segment.compacted, None
    if compacted is None:
        return
    wrong = _wrong_after_compaction(history)
    if wrong is not None:
        message = "not what a compaction leaves: system message, summary, receipts"
        state.findings.find("compact-history", line, message, keys=("history", wrong))
        return
    after = figure_in(compacted.mapping("after"), "usedTokens")
    tokens = line.count("historyEstTokens")
    if segment.odd_compaction or _measured(line, history) not in (None, tokens):
        return  # its figures, or those of the run, were found to be wrong already
    if after is not None and tokens is not None and after != tokens:
        message = f"not the estimate of the history that line {line.number} starts with"
        state.findings.find("compact-after", compacted, message, keys=("after", "usedTokens"))


def _measured(line: Line, history: list[Json]) -> int | None:
    length = measured(history)
    return None if length is None else -(-length // 4)


def _wrong_after_compaction(history: list[Json]) -> int | None:
    """The position of the first message that a compaction does not leave there."""
    rest = list(enumerate(history))
    if rest and rest[0][1].get("role") == "system":
        rest.pop(0)
    if not rest:
        return len(history)
    place, summary = rest.pop(0)
    content = content_of(summary)
    if summary.get("role") != "assistant":
        return place
    if not content.startswith(SUMMARY) or not content.removeprefix(SUMMARY).strip():
        return place
    if rest and "compactedToolReceipts" in mapping_in(rest[0][1], "metadata"):
        rest.pop(0)
    return rest[0][0] if rest else None

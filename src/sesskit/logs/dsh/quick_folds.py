"""What sound lines of each type do to the folds of a log, or that they do not fit there.

A fold is given an event as its class and says whether it took it in. One that does not has changed
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.relational import IN_TURN
from sesskit.logs.dsh.result_marks import result_mark
from sesskit.schemas.dsh_content import ToolCallBlock
from sesskit.schemas.dsh_sources import UserSource

Fold = Callable[[Any], bool]


def is_appended(event: Any) -> bool:
    """Whether an event is added to the surface, with sound sources if any."""
    if event.surface_op is UNSET:
        return False
    sources = event.source_event_seqs
    return sources is UNSET or _are_earlier(sources, event.seq)


def _are_earlier(sources: list[int], seq: int) -> bool:
    """Whether the numbers are those of events before, each once."""
    if len(sources) == 1:
        return sources[0] < seq
    return max(sources) < seq and len(set(sources)) == len(sources)


class _Early:
    """The folds of v0 and v1, whose rules between events only warn."""

    def __init__(self, judge: Judge) -> None:
        self._relations: Any = judge.relations
        self._surface, self._open = judge.surface, judge.open_turn
        self._judge = judge

    def turn_start(self, event: Any) -> bool:
        relations, turn = self._relations, event.data.turn
        if relations.turn is not None or turn != relations.turns + 1:
            return False
        relations.begin_turn(turn)
        self._open.begin_turn(turn)
        return True

    def turn_end(self, event: Any) -> bool:
        relations, turn = self._relations, event.data.turn
        fits = turn and turn == relations.turn and relations.step is None
        if not fits:
            return False
        relations.turn = None
        self._open.end_turn()
        return True

    def step_start(self, event: Any) -> bool:
        relations, data = self._relations, event.data
        fits = relations.step is None and data.step == relations.steps + 1
        if not fits or data.turn != relations.turn:
            return False
        relations.begin_step(data.step)
        self._open.begin_step(data.step)
        return True

    def step_end(self, event: Any) -> bool:
        data = event.data
        if not self._relations.is_quiet(data.turn, data.step):
            return False
        self._relations.end_step()
        self._open.end_step()
        return True

    def in_turn(self, _event: Any) -> bool:
        return self._relations.turn is not None

    def user(self, event: Any) -> bool:
        if not is_appended(event):
            return False
        self._surface.append(event.seq, "user/message")
        return True

    def assistant(self, event: Any) -> bool:
        data = event.data
        if not self._relations.is_at(data.turn, data.step) or not is_appended(event):
            return False
        calls = [block.id for block in data.message.content if type(block) is ToolCallBlock]
        self._relations.ask(calls, event.seq)
        self._open.ask(calls, data.step)
        self._surface.append(event.seq, "assistant/message")
        return True

    def tool_call(self, event: Any) -> bool:
        data = event.data
        if not self._relations.is_at(data.turn, data.step):
            return False
        self._relations.record(data.call_id)
        self._open.record(data.call_id, event.seq)
        return True

    def tool_result(self, event: Any) -> bool:
        data = event.data
        message = data.message
        call = message.source.call_id
        if not self._relations.is_at(data.turn, data.step) or not is_appended(event):
            return False
        if data.meta is not UNSET or not self._relations.answer(call):
            return False  # what tools say of their results may be anything
        error = None if data.error is UNSET else [data.error.name, data.error.code]
        failed = message.content[0].is_error
        failed = None if failed is UNSET else failed
        mark = result_mark(data.turn, data.step, message.id, call, failed, error)
        self._surface.append(event.seq, "tool/result", mark)
        self._open.answer(call)
        self._judge.remember_result(event.seq, message.id)
        return True


class _Later:
    """The folds of v2 and v3, whose rules between events decide if a log loads."""

    def __init__(self, judge: Judge) -> None:
        self._relations: Any = judge.relations
        self._surface, self._open = judge.surface, judge.open_turn
        self._head = judge.head

    def turn_start(self, event: Any) -> bool:
        turn = event.data.turn
        if not self._relations.opens_turn(turn):
            return False
        self._relations.begin_turn(turn)
        self._open.begin_turn(turn)
        return True

    def turn_end(self, event: Any) -> bool:
        if not self._relations.closes_turn(event.data.turn):
            return False
        self._relations.end_turn()
        self._open.end_turn()
        self._head.leave()
        return True

    def step_start(self, event: Any) -> bool:
        data = event.data
        if not self._relations.opens_step(data.turn, data.step):
            return False
        self._relations.step = data.step
        self._open.begin_step(data.step)
        self._head.enter(data.turn, data.step)
        return True

    def step_end(self, event: Any) -> bool:
        data = event.data
        if not self._relations.closes_step(data.turn, data.step):
            return False
        self._relations.end_step()
        self._open.end_step()
        self._head.leave()
        return True

    def user(self, event: Any) -> bool:
        if not is_appended(event):
            return False
        if type(event.data.source) is UserSource:
            self._relations.person_said(event.seq)
        self._shown(event.seq, "user/message")
        return True

    def in_turn(self, _event: Any) -> bool:
        return self._relations.turn is not None

    def attempt(self, event: Any) -> bool:
        return bool(self._relations.is_at(event.data.turn, event.data.step))

    def assistant(self, event: Any) -> bool:
        data = event.data
        plain = event.surface_op is not UNSET and event.source_event_seqs is UNSET
        if not plain or not self._relations.is_at(data.turn, data.step):
            return False
        blocks = [block for block in data.message.content if type(block) is ToolCallBlock]
        if blocks:
            calls = [(block.id, block.name, block.arguments) for block in blocks]
            if not self._relations.calls.ask(calls):
                return False
            self._open.ask([call for call, _, _ in calls], data.step)
        self._shown(event.seq, "assistant/message")
        return True

    def tool_call(self, event: Any) -> bool:
        data = event.data
        if not self._relations.is_at(data.turn, data.step):
            return False
        if not self._relations.calls.record(data.call_id, data.name, data.arguments):
            return False
        self._open.record(data.call_id, event.seq)
        return True

    def tool_result(self, event: Any) -> bool:
        data = event.data
        call = data.message.source.call_id
        if not self._relations.is_at(data.turn, data.step) or not is_appended(event):
            return False
        if data.error is not UNSET and data.message.content[0].is_error is not True:
            return False
        if not self._relations.calls.answer(call):
            return False
        self._open.answer(call)
        self._shown(event.seq, "tool/result")
        return True

    def _shown(self, seq: int, kind: str) -> None:
        self._surface.append(seq, kind)
        self._head.surfaced()


def early_folds(judge: Judge) -> dict[str, Fold]:
    """Those of v0 and v1, by type."""
    early = _Early(judge)
    return {
        "turn/start": early.turn_start,
        "turn/end": early.turn_end,
        "step/start": early.step_start,
        "step/end": early.step_end,
        "user/message": early.user,
        "assistant/message": early.assistant,
        "tool/call": early.tool_call,
        "tool/result": early.tool_result,
        **dict.fromkeys(IN_TURN, early.in_turn),
    }


def later_folds(judge: Judge) -> dict[str, Fold]:
    """Those of v2 and v3, by type."""
    later = _Later(judge)
    return {
        "turn/start": later.turn_start,
        "turn/end": later.turn_end,
        "step/start": later.step_start,
        "step/end": later.step_end,
        "user/message": later.user,
        "assistant/attempt": later.attempt,
        "assistant/message": later.assistant,
        "tool/call": later.tool_call,
        "tool/result": later.tool_result,
        "request/context": later.in_turn,
    }

"""Several writers told apart: by what their events say, and where nothing tells, said so."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from logs.dsh.interleaved import Interleaved, interleaved, reopened
from sesskit.logs.dsh import ways, writers
from sesskit.logs.dsh.repair import RepairPlan, plan_repair
from sesskit.schemas.ecmascript import dumps

FEW, MANY = range(120), range(120, 2_000)


def told_apart(case: Interleaved, plan: RepairPlan) -> bool:
    """Whether each writer has a log with all its lines, and nothing else but its closing events."""
    logs = [log.data.splitlines()[len(case.common) :] for log in plan.logs]
    wanted = [lines for lines in case.tails if lines]
    whole = all(any(log[: len(lines)] == lines for log in logs) for lines in wanted)
    only = all(run.reason == "written twice" for run in plan.dropped)
    return whole and only and len(logs) == len(wanted)


def guessed(plan: RepairPlan) -> bool:
    return any("the split is a guess" in change for log in plan.logs for change in log.changes)


Made = Callable[[int], Interleaved]
KINDS = pytest.mark.parametrize("make", [interleaved, reopened])


def wrong_of(seeds: range, make: Made) -> list[Interleaved]:
    """The files whose writers are mixed up; that it may be so is always said."""
    wrong = []
    for seed in seeds:
        case = make(seed)
        plan = plan_repair(case.data)
        assert plan.refused is None
        alone = sum(map(bool, case.tails)) < 2  # the other one wrote nothing of its own
        if not (alone or told_apart(case, plan)):
            assert guessed(plan), seed
            wrong.append(case)
    return wrong


@KINDS
def test_a_mixed_split_is_rare_and_never_silent(make: Made) -> None:
    """Writers that do the same at the same times cannot be told apart; the others are."""
    wrong = wrong_of(FEW, make)
    assert len(wrong) <= len(FEW) // 15


@pytest.mark.soak
@KINDS
def test_a_mixed_split_is_rare_and_never_silent_at_length(make: Made) -> None:
    assert len(wrong_of(MANY, make)) <= len(MANY) // 15


def event(kind: str, seq: int, data: Any, **more: Any) -> Any:
    return {"type": kind, "seq": seq, "time": 7, "data": data, **more}


HEADER = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
HERE = {"turn": 1, "step": 1}
OPEN = [event("turn/start", 0, {"turn": 1}), event("step/start", 1, HERE)]


def chunk(seq: int, kind: str, **more: Any) -> Any:
    return event("assistant/chunk", seq, {**HERE, "chunk": {"type": kind, "index": 0, **more}})


def stream(text: str, name: str) -> list[Any]:
    """A step that says a text letter by letter, from event 2 on."""
    letters = [chunk(3 + n, "text-delta", text=letter) for n, letter in enumerate(text)]
    block = {"type": "text", "text": text}
    end = chunk(3 + len(text), "block-end", block=block)
    started = chunk(2, "block-start", blockType="text")
    sources = list(range(2, 4 + len(text)))
    model = {"kind": "model", "provider": "p", "model": "m"}
    message = {"id": name, "role": "assistant", "content": [block], "source": model}
    more = {"surfaceOp": "append", "sourceEventSeqs": sources}
    said = event("assistant/message", 4 + len(text), {**HERE, "message": message}, **more)
    return [started, *letters, end, said, event("step/end", 5 + len(text), HERE)]


def text_of(*events: Any) -> bytes:
    return b"".join(dumps(e) + b"\n" for e in (HEADER, *events))


def titles(name: str, count: int) -> list[Any]:
    """So many titles, from event 2 on."""
    said = ({"title": f"{name}{n}", "messageSeqs": []} for n in range(2, count + 2))
    return [event("session/title", n, data) for n, data in enumerate(said, 2)]


def alternating(one: list[Any], other: list[Any]) -> list[Any]:
    return [event for pair in zip(one, other, strict=True) for event in pair]


def test_streams_are_told_apart_by_what_they_come_to_say() -> None:
    ours, theirs = stream("hello world", "a"), stream("jumps over!", "b")
    mixed = alternating(ours, theirs)
    # The other way round from the middle on, so that taking turns is no hint.
    mixed = mixed[:8] + [e for n in range(8, len(mixed), 2) for e in (mixed[n + 1], mixed[n])]
    plan = plan_repair(text_of(*OPEN, *mixed))
    logs = [log.data.split(b"\n") for log in plan.logs]
    for wanted in (ours, theirs):
        assert any(all(dumps(e) in log for e in wanted) for log in logs)


def test_a_search_that_takes_too_long_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "MOST_TRIED", 50)
    monkeypatch.setattr(writers, "MOST_PENDING", 20)
    titles = [
        [
            event("session/title", n, {"title": f"{who}{n}", "messageSeqs": []})
            for n in range(2, 200)
        ]
        for who in "ab"
    ]
    plan = plan_repair(text_of(*OPEN, *alternating(*titles)))
    assert len(plan.logs) == 2
    assert guessed(plan)
    assert sum(log.events - log.shared for log in plan.logs) == 2 + 2 * 198


def test_very_many_writers_end_somewhere() -> None:
    lines = [event("session/title", 2, {"title": f"{n}", "messageSeqs": []}) for n in range(300)]
    started = time.monotonic()
    plan = plan_repair(text_of(*OPEN, *lines))
    assert len(plan.logs) == writers.MOST_BRANCHES
    assert {run.reason for run in plan.dropped} == {"one writer too many"}
    assert time.monotonic() - started < 60


def test_a_third_writer_goes_on_from_where_it_did() -> None:
    first = [event("todo/write", n, {"todos": []}) | {"time": n} for n in range(2, 8)]
    second = titles("b", 9)
    third = [*first[:3], *(event("plan/mode", n, {"active": n == 5}) for n in (5, 6))]
    plan = plan_repair(text_of(*OPEN, *first, *second, *third))
    logs = [log.data.splitlines()[3:] for log in plan.logs]
    assert logs[0][: len(first)] == [dumps(e) for e in first]
    assert logs[1][: len(second)] == [dumps(e) for e in second]
    assert logs[2][: len(third)] == [dumps(e) for e in third]
    assert {run.reason for run in plan.dropped} == {"written twice"}


@pytest.mark.parametrize("at", [3, 5, 8])
@pytest.mark.parametrize("to", [2, 4, 9, 10])
def test_a_line_that_was_moved_goes_back(at: int, to: int) -> None:
    events = [event("todo/write", n, {"todos": []}) | {"time": n} for n in range(2, 12)]
    moved = list(events)
    moved.insert(to - 2, moved.pop(at - 2))
    whole = text_of(*OPEN, *events)
    plan = plan_repair(text_of(*OPEN, *moved))
    if at == to:
        return
    (log,) = plan.logs
    assert log.data.startswith(whole)
    assert plan.dropped == ()
    assert any("put back where it belongs" in change for change in log.changes)


@pytest.mark.parametrize("wrong", [0, 3, 9, 70])
def test_a_number_that_alone_is_wrong_is_put_right(wrong: int) -> None:
    events = [event("todo/write", n, {"todos": []}) | {"time": n} for n in range(2, 12)]
    spoiled = [{**e, "seq": wrong} if e["seq"] == 7 else e for e in events]
    (log,) = plan_repair(text_of(*OPEN, *spoiled)).logs
    assert log.data.startswith(text_of(*OPEN, *events))
    assert "event 7 had a wrong number" in log.changes

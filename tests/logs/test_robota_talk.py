"""Turns, conversation and timeline of logs: in step with the session view, and told in full."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from robota_log_cases import VECTORS
from sesskit.logs.robota_chat import Losses, with_results
from sesskit.logs.robota_log_view import view
from sesskit.logs.robota_moments import Bound, Moment, Range, moments
from sesskit.logs.robota_replay import provider_messages
from sesskit.logs.robota_stream import CheckedLog, checked_log
from sesskit.logs.robota_subagents import LINK, NO_FILE, UNREADABLE, subagent_logs
from sesskit.logs.robota_talk import (
    MOST_STREAMED,
    Answered,
    Called,
    Helper,
    Said,
    TurnBegan,
    TurnEnded,
    talk_of,
)
from sesskit.logs.robota_timeline import KINDS, timeline, tokens_of
from sesskit.schemas.robota_log_turns import HistoryMutation, TextDelta, User

WHOLE = sorted(
    [*VECTORS.glob("valid/*/log/**/*.jsonl"), *VECTORS.glob("audit/logs/**/*.jsonl")],
    key=str,
)


def read(path: Path) -> list[Moment]:
    log = checked_log(path)
    assert isinstance(log, CheckedLog)
    return list(moments(log.lines()))


@pytest.mark.parametrize("path", WHOLE, ids=lambda p: p.stem)
def test_turns_are_those_of_the_view(path: Path) -> None:
    session = view(path.read_bytes())
    committed = any(isinstance(m.event, HistoryMutation) for m in read(path))
    turns = [turn for turn in session.turns if turn.number]
    found = list(talk_of(read(path)))
    began = [item.number for item in found if isinstance(item, TurnBegan)]
    if committed:
        assert [number for number in began if number] == [turn.number for turn in turns]
    ended = {item.number: item.state for item in found if isinstance(item, TurnEnded)}
    assert set(ended) <= set(began)


@pytest.mark.parametrize("path", WHOLE, ids=lambda p: p.stem)
def test_calls_end_as_in_the_view(path: Path) -> None:
    found = list(talk_of(read(path)))
    calls = [call for call in view(path.read_bytes()).calls() if call.state != "orphan"]
    assert sum(isinstance(item, Called) for item in found) == len(calls)
    told = Counter(i.state for i in found if isinstance(i, Answered) and i.state != "orphan")
    expected = Counter(c.state for c in calls if c.state in ("answered", "failed", "denied"))
    assert told == expected


@pytest.mark.parametrize("path", WHOLE, ids=lambda p: p.stem)
def test_timelines_tell_every_kind_in_words(path: Path) -> None:
    entries = list(timeline(read(path)))
    assert {entry.kind for entry in entries} <= set(KINDS)
    assert [e.moment.line for e in entries] == sorted(e.moment.line for e in entries)
    assert all(value == value for entry in entries for value in entry.figures.values())


def test_every_event_but_pieces_is_told() -> None:
    entries = timeline(read(VECTORS / "valid/every-event/log/every_event.jsonl"))
    told = {type(entry.moment.event).__name__ for entry in entries}
    assert {"SessionInit", "User", "ProviderFallback", "ContextCompact", "ToolDenied"} <= told
    assert told.isdisjoint({"TextDelta", "ProviderStreamRawDelta", "PreRun"})


def test_an_input_belongs_to_the_turn_that_it_begins() -> None:
    found = read(VECTORS / "audit/logs/plain-turns/plain-turns.jsonl")
    inputs = [moment.turn for moment in found if isinstance(moment.event, User)]
    assert inputs == list(range(1, len(inputs) + 1))


@pytest.mark.parametrize(
    ("ends", "lines"),
    [
        ((None, None), range(1, 15)),
        ((Bound("line", 3), Bound("line", 5)), range(3, 6)),
        ((Bound("turn", 1), None), range(2, 15)),
        ((None, Bound("turn", 0)), range(1, 2)),
        ((Bound("time", 0), Bound("time", 1)), ()),
        ((Bound("time", 0), Bound("line", 2)), range(1, 3)),
    ],
)
def test_ranges(ends: Any, lines: Any) -> None:
    (path,) = VECTORS.glob("valid/chat-small/log/*.jsonl")
    part = Range(*ends)
    assert [m.line for m in read(path) if part.holds(m)] == list(lines)


def test_what_has_no_time_fits_no_time() -> None:
    (first, *_) = read(VECTORS / "valid/every-event/log/every_event.jsonl")
    timeless = first._replace(time=None)
    assert not Range(Bound("time", 0)).holds(timeless)
    assert not Range(None, Bound("time", 1e15)).holds(timeless)


@pytest.mark.parametrize(
    ("metadata", "tokens"),
    [
        ({}, {}),
        ({"inputTokens": 3}, {}),
        ({"inputTokens": 3, "outputTokens": 4}, {"promptTokens": 3, "outputTokens": 4}),
        (
            {"usage": {"promptTokens": 3, "completionTokens": 4}},
            {"promptTokens": 3, "outputTokens": 4},
        ),
        ({"usage": "many"}, {}),
    ],
)
def test_tokens(metadata: dict[str, Any], tokens: dict[str, int]) -> None:
    assert tokens_of(metadata) == tokens


def test_subagents_are_told_once_where_they_begin() -> None:
    path = VECTORS / "valid/subagent/log/session_parent-1.jsonl"
    (helper,) = [item for item in talk_of(read(path)) if isinstance(item, Helper)]
    assert (helper.moment.line, helper.id) == (3, "task-1")
    assert helper.path == "session_parent-1/subagents/agent_abc.jsonl"
    found = subagent_logs(path, "session_parent-1")
    assert ([log.name for log in found.logs], found.left_out) == (["agent_abc.jsonl"], [])


@pytest.mark.parametrize("name", ["", None, "..", ".", "a/b", "nobody"])
def test_no_subagents_of_odd_names(name: str | None, tmp_path: Path) -> None:
    (tmp_path / "subagents").mkdir()
    (tmp_path / "subagents" / "x.jsonl").touch()
    assert subagent_logs(tmp_path / "inner" / "log.jsonl", name) == ([], [])


def test_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").touch()
    (folder / "b.jsonl").symlink_to("a.jsonl")
    (folder / "c.txt").touch()
    os.mkfifo(folder / "d.jsonl")
    expected = [(folder / "b.jsonl", LINK), (folder / "d.jsonl", NO_FILE)]
    assert subagent_logs(tmp_path / "s.jsonl", "s") == ([folder / "a.jsonl"], expected)


def test_links_to_folders_of_subagents_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "s" / "subagents").mkdir(parents=True)
    back, folder = tmp_path / "back", tmp_path / "t" / "subagents"
    back.symlink_to("s")
    folder.parent.mkdir()
    folder.symlink_to(tmp_path)
    assert subagent_logs(tmp_path / "back.jsonl", "back") == ([], [(back, LINK)])
    assert subagent_logs(tmp_path / "t.jsonl", "t") == ([], [(folder, LINK)])


def test_a_folder_of_subagents_that_cannot_be_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)

    def refuse(self: Path) -> Any:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert subagent_logs(tmp_path / "s.jsonl", "s") == ([], [(folder, UNREADABLE)])


def told(log: str) -> list[Any]:
    return list(talk_of(read(VECTORS / f"audit/logs/{log}/{log}.jsonl")))


def test_who_called_is_told_without_a_text() -> None:
    found = told("parked-approval")
    before = [found[n - 1] for n, item in enumerate(found) if isinstance(item, Called)]
    assert [(item.role, item.text) for item in before] == [("assistant", "")] * 2


def test_a_parked_turn_that_was_answered_is_complete() -> None:
    states = [item.state for item in told("parked-approval") if isinstance(item, TurnEnded)]
    assert states == ["complete", "interrupted", "complete"]


def test_text_of_an_answer_that_broke_off_is_told_as_such() -> None:
    said = [item for item in told("aborted-stream") if isinstance(item, Said)]
    assert [(item.text, item.streamed) for item in said] == [
        ("When does the tide turn?", False),
        ("The tide turns at", True),
        ("Please finish.", False),
        ("At six.", False),
    ]
    assert not any(item.streamed for item in told("aborted-after-answer") if isinstance(item, Said))


def test_text_that_broke_off_is_held_up_to_a_size() -> None:
    found = read(VECTORS / "audit/logs/aborted-stream/aborted-stream.jsonl")
    delta = next(n for n, moment in enumerate(found) if isinstance(moment.event, TextDelta))
    event = msgspec.structs.replace(found[delta].event, delta="x" * MOST_STREAMED)
    found[delta] = found[delta]._replace(event=event)
    (said,) = [i for i in talk_of(found) if isinstance(i, Said) and i.streamed]
    assert said.text == "x" * MOST_STREAMED + " ... 8 more characters"


def test_results_are_made_up_for_calls_without_one() -> None:
    (path,) = VECTORS.glob("valid/denials-redacted/log/*.jsonl")
    events = [moment.event for moment in read(path)]
    said = [event.message for event in events if isinstance(event, HistoryMutation)]
    losses = Losses()
    list(losses.made(provider_messages(losses.taken(said))))
    assert losses.found() == {"call-without-result": 3, "result-without-call": 0, "part": 0}
    filled = Losses()
    made = list(filled.made(provider_messages(filled.taken(with_results(said)))))
    assert not any(filled.found().values())
    assert json.dumps(made).count("no result") == 3

"""The rules of the talk: turns, pairing, and the states of calls and turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    CallState,
    Mark,
    Message,
    Ref,
    Result,
    Session,
    Text,
    ToolCall,
    Turn,
)
from sesskit.schemas.instants import parse_instant

HERE = Ref(0, 1)
DONE = Result((Text(HERE),))


def person(at: str | None = None) -> Message:
    return Message("user", "person", (), (HERE,), time=parse_instant(at) if at else None)


def model(at: str | None = None) -> Message:
    return Message("assistant", "model", (), (HERE,), time=parse_instant(at) if at else None)


def machine() -> Message:
    return Message("system", "machine", (), (HERE,))


def asked(call_id: str | None = "c", **more: Any) -> Asked:
    return Asked(call_id, "tool", HERE, **more)


def states(talk: Talk) -> list[str]:
    """The states of all calls, in the order of the talk."""
    return [call.state for call in Session("test", HERE, turns=talk.turns()).calls()]


def shapes(turns: tuple[Turn, ...]) -> list[tuple[int, int, str]]:
    return [(turn.number, len(turn.messages), turn.state) for turn in turns]


def test_each_message_of_a_person_opens_a_turn() -> None:
    talk = Talk()
    for message in (person(), model(), person(), machine(), model()):
        talk.say(message)
    assert shapes(talk.turns()) == [(1, 2, "complete"), (2, 3, "complete")]


def test_what_stands_before_the_first_person_is_turn_zero() -> None:
    talk = Talk()
    for message in (machine(), person(), model()):
        talk.say(message)
    assert shapes(talk.turns()) == [(0, 1, "complete"), (1, 2, "complete")]


def test_a_marked_talk_has_the_turns_its_format_says() -> None:
    talk = Talk(marked=True)
    talk.begin("one")
    talk.say(person())
    talk.say(person())
    talk.end("error", "the provider was away")
    talk.begin("two")
    talk.say(model())
    turns = talk.turns()
    assert shapes(turns) == [(1, 2, "error"), (2, 1, "complete")]
    assert [(turn.id, turn.reason) for turn in turns] == [
        ("one", "the provider was away"),
        ("two", None),
    ]


def test_the_time_of_a_turn_reaches_to_its_last_result() -> None:
    talk = Talk()
    talk.say(person("2026-01-01T10:00:00Z"))
    talk.say(model(), [asked()])
    talk.answer("c", DONE, HERE, time=parse_instant("2026-01-01T10:02:00Z"))
    (turn,) = talk.turns()
    assert (str(turn.started), str(turn.ended)) == (
        "2026-01-01T10:00:00.000Z",
        "2026-01-01T10:02:00.000Z",
    )


def test_an_empty_talk_has_no_turns() -> None:
    talk = Talk()
    talk.end("interrupted")
    assert talk.turns() == ()


@pytest.mark.parametrize("state", ["answered", "failed", "denied", "cancelled"])
def test_a_result_says_how_its_call_ended(state: CallState) -> None:
    talk = Talk()
    talk.say(model(), [asked()])
    talk.answer("c", DONE, HERE, state=state)
    assert states(talk) == [state]


def test_a_word_of_the_format_about_a_call_stands() -> None:
    talk = Talk()
    talk.say(model(), [asked(state="denied"), asked("d", state="cancelled")])
    talk.answer("c", DONE, HERE)
    talk.say(model())
    assert states(talk) == ["denied", "cancelled"]


def test_a_call_without_result_at_the_end_is_open_and_so_is_its_turn() -> None:
    talk = Talk()
    talk.say(person())
    talk.say(model(), [asked("a"), asked("b")])
    talk.answer("a", DONE, HERE)
    assert states(talk) == ["answered", "open"]
    assert [turn.state for turn in talk.turns()] == ["open"]


@pytest.mark.parametrize("speaker", [person, model], ids=["person", "model"])
def test_a_call_without_result_before_somebody_speaks_is_unanswered(
    speaker: Callable[[], Message],
) -> None:
    talk = Talk()
    talk.say(model(), [asked()])
    talk.say(speaker())
    assert states(talk) == ["unanswered"]


def test_a_word_of_the_machine_does_not_end_the_wait() -> None:
    talk = Talk()
    talk.say(model(), [asked()])
    talk.say(machine())
    assert states(talk) == ["open"]


def test_a_broken_turn_interrupts_its_calls_but_takes_their_late_results() -> None:
    talk = Talk()
    talk.say(person())
    talk.say(model(), [asked("a"), asked("b")])
    talk.end("interrupted")
    talk.answer("a", DONE, HERE)
    talk.say(person())
    talk.say(model())
    assert states(talk) == ["answered", "interrupted"]
    assert [turn.state for turn in talk.turns()] == ["interrupted", "complete"]


def test_what_follows_a_break_is_a_turn_of_its_own() -> None:
    talk = Talk()
    talk.say(person())
    talk.end("interrupted")
    talk.say(model())
    assert shapes(talk.turns()) == [(1, 1, "interrupted"), (2, 1, "complete")]


@pytest.mark.parametrize("state", ["unrecorded", "abandoned"])
def test_a_state_known_beforehand_is_that_of_all_calls_without_result(state: CallState) -> None:
    talk = Talk(without=state)
    talk.say(model(), [asked("a"), asked(None)])
    talk.say(model())
    assert states(talk) == [state, state]


def test_a_result_without_call_is_an_orphan_where_it_stands() -> None:
    talk = Talk()
    talk.say(person())
    talk.answer("nobody", DONE, HERE, name="read", time=parse_instant("2026-01-01"))
    talk.answer(None, DONE, HERE)
    talk.say(model())
    assert states(talk) == ["orphan", "orphan"]
    (turn,) = talk.turns()
    orphan = turn.messages[1]
    assert (orphan.by, str(orphan.time)) == ("machine", "2026-01-01T00:00:00.000Z")
    (block,) = orphan.blocks
    assert isinstance(block, ToolCall)
    assert (block.call.name, block.call.refs.call, block.call.refs.results) == (
        "read",
        None,
        (HERE,),
    )


def test_an_orphan_can_be_all_there_is() -> None:
    talk = Talk()
    talk.answer("c", DONE, HERE)
    assert states(talk) == ["orphan"]
    assert shapes(talk.turns()) == [(0, 1, "complete")]


def test_a_result_before_its_call_does_not_answer_it() -> None:
    talk = Talk()
    talk.answer("c", DONE, HERE)
    talk.say(model(), [asked()])
    assert states(talk) == ["orphan", "open"]


def test_calls_of_one_id_are_answered_in_order_and_more_results_join_the_last() -> None:
    first, second, third = Ref(1, 1), Ref(2, 1), Ref(3, 1)
    talk = Talk()
    talk.say(model(), [asked(), asked()])
    talk.answer("c", DONE, first)
    talk.answer("c", DONE, second, state="failed")
    talk.answer("c", DONE, third)
    calls = list(Session("test", HERE, turns=talk.turns()).calls())
    assert [(call.state, call.refs.results) for call in calls] == [
        ("answered", (first,)),
        ("failed", (second, third)),
    ]


def test_a_person_without_answer_leaves_the_last_turn_open() -> None:
    talk = Talk()
    talk.say(person())
    talk.say(person())
    assert [turn.state for turn in talk.turns()] == ["complete", "open"]


def test_a_turn_may_end_in_a_way_that_breaks_nothing() -> None:
    talk = Talk(marked=True)
    talk.begin()
    talk.say(model(), [asked()])
    talk.end("superseded")
    talk.answer("c", DONE, HERE)
    assert states(talk) == ["answered"]
    assert [turn.state for turn in talk.turns()] == ["superseded"]


def test_the_model_reads_the_talk_unless_the_format_says_otherwise() -> None:
    talk = Talk()
    talk.say(person())
    turns = talk.turns()
    assert [m.by for m in Session("test", HERE, turns=turns).for_model()] == ["person"]
    summary = Message("user", "synthetic", (), (HERE,))
    replaced = Session("test", HERE, turns=turns, model=(summary,))
    assert list(replaced.for_model()) == [summary]


def test_everything_stands_in_the_order_of_the_file() -> None:
    talk = Talk()
    talk.say(Message("assistant", "model", (), (Ref(20, 10),)), [asked()])
    talk.answer("c", DONE, Ref(40, 5))
    talk.answer("nobody", DONE, Ref(30, 5))
    marks = (Mark("inside", "hook", Ref(5, 2)), Mark("outside", "hook", Ref(5, 9)))
    session = Session("test", HERE, turns=talk.turns(), marks=marks, system=(Ref(0, 3),))
    assert [(name, ref.offset) for name, ref in session.in_file_order()] == [
        ("system", 0),
        ("outside", 5),
        ("inside", 5),
        ("assistant", 20),
        ("tool", 30),
        ("tool", 40),
    ]

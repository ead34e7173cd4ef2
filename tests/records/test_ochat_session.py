"""Sessions made and reset, their tasks, data and allocators."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from ochat_builders import answered, said, session
from ochat_vectors import Row, raw, told
from sesskit.records.ochat import decode, encode
from sesskit.records.ochat_allocator import Allocator, AllocatorError, allocator_of, with_items
from sesskit.records.ochat_session import create, new_id, reset
from sesskit.records.ochat_tasks import (
    NoSingleMatch,
    value_of,
    with_task,
    with_task_state,
    with_value,
    without_key,
)
from sesskit.schemas.binprot import INT_HIGH
from sesskit.schemas.ochat_moderator import NO_MODERATOR
from sesskit.schemas.ochat_sessions import SessionV5, Task
from sesskit.schemas.ochat_shell import NO_SHELL
from sesskit.schemas.outcomes import Valid


def test_a_new_session_is_what_the_original_makes() -> None:
    content = told("v5/empty.json")["session"]
    made = create(content["prompt_file"], session_id=content["id"])
    assert encode(made) == raw("v5/empty.bin")


def test_new_ids_are_hexadecimal_and_differ() -> None:
    ids = {new_id() for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in ids)
    assert create("p").id != create("p").id
    assert create("p", local_prompt_copy="prompt.chatmd").local_prompt_copy == "prompt.chatmd"


@pytest.mark.parametrize("keep", [False, True])
def test_a_reset_keeps_what_a_session_is(keep: bool) -> None:
    outcome = decode(raw("v5/everything.bin"))
    assert isinstance(outcome, Valid)
    old: SessionV5 = outcome.value.session
    made = reset(old, keep_history=keep)
    assert made.history == (old.history if keep else [])
    assert (made.moderator_state, made.shell_state) == (NO_MODERATOR, NO_SHELL)
    assert (made.id, made.tasks, made.kv_store) == (old.id, old.tasks, old.kv_store)
    assert (made.vfs_root, made.prompt_file) == (old.vfs_root, old.prompt_file)
    assert made.next_history_sequence == old.next_history_sequence > 0
    assert decode(encode(made)).status == "valid"


def test_ids_go_on_after_a_reset() -> None:
    old = with_items(session(), [said(), answered()])
    made = with_items(reset(old), [said()])
    assert [entry.id for entry in made.history] == ["4:demo:2"]
    assert decode(encode(made)).issues == ()


def test_tasks() -> None:
    made, first = with_task(session(), "Write outline")
    assert (first.title, first.state) == ("Write outline", "Pending")
    made, second = with_task(made, "Draft", task_id="t2")
    made = with_task_state(made, "t2", "In_progress")
    made = with_task_state(made, first.id if isinstance(first.id, str) else "", "Done")
    assert [(task.id, task.state) for task in made.tasks] == [
        (first.id, "Done"),
        (second.id, "In_progress"),
    ]
    assert decode(encode(made)).status == "valid"
    with pytest.raises(NoSingleMatch, match="already"):
        with_task(made, "Again", task_id="t2")


TWICE = replace(
    session(),
    tasks=[Task("t", "a", "Pending"), Task("t", "b", "Pending")],
    kv_store=[("k", "1"), ("k", "2")],
)


@pytest.mark.parametrize("name", ["t", "k", "other"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda made, name: with_task_state(made, name, "Done"),
        value_of,
        without_key,
    ],
)
def test_what_is_not_one_thing_is_not_changed(ask: Callable[..., Any], name: str) -> None:
    with pytest.raises(NoSingleMatch) as caught:
        ask(TWICE, name)
    assert f"{name!r}" not in str(caught.value)


def test_values() -> None:
    made = with_value(with_value(session(), "a", "1"), "b", "2")
    assert (value_of(made, "a"), value_of(made, "b")) == ("1", "2")
    made = with_value(made, "a", "3")
    assert made.kv_store == [("a", "3"), ("b", "2")]
    assert without_key(made, "a").kv_store == [("b", "2")]
    with pytest.raises(NoSingleMatch):
        with_value(TWICE, "k", "3")


@pytest.mark.parametrize("row", told("facts/allocator.json"), ids=str)
def test_allocator_facts(row: Row) -> None:
    stage = row.get("stage")
    if stage == "create":
        with pytest.raises(AllocatorError) as caught:
            Allocator(row["namespace"], row["next_sequence"])
    else:
        allocator = Allocator(row["namespace"], row["next_sequence"])
        if stage is None:
            assert [one.text() for one in allocator.reserve(row["reserve"])] == row["ids"]
            assert allocator.next_sequence == row["next_after"]
            return
        with pytest.raises(AllocatorError) as caught:
            allocator.reserve(row["reserve"])
        assert allocator.next_sequence == row["next_after"]
    reasons = {"negative_high_water": "negative-high-water", "exhausted": "exhausted"}
    reasons |= {"negative_count": "negative-count", "empty_session_id": "empty-session-id"}
    assert caught.value.reason == reasons[row["reason"]]


def test_an_exhausted_session_still_loads() -> None:
    full = replace(session(), next_history_sequence=INT_HIGH)
    assert decode(encode(full)).status == "valid"
    with pytest.raises(AllocatorError, match="used up"):
        with_items(full, [said()])
    assert with_items(full, []) == full


def test_threads_never_get_the_same_id() -> None:
    allocator = allocator_of(session())
    taken: list[str | bytes] = []

    def take() -> None:
        for _ in range(200):
            taken.extend(one.text() for one in allocator.reserve(2))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(taken)) == len(taken) == 1600

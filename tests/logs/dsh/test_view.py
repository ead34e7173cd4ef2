"""The session view of dsh logs."""

import json
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.marks import MARKS
from sesskit.logs.dsh.view import text_of_log, view
from sesskit.logs.dsh.vocabulary import KNOWN
from sesskit.records.refs import input_of, reader, text_of
from sesskit.records.view import Compaction, Session, Text, ToolCall


def seen(case: Case) -> tuple[Session, bytes]:
    data = case.file.read_bytes()
    session = view(data)
    assert session is not None
    return session, text_of_log(data)


def readable() -> list[Case]:
    return [c for c in cases() if "header" in c.expected and "sqlite" not in c.name]


@pytest.mark.parametrize("case", readable(), ids=lambda c: c.name)
def test_every_line_has_its_place(case: Case) -> None:
    session, text = seen(case)
    assert session.total.length == len(text)
    assert session.id == case.expected["header"]["id"]
    placed = {ref.line for _, ref in session.in_file_order()}
    assert placed | {1} == set(range(1, len(text.splitlines()) + 1))
    read = reader(text)
    for message in session.messages():
        for block in message.blocks:
            if isinstance(block, Text):
                assert json.loads(read(block.ref)) == text_of(block.ref, read)


def the(name: str) -> tuple[Session, Any]:
    (case,) = cases(name=name)
    session, text = seen(case)
    return session, reader(text)


def test_a_talk_with_tools() -> None:
    session, read = the("tools-multi-turn-raw")
    assert [turn.state for turn in session.turns] == ["complete"] * len(session.turns)
    calls = list(session.calls())
    assert {call.state for call in calls} <= {"answered", "failed"}
    assert calls[0].input is not None
    assert input_of(calls[0].input, read) == ({"item": "lamp"}, True)
    assert calls[0].result is not None
    assert session.models == ("mock-1",)
    first = next(m for m in session.messages() if m.by == "model")
    assert first.usage is not None
    assert first.usage.prompt == 210 + 64
    assert session.system
    assert session.tools
    assert session.model is None


def test_what_crashes_leave() -> None:
    session, _ = the("crash-one-started-one-not")
    assert session.turns[-1].state == "open"
    assert [call.state for call in session.calls()] == ["open", "open"]
    (case,) = cases(name="crash-one-started-one-not")
    after = view((case.folder / "after-load.session.jsonl").read_bytes())
    assert after is not None
    assert after.turns[-1].state == "interrupted"
    assert [call.state for call in after.calls()] == ["interrupted", "interrupted"]


def test_compactions_show_in_the_next_request_only() -> None:
    session, _ = the("compaction-surface-replace")
    assert not [b for m in session.messages() for b in m.blocks if isinstance(b, Compaction)]
    assert session.model is not None
    assert [b for m in session.model for b in m.blocks if isinstance(b, Compaction)]


def test_old_logs() -> None:
    session, read = the("seed-era-full")
    assert [t.state for t in session.turns] == ["complete", "complete", "error"]
    by = [m.by for m in session.messages()]
    assert by == ["person", "model", "person", "model", "machine", "person"]
    (call,) = session.calls()
    assert (call.state, call.name) == ("answered", "lookup_price")
    assert session.version is not None
    assert session.version.word == "seed v1"
    assert read is not None


def test_forks_and_helpers() -> None:
    fork, _ = the("fork-parent-child--child-at-turn-1")
    assert (fork.origin.kind, fork.origin.of, fork.origin.up_to) == ("fork", "parent-1", "event 5")
    helper, _ = the("subagent-no-cwd")
    assert helper.origin.kind == "helper"


def test_every_type_is_a_mark_or_a_message() -> None:
    session, _ = the("every-known-type")
    assert session.title == "Mine"
    assert [c.id for c in session.children] == ["ch1"]
    assert any(isinstance(b, ToolCall) for m in session.messages() for b in m.blocks)
    kinds = {m.type: m.class_ for m in session.marks}
    assert kinds["approval/decided"] == "permission"
    assert kinds["session/title-llm-request"] == "request-log"


@pytest.mark.parametrize("data", [b"", b"{}", b"x\n", b"\x28\xb5\x2f\xfd"])
def test_nothing_to_see(data: bytes) -> None:
    assert view(data) is None


def test_every_type_of_a_release_is_known() -> None:
    talk = {"user/message", "assistant/message", "tool/result"}
    assert set().union(*KNOWN.values()) - set(MARKS) <= talk

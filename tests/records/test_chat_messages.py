"""A session as messages for a provider: the rules of the form, and what it cannot hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ochat_builders import answered, called, file_of, said, thought
from ochat_vectors import INDEX, Row, name_of, raw
from robota_vectors import BASES
from sesskit.records.chat_messages import Wire, chat_messages
from sesskit.records.ochat_view import view
from sesskit.records.refs import reader
from sesskit.records.robota_view import enveloped
from sesskit.records.view import (
    Blob,
    Call,
    CallRefs,
    Compaction,
    Input,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Result,
    Session,
    StoredFile,
    Text,
    ToolCall,
    Turn,
    Uri,
)
from sesskit.schemas.ochat_items import FunctionCallOutput, InputImage, InputMessage, InputText
from sesskit.schemas.ochat_items import TextOutput as Output

DATA = b"The text of every block."
HERE = Ref(0, len(DATA), form="raw")


def returned(call: str, text: str) -> FunctionCallOutput:
    return FunctionCallOutput(Output(text), call, "function_call_output", None, None)


def of_items(*items: Any, **how: Any) -> tuple[list[Wire], dict[str, int]]:
    data = file_of(*items)
    made, losses = chat_messages(view(data), reader(data), **how)
    return made, {loss.kind: loss.count for loss in losses}


def of_messages(*messages: Message, **how: Any) -> tuple[list[Wire], dict[str, int]]:
    session = Session("x", HERE, turns=(Turn(1, messages, "complete"),))
    made, losses = chat_messages(session, reader(DATA), **how)
    assert all(loss.count > 0 for loss in losses)
    return made, {loss.kind: loss.count for loss in losses}


def message(role: Any, *blocks: Any) -> Message:
    return Message(role, "person", blocks, (HERE,))


def test_a_talk() -> None:
    made, losses = of_items(said("Hello"), thought(), answered("Hi"))
    assert made == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
    ]
    assert losses == {}


def test_calls_of_one_answer_go_together_with_their_results_behind() -> None:
    made, _ = of_items(
        said(), answered("Both."), called("a"), called("b"), returned("b", "B"), returned("a", "A")
    )
    assert [one["role"] for one in made] == ["user", "assistant", "tool", "tool"]
    assert made[1]["content"] == "Both."
    assert [call["id"] for call in made[1]["tool_calls"]] == ["a", "b"]
    assert [(one["tool_call_id"], one["content"]) for one in made[2:]] == [("a", "A"), ("b", "B")]
    assert made[1]["tool_calls"][0]["function"] == {
        "name": "list_dir",
        "arguments": '{"path":"docs"}',
    }


def test_a_result_between_two_calls_keeps_them_apart() -> None:
    made, _ = of_items(said(), called("a"), returned("a", "A"), called("b"), returned("b", "B"))
    assert [one["role"] for one in made] == ["user", "assistant", "tool", "assistant", "tool"]
    assert made[1]["content"] is None


def test_what_is_said_after_a_call_is_a_message_of_its_own() -> None:
    made, _ = of_items(said(), called("a"), answered("So."), returned("a", "A"))
    assert [one["role"] for one in made] == ["user", "assistant", "tool", "assistant"]


def test_a_call_without_a_result() -> None:
    assert of_items(said(), called("a")) == (
        [{"role": "user", "content": "hi"}],
        {"call-without-result": 1},
    )
    made, losses = of_items(said(), called("a"), fill_results=True)
    assert made[2] == {
        "role": "tool",
        "tool_call_id": "a",
        "content": "[there is no result: open]",
    }
    assert losses == {}


def test_pictures_of_people() -> None:
    parts: list[InputText | InputImage] = [
        InputText("This?", "input_text"),
        InputImage("https://x.test/a.png", "auto", "i"),
    ]
    (made,), _ = of_items(InputMessage("User", parts, "message"))
    assert made["content"] == [
        {"type": "text", "text": "This?"},
        {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
    ]
    _, losses = of_items(InputMessage("System", parts, "message"))
    assert losses == {"picture": 1}


def test_pictures_in_the_file_become_addresses() -> None:
    (made,), _ = of_messages(message("user", Blob(HERE, "image/png")))
    url = f"data:image/png;base64,{DATA.decode()}"
    assert made["content"] == [{"type": "image_url", "image_url": {"url": url}}]


def call(state: Any, **more: Any) -> Call:
    return Call("c", "tool", state, CallRefs(HERE, (HERE,)), **more)


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        (Reasoning(HERE), "reasoning"),
        (Reasoning(HERE, sealed=True), "sealed-reasoning"),
        (Reasoning(None), None),
        (StoredFile("f", HERE), "file"),
        (Opaque("odd", HERE), "unknown-part"),
        (Notice("word", HERE), None),
        (Blob(HERE, "audio/wav"), "file"),
        (Uri(HERE, "image/png"), "picture"),
        (ToolCall(call("unrecorded", kind="server")), "call-of-the-provider"),
        (ToolCall(Call("c", "", "orphan", CallRefs(None, (HERE,)))), "result-without-call"),
    ],
)
def test_what_has_no_place(block: Any, kind: str | None) -> None:
    made, losses = of_messages(message("assistant", Text(HERE), block))
    assert made == [{"role": "assistant", "content": DATA.decode()}]
    assert losses == ({} if kind is None else {kind: 1})
    if not isinstance(block, Uri):
        of_user = of_messages(message("user", Text(HERE), block))
        assert of_user == ([{"role": "user", "content": DATA.decode()}], losses)


def test_a_state_that_is_no_plain_answer_is_lost() -> None:
    failed = call("failed", result=Result((Text(HERE), Uri(HERE, "image/png"))))
    made, losses = of_messages(message("assistant", ToolCall(failed)))
    assert made[1]["content"] == DATA.decode()
    assert made[0]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert losses == {"state-of-a-call": 1, "picture": 1}


def test_a_result_of_nothing_and_a_call_without_an_id() -> None:
    bare = Call(None, "tool", "answered", CallRefs(HERE, (HERE,)), result=Result(()))
    made, _ = of_messages(message("assistant", ToolCall(bare), ToolCall(bare)))
    names = [one["id"] for one in made[0]["tool_calls"]]
    assert names == ["call-without-id-1", "call-without-id-2"]
    assert [one["content"] for one in made[1:]] == ["", ""]


def test_arguments_that_are_a_value() -> None:
    given = call("answered", result=Result(()), input=Input(HERE))
    made, _ = of_messages(message("assistant", ToolCall(given)))
    assert made[0]["tool_calls"][0]["function"]["arguments"] == DATA.decode()


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_an_empty_message_is_left_out(role: str) -> None:
    assert of_messages(message(role)) == ([], {"empty-message": 1})


def test_a_summary_is_a_text() -> None:
    made, _ = of_messages(message("user", Compaction(HERE, 3)))
    assert made == [{"role": "user", "content": DATA.decode()}]


def test_what_the_next_request_would_hold_goes_first() -> None:
    other = message("user", Text(Ref(0, 3, form="raw")))
    turns = (Turn(1, (message("user", Text(HERE)),), "complete"),)
    session = Session("x", HERE, turns=turns, model=(other,))
    made, _ = chat_messages(session, reader(DATA))
    assert made == [{"role": "user", "content": "The"}]


def test_every_text_goes_through_the_change() -> None:
    made, _ = of_items(
        said("one"), called("two"), returned("two", "three"), change=lambda text: f"<{text}>"
    )
    assert made[0]["content"] == "<one>"
    assert made[1]["tool_calls"][0]["id"] == "<two>"
    assert made[2]["content"] == "<three>"


def rules_hold(made: list[Wire]) -> None:
    """What a provider asks of a list of messages."""
    waiting: list[str] = []
    for one in made:
        if one["role"] == "tool":
            assert one["tool_call_id"] == waiting.pop(0)
            continue
        assert waiting == []
        calls = one.get("tool_calls", [])
        assert calls or one["content"]
        assert one["role"] == "assistant" or not calls
        waiting = [call["id"] for call in calls]
        for found in calls:
            assert isinstance(found["function"]["arguments"], str)
        if isinstance(one["content"], list) and one["role"] != "user":
            assert all(part["type"] == "text" for part in one["content"])
    assert waiting == []
    json.dumps(made)


@pytest.mark.parametrize("fill", [True, False])
@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_the_rules_hold_for_every_snapshot(row: Row, fill: bool) -> None:
    data = raw(f"{row['name']}.bin")
    rules_hold(chat_messages(view(data), reader(data), fill_results=fill)[0])


@pytest.mark.parametrize("fill", [True, False])
@pytest.mark.parametrize("name", BASES)
def test_the_rules_hold_for_every_record(name: str, fill: bool) -> None:
    data = json.dumps({"schemaVersion": 1, "record": BASES[name]}).encode()
    rules_hold(chat_messages(enveloped(data), reader(data), fill_results=fill)[0])


def test_the_system_prompt_comes_first_and_once() -> None:
    record = {**BASES["small-chat"], "systemPrompt": "Be kind."}
    first = {**BASES["small-chat"]["messages"][0], "role": "system", "content": "Be kind."}
    for messages in (record["messages"], [first, *record["messages"]]):
        whole = {"schemaVersion": 1, "record": {**record, "messages": messages}}
        data = json.dumps(whole).encode()
        made, _ = chat_messages(enveloped(data), reader(data))
        assert [one["content"] for one in made if one["role"] == "system"] == ["Be kind."]
        assert made[0]["role"] == "system"

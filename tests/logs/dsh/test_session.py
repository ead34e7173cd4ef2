"""A session in memory: appending, freezing, surface rules, messages, seeds."""

import json
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.errors import SessionError
from sesskit.logs.dsh.session import Event, Session

USER = {
    "id": "u",
    "role": "user",
    "content": [{"type": "text", "text": "hi"}],
    "source": {"kind": "user"},
}
START = {"type": "turn/start", "seq": 0, "time": 5, "data": {"turn": 1}}


def tool_result(content: str, **more: Any) -> dict[str, Any]:
    block = {
        "type": "tool-result",
        "toolCallId": "c",
        "content": [{"type": "text", "text": content}],
    }
    source = {"kind": "tool", "callId": "c"}
    message = {"id": "t", "role": "user", "source": source, "content": [{**block, **more}]}
    return {"turn": 1, "step": 1, "message": message}


def assistant(*content: Any) -> dict[str, Any]:
    source = {"kind": "model", "provider": "p", "model": "m"}
    message = {"id": "a", "role": "assistant", "content": list(content), "source": source}
    return {"turn": 1, "step": 1, "message": message}


def session_with(*events: tuple[str, Any, Any, Any]) -> Session:
    session = Session("s", clock=lambda: 7)
    for kind, data, op, sources in events:
        session.append(kind, data, surface_op=op, source_event_seqs=sources)
    return session


def refused(call: Any) -> str:
    with pytest.raises(SessionError) as caught:
        call()
    return caught.value.code


def test_append_numbers_stamps_copies_and_freezes() -> None:
    session = Session("s", clock=lambda: 7)
    data = {"turn": 1, "list": [1]}
    event = session.append("turn/start", data)
    data["turn"] = 2
    assert event == {"type": "turn/start", "seq": 0, "time": 7, "data": {"turn": 1, "list": [1]}}
    assert (event.type, event.seq, event.time, event.data["turn"]) == ("turn/start", 0, 7, 1)
    assert (event.ignorable, event.surface_op, event.source_event_seqs) == (False, None, None)
    with pytest.raises(TypeError):
        event["type"] = "x"
    with pytest.raises(TypeError):
        event.data["list"].append(2)
    assert session.events == (event,)
    assert session.seq == 1


@pytest.mark.parametrize(
    "data", [float("nan"), -0.0, ..., object(), {1: 2}, (1,), {"a": {"b": [float("inf")]}}]
)
def test_append_refuses_what_json_loses(data: Any) -> None:
    session = Session("s")
    assert refused(lambda: session.append("x", data)) == "data-not-json-value"
    assert session.seq == 0


APPEND_USER = ("user/message", USER, "append", None)
APPEND_RESULT = ("tool/result", tool_result("long"), "append", None)


@pytest.mark.parametrize(
    ("before", "call", "code"),
    [
        ([], ("user/message", USER, None, None), "surface-op-missing"),
        ([], ("user/message", USER, "prepend", None), "surface-op-unknown"),
        ([], ("turn/start", {}, "append", None), "surface-op-forbidden"),
        ([], ("turn/start", {}, None, []), "sources-forbidden"),
        ([], ("user/message", USER, "append", []), "sources-empty"),
        ([], ("user/message", USER, "append", [0]), "sources-not-earlier"),
        ([], ("user/message", USER, "append", [-1]), "sources-kind"),
        ([APPEND_USER], ("user/message", USER, "append", [0, 0]), "sources-duplicate"),
        (
            [],
            ("user/message", USER, {"op": "replace", "start": 0}, None),
            "surface-replace-invalid",
        ),
        (
            [],
            ("user/message", USER, {"op": "replace", "startSeq": 0, "endSeq": 0}, None),
            "surface-replace-invalid",
        ),
        (
            [],
            ("user/message", USER, {"op": "replace", "start": "0", "end": 0}, None),
            "surface-replace-invalid",
        ),
        (
            [],
            ("user/message", USER, {"op": "replace", "start": 0, "end": 0}, None),
            "replace-not-on-surface",
        ),
        (
            [APPEND_USER, APPEND_USER],
            ("user/message", USER, {"op": "replace", "start": 1, "end": 0}, [0, 1]),
            "replace-order",
        ),
        (
            [APPEND_USER, APPEND_USER],
            ("user/message", USER, {"op": "replace", "start": 0, "end": 1}, [0]),
            "sources-miss-shadowed",
        ),
        (
            [APPEND_RESULT, APPEND_RESULT],
            ("tool/result", tool_result("cut"), {"op": "replace", "start": 0, "end": 1}, [0, 1]),
            "prune-not-one-node",
        ),
        (
            [APPEND_USER],
            ("tool/result", tool_result("cut"), {"op": "replace", "start": 0, "end": 0}, [0]),
            "prune-not-a-result",
        ),
        (
            [APPEND_RESULT],
            (
                "tool/result",
                tool_result("cut", isError=True),
                {"op": "replace", "start": 0, "end": 0},
                [0],
            ),
            "prune-changes-more-than-content",
        ),
    ],
)
def test_surface_rules_hold_on_append(before: list[Any], call: Any, code: str) -> None:
    session = session_with(*before)
    kind, data, op, sources = call
    surface = session.surface
    append = lambda: session.append(kind, data, surface_op=op, source_event_seqs=sources)  # noqa: E731
    assert refused(append) == code
    assert (session.seq, session.surface) == (len(before), surface)


def test_replacements_keep_the_place_not_the_number() -> None:
    session = session_with(
        APPEND_USER,
        APPEND_USER,
        APPEND_USER,
        ("user/message", USER, {"op": "replace", "start": 0, "end": 1}, [0, 1]),
    )
    assert list(session.surface) == [3, 2]
    session.append(
        "user/message",
        USER,
        surface_op={"op": "replace", "start": 3, "end": 2},
        source_event_seqs=[0, 2, 3],
    )
    assert list(session.surface) == [4]
    session.append("user/message", USER, surface_op="append")
    assert list(session.surface) == [4, 5]


def test_a_tool_result_may_be_pruned() -> None:
    replace = {"op": "replace", "start": 0, "end": 0}
    session = session_with(APPEND_RESULT, ("tool/result", tool_result("cut"), replace, [0]))
    assert session.derive_messages() == [tool_result("cut")["message"]]


def test_messages_are_verbatim_and_empty_answers_give_none() -> None:
    session = session_with(
        APPEND_USER,
        ("assistant/message", assistant(), "append", []),
        ("assistant/message", assistant({"type": "text", "text": "yes"}), "append", None),
        ("todo/write", {"todos": []}, None, None),
    )
    assert session.derive_messages() == [
        USER,
        assistant({"type": "text", "text": "yes"})["message"],
    ]


def test_append_does_not_check_messages_as_in_the_original() -> None:
    session = session_with(("user/message", None, "append", None), APPEND_USER)
    assert session.derive_messages() == [USER]


def test_request_header_is_the_latest_without_empty_members() -> None:
    session = Session("s")
    assert session.request_header is None
    config = {"provider": "p", "model": "m"}
    session.append(
        "request/header", {"header": {"config": config, "system": ""}, "reason": "initial"}
    )
    assert session.request_header == {"config": config}


@pytest.mark.parametrize(
    ("seed", "code", "index"),
    [
        ([{**START, "seq": 1}], "seed-seq", 0),
        ([START, {**START, "seq": 2}], "seed-seq", 1),
        ([{**START, "extra": 1}], "invalid-envelope", 0),
        ([{**START, "time": "5"}], "invalid-envelope", 0),
        ([{**START, "ignorable": False}], "invalid-envelope", 0),
        ([{**START, "type": 5}], "invalid-envelope", 0),
        ([{k: v for k, v in START.items() if k != "data"}], "invalid-envelope", 0),
        ([{**START, "data": ...}], "invalid-envelope", 0),
        ([[]], "invalid-envelope", 0),
        ([{**START, "data": float("nan")}], "seed-not-json-value", 0),
        (
            [{**START, "type": "user/message", "data": {}, "surfaceOp": "append"}],
            "message-no-id",
            0,
        ),
        ([START, {**START, "seq": 1, "surfaceOp": "append"}], "surface-op-forbidden", 1),
        ([{**START, "type": "request/header"}], "request-header-no-config", 0),
    ],
)
def test_seeds_are_checked(seed: Any, code: str, index: int) -> None:
    with pytest.raises(SessionError) as caught:
        Session("s", seed=seed)
    assert (caught.value.code, caught.value.index) == (code, index)


def test_seeds_end_in_a_marker() -> None:
    marker = {"type": "session/end-seed", "seq": 0, "time": 5, "data": {}}
    assert [e.type for e in Session("s", seed=[]).events] == ["session/end-seed"]
    assert Session("s", seed=[marker]).events == (marker,)
    assert Session("s").events == ()
    unknown = Session("s", seed=[{**START, "type": "acme/x"}])
    assert [e.type for e in unknown.events] == ["acme/x", "session/end-seed"]
    assert unknown.first_live_seq == 1


@pytest.mark.parametrize(
    ("meta", "field"),
    [
        ({"cwd": "relative"}, "cwd"),
        ({"cwd": 5}, "cwd"),
        ({"createdAt": -1}, "createdAt"),
        ({"createdAt": True}, "createdAt"),
        ({"origin": "robot"}, "origin"),
        ({"delegationDepth": 1.5}, "delegationDepth"),
        ({"seedLength": -1}, "seedLength"),
        ({"parentSession": 5}, "parentSession"),
        ({"agentPreset": 5}, "agentPreset"),
    ],
)
def test_headers_are_checked(meta: dict[str, Any], field: str) -> None:
    with pytest.raises(SessionError) as caught:
        Session("s", meta=meta)
    assert (caught.value.code, caught.value.field) == ("header-field", field)


def test_header_that_json_cannot_hold() -> None:
    assert (
        refused(lambda: Session("s", meta={"createdAt": float("nan")})) == "header-not-json-value"
    )


def test_header_members_in_stored_order() -> None:
    meta = {
        "agentPreset": "z",
        "delegationDepth": 1,
        "origin": "subagent",
        "seedLength": 0,
        "parentSession": "p",
        "cwd": "/w",
        "createdAt": 5,
        "colour": "ignored",
    }
    expected = {"version": 0, "id": "ok", "createdAt": 5, "cwd": "/w", "parentSession": "p"}
    expected |= {"seedLength": 0, "origin": "subagent", "delegationDepth": 1, "agentPreset": "z"}
    assert list(Session("ok", meta=meta).header.to_json().items()) == list(expected.items())
    assert Session("").id == ""


@pytest.mark.parametrize("path", ["/w", "C:\\w", "c:/w", "\\\\server\\share"])
def test_absolute_paths_of_both_systems(path: str) -> None:
    assert Session("s", meta={"cwd": path}).header.cwd == path


def plain_cases() -> list[Case]:
    """Undamaged v0 logs without packed rows or legacy shapes: their lines are the events."""
    return [
        c
        for c in cases("valid")
        if c.expected["format"] == "v0"
        and c.file.suffix == ".jsonl"
        and c.name != "legacy-v0-pre-identity"
        and b'"seq0"' not in c.file.read_bytes()
    ]


@pytest.mark.parametrize("case", plain_cases(), ids=lambda c: c.name)
def test_recorded_logs_give_the_recorded_messages(case: Case) -> None:
    lines = [json.loads(line) for line in case.file.read_bytes().splitlines()][1:]
    session = Session("s", seed=lines)
    assert session.derive_messages() == case.expected["derivedMessages"]
    assert session.request_context == case.expected.get("requestContext")
    assert list(session.surface) == case.expected["surfaceNodes"]
    assert session.seq == len(lines) + case.expected["endSeedAppendedOnOpen"]
    assert all(isinstance(event, Event) for event in session.events)


def test_errors_say_what_they_are_about() -> None:
    with pytest.raises(SessionError, match=r"^the event: an event of this type must have it"):
        Session("s").append("user/message", {"id": "x"})
    wrong: Any = Session("s")
    with pytest.raises(SessionError, match="id must be: string"):
        Session(wrong)

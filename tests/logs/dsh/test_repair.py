"""Repair: what loads afterwards, what is kept, and where every byte went."""

import base64
import hashlib
import json
from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.repair import RepairedLog, RepairPlan, plan_repair
from sesskit.schemas.outcomes import Original, Valid

ROOT = PurePath("/root")
OUT_OF_REACH = (
    "header-",
    "layout-",
    "envelope-type",
    "later-type",
    "retired-c",
    "retired-e",
    "retired-u",
    "unknown-type-required",
    "seed-era-version",
)


def planned(case: Case) -> RepairPlan:
    path = ROOT / case.expected["files"][0]["path"]
    return plan_repair(case.file.read_bytes(), path)


def events_of(log: RepairedLog) -> tuple[Any, ...]:
    found = decode(log.data)
    assert isinstance(found, Valid)
    events: tuple[Any, ...] = found.value.events
    return events


def lost_bytes(plan: RepairPlan) -> list[bytes]:
    lines = b"".join(plan.lost_and_found()).splitlines()
    return [base64.b64decode(json.loads(line)["base64"]) for line in lines]


def damaged() -> list[Case]:
    return [
        c
        for c in cases("damaged")
        if not c.name.startswith(OUT_OF_REACH)
        and decode(c.file.read_bytes(), ROOT / c.expected["files"][0]["path"]).status != "valid"
    ]


@pytest.mark.parametrize("case", damaged(), ids=lambda c: c.name)
def test_what_is_repaired_loads(case: Case) -> None:
    plan = planned(case)
    assert plan.refused is None
    assert plan.logs
    for log in plan.logs:
        assert isinstance(log.outcome, Valid)
        assert log.outcome.original == Original("accept")
    first = plan.logs[0]
    if case.expected["outcome"] == "accept-with-repair" and "storedEventCount" in case.expected:
        assert first.events >= case.expected["storedEventCount"]


@pytest.mark.parametrize("case", damaged(), ids=lambda c: c.name)
def test_every_byte_is_kept_or_reported(case: Case) -> None:
    plan = planned(case)
    data = case.file.read_bytes()
    for line in map(json.loads, b"".join(plan.lost_and_found()).splitlines()):
        lost = base64.b64decode(line["base64"])
        assert len(lost) == line["length"]
        assert hashlib.sha256(lost).hexdigest() == line["sha256"]
        if line["of"] == "file":
            assert data[line["offset"] :].startswith(lost)
    if case.file.suffix == ".jsonl" and not any(log.changes for log in plan.logs):
        held = b"\n".join(log.data for log in plan.logs) + b"\n"
        lost_lines = b"\n".join(lost_bytes(plan))
        for text in filter(None, data.split(b"\n")):
            bare = text.removeprefix(b"\xef\xbb\xbf")
            assert bare in held or any(part in lost_lines for part in (text, text[:40]))


def test_sound_logs_need_nothing() -> None:
    for case in cases("valid"):
        if case.file.suffix in (".jsonl", ".zstd") and case.expected["outcome"] == "accept":
            plan = planned(case)
            assert (plan.logs, plan.dropped, plan.refused) == ((), (), None)


def test_two_writers_become_two_logs() -> None:
    (case,) = cases(name="two-writers-end-seed")
    plan = planned(case)
    first, second = plan.logs
    text = case.file.read_bytes()
    accepted = text[: text.index(b'"seq":9,') if b'"seq":9,' in text else len(text)]
    assert first.data.startswith(accepted[:200])
    assert first.header["id"] == case.expected["id"]
    assert second.header["id"] == f"{case.expected['id']}-branch-1"
    assert second.header["parentSession"] == case.expected["id"]
    assert second.header["seedLength"] == 8
    ours = [e["seq"] for e in events_of(second)]
    assert ours == list(range(second.events))
    assert first.events + second.events - 8 == text.count(b"\n") - 1


def lines(*events: Any) -> bytes:
    header = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
    return b"".join(
        json.dumps(v, separators=(",", ":")).encode() + b"\n" for v in (header, *events)
    )


def event(kind: str, seq: int, data: Any, **more: Any) -> Any:
    return {"type": kind, "seq": seq, "time": seq, "data": data, **more}


USER = {"id": "u", "role": "user", "content": [], "source": {"kind": "user"}}
START = event("turn/start", 0, {"turn": 1})
END = event("turn/end", 2, {"turn": 1, "reason": {"kind": "completed"}})
ASKED = event("user/message", 1, USER, surfaceOp="append")
WHOLE = lines(START, ASKED, END)


def test_glued_lines_and_zeros_are_taken_apart() -> None:
    head, start, asked, end = WHOLE.splitlines()
    data = head + b"\n" + start + asked + b"\n" + b"\0" * 64 + end + b"\n"
    plan = plan_repair(data)
    assert plan.logs[0].data == WHOLE
    assert [(d.offset, d.length, d.reason) for d in plan.dropped] == [
        (len(head + start + asked) + 2, 64, "zeros")
    ]


def test_references_follow_over_a_gap() -> None:
    pruned = {"op": "replace", "start": 1, "end": 1}
    again = event("user/message", 3, {**USER, "id": "v"}, surfaceOp=pruned, sourceEventSeqs=[1])
    title = {"title": "t", "messageSeqs": [1, 2], "source": {"kind": "fallback"}}
    named = event("session/title", 4, title)
    data = lines(START, ASKED, again, named, {**END, "seq": 5})
    (log,) = plan_repair(data).logs
    events = events_of(log)
    assert [e["seq"] for e in events] == [0, 1, 2, 3, 4]
    assert events[2]["surfaceOp"] == pruned
    assert events[2]["sourceEventSeqs"] == [1]
    assert events[3]["data"]["messageSeqs"] == [1]
    lost_target = lines(START, {**again, "seq": 3}, {**END, "seq": 4})
    (log,) = plan_repair(lost_target).logs
    moved = events_of(log)[1]
    assert moved["surfaceOp"] == "append"
    assert "sourceEventSeqs" not in moved
    assert log.changes


def test_frames_swallowed_by_a_wrong_length_are_found() -> None:
    head, start, asked, end = (line + b"\n" for line in WHOLE.splitlines())
    broken = bytearray(write_frame(start))
    at = 6 if not broken[4] & 0x20 else 5
    broken[at : at + 3] = (0xFFFF << 3 | 4).to_bytes(3, "little")
    data = write_frame(head) + bytes(broken) + write_frame(asked) + write_frame(end)
    (log,) = plan_repair(data).logs
    assert [e["type"] for e in events_of(log)] == [
        "user/message",
        "turn/end",
    ]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "header"),
        (b"{}\n", "header"),
        (b'{"type":"session","version":9}\n', "version"),
        (b'{"type":"session","version":0,"id":5,"createdAt":1,"delegationDepth":0}\n', "header"),
    ],
)
def test_what_cannot_be_repaired_is_said(data: bytes, word: str) -> None:
    plan = plan_repair(data)
    assert plan.logs == ()
    assert plan.refused is not None
    assert word in plan.refused


def test_what_needs_no_repair_or_another_hand() -> None:
    assert plan_repair(WHOLE).logs == ()
    newer = PurePath("/r/_no-cwd/x/session.v3.jsonl")
    assert plan_repair(WHOLE, newer).refused is not None
    elsewhere = PurePath("/r/_no-cwd/y/session.jsonl")
    assert "folder" in str(plan_repair(WHOLE, elsewhere).refused)


def test_what_no_program_would_load_is_set_aside() -> None:
    wrong = event("user/message", 2, USER)
    (log,) = plan_repair(lines(START, ASKED, wrong, {**END, "seq": 3})).logs
    assert [e["type"] for e in events_of(log)] == ["turn/start", "user/message", "turn/end"]
    assert "event 2 is set aside: surface-op-missing" in log.changes
    unknown = event("acme/x", 2, {})
    (log,) = plan_repair(lines(START, ASKED, unknown, unknown, {**END, "seq": 4})).logs
    assert log.outcome.status == "unsupported", "nothing was lost that a newer program may read"


def test_references_to_what_is_lost_go() -> None:
    span = {"shadowedRange": {"start": 1, "end": 2}, "shadowedSeqs": [1, 2]}
    prune = event("compaction/prune", 3, {**span, "shadowedTokenCount": 1})
    done = event("command/done", 4, {"commandId": "k", "kind": "success", "sourceEventSeq": 2})
    (log,) = plan_repair(lines(START, ASKED, prune, done, {**END, "seq": 5})).logs
    changed = events_of(log)
    assert changed[2]["data"]["shadowedRange"] == {"start": 1, "end": 1}
    assert "sourceEventSeq" not in changed[3]["data"]
    lost = event("compaction/prune", 3, {**span, "shadowedSeqs": [2], "shadowedTokenCount": 1})
    (log,) = plan_repair(lines(START, ASKED, lost, {**END, "seq": 4})).logs
    assert events_of(log)[2]["data"]["shadowedRange"] == {}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_damage_gives_logs_that_load_or_a_reason(data: st.DataObject) -> None:
    text = bytearray(WHOLE if data.draw(st.booleans()) else write_frame(WHOLE))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        kind = data.draw(st.sampled_from(["flip", "cut", "double", "zero"]))
        if kind == "flip":
            text[at] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "cut":
            del text[at : at + data.draw(st.integers(1, 40))]
        elif kind == "double":
            text[at:at] = text[at : at + 40]
        else:
            text[at:at] = bytes(8)
        if not text:
            break
    plan = plan_repair(bytes(text))
    for log in plan.logs:
        assert log.outcome.status in ("valid", "unsupported")
    assert plan.logs or plan.refused or decode(bytes(text)).status == "valid"


def test_a_line_that_both_writers_wrote_stays_in_both_logs() -> None:
    (case,) = cases("damaged", "two-writers-closers-then-real-result")
    data = case.file.read_bytes()
    lines = data.splitlines(keepends=True)
    plan = plan_repair(data)
    assert not plan.dropped
    first, second = plan.logs
    assert first.data == b"".join(lines[:9])
    assert second.data.splitlines(keepends=True)[1:] == lines[1:6] + lines[9:]
    assert not second.changes


def test_the_name_says_what_a_header_must_hold() -> None:
    (case,) = cases("valid", "chat-small-raw")
    data = (case.folder / "migrated.v1.jsonl").read_bytes()
    bare = data.replace(b',"delegationDepth":0', b"", 1)
    plan = plan_repair(bare, PurePath("session.v1.jsonl"))
    assert plan.refused == "the header is whole, but not what a header must be"


def test_a_line_that_both_writers_wrote_stays_in_both() -> None:
    (case,) = cases(name="two-writers-closers-then-real-result")
    plan = planned(case)
    other = plan.logs[1]
    ours = case.file.read_bytes().split(b"\n")[9:15]
    assert other.data.split(b"\n")[6:12] == ours
    assert (plan.dropped, other.changes) == ((), ())


def turn(number: int, seq: int, call: str, text: str, time: int) -> list[Any]:
    """One turn with one call, from event ``seq`` on."""
    here = {"turn": number, "step": 1}
    asks = {"type": "tool-call", "id": call, "name": "read", "arguments": "{}"}
    model = {"kind": "model", "provider": "p", "model": "m"}
    answer = {"id": f"a-{call}", "role": "assistant", "content": [asks], "source": model}
    block = {"type": "tool-result", "toolCallId": call, "content": [{"type": "text", "text": text}]}
    source = {"kind": "tool", "callId": call}
    result = {"id": f"r-{call}", "role": "user", "content": [block], "source": source}
    made: list[tuple[str, Any, Any]] = [
        ("turn/start", {"turn": number}, {}),
        ("step/start", here, {}),
        ("user/message", {**USER, "id": f"u-{call}"}, {"surfaceOp": "append"}),
        ("assistant/message", {**here, "message": answer}, {"surfaceOp": "append"}),
        ("tool/call", {**here, "callId": call, "name": "read", "arguments": "{}"}, {}),
        ("tool/result", {**here, "message": result}, {"surfaceOp": "append"}),
        ("step/end", here, {}),
        ("turn/end", {"turn": number, "reason": {"kind": "completed"}}, {}),
    ]
    return [
        {**event(kind, seq + n, data, **more), "time": time + n}
        for n, (kind, data, more) in enumerate(made)
    ]


@pytest.mark.parametrize("order", ["abababab", "aabbabba", "aaaabbbb", "abbbabaa"])
def test_interleaved_writers_are_told_apart_by_what_they_say(order: str) -> None:
    start = turn(1, 0, "c0", "x", 1)
    ours, theirs = turn(2, 8, "c1", "one", 100), turn(2, 9, "c2", "two", 5000)
    theirs = [event("session/end-seed", 8, {}, time=99) | {"time": 4999}, *theirs]
    lanes = {"a": iter(ours), "b": iter(theirs)}
    mixed = [next(lanes[lane]) for lane in order]
    mixed += [*lanes["a"], *lanes["b"]]
    plan = plan_repair(lines(*start, *mixed))
    (first, second) = plan.logs
    assert events_of(first)[8:] == tuple(ours)
    assert events_of(second)[8:] == tuple(theirs)
    assert plan.dropped == ()


def test_a_split_that_is_a_guess_is_said() -> None:
    ours = [event("session/title", n, {"title": f"a{n}", "messageSeqs": []}) for n in range(3, 6)]
    theirs = [event("session/title", n, {"title": f"b{n}", "messageSeqs": []}) for n in range(3, 6)]
    mixed = [line for pair in zip(ours, theirs, strict=True) for line in pair]
    plan = plan_repair(lines(START, ASKED, END, *mixed))
    assert len(plan.logs) == 2
    for log in plan.logs:
        assert any("the split is a guess" in change for change in log.changes)


@pytest.mark.parametrize("before", [1, 5, 13])
@pytest.mark.parametrize("compressed", [False, True])
def test_events_before_the_header_are_kept(before: int, compressed: bool) -> None:
    (case,) = cases("valid", "tool-result-prune")
    header, *events = case.file.read_bytes().splitlines(keepends=True)
    lines = [*events[:before], header, *events[before:]]
    data = b"".join(map(write_frame, lines)) if compressed else b"".join(lines)
    plan = plan_repair(data)
    (log,) = plan.logs
    assert (log.events, plan.dropped) == (len(events), ())
    assert log.outcome.original == Original("accept")
    (as_it_was,) = plan_repair(b"".join([header, *events]) + b"x").logs
    assert events_of(log) == events_of(as_it_was)

"""Migration of what the released steps refuse in the field."""

import io
from typing import Any

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.decode import decode, open_log
from sesskit.logs.dsh.migrate import Refused, migrate, text_of
from sesskit.logs.dsh.tolerant import KEPT, TOLERABLE, migrate_tolerantly, spelled
from sesskit.schemas.outcomes import Original, Valid


def read(case: Case) -> tuple[dict[str, Any], list[Any]]:
    reader = open_log(io.BytesIO(case.file.read_bytes()))
    list(reader)
    assert reader.judge is not None
    return reader.judge.header, reader.judge.events


@pytest.mark.parametrize("case", cases("valid", "field-*"), ids=lambda c: c.name)
def test_field_reports_migrate_and_keep_everything(case: Case) -> None:
    header, events = read(case)
    with pytest.raises(Refused):
        migrate(header, events, 0, 3)
    log, changes = migrate_tolerantly(header, events, 0, 3)
    assert changes
    answer = decode(text_of(log))
    assert isinstance(answer, Valid), answer.issues
    assert answer.original == Original("accept")
    kept = log.events[-1]
    assert (kept["type"], kept["ignorable"]) == (KEPT, True)
    assert [c["was"] for c in kept["data"]["changes"]] == [c.value for c in changes]


def test_nothing_is_changed_without_need() -> None:
    (case,) = cases("valid", "tools-multi-turn-raw")
    header, events = read(case)
    log, changes = migrate_tolerantly(header, events, 0, 3)
    assert changes == ()
    assert text_of(log) == (case.folder / "migrated.v3.jsonl").read_bytes()


def test_events_that_may_be_ignored_are_taken_out_and_kept() -> None:
    header = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
    odd = {"type": "acme/x", "seq": 0, "time": 1, "data": {"a": 1}, "ignorable": True}
    todo = {"type": "todo/write", "seq": 1, "time": 2, "data": {"todos": []}}
    log, changes = migrate_tolerantly(header, [odd, todo], 0, 2)
    assert [e["type"] for e in log.events] == ["todo/write", KEPT]
    assert changes[0].value == odd


def test_content_of_third_parties_becomes_text() -> None:
    header = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
    where = {"turn": 1, "step": 1}
    block = {"type": "acme-chart", "rows": [1, 2]}
    user = {"id": "u", "role": "user", "content": [block], "source": {"kind": "user"}}
    events = [
        {"type": "turn/start", "seq": 0, "time": 1, "data": {"turn": 1}},
        {"type": "step/start", "seq": 1, "time": 1, "data": where},
        {"type": "user/message", "seq": 2, "time": 1, "data": user, "surfaceOp": "append"},
    ]
    log, changes = migrate_tolerantly(header, events, 0, 3)
    (message,) = [e["data"] for e in log.events if e["type"] == "user/message"]
    assert message["content"] == [{"type": "text", "text": '{"type":"acme-chart","rows":[1,2]}'}]
    assert changes[0].value == block


@pytest.mark.parametrize("case", cases("valid"), ids=lambda c: c.name)
def test_what_it_cannot_get_round_is_never_promised(case: Case) -> None:
    if "sqlite" in case.name:
        return
    header, events = read(case)
    if header["version"] != 0:
        return
    try:
        migrate(header, events, 0, 3)
    except Refused as refused:
        if refused.issue.code not in TOLERABLE:
            with pytest.raises(Refused):
                migrate_tolerantly(header, events, 0, 3)


HEADER = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
TODO = {"type": "todo/write", "seq": 0, "time": 2, "data": {"todos": []}}


def test_members_of_the_header_that_no_release_knows_are_taken_out_and_kept() -> None:
    with pytest.raises(Refused):
        migrate({**HEADER, "zz": 1}, [TODO], 0, 3)
    log, changes = migrate_tolerantly({**HEADER, "zz": {"a": 1}}, [TODO], 0, 3)
    assert log.header == migrate(HEADER, [TODO], 0, 3).header
    assert [(c.seq, c.path, c.value) for c in changes] == [(None, "zz", {"a": 1})]
    (told,) = log.events[-1]["data"]["changes"]
    assert "seq" not in told
    assert isinstance(decode(text_of(log)), Valid)


def test_negative_zeros_become_zeros() -> None:
    place = {"kind": "user", "rpcId": "r"}
    user = {"id": "u", "role": "user", "content": [], "source": place}
    inbox = {"target": "next-turn", "start": -0.0, "inserted": [user]}
    event = {"type": "agent/inbox/spliced", "seq": 0, "time": -0.0, "data": inbox}
    log, changes = migrate_tolerantly({**HEADER, "version": -0.0}, [event], 0, 3)
    assert {(c.seq, c.path) for c in changes} == {
        (None, "version"),
        (0, "time"),
        (0, "data.start"),
    }
    assert [told["was"] for told in log.events[-1]["data"]["changes"]] == ["-0"] * 3
    assert decode(text_of(log)).original == Original("accept")


def test_numbers_that_no_log_keeps_are_kept_as_text() -> None:
    huge, deep = 2**53 + 1, {"a": [1e400, {"b": -0.0}], "c": 1}
    kinds = [huge, -(10**400), deep, 1.5, 2**53, "1e400"]
    assert [spelled(kind) for kind in kinds] == [
        ("9007199254740993", [""]),
        ("-" + "1" + "0" * 400, [""]),
        ({"a": ["1e400", {"b": "-0"}], "c": 1}, ["a[0]", "a[1].b"]),
        (1.5, []),
        (2**53, []),
        ("1e400", []),
    ]
    odd = {**TODO, "data": {"todos": [], "zz": huge}}
    log, _ = migrate_tolerantly(HEADER, [odd], 0, 3)
    (told,) = log.events[-1]["data"]["changes"]
    assert (told["was"], told["numbers"]) == ("9007199254740993", [""])

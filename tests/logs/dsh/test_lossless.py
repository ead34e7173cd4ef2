"""Numbers that JSON does not keep: said where they stand, and refused where they cannot go on."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.lossless import is_lossless, losses
from sesskit.logs.dsh.migrations import migrates
from sesskit.schemas.outcomes import Original, Valid

HEADER = '{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}'
START = '{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}'
STEP = '{"type":"step/start","seq":1,"time":1,"data":{"turn":1,"step":1}}'
ROW = (
    '{"type":"text-chunks","seq0":2,"time0":1,'
    '"data":{"turn":1,"step":1,"index":0,"dt":[0],"texts":["a","b"]}}'
)
STEP_END = '{"type":"step/end","seq":4,"time":1,"data":{"turn":1,"step":1}}'
END = '{"type":"turn/end","seq":5,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}'
HOOK = (
    '{"type":"hook/result","seq":1,"time":1,"data":'
    '{"turn":1,"point":"p","handlerId":"h","decision":"d","durationMs":1.5}}'
)
HOOK_END = END.replace('"seq":5', '"seq":2')


def log(*lines: str) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def said(data: bytes) -> list[tuple[str, str, int | None, str]]:
    return [(i.code, i.severity, i.line, i.path) for i in decode(data).issues]


@pytest.mark.parametrize("number", ["-0", "-0.0", "-0e5", " -0 "])
def test_negative_zero_is_said_where_it_stands(number: str) -> None:
    data = log(HEADER, START, HOOK.replace("1.5", number), HOOK_END)
    assert said(data) == [("negative-zero", "warning", 3, "data.durationMs")]
    assert decode(data).original == Original("accept")
    assert {i.code for i in migrates(data).values() if i} == {"negative-zero"}


@pytest.mark.parametrize("text", ['"-0"', '"a,-0,"', "0", "-1", "-0.5", '["-0"]'])
def test_what_is_no_negative_zero(text: str) -> None:
    data = log(HEADER, '{"type":"a/b","seq":0,"time":1,"data":' + text + ',"ignorable":true}')
    assert [code for code, *_ in said(data)] == ["type-unknown-ignorable"]


def test_every_place_of_a_value() -> None:
    value: Any = {"a": [0, -0.0, {"b": float("inf")}], "c": float("-inf"), "d": [1.5, "x", None]}
    assert not is_lossless(value)
    assert [(i.code, i.keys) for i in losses(value, ("data",))] == [
        ("negative-zero", ("data", "a", 1)),
        ("number-overflow", ("data", "a", 2, "b")),
        ("number-overflow", ("data", "c")),
    ]
    assert is_lossless({"a": [0, 0.0, 1e300, "-0"]})


def test_a_fault_of_the_number_itself_is_said_alone() -> None:
    data = log(HEADER, START.replace('"time":1', '"time":1e400'))
    assert said(data) == [("envelope", "error", 2, "time")]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("number", ["1e400", "-1e400"])
def test_no_event_has_a_number_without_end(version: int, number: str) -> None:
    header = HEADER.replace('"version":0', f'"version":{version}')
    if version > 1:
        header = header[:-1] + ',"isSeeded":false}'
    data = log(header, START, HOOK.replace('"seq":1', f'"seq":{number}'), HOOK_END)
    (issue,) = [i for i in decode(data).issues if i.severity == "error"]
    assert (issue.line, issue.path) == (3, "seq")
    assert issue.code == ("seq-missing" if version < 2 else "envelope")
    original = decode(data).original
    assert original is not None
    assert original.verdict == "reject"
    assert all(migrates(data).values())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"index":0', '"index":-1'),
        ('"index":0', '"index":-0'),
        ('"turn":1', '"turn":1.5'),
        ('"time0":1', '"time0":-0'),
        ('"dt":[0]', '"dt":[-0.0]'),
        ('"index":0', '"index":1e400'),
    ],
)
def test_rows_that_a_load_takes_and_no_step_does(old: str, new: str) -> None:
    row = ROW.replace(old, new)
    whole = log(HEADER, START, STEP, row, STEP_END, END)
    assert isinstance(decode(whole), Valid)
    assert migrates(whole) == {}  # a turn ends behind what the steps cannot read
    torn = log(HEADER, START, STEP, row)
    assert migrates(torn, cut=True) == {1: None, 2: None, 3: None}
    places = [path for code, _, line, path in said(whole) if line == 4 and code != "integer"]
    assert len(places) == len(set(places))


def test_the_number_of_an_event_may_be_written_in_any_way() -> None:
    for number in ("0.0", "-0", "0e3"):
        data = log(HEADER, START.replace('"seq":0', f'"seq":{number}'), HOOK, HOOK_END)
        assert migrates(data)[1] is None
        assert migrates(data)[2] is None
        later = HEADER.replace('"version":0', '"version":2')[:-1] + ',"isSeeded":false}'
        of_v2 = data.replace(HEADER.encode(), later.encode())
        refused = migrates(of_v2)[3]
        assert (refused is None) == (number != "-0")


def test_how_much_was_inherited_may_be_negative_zero_for_a_load() -> None:
    data = log(HEADER[:-1] + ',"seedLength":-0}', START.replace("turn/start", "session/end-seed"))
    assert said(data)[0] == ("negative-zero", "warning", 1, "seedLength")
    assert decode(data).original == Original("accept")
    assert {i.code for i in migrates(data).values() if i} == {"negative-zero"}

"""A fault is said once: what only follows from a lost or wrong line is not said."""

import io
import re
from collections.abc import Callable
from operator import methodcaller
from pathlib import PurePath

import pytest

from logs.dsh.vectors import cases
from sesskit.logs.dsh.decode import decode, examine
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported

(CASE,) = cases("valid", "tools-multi-turn-raw")
NAMES = {0: "session.jsonl", 1: "session.v1.jsonl", 2: "session.v2.jsonl", 3: "session.v3.jsonl"}
Change = Callable[[list[bytes]], object]


def log(version: int) -> list[bytes]:
    folder = CASE.file.parent
    path = folder / (f"migrated.v{version}.jsonl" if version else "session.jsonl")
    return path.read_bytes().splitlines(keepends=True)


def line_of(lines: list[bytes], kind: str, nth: int = 0) -> int:
    found = [n for n, line in enumerate(lines) if f'"type":"{kind}"'.encode() in line]
    return found[nth]


def judged(version: int, change: Change) -> Decoded:
    lines = log(version)
    change(lines)
    return decode(b"".join(lines), PurePath(NAMES[version]))


def told(found: Decoded) -> list[tuple[str, int | None]]:
    return [(i.code, i.line) for i in found.issues if i.severity != "info"]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "kind",
    [
        "turn/start",
        "turn/end",
        "step/start",
        "step/end",
        "tool/call",
        "tool/result",
        "assistant/message",
        "user/message",
        "request/header",
    ],
)
@pytest.mark.parametrize("damage", ["retyped", "cut"])
def test_one_line_that_is_lost_is_one_issue(version: int, kind: str, damage: str) -> None:
    lines = log(version)
    at = line_of(lines, kind)

    def change(lines: list[bytes]) -> None:
        if damage == "cut":
            lines[at] = lines[at][:-4] + b"\n"
        else:
            lines[at] = lines[at].replace(kind.encode(), b"ours/note", 1)
            lines[at] = re.sub(
                rb',"(surfaceOp|sourceEventSeqs)":("append"|\[[^]]*\])', b"", lines[at]
            )

    found = judged(version, change)
    assert [line for _, line in told(found)] == [at + 1]
    assert isinstance(found, Corrupt | Unsupported)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("kind", ["turn/start", "step/start"])
def test_a_wrong_number_of_a_start_is_one_issue(version: int, kind: str) -> None:
    lines = log(version)
    at = line_of(lines, kind, 1)
    name = kind.partition("/")[0].encode()

    def change(lines: list[bytes]) -> None:
        lines[at] = re.sub(rb'"%s":\d+(?=}|,"step")' % name, b'"%s":77' % name, lines[at])

    assert [line for _, line in told(judged(version, change))] == [at + 1]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_faults_behind_a_break_are_found(version: int) -> None:
    lines = log(version)
    first = line_of(lines, "step/start")
    shape = line_of(lines, "user/message", 1)
    place = line_of(lines, "tool/call", 1)

    def change(lines: list[bytes]) -> None:
        lines[first] = lines[first][:-4] + b"\n"
        lines[shape] = lines[shape].replace(b'"surfaceOp":"append"', b'"surfaceOp":"x"')
        lines[place] = re.sub(rb'"step":\d+', b'"step":55', lines[place])

    found = judged(version, change)
    assert {first + 1, shape + 1, place + 1} == {line for _, line in told(found)}
    assert ("surface-op-unknown", shape + 1) in told(found)
    assert ("not-the-open-step", place + 1) in told(found)


def test_one_wrong_number_is_one_issue() -> None:
    lines = log(0)
    at = line_of(lines, "user/message", 1)

    def change(lines: list[bytes]) -> None:
        lines[at] = re.sub(rb'"seq":\d+', b'"seq":3', lines[at])

    assert told(judged(0, change)) == [("seq-repeated", at + 1)]


def test_a_turn_is_said_to_be_open_only_where_that_is_known() -> None:
    lines = log(0)
    end = line_of(lines, "turn/end", 1)
    torn = decode(b"".join(lines[:end]) + lines[end][:-9], PurePath("session.jsonl"))
    assert torn.original == Original("accept-with-repair")
    assert [code for code, _ in told(torn)] == ["tail-cut"], "what is cut may have ended it"


def test_the_name_selects_the_reader_of_a_header_without_depth() -> None:
    def change(lines: list[bytes]) -> None:
        lines[0] = lines[0].replace(b',"delegationDepth":0', b"")

    found = judged(1, change)
    assert isinstance(found, Corrupt)
    assert found.original == Original("reject", "SessionFormatError")
    assert told(found) == [("member-missing", 1)]


@pytest.mark.parametrize("version", [5, 9])
def test_nothing_is_known_of_what_newer_programs_say(version: int) -> None:
    text = b'{"type":"session","version":%d,"id":"a","createdAt":1}\n' % version
    found = decode(text, PurePath(f"session.v{version}.jsonl"))
    assert isinstance(found, Unsupported)
    assert found.original is None


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_lost_line_may_be_the_mark_that_is_missing(version: int) -> None:
    (case,) = cases("valid", "fork-parent-child--child-at-turn-1")
    lines = (case.file.parent / f"migrated.v{version}.jsonl").read_bytes().splitlines(True)
    lines[1] = lines[1][:-4] + b"\n"
    found = decode(b"".join(lines), PurePath(NAMES[version]))
    assert found.original is not None
    assert found.original.verdict == "reject"
    assert [line for _, line in told(found)] == [2]


@pytest.mark.parametrize("version", [0, 2, 3])
def test_a_fault_hides_no_other_one(version: int) -> None:
    lines = log(version)
    first, second = line_of(lines, "user/message"), line_of(lines, "tool/call", 1)

    def change(lines: list[bytes]) -> None:
        lines[first] = re.sub(rb'"time":\d+', b'"time":"x"', lines[first])
        lines[second] = re.sub(rb'"callId":"[^"]+"', b'"callId":"other"', lines[second])

    lines_told = [line for _, line in told(judged(version, change))]
    assert first + 1 in lines_told
    assert version == 0 or second + 1 in lines_told


@pytest.mark.parametrize("thorough", [True, False])
def test_a_turn_that_begins_behind_a_lost_line_is_known_to_be_open(thorough: bool) -> None:
    lines = log(0)
    lines[2] = lines[2].replace(b"turn/start", b"ours/note")
    end = line_of(lines, "turn/end", 1)
    data = b"".join(lines[:end])
    found = examine(io.BytesIO(data), PurePath(NAMES[0]), keep=False, thorough=thorough)
    assert told(found) == [("turn-open", 1), ("type-unknown", 3)]
    data = b"".join(lines[: line_of(lines, "turn/end")])
    found = examine(io.BytesIO(data), PurePath(NAMES[0]), keep=False, thorough=thorough)
    assert told(found) == [("type-unknown", 3)]


@pytest.mark.parametrize(
    "name", ["envelope-fraction-time", "two-writers-stray-rows", "row-seq-gap-in-tail"]
)
def test_recorded_damage_of_one_line_is_one_issue(name: str) -> None:
    (case,) = cases("damaged", name)
    codes = [(i.code, i.line) for i in decode(case.file.read_bytes()).issues]
    assert len([line for code, line in codes if code != "turn-open"]) == 1


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_line_that_is_gone_is_one_issue(version: int) -> None:
    whole = log(version)
    for at in range(1, len(whole) - 1):
        found = judged(version, methodcaller("pop", at))
        assert [line for _, line in told(found)] == [at + 1], at

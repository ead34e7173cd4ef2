"""Versions told apart by structure, and what each later version asks of a log of its own."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest

from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.generations import Foreign, Generation, check_header, generation_of, is_header
from sesskit.logs.dsh.messages import check_request_header
from sesskit.schemas.outcomes import Corrupt, Original, Unsupported, Valid

Json = dict[str, Any]

HERE = {"turn": 1, "step": 1}
TURN = ("turn/start", {"turn": 1})
STEP = ("step/start", HERE)
ENDS = [
    ("step/end", HERE),
    ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}),
]
SEEDED = ("session/end-seed", {"inherited": True})


def header(version: Any, **members: Any) -> Json:
    made: Json = {"type": "session", "version": version, "id": "x", "createdAt": 1}
    made["delegationDepth"] = 0
    if isinstance(version, int) and version >= 2:
        made["isSeeded"] = False
    return {**made, **members}


def log(version: int, *events: Any, **members: Any) -> bytes:
    lines: list[Any] = [header(version, **members)]
    for seq, (kind, data, *more) in enumerate(events):
        extra = more[0] if more else {}
        lines.append({"type": kind, "seq": seq, "time": seq + 1, "data": data, **extra})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"version": 0}, "v0"),
        ({"version": 1, "delegationDepth": 0}, "v1"),
        ({"version": 1, "isSeeded": True}, "v1"),
        ({"version": 1}, "seed v1"),
        ({"version": 2}, "v2"),
        ({"version": 3.0}, "v3"),
        ({"version": 4}, "fork"),
        (header(4), "v4"),
        (header(4, origin="subagent"), "v4"),
        (header(4, origin="headless"), "fork"),
        ({"version": 4, "origin": "import"}, "fork"),
        ({"version": 7}, "newer"),
        ({"version": -1}, "no program"),
        ({"version": 0.5}, "no program"),
    ],
)
def test_told_apart(members: Json, name: str) -> None:
    found = generation_of({"type": "session", **members})
    told = found.name if isinstance(found, Generation) else found.reason
    assert name in told
    assert isinstance(found, Foreign) == (name not in ("v0", "v1", "seed v1", "v2", "v3", "v4"))


@pytest.mark.parametrize("value", [None, 5, [], {}, {"type": "session"}, {"version": 0}])
def test_no_header(value: object) -> None:
    assert not is_header(value)


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        (header(2), []),
        (header(2, isSeeded=1), ["header-field"]),
        (header(2, seedLength=1), ["member-unknown"]),
        (header(1, seedLength=-1), ["header-field"]),
        (header(1, cwd="here"), ["header-field"]),
        (header(0, approvalPolicy="x"), ["retired-field"]),
        (header(0, colour="red"), ["member-unknown"]),
        ({"type": "session", "version": 2}, ["member-missing"] * 4),
        ({"type": "session", "version": 1}, ["member-missing"] * 2),
        ({"type": "session", "version": 1, "id": 5, "createdAt": 0, "x": 1},
         ["header-field", "member-unknown"]),
    ],
)  # fmt: skip
def test_headers(made: Json, codes: list[str]) -> None:
    generation = generation_of(made)
    assert isinstance(generation, Generation)
    assert [issue.code for issue in check_header(generation, made)] == codes


def codes_of(data: bytes) -> list[str]:
    return [issue.code for issue in decode(data).issues if issue.severity == "error"]


@pytest.mark.parametrize("version", [2, 3])
def test_marks_of_seeds(version: int) -> None:
    assert codes_of(log(version, SEEDED, isSeeded=True)) == []
    assert codes_of(log(version, SEEDED)) == ["seed-marker-unexpected"]
    assert codes_of(log(version, isSeeded=True)) == ["seed-marker-missing"]


def test_a_seed_longer_than_the_log() -> None:
    assert codes_of(log(1, seedLength=3)) == ["seed-length"]
    assert isinstance(decode(log(0, seedLength=3)), Valid)


SAID_DATA = {"id": "u", "role": "user", "content": [], "source": {"kind": "user"}}
SAID = ("user/message", SAID_DATA, {"surfaceOp": "append"})


def system(op: Any = "append", source: Any = None, **more: Any) -> Any:
    plugin = {"kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt"}
    message: Json = {"id": "s", "role": "system", "source": source or plugin, "content": []}
    return ("system/message", {**HERE, "message": message, **more}, {"surfaceOp": op})


REQUEST = {"config": {"provider": "p", "model": "m"}}


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([TURN, STEP, system(), *ENDS], None),
        ([TURN, STEP, system(step=2), *ENDS], "not-the-open-step"),
        ([TURN, STEP, system(colour=1), *ENDS], "member-unknown"),
        ([TURN, STEP, ("request/header", {"header": {**REQUEST, "system": "s"}, "reason": "x"}),
          *ENDS], "retired-header-system"),
        ([TURN, STEP, ("request/header", {"header": {**REQUEST, "tools": []}, "reason": "x"}),
          *ENDS], "empty-header-field"),
        ([TURN, STEP, SAID, system(), *ENDS], "system-head-missing"),
        ([TURN, STEP, system(), SAID, system(), *ENDS], None),
        ([TURN, STEP, system(source={"kind": "x", "plugin": "p"}), *ENDS], "choice"),
        ([TURN, STEP, ("todo/write", []), *ENDS], "type"),
        ([TURN, STEP, ("user/message", {}, {"surfaceOp": "append"}), *ENDS], "message-no-source"),
    ],
)  # fmt: skip
def test_version_three(events: list[Any], code: str | None) -> None:
    found = codes_of(log(3, *events))
    assert found == [] if code is None else code in found


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_broken_line_with_a_later_turn_end_is_refused(version: int) -> None:
    data = log(version, TURN, STEP, *ENDS).replace(b'"seq": 1', b'"seq": 7')
    answer = decode(data)
    assert isinstance(answer, Corrupt)
    assert answer.original is not None
    assert (answer.original.verdict, answer.original.code) == ("reject", "SessionFormatError")


def test_versions_that_are_not_read() -> None:
    answer = decode(log(4))
    assert isinstance(answer, Unsupported)
    assert answer.version == 4
    assert answer.original is None


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        ({"header": REQUEST}, []),
        ({}, ["request-header-no-config"]),
        ({"header": {"config": {"provider": ""}}}, ["request-header-no-route"] * 2),
        ({"header": {"config": {**REQUEST["config"], "reasoningEffort": ""}}},
         ["request-header-bad-effort"]),
        ({"header": {**REQUEST, "adapterDefaults": 1}}, ["request-header-bad-defaults"]),
        ({"header": {**REQUEST, "adapterDefaults": {"x": True, "maxTokens": True}}},
         ["request-header-bad-defaults"] * 2),
        ({"header": {**REQUEST, "adapterDefaults": {"maxTokens": 1}}},
         ["request-header-bad-defaults"]),
    ],
)  # fmt: skip
def test_request_headers(made: Json, codes: list[str]) -> None:
    event = {"type": "request/header", "seq": 0, "time": 1, "data": {"reason": "initial", **made}}
    assert [issue.code for issue in check_request_header(event)] == codes


@pytest.mark.parametrize("version", [2, 3])
def test_a_mark_in_a_torn_tail_is_missed(version: int) -> None:
    data = log(version, SEEDED, isSeeded=True)
    lines = data.splitlines(keepends=True)
    torn = b"".join(line for line in lines if b"session/end-seed" not in line) + b'{"ty'
    original = decode(torn + b"\n").original
    assert original is not None
    assert (original.verdict, original.code) == ("reject", "SessionFormatError")


@pytest.mark.parametrize(
    ("said", "version"),
    [(b"5", 5), (b"5.0", 5), (b"1e2", 100), (b"1.5", None), (b"1e300", None), (b"3.0", 3)],
)
@pytest.mark.parametrize("name", [None, "session.v5.jsonl", "session.v100.jsonl"])
def test_versions_are_whole_numbers_and_unknown_ones_have_no_verdict(
    said: bytes, version: int | None, name: str | None
) -> None:
    line = b'{"type":"session","version":%b,"id":"s","createdAt":1}\n' % said
    answer = decode(line, PurePath(name) if name else None)
    assert (answer.version, type(answer.version)) == (version, type(version))
    if version != 3:
        original = answer.original
        assert original is None or original.verdict == "unsupported"
        selects = name is not None and f".v{version}." in name
        assert original is None or not selects


SELECTED = PurePath("/sessions/_no-cwd/x/session.jsonl")
NO_HEADER = b'{"type":"sessiot","version":%s,"id":"x","createdAt":1,"delegationDepth":0}'


@pytest.mark.parametrize("version", [b"3", b"1.0", b"0.5", b"-1", b"1e400"])
def test_a_foreign_version_is_looked_at_before_anything_else(version: bytes) -> None:
    answer = decode(NO_HEADER % version + b"\n", SELECTED)
    assert isinstance(answer, Unsupported)
    assert answer.original == Original("unsupported", "SessionFormatUnsupportedError")
    assert [i.code for i in answer.issues if i.severity == "error"] == [
        "header-missing",
        "version-other",
    ]


@pytest.mark.parametrize("version", [b"0", b"-0", b'"3"', b"true", b"null"])
def test_no_header_and_no_foreign_version(version: bytes) -> None:
    answer = decode(NO_HEADER % version + b"\n", SELECTED)
    assert isinstance(answer, Corrupt)
    assert answer.original == Original("reject", "Error")


@pytest.mark.parametrize("kind", [b"session", b"sessiot"])
@pytest.mark.parametrize("version", [b"0", b"1", b"3", b"9", b"-1"])
@pytest.mark.parametrize("path", [SELECTED, None])
def test_a_header_without_its_end_is_cut_whatever_its_version(
    kind: bytes, version: bytes, path: PurePath | None
) -> None:
    answer = decode(NO_HEADER.replace(b"sessiot", kind) % version, path)
    assert isinstance(answer, Corrupt)
    assert answer.issues[0].code == "tail-cut"
    assert answer.original == Original("reject", "Error")

"""Whatever the bytes are, there is an answer, and every issue has a place in the file."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.decode import decode, examine
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.migrations import migrates
from sesskit.logs.dsh.repair import RepairPlan, plan_repair
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Unsupported, Valid

PATH = PurePath("/sessions/--workspace-acme-shop--/x1/session.jsonl")
ODD: list[Any] = ["\ud800", {"\ud800": "\udfff"}, "@-0@", "@1.0@", "@1e400@", "@-1e400@"]
"""Between signs stand numbers that Python writes in another way."""
KINDS: list[Any] = [
    None, True, 0, -1, 1.5, 2**60, "", "x", [], [None], {}, {"a": 1}, *ODD,
]  # fmt: skip


def answered(data: bytes, path: PurePath | None = PATH) -> Any:
    answer = decode(data, path)
    assert isinstance(answer, Valid | Corrupt | Unsupported)
    lines = 10_000 if data.startswith(b"\x28\xb5\x2f\xfd") else data.count(b"\n") + 1
    for issue in answer.issues:
        assert isinstance(issue, Issue)
        assert issue.line is not None
        assert 1 <= issue.line <= lines + 1
        assert issue.column is not None
        assert issue.offset is not None
    if isinstance(answer, Valid) and answer.original is not None:
        assert answer.original.verdict.startswith("accept")
    if isinstance(answer, Corrupt):
        assert any(issue.severity == "error" for issue in answer.issues)
    return answer


def everywhere(value: Any, kind: Any) -> Iterator[Any]:
    """The value with each node in turn replaced."""
    yield kind
    if isinstance(value, dict):
        for key, member in value.items():
            yield {k: v for k, v in value.items() if k != key}
            for changed in everywhere(member, kind):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for at, item in enumerate(value):
            for changed in everywhere(item, kind):
                yield [*value[:at], changed, *value[at + 1 :]]


def text(values: list[Any]) -> bytes:
    lines = (json.dumps(v, separators=(",", ":")) for v in values)
    return b"".join(re.sub('"@(.*?)@"', r"\1", line).encode() + b"\n" for line in lines)


SMALL = [c for c in cases() if c.name in ("tool-result-prune", "row-ok", "header-version-newer")]


@pytest.mark.parametrize("case", SMALL, ids=lambda c: c.name)
@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_each_node_as_each_kind(case: Case, kind: Any) -> None:
    lines = [json.loads(line) for line in case.file.read_bytes().splitlines()]
    for at, line in enumerate(lines):
        for changed in everywhere(line, kind):
            data = text([*lines[:at], changed, *lines[at + 1 :]])
            answer = answered(data)
            assert examine(io.BytesIO(data), PATH, keep=False).issues == answer.issues
            if kind in ODD:
                assert isinstance(migrates(data, cut=True), dict)
                assert isinstance(plan_repair(data), RepairPlan)


@pytest.mark.parametrize("kind", ODD, ids=repr)
def test_each_node_of_a_later_version(kind: Any) -> None:
    (case,) = cases(name="tool-result-prune")
    for file in sorted(case.folder.glob("migrated.v[23].jsonl")):
        lines = [json.loads(line) for line in file.read_bytes().splitlines()]
        for at, line in enumerate(lines):
            for changed in everywhere(line, kind):
                data = text([*lines[:at], changed, *lines[at + 1 :]])
                answer = answered(data, None)
                assert examine(io.BytesIO(data), keep=False).issues == answer.issues


@pytest.mark.parametrize("name", ["prune-ok", "seed-era-torn-line"])
def test_cut_at_every_byte_gives_a_prefix_or_a_refusal(name: str) -> None:
    (case,) = cases(name=name)
    data = case.file.read_bytes()
    for end in range(len(data)):
        answer = answered(data[:end])
        assert answer.status != "valid" or data[end - 1 : end] == b"\n"


def test_compressed_cut_at_every_byte() -> None:
    (case,) = cases(name="chat-small-zstd")
    data = case.file.read_bytes()
    for end in range(len(data)):
        answered(data[:end], PATH.with_suffix(".jsonl.zstd"))


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=60), st.booleans())
def test_any_bytes(data: bytes, compressed: bool) -> None:
    header = b'{"type":"session","version":3,"id":"x","createdAt":1,"isSeeded":false,'
    header += b'"delegationDepth":0}\n'
    if compressed:
        answered(write_frame(header) + data, None)
        answered(write_frame(header) + write_frame(data), None)
    else:
        answered(header + data, None)
        answered(data, None)


@pytest.mark.parametrize(
    "line",
    [b"[" * 200_000, b'{"a":' * 50_000, b"\0" * 300_000, b'"' * 300_001, b"9" * 5_000],
    ids=["brackets", "objects", "zeros", "quotes", "digits"],
)
def test_hostile_lines(line: bytes) -> None:
    (case,) = cases(name="prune-ok")
    answer = answered(case.file.read_bytes() + line + b"\n")
    assert isinstance(answer, Corrupt)


def test_huge_source_ranges_cost_nothing() -> None:
    header = {"type": "session", "version": 3, "id": "x", "createdAt": 1, "isSeeded": False}
    lines: list[Any] = [{**header, "delegationDepth": 0}]
    for seq in range(3000):
        event = {"type": "user/message", "seq": seq, "time": 1, "data": {}, "surfaceOp": "append"}
        lines.append({**event, "sourceEventSeqs": [[0, seq - 1]]} if seq > 1 else event)
    answered(text(lines), None)


def test_a_stream_gives_the_same_answer() -> None:
    for case in cases("valid", "t*"):
        path = PurePath("/root") / case.expected["files"][0]["path"]
        data = case.file.read_bytes()
        assert examine(io.BytesIO(data), path).issues == decode(data, path).issues

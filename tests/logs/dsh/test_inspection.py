"""Inspection of a log in one pass: the same numbers as the session view gives."""

from __future__ import annotations

import dataclasses
import io
import tracemalloc

import msgspec
import pytest

from logs.dsh.vectors import Case, cases, rows
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.inspection import inspect_log
from sesskit.logs.dsh.view import view
from sesskit.records.overview import overview
from sesskit.records.view import Session

HEADER = b'{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}\n'


def agree(data: bytes) -> None:
    found = inspect_log(io.BytesIO(data))
    assert found.outcome.issues == decode(data).issues
    seen = view(data)
    if seen is None:
        assert found.overview is None
        return
    assert found.overview is not None
    expected = overview(seen)
    calls = [msgspec.structs.replace(c, input=None, result=None) for c in expected.troubled]
    expected = dataclasses.replace(expected, troubled=tuple(calls))
    bare = msgspec.structs.replace(seen, turns=(), marks=(), usage=(), model=None)
    session = found.overview.session
    assert session == bare
    counted = dataclasses.replace(found.overview, session=session, largest=(), parts=())
    assert counted == dataclasses.replace(expected, session=session, largest=(), parts=())
    assert set(found.overview.parts) == set(expected.parts)
    sizes = [part.size for part in expected.largest]
    assert [part.size for part in found.overview.largest] == sizes


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_same_as_the_view(case: Case) -> None:
    if case.file.suffix != ".db":
        agree(case.file.read_bytes())


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_same_as_the_view_for_later_versions(row: dict[str, str]) -> None:
    agree(row["text"].encode())


def test_what_only_these_logs_have() -> None:
    (case,) = cases("valid", "every-known-type")
    found = inspect_log(io.BytesIO(case.file.read_bytes()))
    assert (found.steps, found.compactions, found.retries) == (1, 0, 1)
    assert found.tools == {"read": {"failed": 1}} or found.tools
    assert found.routes
    assert found.events == case.expected["storedEventCount"]


def test_seeds_and_closers() -> None:
    (fork,) = cases("valid", "fork-parent-child--child-at-turn-1")
    assert inspect_log(io.BytesIO(fork.file.read_bytes())).inherited == 6
    opened = HEADER + b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'
    assert inspect_log(io.BytesIO(opened)).closers == ("turn/end",)


def test_nothing() -> None:
    found = inspect_log(io.BytesIO(b""))
    assert (found.overview, found.events) == (None, 0)


def turn(number: int, seq: int) -> bytes:
    said = f'{{"id":"m{seq}","role":"user","content":[],"source":{{"kind":"user"}}}}'
    return (
        f'{{"type":"turn/start","seq":{seq},"time":1,"data":{{"turn":{number}}}}}\n'
        f'{{"type":"user/message","seq":{seq + 1},"time":1,"data":{said},"surfaceOp":"append"}}\n'
        f'{{"type":"turn/end","seq":{seq + 2},"time":1,'
        f'"data":{{"turn":{number},"reason":{{"kind":"completed"}}}}}}\n'
    ).encode()


def test_memory_is_flat() -> None:
    def peak(turns: int) -> int:
        data = HEADER + b"".join(turn(n + 1, 3 * n) for n in range(turns))
        tracemalloc.start()
        found = inspect_log(io.BytesIO(data))
        _, top = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert isinstance(found.overview and found.overview.session, Session)
        assert found.overview is not None
        assert found.overview.turns == {"complete": turns}
        return top

    small, large = peak(200), peak(2000)
    assert large < small + 1_000_000, "what grows is the surface alone"

"""Chunk rows: exactly what the original packs and unpacks."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs.dsh.vectors import rows
from sesskit.logs.dsh.generations import V0
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.rows import is_row, members, pack, row_fault, unpack
from sesskit.logs.dsh.ruling import Ruling

DECODE = rows("chunk-decode")
PACK = rows("chunk-pack")
ROW: dict[str, Any] = {
    "type": "tool-call-chunks",
    "seq0": 4,
    "time0": 100,
    "data": {"turn": 1, "step": 1, "index": 2, "dt": [1, -2], "id": "c", "args": ["a", "b", "c"]},
}


@pytest.mark.parametrize("row", DECODE, ids=lambda r: r["label"])
def test_decode_table(row: dict[str, Any]) -> None:
    value = row["input"]
    if "error" in row:
        assert is_row(value)
        assert row_fault(value) is not None
    elif is_row(value):
        assert row_fault(value) is None
        assert list(unpack(value)) == row["output"]
        assert [list(e["data"]["chunk"]) for e in unpack(value)] == [
            list(e["data"]["chunk"]) for e in row["output"]
        ]
    else:
        assert row["output"] == [value]


@pytest.mark.parametrize("row", PACK, ids=lambda r: r["label"])
def test_pack_table(row: dict[str, Any]) -> None:
    packed = list(pack(row["input"]))
    assert packed == row["output"]
    assert [list(p["data"]) for p in packed] == [list(p["data"]) for p in row["output"]]


def with_data(**more: Any) -> dict[str, Any]:
    return {**ROW, "data": {**ROW["data"], **more}}


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ({**ROW, "extra": 1}, ("extra",)),
        ({k: v for k, v in ROW.items() if k != "seq0"}, ("seq0",)),
        ({**ROW, "seq0": True}, ("seq0",)),
        ({**ROW, "seq0": -0.0}, None),
        ({**ROW, "time0": 2**53}, ("time0",)),
        ({**ROW, "data": []}, ("data",)),
        (with_data(extra=1), ("data", "extra")),
        (with_data(turn=None), ("data", "turn")),
        (with_data(id=5), ("data", "id")),
        (with_data(name=None), ("data", "name")),
        (with_data(args=[]), ("data", "args")),
        (with_data(args="abc"), ("data", "args")),
        (with_data(args=["a", None, "c"]), ("data", "args", 1)),
        (with_data(dt=[1]), ("data", "dt")),
        (with_data(dt=[1, 0.5]), ("data", "dt", 1)),
        (with_data(dt=[2**53 - 1, 0]), ("data", "dt", 0)),
        (with_data(dt=[1.0, -2.0]), None),
        (with_data(name="n"), None),
    ],
)
def test_faults_are_located(row: dict[str, Any], place: tuple[str | int, ...] | None) -> None:
    assert row_fault(row) == place


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (ROW, None),
        ({**ROW, "seq0": -0.0}, ("seq0",)),
        ({**ROW, "seq0": 2**53 - 2}, ("seq0",)),
        ({**ROW, "time0": -0.0}, ("time0",)),
        (with_data(turn=1.5), ("data", "turn")),
        (with_data(step=-1), ("data", "step")),
        (with_data(id=""), ("data", "id")),
        (with_data(dt=[1, -0.0]), ("data", "dt", 1)),
    ],
)
def test_faults_that_only_v1_minds(
    row: dict[str, Any], place: tuple[str | int, ...] | None
) -> None:
    assert row_fault(row, released=True) == place


def test_a_single_member_is_legal_on_read() -> None:
    row = with_data(dt=[], args=["x"])
    assert row_fault(row) is None
    assert members(row) == 1


def test_numbers_written_as_doubles_unpack_to_integers() -> None:
    row = {**with_data(dt=[1.0, 2.0]), "seq0": 4.0, "time0": 100.0}
    assert [(e["seq"], e["time"]) for e in unpack(row)] == [(4, 100), (5, 101), (6, 103)]


CHUNKS = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text-delta", "reasoning-delta"]), "index": st.integers(0, 1)},
    ).flatmap(lambda c: st.builds(lambda t: {**c, "text": t}, st.text(max_size=3))),
    st.fixed_dictionaries(
        {
            "type": st.just("tool-call-delta"),
            "index": st.integers(0, 1),
            "id": st.sampled_from(["a", "b"]),
            "argumentsDelta": st.text(max_size=3),
        },
        optional={"name": st.just("n"), "odd": st.just(1)},
    ),
    st.just({"type": "finish", "reason": {"kind": "stop"}}),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(CHUNKS, st.integers(-5, 5), st.integers(1, 2)), max_size=20))
def test_packing_loses_nothing(parts: list[tuple[dict[str, Any], int, int]]) -> None:
    events: list[dict[str, Any]] = []
    time = 1000
    for seq, (chunk, gap, step) in enumerate(parts):
        time += gap
        data = {"turn": 1, "step": step, "chunk": chunk}
        events.append({"type": "assistant/chunk", "seq": seq, "time": time, "data": data})
    stored = list(pack(events))
    assert all(row_fault(r) is None and members(r) >= 3 for r in stored if is_row(r))
    assert [e for r in stored for e in (unpack(r) if is_row(r) else [r])] == events


@pytest.mark.parametrize("accepted", [True, False])
def test_a_row_counts_as_its_events_do(accepted: bool) -> None:
    header: dict[str, Any] = {"version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
    data = {"turn": 1, "step": 1, "index": 0, "dt": [5, 7], "texts": ["a", "b", "c"]}
    events = list(unpack({"type": "text-chunks", "seq0": 0, "time0": 1, "data": data}))
    whole, single = (Judge(V0, header, Ruling()) for _ in range(2))
    found = whole.row(events, accepted=accepted)
    each = [single.see(event, accepted=accepted) for event in events]
    assert [issue.code for issue in found] == [issue.code for issue in each[0]]
    assert (whole.count, whole.events) == (single.count, single.events)
    ends = [(judge.open_turn.next_seq, judge.open_turn.time) for judge in (whole, single)]
    assert ends[0] == ends[1]

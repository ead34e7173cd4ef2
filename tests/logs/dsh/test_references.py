"""References between events, found and moved."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh.references import references, remapped

EVENT: dict[str, Any] = {"type": "session/title", "seq": 9, "time": 1}
SPAN = {"shadowedSeqs": [3, 4], "shadowedRange": {"start": 3, "end": 4}}


@pytest.mark.parametrize(
    ("kind", "data", "found", "moved"),
    [
        ("session/title", {"messageSeqs": [1, 2]}, [1, 2], {"messageSeqs": [11, 12]}),
        ("session/title", {"messageSeqs": ["x"]}, ["x"], {"messageSeqs": ["x"]}),
        ("session/title", {"messageSeqs": "12"}, [], {"messageSeqs": "12"}),
        ("session/title", {}, [], {}),
        ("session/title", [1], [], [1]),
        ("command/done", {"sourceEventSeq": 5}, [5], {"sourceEventSeq": 15}),
        (
            "compaction/prune",
            SPAN,
            [3, 4, 3, 4],
            {"shadowedSeqs": [13, 14], "shadowedRange": {"start": 13, "end": 14}},
        ),
        ("compaction/prune", {"shadowedSeqs": [3]}, [3], {"shadowedSeqs": [13]}),
        (
            "compaction/summary",
            {"shadowedSeqs": [3], "shadowedRange": {"end": None}},
            [3, None],
            {"shadowedSeqs": [13], "shadowedRange": {"end": None}},
        ),
        ("todo/write", {"messageSeqs": [1]}, [], {"messageSeqs": [1]}),
    ],
)
def test_references(kind: str, data: Any, found: list[Any], moved: Any) -> None:
    event = {**EVENT, "type": kind, "data": data}
    assert [seq for _, seq in references(event)] == found
    changed = remapped(event, 19, lambda seq: seq + 10)
    assert (changed["seq"], changed["data"]) == (19, moved)


def test_the_surface_moves_along() -> None:
    op = {"op": "replace", "startSeq": 1, "endSeq": 2}
    event = {**EVENT, "data": {}, "surfaceOp": op, "sourceEventSeqs": [1, 2]}
    moved = remapped(event, 19, lambda seq: seq + 10)
    assert moved["surfaceOp"] == {"op": "replace", "startSeq": 11, "endSeq": 12}
    assert moved["sourceEventSeqs"] == [11, 12]

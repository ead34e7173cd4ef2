"""A number that is given out anew: the event that had it was set aside after it was seen."""

from typing import Any

import pytest

from sesskit.logs.dsh.surface import Surface

ENDS = {0: ("start", "end"), 3: ("startSeq", "endSeq")}


def message(seq: int, span: tuple[int, int] | None = None, version: int = 0) -> dict[str, Any]:
    event: dict[str, Any] = {"type": "user/message", "seq": seq, "time": 1, "data": {}}
    if span is None:
        return {**event, "surfaceOp": "append"}
    ends = dict(zip(ENDS[version], span, strict=True))
    sources = list(range(span[0], span[1] + 1))
    return {**event, "surfaceOp": {"op": "replace", **ends}, "sourceEventSeqs": sources}


def filled(version: int, *seqs: int) -> Surface:
    surface = Surface(version)
    for seq in seqs:
        assert surface.take(message(seq)) == []
    return surface


@pytest.mark.parametrize("version", [0, 3])
@pytest.mark.parametrize("quick", [False, True])
def test_the_later_event_takes_the_place(version: int, quick: bool) -> None:
    surface = filled(version, 0, 1, 2)
    if quick:
        surface.append(1, "user/message")
    else:
        assert surface.take(message(1)) == []
    assert list(surface.nodes()) == [0, 2, 1]
    assert len(surface) == 3
    event = {**message(3, (0, 1), version), "sourceEventSeqs": [0, 1, 2]}
    assert surface.take(event) == []
    assert list(surface.nodes()) == [3]
    assert len(surface) == 1


@pytest.mark.parametrize("version", [0, 3])
@pytest.mark.parametrize(
    ("again", "span", "left"),
    [
        (2, (0, 1), [2, 3]),
        (3, (0, 1), [3, 2]),
        (0, (1, 2), [0, 3]),
        (3, (1, 2), [0, 3]),
        (1, (2, 3), [0, 1]),
        (1, (1, 3), [0, 1]),
    ],
)
def test_a_replacement_with_a_number_that_stands_already(
    version: int, again: int, span: tuple[int, int], left: list[int]
) -> None:
    surface = filled(version, 0, 1, 2, 3)
    event = {**message(again, span, version), "seq": again}
    sources = event["sourceEventSeqs"]
    if surface.take(event):  # it may only name what came before it
        assert any(source >= again for source in sources)
        left = [0, 1, 2, 3]
    assert list(surface.nodes()) == left
    assert len(surface) == len(left)

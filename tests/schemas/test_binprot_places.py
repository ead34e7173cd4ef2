"""Where parts are: paths of offsets, spans of paths."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ochat_builders import called, file_of, said
from ochat_vectors import raw
from sesskit.schemas.binprot import HEADER_BYTES
from sesskit.schemas.binprot_places import children, paths_at, spans_of
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_types import Node
from sesskit.schemas.ochat_sessions import layouts_of, type_of

NODE = type_of(layouts_of(5)[0])
DATA = file_of(said("hi"), called())
EVERYTHING = raw("v5/everything.bin")


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("id",), b"\x04demo"),
        (("history", 0, "id"), b"\x084:demo:0"),
        (("history", 0, "item", "content", 0, "text"), b"\x02hi"),
        (("history", 1, "item", "call_id"), b"\x02c1"),
        (("vfs_root",), b"\x03vfs"),
    ],
)
def test_spans_and_paths_are_each_others(keys: tuple[str | int, ...], text: bytes) -> None:
    found = spans_of(NODE, DATA, HEADER_BYTES, [keys, ("history", 7), ("nobody",)])
    assert list(found) == [keys]
    part = found[keys]
    assert DATA[part.start : part.end] == text
    assert paths_at(NODE, DATA, HEADER_BYTES, [part.start]) == {part.start: keys}
    assert paths_at(NODE, DATA, HEADER_BYTES, [part.end - 1]) == {part.end - 1: keys}


def test_every_byte_has_a_path_and_the_path_holds_it() -> None:
    offsets = list(range(HEADER_BYTES, len(EVERYTHING)))
    paths = paths_at(NODE, EVERYTHING, HEADER_BYTES, offsets)
    assert list(paths) == offsets
    spans = spans_of(NODE, EVERYTHING, HEADER_BYTES, set(paths.values()) - {()})
    for offset, keys in paths.items():
        if keys:
            assert spans[keys].start <= offset < spans[keys].end


def test_parts_follow_each_other() -> None:
    def walk(node: Node, start: int, end: int) -> int:
        parts = list(children(node, EVERYTHING, start))
        for one, other in pairwise(parts):
            assert one.end == other.start
        for part in parts:
            assert start <= part.start <= part.end <= end
            assert reader(part.node)(EVERYTHING, part.start, [])[1] == part.end
        return len(parts) + sum(walk(part.node, part.start, part.end) for part in parts)

    assert walk(NODE, HEADER_BYTES, len(EVERYTHING)) > 500


def test_what_cannot_be_read_to_its_end_is_the_last_part() -> None:
    cut = DATA[:-3]
    parts = list(children(NODE, cut, HEADER_BYTES))
    assert parts[-1].key == "vfs_root"
    assert parts[-1].end > len(cut)

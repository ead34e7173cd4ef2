"""Spots agree with what reading the bytes finds, and refuse what reading refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ochat_values import values
from ochat_vectors import DAMAGED, INDEX, Row, data_of, name_of, raw
from sesskit.records.ochat_attempts import likely_layout
from sesskit.schemas.binprot import HEADER_BYTES, BinaryError
from sesskit.schemas.binprot_places import children
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_spots import spotter
from sesskit.schemas.binprot_types import ListOf, Node, Option, Pair, Record, Sum
from sesskit.schemas.binprot_write import writer
from sesskit.schemas.ochat_sessions import LAYOUTS, type_of

SESSIONS = list(LAYOUTS.values())


def agrees(node: Node, data: bytes, start: int, spot: Any) -> None:
    """Every spot is where `children` finds the part."""
    parts = list(children(node, data, start))
    if isinstance(node, Record):
        assert (spot[0], spot[-1]) == (start, parts[-1].end if parts else start)
        inner = spot[1:-1]
    elif isinstance(node, Sum):
        inner = [spot[1]]
        assert data[start] == spot[0]
    elif isinstance(node, Option):
        inner = [] if spot is None else [spot]
    elif isinstance(node, ListOf | Pair):
        inner = spot
    else:
        assert spot == start
        return
    assert len(inner) == len(parts)
    for part, one in zip(parts, inner, strict=True):
        agrees(part.node, data, part.start, one)


def outcome(act: Any, data: bytes) -> int | None:
    """Where reading ends; None if it is refused."""
    try:
        return int(act(data)[1])
    except BinaryError:
        return None


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_of_whole_snapshots(row: Row) -> None:
    data = raw(f"{row['name']}.bin")
    layout = likely_layout(data)
    assert layout is not None
    spots, end = spotter(type_of(layout))(data, HEADER_BYTES)
    assert end == len(data)
    if len(data) < 100_000:
        agrees(type_of(layout), data, HEADER_BYTES, spots)


@pytest.mark.parametrize("row", DAMAGED, ids=name_of)
def test_of_damaged_snapshots(row: Row) -> None:
    data = data_of(row)
    for node in (SESSIONS[0], SESSIONS[1], SESSIONS[-1]):
        read = outcome(lambda raw, node=node: reader(node)(raw, HEADER_BYTES, []), data)
        assert outcome(lambda raw, node=node: spotter(node)(raw, HEADER_BYTES), data) == read


@settings(max_examples=60)
@given(st.data(), st.integers(0, 2**32))
def test_of_any_value(given_: st.DataObject, seed: int) -> None:
    node = SESSIONS[seed % len(SESSIONS)]
    out = bytearray()
    writer(node)(out, given_.draw(values(node)))
    data = bytes(out)
    spots, end = spotter(node)(data, 0)
    assert end == len(data)
    agrees(node, data, 0, spots)
    cut = data[: seed % len(data)]
    assert outcome(lambda raw: spotter(node)(raw, 0), cut) is None

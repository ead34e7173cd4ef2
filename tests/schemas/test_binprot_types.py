"""Types described by annotations, and the readers and writers made of them."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ochat_values import values
from sesskit.schemas.binprot import BinaryError
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_tree import plan_of
from sesskit.schemas.binprot_types import (
    Describer,
    Enum,
    ListOf,
    Option,
    Pair,
    Part,
    Prim,
    Record,
    Sum,
    Tree,
)
from sesskit.schemas.binprot_write import writer
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.ochat_items import Item
from sesskit.schemas.ochat_sessions import LAYOUTS, Layout, layouts_of, type_of
from sesskit.schemas.ochat_values import ArrayValue, IntValue, RecordValue, UnitValue, Value

T = TypeVar("T")
TYPES = Describer({Value: "Value"}, {Item: "Item"})
TREE = TYPES.describe(Value)


class Holder(Part, Generic[T], frozen=True, gc=False):
    held: T


def test_every_layout_is_described() -> None:
    assert len(LAYOUTS) == 2 + 6 + 3 * 3
    assert [layout.items for layout in layouts_of(2)] == ["R3", "R2", "R1"]
    assert [(at.items, at.moderator) for at in layouts_of(3)][:3] == [
        ("R3", "M2"),
        ("R3", "M1"),
        ("R2", "M2"),
    ]
    assert [layout.current for layout in layouts_of(3)] == [True] + [False] * 5


def test_a_type_is_made_once() -> None:
    assert TYPES.describe(Item) is TYPES.describe(Item)
    assert reader(TREE) is reader(TREE)
    assert writer(TREE) is writer(TREE)


def test_type_variables_are_replaced() -> None:
    bound = TYPES.record(Holder, {T: bool})
    given_one = TYPES.describe(Holder[bool])
    assert isinstance(given_one, Record)
    assert bound.members[0].node is given_one.members[0].node


@pytest.mark.parametrize("annotation", [dict, int, str, set[str], 7])
def test_what_the_table_cannot_say(annotation: Any) -> None:
    with pytest.raises(TypeError, match="the table cannot say"):
        TYPES.describe(annotation)


def test_a_tree_may_hold_itself_in_its_last_list_only() -> None:
    case = TYPES.record(Holder, {T: list[bool]})
    assert isinstance(TREE, Tree)
    with pytest.raises(TypeError, match="a list of something else"):
        plan_of(case, TREE, reader)


@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    node = type_of(data.draw(st.sampled_from(sorted(LAYOUTS, key=str))))
    value, out = data.draw(values(node)), bytearray()
    notes: list[Any] = []
    writer(node)(out, value)
    read, end = reader(node)(bytes(out), 0, notes)
    again = bytearray()
    writer(node)(again, read)
    assert (read, end, again) == (value, len(out), out)
    assert not notes


STRING, BOOL = Prim("string"), Prim("bool")


@pytest.mark.parametrize(
    ("node", "raw", "code", "keys"),
    [
        pytest.param(Option(BOOL), "02", "option-tag", (), id="option"),
        pytest.param(Option(BOOL), "", "data-short", (), id="no option"),
        pytest.param(ListOf(BOOL), "03000102", "bool-tag", (2,), id="element"),
        pytest.param(ListOf(BOOL), "", "data-short", (), id="no list"),
        pytest.param(ListOf(BOOL), "fcffffffffffffff3f01", "data-short", (1,), id="claimed count"),
        pytest.param(Pair(STRING, BOOL), "016107", "bool-tag", (1,), id="pair"),
        pytest.param(Enum(("A", "B")), "02", "variant-tag", (), id="word"),
        pytest.param(Enum(("A", "B")), "", "data-short", (), id="no word"),
        pytest.param(TYPES.describe(Item), "09", "variant-tag", (), id="constructor"),
        pytest.param(TYPES.describe(Item), "", "data-short", (), id="no constructor"),
        pytest.param(TYPES.describe(Item), "000000", "data-short", ("_type",), id="member"),
        pytest.param(TYPES.describe(Item), "0001", "data-short", ("content",), id="no member"),
        pytest.param(TREE, "08", "variant-tag", (), id="value"),
        pytest.param(TREE, "05020408", "variant-tag", (1,), id="value in an array"),
        pytest.param(TREE, "0601016108", "variant-tag", (0, 1), id="value in a record"),
        pytest.param(TREE, "06010361", "data-short", (0, 0), id="name in a record"),
        pytest.param(TREE, "070161010207", "bool-tag", (1, 0), id="payload of a variant"),
        pytest.param(TREE, "0703", "data-short", (0,), id="tag of a variant"),
        pytest.param(TREE, "07016180", "length-code", (1,), id="count of a variant"),
        pytest.param(TREE, "05010581", "length-code", (0,), id="count in an array"),
    ],
)
def test_faults_are_located(node: Any, raw: str, code: str, keys: tuple[Any, ...]) -> None:
    with pytest.raises(BinaryError) as caught:
        reader(node)(bytes.fromhex(raw), 0, [])
    assert (caught.value.code, caught.value.keys) == (code, keys)


def test_depth_is_bounded_and_costs_no_python_frames() -> None:
    read, write = reader(TREE), writer(TREE)
    deep: Any = UnitValue()
    for _ in range(MAX_DEPTH):
        deep = ArrayValue([deep])
    out = bytearray()
    write(out, deep)
    assert read(bytes(out), 0, [])[1] == len(out)
    with pytest.raises(BinaryError) as caught:
        read(b"\x05\x01" * (MAX_DEPTH + 1) + b"\x04", 0, [])
    assert (caught.value.code, caught.value.offset) == ("value-depth", 2 * MAX_DEPTH + 2)
    with pytest.raises(BinaryError):
        read(b"\x05\x01" * 1_000_000, 0, [])


def test_notes_inside_a_value_bring_their_path() -> None:
    out = bytearray()
    writer(TREE)(out, RecordValue([("a", ArrayValue([UnitValue(), IntValue(1)]))]))
    raw = bytes(out).replace(b"\x00\x01", b"\x00\xfe\x01\x00")
    notes: list[Any] = []
    reader(TREE)(raw, 0, notes)
    assert [(note.code, note.keys) for note in notes] == [("number-overlong", (0, 1, 1))]


@pytest.mark.parametrize(
    ("node", "value"),
    [
        (Enum(("A",)), "B"),
        (Sum(()), UnitValue()),
        (TREE, "text"),
        (TREE, ArrayValue([object()])),  # type: ignore[list-item]
        (type_of(Layout(5, moderator="M2")).members[4].node, [1]),
    ],
)
def test_values_of_another_type_are_refused(node: Any, value: Any) -> None:
    with pytest.raises((ValueError, AttributeError)):
        writer(node)(bytearray(), value)

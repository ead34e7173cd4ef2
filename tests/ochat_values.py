"""Hypothesis strategies for values of the binary types, made from the types themselves."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from sesskit.schemas.binprot import INT_HIGH, INT_LOW
from sesskit.schemas.binprot_types import (
    Double,
    Enum,
    ListOf,
    Node,
    Option,
    Pair,
    Prim,
    Record,
    Sum,
    Tree,
)
from sesskit.schemas.ochat_ids import HistoryId

Values = st.SearchStrategy[Any]


def string_of(raw: bytes) -> str | bytes:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


EDGES = (0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1, 2**31, 2**32)
INTS = st.one_of(
    st.integers(INT_LOW, INT_HIGH),
    st.sampled_from(
        [sign * edge + step for edge in EDGES for sign in (1, -1) for step in (-1, 0, 1)]
    ),
)
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.binary(max_size=8).map(string_of),
    st.sampled_from(["message", "x" * 127, "y" * 128, "", "z" * 300]),
)
IDS = st.builds(
    lambda namespace, sequence: HistoryId(namespace, sequence).text(),
    TEXTS.filter(bool),
    st.integers(0, INT_HIGH),
)


@cache
def values(node: Node) -> Values:
    """Any value of a type."""
    if isinstance(node, Prim):
        return _scalars(node)
    if isinstance(node, Option):
        return st.none() | values(node.of)
    if isinstance(node, ListOf):
        return st.lists(values(node.of), max_size=3)
    if isinstance(node, Pair):
        return st.tuples(values(node.first), values(node.second))
    if isinstance(node, Enum):
        return st.sampled_from(node.words)
    if isinstance(node, Record):
        return _records(node)
    if isinstance(node, Sum):
        return st.one_of([values(case) for case in node.cases])
    assert isinstance(node, Tree)
    return _trees(node)


def _scalars(node: Prim) -> Values:
    if node.kind == "int":
        return INTS
    if node.kind == "int64":
        return st.integers(-(2**63), 2**63 - 1)
    if node.kind == "bool":
        return st.booleans()
    if node.kind == "double":
        return st.integers(0, 2**64 - 1).map(Double)
    return TEXTS if node.rule is None else IDS


def _records(node: Record) -> Values:
    return st.tuples(*(values(member.node) for member in node.members)).map(
        lambda parts: node.cls(*parts)
    )


def _trees(node: Tree) -> Values:
    flat = [case for case in node.cases if not _holds(case)]
    deep = [case for case in node.cases if _holds(case)]

    def extended(inner: Values) -> Values:
        return st.one_of([_with_list(case, inner) for case in deep])

    return st.recursive(st.one_of([_records(case) for case in flat]), extended, max_leaves=6)


def _holds(case: Record) -> bool:
    return bool(case.members) and isinstance(case.members[-1].node, ListOf)


def _with_list(case: Record, inner: Values) -> Values:
    *scalars, last = case.members
    assert isinstance(last.node, ListOf)
    item = st.tuples(TEXTS, inner) if isinstance(last.node.of, Pair) else inner
    parts = [*(values(member.node) for member in scalars), st.lists(item, max_size=3)]
    return st.tuples(*parts).map(lambda held: case.cls(*held))

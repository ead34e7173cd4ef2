"""Writers made of types: `writer(node)` gives the function that appends a value of that type.

What is written is the shortest form of everything, so a value read from such bytes is written
back to the same bytes. A value that the type cannot hold raises `ValueError`; its message names
no value.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from sesskit.schemas.binprot import (
    Writer,
    write_bool,
    write_int,
    write_int64,
    write_length,
    write_string,
)
from sesskit.schemas.binprot_types import (
    Double,
    Enum,
    ListOf,
    Node,
    Option,
    Pair,
    Prim,
    Record,
    Rule,
    Sum,
    Tree,
)


def write_double(out: bytearray, value: Double) -> None:
    """A float of 64 bits."""
    out += value.bits.to_bytes(8, "little")


_SCALARS: dict[str, Writer] = {
    "int": write_int,
    "int64": write_int64,
    "double": write_double,
    "bool": write_bool,
    "string": write_string,
}

_made: dict[Node, Writer] = {}


def writer(node: Node) -> Writer:
    """The writer of a type, made once."""
    if node not in _made:
        _made[node] = _MAKERS[type(node)](node)
    return _made[node]


def _prim(node: Prim) -> Writer:
    return _SCALARS[node.kind] if node.rule is None else _ruled(node.rule)


def _ruled(rule: Rule) -> Writer:
    def write(out: bytearray, value: str | bytes) -> None:
        if not rule.holds(value):
            raise ValueError(f"a text that is not {rule.words} cannot be written")
        write_string(out, value)

    return write


def _option(node: Option) -> Writer:
    inner = writer(node.of)

    def write(out: bytearray, value: Any) -> None:
        if value is None:
            out.append(0)
        else:
            out.append(1)
            inner(out, value)

    return write


def _list(node: ListOf) -> Writer:
    inner = writer(node.of)

    def write(out: bytearray, values: list[Any]) -> None:
        write_length(out, len(values))
        for value in values:
            inner(out, value)

    return write


def _pair(node: Pair) -> Writer:
    first, second = writer(node.first), writer(node.second)

    def write(out: bytearray, value: tuple[Any, Any]) -> None:
        first(out, value[0])
        second(out, value[1])

    return write


def _enum(node: Enum) -> Writer:
    codes = {word: code for code, word in enumerate(node.words)}

    def write(out: bytearray, value: str) -> None:
        if value not in codes:
            raise ValueError("a word that its type does not have cannot be written")
        out.append(codes[value])

    return write


def _record(node: Record) -> Writer:
    members = tuple((attrgetter(m.attribute), writer(m.node)) for m in node.members)

    def write(out: bytearray, value: Any) -> None:
        for get, inner in members:
            inner(out, get(value))

    return write


def _sum(node: Sum) -> Writer:
    cases = {case.cls: (code, writer(case)) for code, case in enumerate(node.cases)}

    def write(out: bytearray, value: Any) -> None:
        if type(value) not in cases:
            raise ValueError("a constructor that its type does not have cannot be written")
        code, inner = cases[type(value)]
        out.append(code)
        inner(out, value)

    return write


def _tree(node: Tree) -> Writer:
    """Iterative: what is still to be written waits on a stack."""
    plans: dict[type, tuple[int, tuple[tuple[attrgetter[Any], Node], ...]]] = {}

    def write(out: bytearray, value: Any) -> None:
        if not plans:
            for code, case in enumerate(node.cases):
                fields = tuple((attrgetter(m.attribute), m.node) for m in case.members)
                plans[case.cls] = code, fields
        waiting: list[Any] = [value]
        while waiting:
            part = waiting.pop()
            if type(part) is tuple:  # the name of the element that comes next
                write_string(out, *part)
                continue
            if type(part) not in plans:
                raise ValueError("a constructor that its type does not have cannot be written")
            code, fields = plans[type(part)]
            out.append(code)
            for get, inner in fields:
                if isinstance(inner, ListOf):
                    waiting.extend(_elements(out, get(part), keyed=isinstance(inner.of, Pair)))
                else:
                    writer(inner)(out, get(part))

    return write


def _elements(out: bytearray, values: list[Any], *, keyed: bool) -> list[Any]:
    """The count of a list is written; its elements, the last one first, are given back."""
    write_length(out, len(values))
    if keyed:
        return [part for name, value in reversed(values) for part in (value, (name,))]
    return values[::-1]


_MAKERS: dict[type[Node], Callable[[Any], Writer]] = {
    Prim: _prim,
    Option: _option,
    ListOf: _list,
    Pair: _pair,
    Enum: _enum,
    Record: _record,
    Sum: _sum,
    Tree: _tree,
}

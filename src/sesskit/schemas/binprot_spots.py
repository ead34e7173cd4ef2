"""Where all parts of a value are, found in one pass that reads nothing of what they say.

For what looks at every part of a big file, where asking `binprot_places` for each would read the
bytes again and again. A spot is:

* of a scalar, and of a `Tree`: where it starts;
* of an option: None, or the spot of what it holds;
* of a list, a pair: the list of the spots of its elements;
* of a record: a list of where it starts, the spots of its members, and where it ends;
* of a sum: the number of the constructor, and the spot of that record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sesskit.schemas.binprot import (
    SMALL,
    BinaryError,
    read_bool,
    read_int,
    read_int64,
    read_length,
    short,
    unknown_tag,
)
from sesskit.schemas.binprot_read import read_double, reader
from sesskit.schemas.binprot_types import Enum, ListOf, Node, Option, Pair, Prim, Record, Sum, Tree

Spotter = Callable[[bytes, int], tuple[Any, int]]
"""From the bytes and a position to the spot of the value there, and the position behind it."""

_INTS = {"int": read_int, "int64": read_int64}
_FIXED = {"bool": read_bool, "double": read_double}

_made: dict[Node, Spotter] = {}


def spotter(node: Node) -> Spotter:
    """The spotter of a type, made once. Raises `BinaryError` where the type's reader would."""
    inner = _spotter(node)

    def spot(data: bytes, position: int) -> tuple[Any, int]:
        try:
            found, end = inner(data, position)
        except IndexError:
            raise short(len(data), "the rest of a value") from None
        if end > len(data):
            raise short(len(data), "the rest of a text")
        return found, end

    return spot


def _spotter(node: Node) -> Spotter:
    if node not in _made:
        _made[node] = _MAKERS[type(node)](node)
    return _made[node]


def _text(data: bytes, position: int) -> tuple[int, int]:
    size = data[position]
    if size < SMALL:
        return position, position + 1 + size
    size, start = read_length(data, position, [])
    return position, start + size


def _prim(node: Prim) -> Spotter:
    if node.kind == "string":
        return _text
    number = _INTS.get(node.kind)
    read = number or _FIXED[node.kind]

    def spot(data: bytes, position: int) -> tuple[int, int]:
        if number and data[position] < SMALL:
            return position, position + 1
        return position, read(data, position, [])[1]

    return spot


def _enum(node: Enum) -> Spotter:
    count = len(node.words)

    def spot(data: bytes, position: int) -> tuple[int, int]:
        if data[position] >= count:
            raise unknown_tag(position, data[position], count)
        return position, position + 1

    return spot


def _option(node: Option) -> Spotter:
    inner = _spotter(node.of)

    def spot(data: bytes, position: int) -> tuple[Any, int]:
        code = data[position]
        if not code:
            return None, position + 1
        if code > 1:
            message = "this byte is no option"
            raise BinaryError("option-tag", position, message, "0 or 1", f"{code}")
        return inner(data, position + 1)

    return spot


def _list(node: ListOf) -> Spotter:
    inner = _spotter(node.of)

    def spot(data: bytes, position: int) -> tuple[list[Any], int]:
        count, position = read_length(data, position, [])
        spots = []
        while count:
            found, position = inner(data, position)
            spots.append(found)
            count -= 1
        return spots, position

    return spot


def _pair(node: Pair) -> Spotter:
    first, second = _spotter(node.first), _spotter(node.second)

    def spot(data: bytes, position: int) -> tuple[list[Any], int]:
        one, position = first(data, position)
        other, position = second(data, position)
        return [one, other], position

    return spot


def _record(node: Record) -> Spotter:
    # None stands for a text: most members are texts, and a call for each would take the time.
    plan = tuple(
        None if found is _text else found
        for found in (_spotter(member.node) for member in node.members)
    )

    def spot(data: bytes, position: int) -> tuple[list[Any], int]:
        spots: list[Any] = [position]
        add = spots.append
        for inner in plan:
            if inner is None:
                add(position)
                size = data[position]
                if size < SMALL:
                    position += 1 + size
                else:
                    position = _text(data, position)[1]
            else:
                found, position = inner(data, position)
                add(found)
        add(position)
        return spots, position

    return spot


def _sum(node: Sum) -> Spotter:
    cases = tuple(_spotter(case) for case in node.cases)
    count = len(cases)

    def spot(data: bytes, position: int) -> tuple[tuple[int, Any], int]:
        code = data[position]
        if code >= count:
            raise unknown_tag(position, code, count)
        found, end = cases[code](data, position + 1)
        return (code, found), end

    return spot


def _tree(node: Tree) -> Spotter:
    read = reader(node)

    def spot(data: bytes, position: int) -> tuple[int, int]:
        return position, read(data, position, [])[1]

    return spot


_MAKERS: dict[type[Node], Callable[[Any], Spotter]] = {
    Prim: _prim,
    Enum: _enum,
    Option: _option,
    ListOf: _list,
    Pair: _pair,
    Record: _record,
    Sum: _sum,
    Tree: _tree,
}

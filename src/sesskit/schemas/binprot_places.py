"""Where the parts of a value are: paths of offsets, offsets of paths, and spans.

Nothing here is needed to read a sound file. The bytes are read again, part by part, and only
into the parts that were asked for. Paths name members and elements; the constructors and options
on the way have no key of their own. Values of a `Tree` are not entered: a `Note` inside of one
brings the rest of its path with it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from sesskit.schemas.binprot import BinaryError, Notes, Reader, read_length
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_types import ListOf, Node, Option, Pair, Record, Sum
from sesskit.schemas.issues import Key, Keys


class Child(NamedTuple):
    """A part of a value: its key (None if it has none), its type, and its bytes."""

    key: Key | None
    node: Node
    start: int
    end: int


def children(node: Node, data: bytes, position: int) -> Iterator[Child]:
    """The parts of the value of this type at ``position``, in order; none of a scalar. Total.

    A part that cannot be read to its end is the last one, and ends behind the data.
    """
    make = _CHILDREN.get(type(node))
    try:
        return iter(()) if make is None else make(node, data, position)
    except (BinaryError, IndexError):
        return iter(())  # its own tag or count cannot be read


Row = Iterable[tuple[Key | None, Node, Reader]]
"""Parts that follow each other: their keys, types and readers."""


def _in_row(parts: Row, data: bytes, position: int) -> Iterator[Child]:
    for key, node, read in parts:
        try:
            _, end = read(data, position, [])
        except BinaryError:
            end = len(data) + 1
        yield Child(key, node, position, end)
        if end > len(data):
            return
        position = end


@cache
def _members(node: Record) -> Row:
    keys: tuple[Key | None, ...] = tuple(member.name for member in node.members)
    if node.form != "record":
        keys = tuple(range(len(keys))) if node.form == "tuple" else (None,)
    nodes = [member.node for member in node.members]
    return tuple((key, one, reader(one)) for key, one in zip(keys, nodes, strict=True))


def _of_record(node: Record, data: bytes, position: int) -> Iterator[Child]:
    return _in_row(_members(node), data, position)


def _of_list(node: ListOf, data: bytes, position: int) -> Iterator[Child]:
    count, position = read_length(data, position, [])
    read = reader(node.of)
    return _in_row(((index, node.of, read) for index in range(count)), data, position)


def _of_pair(node: Pair, data: bytes, position: int) -> Iterator[Child]:
    parts = enumerate((node.first, node.second))
    return _in_row(((index, one, reader(one)) for index, one in parts), data, position)


def _of_option(node: Option, data: bytes, position: int) -> Iterator[Child]:
    held = ((None, node.of, reader(node.of)),) if data[position] == 1 else ()
    return _in_row(held, data, position + 1)


def _of_sum(node: Sum, data: bytes, position: int) -> Iterator[Child]:
    case = node.cases[data[position]]
    return _in_row(((None, case, reader(case)),), data, position + 1)


_CHILDREN: dict[type[Node], Callable[[Any, bytes, int], Iterator[Child]]] = {
    Record: _of_record,
    ListOf: _of_list,
    Pair: _of_pair,
    Option: _of_option,
    Sum: _of_sum,
}


def paths_at(node: Node, data: bytes, position: int, offsets: list[int]) -> dict[int, Keys]:
    """The path of the innermost part that starts at or holds each offset (ascending).

    The value of this type at ``position`` must be readable so far. One pass for each level of
    nesting.
    """
    found: dict[int, Keys] = {}
    _paths(node, data, position, offsets, (), found)
    return found


def _paths(
    node: Node, data: bytes, position: int, offsets: list[int], keys: Keys, found: dict[int, Keys]
) -> None:
    found.update(dict.fromkeys(offsets, keys))
    for child in children(node, data, position):
        first = bisect_left(offsets, child.start)
        inside = offsets[first : bisect_left(offsets, child.end)]
        if inside:
            below = keys if child.key is None else (*keys, child.key)
            _paths(child.node, data, child.start, inside, below, found)
        if offsets[-1] < child.end:
            return


def spans_of(node: Node, data: bytes, position: int, wanted: Iterable[Keys]) -> dict[Keys, Child]:
    """The bytes of the parts that these paths name; a path that names nothing is left out."""
    tree: dict[Key, Any] = {}
    for keys in wanted:
        level = tree
        for key in keys:
            level = level.setdefault(key, {})
        level[""] = {}  # this very part was asked for
    found: dict[Keys, Child] = {}
    _spans(node, data, position, tree, (), found)
    return found


def _spans(
    node: Node,
    data: bytes,
    position: int,
    tree: dict[Key, Any],
    keys: Keys,
    found: dict[Keys, Child],
) -> None:
    left = len(tree) - ("" in tree)
    for child in children(node, data, position):
        if not left:
            return
        if child.key is None:
            _spans(child.node, data, child.start, tree, keys, found)
            return
        below = tree.get(child.key)
        if below is None:
            continue
        left -= 1
        if "" in below:
            found[(*keys, child.key)] = child
        _spans(child.node, data, child.start, below, (*keys, child.key), found)


def offsets_of(notes: Notes) -> list[int]:
    """The offsets of notes, ascending, each once."""
    return sorted({note.offset for note in notes})

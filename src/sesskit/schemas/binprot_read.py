"""Readers made of types: `reader(node)` gives the function that reads a value of that type.

Readers are closures, put together once. They raise `BinaryError` with its offset; each one on the
way out adds the key of its part, so that a sound file pays nothing for places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sesskit.schemas.binprot import (
    MAX_BINARY_FAULTS,
    SMALL,
    BinaryError,
    Note,
    Notes,
    Reader,
    read_bool,
    read_int,
    read_int64,
    read_length,
    read_string,
    short,
    unknown_tag,
)
from sesskit.schemas.binprot_tree import tree_reader
from sesskit.schemas.binprot_types import (
    Double,
    Enum,
    ListOf,
    Node,
    Option,
    Pair,
    Part,
    Prim,
    Record,
    Rule,
    Sum,
    Tree,
)
from sesskit.schemas.issues import Key


def read_double(data: bytes, position: int, notes: Notes) -> tuple[Double, int]:
    """A float of 64 bits."""
    end = position + 8
    if end > len(data):
        raise short(position, "a float of eight bytes")
    return Double(int.from_bytes(data[position:end], "little")), end


_SCALARS: dict[str, Reader] = {
    "int": read_int,
    "int64": read_int64,
    "double": read_double,
    "bool": read_bool,
    "string": read_string,
}

ABSENT = 0x100
"""Stands for the byte behind the last one."""
OPTION = 1
STRING = 2

_made: dict[Node, Reader] = {}


def reader(node: Node) -> Reader:
    """The reader of a type, made once."""
    if node not in _made:
        _made[node] = _MAKERS[type(node)](node)
    return _made[node]


def _prim(node: Prim) -> Reader:
    if node.rule is not None:
        return _ruled(node.rule)
    return _usual(node.usual) if node.usual else _SCALARS[node.kind]


def _usual(words: tuple[str, ...]) -> Reader:
    known = {bytes([len(word)]) + word.encode(): word for word in words}

    def read(data: bytes, position: int, notes: Notes) -> tuple[str | bytes, int]:
        end = position + 1 + (data[position] if position < len(data) else 0)
        word = known.get(data[position:end])
        return read_string(data, position, notes) if word is None else (word, end)

    return read


def _ruled(rule: Rule) -> Reader:
    code, holds = rule.code, rule.holds

    def read(data: bytes, position: int, notes: Notes) -> tuple[str | bytes, int]:
        value, end = read_string(data, position, notes)
        if not holds(value) and len(notes) < 2 * MAX_BINARY_FAULTS:
            notes.append(Note(code, position))
        return value, end

    return read


def _option(node: Option) -> Reader:
    inner = reader(node.of)

    def read(data: bytes, position: int, notes: Notes) -> tuple[Any, int]:
        code = data[position] if position < len(data) else ABSENT
        if code == 0:
            return None, position + 1
        if code == 1:
            return inner(data, position + 1, notes)
        if code == ABSENT:
            raise short(position, "an option")
        message = "this byte is no option"
        raise BinaryError("option-tag", position, message, "0 (absent) or 1 (present)", f"{code}")

    return read


def _list(node: ListOf) -> Reader:
    inner = reader(node.of)

    def read(data: bytes, position: int, notes: Notes) -> tuple[list[Any], int]:
        count = data[position] if position < len(data) else ABSENT
        if count < SMALL:
            position += 1
        else:
            count, position = read_length(data, position, notes)
        values: list[Any] = []
        add = values.append
        try:
            while count:
                value, position = inner(data, position, notes)
                add(value)
                count -= 1
        except BinaryError as fault:
            fault.steps.append(len(values))
            raise
        return values, position

    return read


def _pair(node: Pair) -> Reader:
    readers = (reader(node.first), reader(node.second))

    def read(data: bytes, position: int, notes: Notes) -> tuple[tuple[Any, ...], int]:
        values: list[Any] = []
        try:
            for inner in readers:
                value, position = inner(data, position, notes)
                values.append(value)
        except BinaryError as fault:
            fault.steps.append(len(values))
            raise
        return tuple(values), position

    return read


def _enum(node: Enum) -> Reader:
    words, count = node.words, len(node.words)

    def read(data: bytes, position: int, notes: Notes) -> tuple[str, int]:
        code = data[position] if position < len(data) else ABSENT
        if code < count:
            return words[code], position + 1
        raise unknown_tag(position, code, count)

    return read


def _record(node: Record) -> Reader:
    cls: type[Part] = node.cls
    if not node.members:
        # One value for all: it holds nothing.
        value = cls()
        return lambda data, position, notes: (value, position)
    keys: tuple[Key, ...] = tuple(member.name for member in node.members)
    if node.form == "tuple":
        keys = tuple(range(len(keys)))
    if node.form == "single":
        return _single(cls, reader(node.members[0].node))
    plan = tuple((reader(member.node), _quick(member.node)) for member in node.members)

    def read(data: bytes, position: int, notes: Notes) -> tuple[Part, int]:
        values: list[Any] = []
        add = values.append
        try:
            for inner, quick in plan:
                # Short texts and absent options are most of a file, so no call for them.
                if quick and position < len(data):
                    size = data[position]
                    if quick is OPTION:
                        if not size:
                            add(None)
                            position += 1
                            continue
                    elif size < SMALL:
                        end = position + 1 + size
                        raw = data[position + 1 : end]
                        if raw.isascii() and len(raw) == size:
                            add(raw.decode("ascii"))
                            position = end
                            continue
                value, position = inner(data, position, notes)
                add(value)
        except BinaryError as fault:
            fault.steps.append(keys[len(values)])
            raise
        return cls(*values), position

    return read


def _quick(node: Node) -> int:
    if isinstance(node, Option):
        return OPTION
    return STRING if isinstance(node, Prim) and reader(node) is read_string else 0


def _single(cls: type[Part], inner: Reader) -> Reader:
    def read(data: bytes, position: int, notes: Notes) -> tuple[Part, int]:
        value, end = inner(data, position, notes)
        return cls(value), end

    return read


def _sum(node: Sum) -> Reader:
    readers = tuple(reader(case) for case in node.cases)
    count = len(readers)

    def read(data: bytes, position: int, notes: Notes) -> tuple[Any, int]:
        code = data[position] if position < len(data) else ABSENT
        if code < count:
            return readers[code](data, position + 1, notes)
        raise unknown_tag(position, code, count)

    return read


def _tree(node: Tree) -> Reader:
    return tree_reader(node, reader)


_MAKERS: dict[type[Node], Callable[[Any], Reader]] = {
    Prim: _prim,
    Option: _option,
    ListOf: _list,
    Pair: _pair,
    Enum: _enum,
    Record: _record,
    Sum: _sum,
    Tree: _tree,
}

"""Binary values as neutral JSON: nothing is lost, and nothing of the encoding is seen.

Records are objects in the order of their members; lists and pairs are arrays; an absent option is
null. A constructor without arguments is its name, any other ``{name: argument}``, where several
arguments without names are an array. A string that is not UTF-8 is ``{"$bytes_b64": text}``. A
float is ``{"f64": number, "bits": 16 hex digits}``: the bits decide, the number is for people.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any

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
    Sum,
    Tree,
)

BYTES = "$bytes_b64"
NUMBER = "f64"
BITS = "bits"

ToJson = Callable[[Any], Any]

_made: dict[Node, ToJson] = {}


def json_of(node: Node) -> ToJson:
    """The function that gives the neutral JSON of a value of this type; made once."""
    if node not in _made:
        _made[node] = _MAKERS[type(node)](node)
    return _made[node]


def string_json(value: str | bytes) -> Any:
    """A string; base64 where it is not UTF-8."""
    return value if isinstance(value, str) else {BYTES: base64.b64encode(value).decode()}


def double_json(value: Double) -> Any:
    """A float by its number and by its bits."""
    return {NUMBER: number_words(value.value), BITS: f"{value.bits:016x}"}


def number_words(number: float) -> float | str:
    """The number itself, or a word for what JSON has no number for."""
    if math.isfinite(number):
        return number
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def _same(value: Any) -> Any:
    return value


_SCALARS: dict[str, ToJson] = {
    "int": _same,
    "int64": _same,
    "bool": _same,
    "double": double_json,
    "string": string_json,
}


def _prim(node: Prim) -> ToJson:
    return _SCALARS[node.kind]


def _option(node: Option) -> ToJson:
    inner = json_of(node.of)
    return lambda value: None if value is None else inner(value)


def _list(node: ListOf) -> ToJson:
    inner = json_of(node.of)
    return lambda values: [inner(value) for value in values]


def _pair(node: Pair) -> ToJson:
    first, second = json_of(node.first), json_of(node.second)
    return lambda value: [first(value[0]), second(value[1])]


def _enum(node: Enum) -> ToJson:
    return _same


def _record(node: Record) -> ToJson:
    members = tuple((m.name, attrgetter(m.attribute), json_of(m.node)) for m in node.members)
    if node.form == "single":
        _, get, inner = members[0]
        return lambda value: {node.name: inner(get(value))}

    def plain(value: Any) -> dict[str, Any]:
        return {name: inner(get(value)) for name, get, inner in members}

    if not node.name:
        return plain
    return (lambda value: {node.name: plain(value)}) if members else (lambda value: node.name)


def _sum(node: Sum) -> ToJson:
    cases = {case.cls: json_of(case) for case in node.cases}
    return lambda value: cases[type(value)](value)


def _tree(node: Tree) -> ToJson:
    """Iterative: each value waits with the place in its parent where its JSON goes."""

    def convert(value: Any) -> Any:
        cases: dict[type, Record] = {case.cls: case for case in node.cases}
        root: list[Any] = [None]
        waiting: list[tuple[Part, list[Any], int]] = [(value, root, 0)]
        while waiting:
            part, parent, place = waiting.pop()
            case = cases[type(part)]
            arguments = []
            for member in case.members:
                held = getattr(part, member.attribute)
                if isinstance(member.node, ListOf):
                    keyed = isinstance(member.node.of, Pair)
                    arguments.append(_elements(held, waiting, keyed=keyed))
                else:
                    arguments.append(json_of(member.node)(held))
            parent[place] = _constructor(case, arguments)
        return root[0]

    return convert


def _elements(
    held: list[Any], waiting: list[tuple[Part, list[Any], int]], *, keyed: bool
) -> list[Any]:
    """The array of a list, whose elements are still to come."""
    if keyed:
        pairs = [[string_json(name), None] for name, _ in held]
        waiting.extend((part, pair, 1) for pair, (_, part) in zip(pairs, held, strict=True))
        return pairs
    array: list[Any] = [None] * len(held)
    waiting.extend((part, array, place) for place, part in enumerate(held))
    return array


def _constructor(case: Record, arguments: list[Any]) -> Any:
    if not arguments:
        return case.name
    return {case.name: arguments[0] if case.form == "single" else arguments}


_MAKERS: dict[type[Node], Callable[[Any], ToJson]] = {
    Prim: _prim,
    Option: _option,
    ListOf: _list,
    Pair: _pair,
    Enum: _enum,
    Record: _record,
    Sum: _sum,
    Tree: _tree,
}

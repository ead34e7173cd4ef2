"""The JSON Schema (draft 2020-12) of neutral JSON, made from the same types as readers are.

What it cannot say: that a history id's first number is the length of its namespace, that base64 is
whole, that a float's number is that of its bits, and how deep values may nest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sesskit.schemas.binprot import INT_HIGH, INT_LOW
from sesskit.schemas.binprot_to_json import BITS, BYTES, NUMBER
from sesskit.schemas.binprot_types import (
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

Schema = dict[str, Any]

_BYTES_OBJECT: Schema = {
    "type": "object",
    "properties": {BYTES: {"type": "string", "contentEncoding": "base64"}},
    "required": [BYTES],
    "additionalProperties": False,
}
_STRING: Schema = {"if": {"type": "string"}, "else": {"$ref": "#/$defs/bytes"}}
_DOUBLE: Schema = {
    "type": "object",
    "properties": {
        NUMBER: {
            "if": {"type": "string"},
            "then": {"enum": ["NaN", "Infinity", "-Infinity"]},
            "else": {"type": "number"},
        },
        BITS: {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    },
    "required": [NUMBER, BITS],
    "additionalProperties": False,
}


class SchemaWriter:
    """Collects the definitions of records and trees while it writes."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {"bytes": _BYTES_OBJECT, "double": _DOUBLE}
        self._names: dict[Node, str] = {}

    def schema(self, node: Node) -> Schema:
        """The schema of a type."""
        return _WRITERS[type(node)](self, node)

    def reference(self, node: Node, name: str, write: Callable[[], Schema]) -> Schema:
        """A reference to a definition, which is written when it is met first."""
        if node not in self._names:
            taken = set(self._names.values())
            number = 1
            while name in taken:
                number += 1
                name = f"{name.partition('-')[0]}-{number}"
            self._names[node] = name
            self.definitions[name] = write()
        return {"$ref": f"#/$defs/{self._names[node]}"}


def _prim(writer: SchemaWriter, node: Prim) -> Schema:
    if node.kind == "int":
        return {"type": "integer", "minimum": INT_LOW, "maximum": INT_HIGH}
    if node.kind == "int64":
        return {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}
    if node.kind == "bool":
        return {"type": "boolean"}
    if node.kind == "double":
        return {"$ref": "#/$defs/double"}
    if node.rule is not None and node.rule.pattern is not None:
        return {**_STRING, "then": {"pattern": node.rule.pattern}}
    return _STRING


def _option(writer: SchemaWriter, node: Option) -> Schema:
    return {"if": {"type": "null"}, "else": writer.schema(node.of)}


def _list(writer: SchemaWriter, node: ListOf) -> Schema:
    return {"type": "array", "items": writer.schema(node.of)}


def _array(items: list[Schema]) -> Schema:
    size = len(items)
    return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}


def _pair(writer: SchemaWriter, node: Pair) -> Schema:
    return _array([writer.schema(node.first), writer.schema(node.second)])


def _enum(writer: SchemaWriter, node: Enum) -> Schema:
    return {"enum": list(node.words)}


def _record(writer: SchemaWriter, node: Record) -> Schema:
    def write() -> Schema:
        return {
            "type": "object",
            "properties": {m.name: writer.schema(m.node) for m in node.members},
            "required": [member.name for member in node.members],
            "additionalProperties": False,
        }

    return writer.reference(node, node.cls.__name__, write)


def _arguments(writer: SchemaWriter, case: Record) -> Schema:
    if case.form == "record":
        return _record(writer, case)
    schemas = [writer.schema(member.node) for member in case.members]
    return schemas[0] if case.form == "single" else _array(schemas)


def _sum(writer: SchemaWriter, node: Sum) -> Schema:
    if not node.name:
        return _cases(writer, node)
    return writer.reference(node, node.name, lambda: _cases(writer, node))


def _cases(writer: SchemaWriter, node: Sum | Tree) -> Schema:
    bare = [case.name for case in node.cases if not case.members]
    full = {case.name: _arguments(writer, case) for case in node.cases if case.members}
    held: Schema = {
        "type": "object",
        "properties": full,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
    }
    return {"if": {"type": "string"}, "then": {"enum": bare}, "else": held} if bare else held


def _tree(writer: SchemaWriter, node: Tree) -> Schema:
    return writer.reference(node, node.name, lambda: _cases(writer, node))


_WRITERS: dict[type[Node], Callable[[SchemaWriter, Any], Schema]] = {
    Prim: _prim,
    Option: _option,
    ListOf: _list,
    Pair: _pair,
    Enum: _enum,
    Record: _record,
    Sum: _sum,
    Tree: _tree,
}

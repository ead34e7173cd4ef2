"""The published JSON Schemas (draft 2020-12), made from the same shapes as the decoder.

A value without a fault for the decoder is valid under the schema. The other way round holds up to
what JSON Schema cannot say: that two members agree, that text is a date-time in every accepted
spelling, that a number overflows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sesskit.schemas import shapes as s
from sesskit.schemas.check_values import ECMASCRIPT_SPACE

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Node = dict[str, Any]


def json_schema(shape: s.Shape, name: str, title: str) -> Node:
    """The schema of one shape as a document of its own; declared objects stand under ``$defs``."""
    writer = _Writer()
    root = writer.node(shape)
    head = {"$schema": DIALECT, "$id": f"urn:sesskit:schema:{name}", "title": title}
    return {**head, **root, "$defs": dict(sorted(writer.definitions.items()))}


class _Writer:
    """Collects definitions while it goes; objects that hold themselves meet a reference."""

    def __init__(self) -> None:
        self.definitions: dict[str, Node] = {}

    def node(self, shape: s.Shape) -> Node:
        return self.NODES[type(shape)](self, shape)

    def text(self, shape: s.Text) -> Node:
        if shape.rule == "instant":
            return {"type": "string", "pattern": "[0-9]"}
        if shape.rule == "not-blank":
            return {"type": "string", "pattern": f"[^{_class_of(ECMASCRIPT_SPACE)}]"}
        if shape.rule == "not-empty":
            return {"type": "string", "minLength": 1}
        return {"type": "string"}

    def number(self, shape: s.Number) -> Node:
        if shape.low is not None and shape.low == shape.high:
            return {"const": shape.low}
        node: Node = {"type": "integer" if shape.integer else "number"}
        if shape.low is not None:
            node["minimum"] = shape.low
        if shape.high is not None:
            node["maximum"] = shape.high
        return node

    def uniform(self, shape: s.Uniform) -> Node:
        return {"type": "array", "anyOf": [{"items": self.node(i)} for i in shape.items]}

    def kinds(self, shape: s.Kinds) -> Node:
        nodes = [self.node(inner) for inner in shape.by_kind.values()]
        if all(set(node) == {"type"} for node in nodes):
            return {"type": [node["type"] for node in nodes]}
        return {"anyOf": nodes}

    def declared(self, shape: s.ObjectOf) -> Node:
        name = shape.cls.__name__
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self._definition(shape)
        return {"$ref": f"#/$defs/{name}"}

    def _definition(self, shape: s.ObjectOf) -> Node:
        required = [m.name for m in shape.members.values() if m.required]
        properties = {m.name: self.node(m.shape) for m in shape.members.values()}
        if shape.tag is not None:
            properties = {shape.tag[0]: {"const": shape.tag[1]}, **properties}
            required.insert(0, shape.tag[0])
        node: Node = {"type": "object", "properties": properties}
        if required:
            node["required"] = required
        node["additionalProperties"] = False
        return {**node, **getattr(shape.cls, "__schema__", {})}

    def tagged(self, shape: s.Tagged) -> Node:
        cases = [
            {"if": {"properties": {shape.tag: {"const": word}}}, "then": self.node(variant)}
            for word, variant in shape.variants.items()
        ]
        word: Node = (
            {"type": "string", "minLength": 1} if shape.open else {"enum": list(shape.variants)}
        )
        return {
            "type": "object",
            "required": [shape.tag],
            "properties": {shape.tag: word},
            "allOf": cases,
        }

    NODES: ClassVar[dict[type, Callable[[_Writer, Any], Node]]] = {
        s.Text: text,
        s.Revived: lambda self, shape: {"type": "string", "pattern": "[0-9]"},
        s.Number: number,
        s.Boolean: lambda self, shape: {"type": "boolean"},
        s.Null: lambda self, shape: {"type": "null"},
        s.Choice: lambda self, shape: {"enum": list(shape.choices)},
        s.PlainJson: lambda self, shape: {},
        s.ListOf: lambda self, shape: {"type": "array", "items": self.node(shape.item)},
        s.MapOf: lambda self, shape: {
            "type": "object",
            "additionalProperties": self.node(shape.value),
        },
        s.Uniform: uniform,
        s.Kinds: kinds,
        s.ObjectOf: declared,
        s.Tagged: tagged,
    }


def _class_of(characters: str) -> str:
    """The inside of a regular expression class, in escapes that every dialect knows."""
    return "".join(f"\\u{ord(c):04x}" for c in characters)

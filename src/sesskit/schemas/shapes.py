"""Shapes: what a value must look like, compiled from the annotations of `msgspec.Struct` classes.

The classes are the one definition. From them come the fast path (msgspec itself), the collecting
decoder (`sesskit.schemas.check`, which walks these shapes) and the published JSON Schema
(`sesskit.schemas.published`). What annotations cannot say is said by ``Meta(extra={"rule": ...})``
and by the class attribute ``__rules__``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import msgspec
import msgspec.inspect as mi

from sesskit.schemas.closed import Rule
from sesskit.schemas.instants import Instant


class Shape:
    """A node of the table. ``words`` says in the plural-free words of people what is expected."""

    __slots__ = ()
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Text(Shape):
    """Any string; ``rule`` is empty, ``instant`` (must parse, kept as it is) or ``not-blank``."""

    rule: str = ""
    words: str = "string"


@dataclass(frozen=True, slots=True, eq=False)
class Revived(Shape):
    """A string instant that becomes an `Instant`."""

    words: str = "string"


@dataclass(frozen=True, slots=True, eq=False)
class Number(Shape):
    """A number; bounds are inclusive. ``finite`` is False where overflow (1e400) may stand."""

    integer: bool = False
    low: int | None = None
    high: int | None = None
    finite: bool = True
    words: str = "number"


@dataclass(frozen=True, slots=True, eq=False)
class Boolean(Shape):
    words: str = "boolean"


@dataclass(frozen=True, slots=True, eq=False)
class Null(Shape):
    words: str = "null"


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Shape):
    """One word of a list, case and all."""

    choices: tuple[str, ...]
    words: str = "string"


@dataclass(frozen=True, slots=True, eq=False)
class PlainJson(Shape):
    """Any JSON value at all, null included. Nothing inside is checked or revived."""

    words: str = "any value"


@dataclass(slots=True, eq=False)
class ListOf(Shape):
    item: Shape
    words: str = "array"


@dataclass(slots=True, eq=False)
class MapOf(Shape):
    """An open map: any names, constrained values."""

    value: Shape
    words: str = "object"


@dataclass(slots=True, eq=False)
class Uniform(Shape):
    """An array whose items are all of one of the given scalar shapes."""

    items: tuple[Shape, ...]
    words: str = "array"


@dataclass(slots=True, eq=False)
class Kinds(Shape):
    """One shape for each JSON kind that is permitted; ``code`` names the fault of another kind."""

    by_kind: dict[str, Shape]
    code: str = "type"
    words: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """One declared member: its wire name, the attribute that holds it, its shape."""

    name: str
    attribute: str
    shape: Shape
    required: bool


@dataclass(slots=True, eq=False)
class ObjectOf(Shape):
    """A declared object: no other members than these."""

    cls: type[msgspec.Struct]
    members: dict[str, Member] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    tag: tuple[str, str] | None = None
    words: str = "object"


@dataclass(slots=True, eq=False)
class Tagged(Shape):
    """Objects told apart by one member that every one of them must have."""

    tag: str
    variants: dict[str, ObjectOf]
    words: str = "object"


@cache
def shape_of(annotation: Any) -> Shape:
    """The shape of an annotation or Struct class. Compiled once."""
    return _Compiler().compile(mi.type_info(annotation))


class _Compiler:
    """Turns `msgspec.inspect` nodes into shapes; recursive classes meet their own shape again."""

    def __init__(self) -> None:
        self.objects: dict[type, ObjectOf] = {}

    def compile(self, node: mi.Type, extra: dict[str, Any] | None = None) -> Shape:
        if isinstance(node, mi.Metadata):
            return self.compile(node.type, {**(extra or {}), **(node.extra or {})})
        rule = (extra or {}).get("rule", "")
        if rule in SPECIAL:
            return SPECIAL[rule]()
        step = self.STEPS.get(type(node))
        if step is None:
            raise TypeError(f"no shape for {node!r}")
        return step(self, node, rule)

    def text(self, node: mi.StrType, rule: str) -> Shape:
        return Text(rule)

    def integer(self, node: mi.IntType, rule: str) -> Shape:
        bounds = () if rule == "wide" else (node.ge, node.le)
        return Number(True, *bounds)

    def decimal(self, node: mi.FloatType, rule: str) -> Shape:
        return Number()

    def literal(self, node: mi.LiteralType, rule: str) -> Shape:
        return Choice(tuple(str(value) for value in node.values))

    def array(self, node: mi.ListType, rule: str) -> Shape:
        return ListOf(self.compile(node.item_type))

    def mapping(self, node: mi.DictType, rule: str) -> Shape:
        return MapOf(self.compile(node.value_type))

    def custom(self, node: mi.CustomType, rule: str) -> Shape:
        if node.cls is not Instant:
            raise TypeError(f"no shape for {node.cls!r}")
        return Revived()

    def declared(self, node: mi.StructType, rule: str) -> ObjectOf:
        known = self.objects.get(node.cls)
        if known is not None:
            return known
        shape = self.objects[node.cls] = ObjectOf(node.cls)
        shape.rules = tuple(getattr(node.cls, "__rules__", ()))
        if node.tag_field is not None:
            shape.tag = (node.tag_field, str(node.tag))
        for f in node.fields:
            member = self.compile(f.type)
            shape.members[f.encode_name] = Member(f.encode_name, f.name, member, f.required)
        return shape

    def union(self, node: mi.UnionType, rule: str) -> Shape:
        types = node.types
        objects = [t for t in types if isinstance(t, mi.StructType)]
        if len(objects) == len(types):
            return self._tagged(objects)
        shapes = [self.compile(t) for t in types if t not in objects or len(objects) == 1]
        if len(objects) > 1:
            shapes.insert(0, self._tagged(objects))
        by_kind = {shape.words: shape for shape in shapes}
        if "number" in by_kind:
            # int | float is one kind; beside other kinds overflow is not refused (section 3).
            by_kind["number"] = Number(finite=len(by_kind) == 1)
        if len(by_kind) == 1:
            return next(iter(by_kind.values()))
        return Kinds(by_kind, rule or "type", " or ".join(by_kind))

    def _tagged(self, types: list[mi.StructType]) -> Shape:
        objects = [self.compile(t) for t in types]
        variants = {o.tag[1]: o for o in objects if isinstance(o, ObjectOf) and o.tag}
        first = next(iter(variants.values())).tag
        return Tagged(first[0] if first else "", variants)

    STEPS: ClassVar[dict[type, Callable[[_Compiler, Any, str], Shape]]] = {
        mi.StrType: text,
        mi.IntType: integer,
        mi.FloatType: decimal,
        mi.BoolType: lambda self, node, rule: Boolean(),
        mi.NoneType: lambda self, node, rule: Null(),
        mi.AnyType: lambda self, node, rule: PlainJson(),
        mi.LiteralType: literal,
        mi.ListType: array,
        mi.DictType: mapping,
        mi.CustomType: custom,
        mi.StructType: declared,
        mi.UnionType: union,
    }


def _message_metadata() -> Shape:
    """robota-record section 3: the open map `metadata` of a message."""
    scalars: dict[str, Shape] = {
        "string": Text(),
        "number": Number(finite=False),
        "boolean": Boolean(),
    }
    values = Kinds(
        {
            **scalars,
            "array": Uniform((Text(), Number(finite=False))),
            "object": MapOf(Number(finite=False)),
        },
        "open-map-value",
        "string, number, boolean, array of strings, array of numbers or object of numbers",
    )
    return MapOf(values)


def _unbounded_map() -> Shape:
    return MapOf(PlainJson())


SPECIAL: dict[str, Callable[[], Shape]] = {
    "message-metadata": _message_metadata,
    "json-map": _unbounded_map,
}
"""Shapes that annotations cannot say, by the name of their rule."""

"""Types of binary values as data, compiled from the annotations of `msgspec.Struct` classes.

The classes are the one table. From the nodes made here come the reader and writer, the places,
the neutral JSON and its published JSON Schema. Annotations mean:

* ``Int``, ``Int64``, ``Double``, ``bool``, ``Str``, or ``Annotated[str | bytes, Rule(...)]``
  and ``Words(...)``;
* ``list[T]``, ``tuple[A, B]``, ``T | None`` (an option);
* ``Literal[...]``: a sum of constructors without arguments, in the order of their tags;
* a class: a record, its members in order; a union of classes: a sum, its constructors in order.

A class in a union has ``constructor``, the name that its format gives it, and ``form``, how it
holds its arguments. A sum that holds itself is read without recursion (`Tree`).
"""

from __future__ import annotations

import struct
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

Form = Literal["record", "single", "tuple"]
"""How a constructor holds its arguments: named members, one value, or several without names."""


class Double(msgspec.Struct, frozen=True, gc=False):
    """A 64-bit float by its bits, so that every one, NaN or not, survives."""

    bits: int

    @property
    def value(self) -> float:
        """The number itself."""
        return float(struct.unpack("<d", self.bits.to_bytes(8, "little"))[0])

    @classmethod
    def of(cls, value: float) -> Double:
        """The float with these bits."""
        return cls(int.from_bytes(struct.pack("<d", value), "little"))


class Part(msgspec.Struct, frozen=True, gc=False):
    """Base of every record and constructor."""

    constructor: ClassVar[str] = ""
    form: ClassVar[Form] = "record"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a string has to be. One that is not becomes a `Note` with ``code`` and is read on."""

    code: str
    holds: Callable[[str | bytes], bool]
    words: str
    pattern: str | None = None
    """The same as a regular expression of JSON Schema, as far as one can say it."""


@dataclass(frozen=True, slots=True)
class Words:
    """A string that is nearly always one of these; then it is read without making it anew."""

    words: tuple[str, ...]


Scalar = Literal["int", "int64", "double", "bool", "string"]

Str = Annotated[str | bytes, "string"]
Int = Annotated[int, "int"]
Int64 = Annotated[int, "int64"]


class Node:
    """A type of the table."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Prim(Node):
    kind: Scalar
    rule: Rule | None = None
    usual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Option(Node):
    of: Node


@dataclass(frozen=True, slots=True, eq=False)
class ListOf(Node):
    of: Node


@dataclass(frozen=True, slots=True, eq=False)
class Pair(Node):
    first: Node
    second: Node


@dataclass(frozen=True, slots=True, eq=False)
class Enum(Node):
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A member: its name in the format, the attribute that holds it, its type."""

    name: str
    attribute: str
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Record(Node):
    """A record, or the arguments of a constructor (``name``, ``form``)."""

    cls: type[Part]
    members: tuple[Member, ...]
    name: str = ""
    form: Form = "record"


@dataclass(frozen=True, slots=True, eq=False)
class Sum(Node):
    cases: tuple[Record, ...]
    name: str = ""


@dataclass(slots=True, eq=False)
class Tree(Node):
    """A sum whose last arguments may be lists of itself, or of pairs of a string and itself.

    ``cases`` is filled once its constructors are known.
    """

    name: str
    cases: tuple[Record, ...] = ()


Bindings = Mapping[Any, Any]
"""What stands for a type variable."""

_SCALARS: dict[str, Prim] = {
    kind: Prim(kind) for kind in ("int", "int64", "double", "bool", "string")
}


class Describer:
    """Compiles annotations to nodes; each class and union to one node only."""

    def __init__(self, trees: Mapping[Any, str], sums: Mapping[Any, str]) -> None:
        """``trees`` names the unions that hold themselves, ``sums`` others that have a name."""
        self._trees = dict(trees)
        self._sums = dict(sums)
        self._known: dict[Any, Node] = {}
        self._records: dict[Any, Record] = {}

    def describe(self, annotation: Any, bound: Bindings | None = None) -> Node:
        """The node of an annotation. Raises `TypeError` for one that the table cannot say."""
        bound = bound or {}
        if isinstance(annotation, TypeVar):
            return self.describe(bound[annotation], bound)
        if annotation in self._trees:
            return self._tree(annotation)
        key = _key(annotation, bound)
        if key not in self._known:
            self._known[key] = self._compiled(annotation, bound)
        return self._known[key]

    def record(self, cls: type[Part], bound: Bindings | None = None) -> Record:
        """The node of a record class, its type variables replaced by what ``bound`` says."""
        key = _key(cls, bound or {})
        if key not in self._records:
            self._records[key] = self._recorded(cls, bound or {})
        return self._records[key]

    def _recorded(self, cls: type[Part], bound: Bindings) -> Record:
        hints = get_type_hints(cls, include_extras=True)
        members = tuple(
            Member(name, attribute, self.describe(hints[attribute], bound))
            for name, attribute in zip(
                cls.__struct_encode_fields__, cls.__struct_fields__, strict=True
            )
        )
        return Record(cls, members, cls.constructor, cls.form)

    def _tree(self, annotation: Any) -> Node:
        if annotation not in self._known:
            tree = Tree(self._trees[annotation])
            self._known[annotation] = tree
            tree.cases = tuple(self.record(cls) for cls in get_args(annotation))
        return self._known[annotation]

    def _compiled(self, annotation: Any, bound: Bindings) -> Node:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if annotation is bool:
            return _SCALARS["bool"]
        if annotation is Double:
            return _SCALARS["double"]
        if origin is Annotated:
            return _said(arguments[1])
        if origin is Literal:
            return Enum(arguments)
        if origin is list:
            return ListOf(self.describe(arguments[0], bound))
        if origin is tuple:
            return Pair(self.describe(arguments[0], bound), self.describe(arguments[1], bound))
        if origin in (Union, types.UnionType):
            return self._union(annotation, arguments, bound)
        cls = origin or annotation
        if isinstance(cls, type) and issubclass(cls, Part):
            given = [bound.get(argument, argument) for argument in arguments]
            names = getattr(cls, "__parameters__", ()) if given else ()
            return self.record(cls, dict(zip(names, given, strict=True)))
        raise TypeError(f"the table cannot say {annotation}")

    def _union(self, annotation: Any, arguments: tuple[Any, ...], bound: Bindings) -> Node:
        rest = tuple(argument for argument in arguments if argument is not type(None))
        if len(rest) < len(arguments) == 2:
            return Option(self.describe(rest[0], bound))
        cases = tuple(self.record(cls, bound) for cls in rest)
        return Sum(cases, self._sums.get(annotation, ""))


def _key(annotation: Any, bound: Bindings) -> Any:
    """An annotation with what stands for the type variables in it."""
    variables = getattr(annotation, "__parameters__", ())
    return annotation, tuple(bound.get(variable, variable) for variable in variables)


def _said(word: Any) -> Prim:
    """What the second part of an ``Annotated`` says."""
    if isinstance(word, Rule):
        return Prim("string", rule=word)
    if isinstance(word, Words):
        return Prim("string", usual=word.words)
    return _SCALARS[word]

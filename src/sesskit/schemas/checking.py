"""Twins of declared types for runs that only check: the same shape, decoded faster.

Instants are what makes typed decoding slow: a call back into Python for each. A twin reads them as
aware datetimes, in C. What it accepts the rules accept (a test holds it); what it refuses, such as
a date without a time, the collecting path decides.

Maps of scalars refuse names of fewer than five letters: such a map may be a reference to a sidecar,
which is told by its member ``kind``, and this is the cheapest way not to overlook one. Whole
numbers have at most 64 bits.
"""

from __future__ import annotations

import operator
import types
import typing
from datetime import datetime
from functools import reduce
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Meta

from sesskit.schemas.instants import Instant

AwareTime = Annotated[datetime, Meta(tz=True)]
SmallInteger = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
LongName = Annotated[str, Meta(min_length=len("kind") + 1)]

_CONFIG = ("forbid_unknown_fields", "gc", "dict", "tag_field", "tag")


class Twins:
    """Makes twins; the same class has one twin however often it is asked for."""

    def __init__(self) -> None:
        self._known: dict[type, type] = {}

    def of(self, annotation: Any) -> Any:
        """The twin of an annotation, or the annotation itself where nothing in it differs."""
        if annotation is Instant:
            return AwareTime
        if annotation is int:
            return SmallInteger
        origin, args = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._annotated(annotation, args)
        if isinstance(annotation, types.UnionType) or origin is typing.Union:
            return reduce(operator.or_, (self.of(arg) for arg in args))
        if origin is list:
            return types.GenericAlias(list, (self.of(args[0]),))
        if origin is dict:
            return types.GenericAlias(dict, (_name_type(args[1]), self.of(args[1])))
        if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
            return self.of_class(annotation)
        return annotation

    def _annotated(self, annotation: Any, args: tuple[Any, ...]) -> Any:
        is_instant = any(
            isinstance(meta, Meta) and (meta.extra or {}).get("rule") == "instant"
            for meta in args[1:]
        )
        if is_instant:
            return AwareTime
        if args[0] is int:
            return Annotated[int, _bounded(args[1:])]
        inner = self.of(args[0])
        return annotation if inner is args[0] else Annotated[(inner, *args[1:])]

    def of_class(self, cls: type[msgspec.Struct]) -> type[msgspec.Struct]:
        """The twin of a class of declared objects."""
        known = self._known.get(cls)
        if known is not None:
            return known
        self._known[cls] = cls  # a class that holds itself is its own twin there
        hints = typing.get_type_hints(cls, include_extras=True)
        names = dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
        twins = {name: self.of(hints[name]) for name in names}
        if all(twins[name] is hints[name] for name in names):
            return cls
        defaults = _defaults(cls)
        fields = [
            (name, twin, msgspec.field(default=defaults[name], name=names[name]))
            if name in defaults
            else (name, twin, msgspec.field(name=names[name]))
            for name, twin in twins.items()
        ]
        namespace = {"__post_init__": post} if (post := _post_init(cls)) else {}
        config = cls.__struct_config__
        options = {name: getattr(config, name) for name in _CONFIG}
        twin_class = msgspec.defstruct(
            cls.__name__, fields, namespace=namespace, kw_only=True, **options
        )
        self._known[cls] = twin_class
        return twin_class


def _bounded(metas: tuple[Meta, ...]) -> Meta:
    """The bounds of a whole number, within 64 bits: longer ones may read as infinity."""
    lows = [meta.ge for meta in metas if meta.ge is not None]
    highs = [meta.le for meta in metas if meta.le is not None]
    return Meta(ge=max([-(2**63), *lows]), le=min([2**63 - 1, *highs]))


def _name_type(value: Any) -> Any:
    """Names of a map: any where its values are declared objects, which cannot be a reference."""
    is_object = isinstance(value, type) and issubclass(value, msgspec.Struct)
    return str if is_object or value is Any else LongName


def _post_init(cls: type[msgspec.Struct]) -> Any:
    return getattr(cls, "__post_init__", None)


def _defaults(cls: type[msgspec.Struct]) -> dict[str, Any]:
    """The defaults of the fields that have one; they are the last ones of ``__struct_defaults__``,
    but for keyword-only fields, so they are asked for one by one."""
    return {f.name: f.default for f in msgspec.structs.fields(cls) if not f.required}

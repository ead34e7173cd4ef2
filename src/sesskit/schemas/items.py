"""Items: one log line, one element of a record's long list, one small member.

An item is decoded by msgspec (the fast path); only what that refuses is parsed and walked by the
collecting decoder. The fast path never accepts what the collecting path refuses; a test holds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any, Final

import msgspec
import orjson

from sesskit.schemas.check import check
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.instants import Instant, revive
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.json_text import read_json, too_deep
from sesskit.schemas.shapes import Shape, shape_of

REFUSED: Final = object()
"""What the fast path answers when the collecting path has to decide."""

REFUSALS: Final = (msgspec.MsgspecError, RecursionError, ValueError)
"""What the fast path raises where the collecting path has to decide."""

Buffer = bytes | msgspec.Raw


def revive_or_refuse(kind: type, value: Any) -> Any:
    """The decoder hook: an instant in its usual form, else the collecting path decides."""
    if kind is Instant and type(value) is str:
        instant = revive(value)
        if instant is not None:
            return instant
    raise ValueError("the collecting decoder says why")


class Item:
    """Both decoders of one shape. ``read`` is total."""

    __slots__ = ("annotation", "decode", "open_depth", "shape")

    def __init__(self, annotation: Any, *, open_depth: bool = False) -> None:
        self.annotation = annotation
        self.shape: Shape = shape_of(annotation)
        self.open_depth = open_depth
        """Whether the shape lets a value nest without end, so that depth is to be looked at."""
        decoder = msgspec.json.Decoder(annotation, dec_hook=revive_or_refuse)
        self.decode: Callable[[Buffer], Any] = decoder.decode
        """The fast path itself; it raises one of `REFUSALS` where the rules have to decide."""

    def fast(self, data: Buffer) -> Any:
        """The typed value, or `REFUSED`."""
        try:
            value = self.decode(data)
        except REFUSALS:
            return REFUSED
        if self.open_depth and too_deep(bytes(data)) is not None:
            return REFUSED
        return value

    def collect(
        self, data: bytes, keys: Keys = (), *, thorough: bool = False, zone: tzinfo = UTC
    ) -> tuple[Any, list[Issue]]:
        """The value and every issue below ``keys``.

        Faults of the text carry their offset within ``data``; the others are placed by their keys.
        """
        value, text = parse(data, thorough=thorough)
        issues = [replace(i, keys=keys + i.keys) if i.keys else i for i in text]
        if value is DAMAGED:
            return value, issues
        value, found = check(self.shape, value, keys, zone=zone)
        declared = {i.keys for i in found if i.code == "number-overflow"}
        return value, [
            *(i for i in issues if i.code != "number-overflow" or i.keys not in declared),
            *found,
        ]

    def read(
        self, data: Buffer, keys: Keys = (), *, thorough: bool = False, zone: tzinfo = UTC
    ) -> tuple[Any, list[Issue]]:
        """Fast path, else collecting path. ``thorough`` also looks for doubled names."""
        value = self.fast(data)
        if value is not REFUSED and not (thorough and may_hide_warnings(data)):
            return value, []
        collected, issues = self.collect(bytes(data), keys, thorough=thorough, zone=zone)
        return (collected if value is REFUSED else value), issues


def parse(data: bytes, *, thorough: bool = False) -> tuple[Any, list[Issue]]:
    """A JSON value by the fastest parser that takes it, with the faults and warnings of its text."""
    if too_deep(data) is None and not (thorough and may_hide_warnings(data)):
        try:
            return orjson.loads(data), []
        except orjson.JSONDecodeError:
            pass
    text = read_json(data)
    return text.value, list(text.issues)


class _Doubled(Exception):
    """A name occurs twice in one object."""


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Doubled
    return members


def may_hide_warnings(data: Buffer) -> bool:
    """Whether the text has something that parsers pass over: doubled names, overflow."""
    try:
        json.loads(bytes(data), object_pairs_hook=_refuse_doubles, parse_constant=float)
    except (ValueError, RecursionError, _Doubled):
        return True
    return False

"""Items: one log line, one element of a record's long list, one small member.

An item is decoded by msgspec (the fast path); only what that refuses is parsed and walked by the
collecting decoder. The fast path never accepts what the collecting path refuses; a test holds it.

The collecting decoder is imported when it is first needed: sound files do not pay for it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, Final

import msgspec
import orjson
from msgspec.structs import replace

from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.instants import Instant, revive
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.limits import MAX_DEPTH

if TYPE_CHECKING:
    from sesskit.schemas.shapes import Shape

REFUSED: Final = object()
"""What the fast path answers where the collecting path has to decide."""

REFUSALS: Final = (msgspec.MsgspecError, RecursionError, ValueError)
"""What the fast path raises where the collecting path has to decide."""

Buffer = bytes | memoryview | msgspec.Raw


def revive_or_refuse(kind: type, value: Any) -> Any:
    """The decoder hook: an instant in its usual form, else the collecting path decides."""
    if kind is Instant:
        instant = revive(value)
        if instant is not None:
            return instant
    raise ValueError("the collecting decoder says why")


class Item:
    """Both decoders of one shape. ``read`` is total."""

    __slots__ = ("_decode", "annotation", "open_depth")

    def __init__(self, annotation: Any, *, open_depth: bool = False) -> None:
        self.annotation = annotation
        self.open_depth = open_depth
        """Whether the shape lets a value nest without end, so that depth is to be looked at."""
        self._decode: Callable[[Buffer], Any] | None = None

    @property
    def decode(self) -> Callable[[Buffer], Any]:
        """The fast path itself; it raises one of `REFUSALS` where the rules have to decide."""
        if self._decode is None:
            decoder = msgspec.json.Decoder(self.annotation, dec_hook=revive_or_refuse)
            self._decode = decoder.decode
        return self._decode

    @property
    def shape(self) -> Shape:
        """The shape, compiled when the collecting path first needs it."""
        from sesskit.schemas.shapes import shape_of

        return shape_of(self.annotation)

    def fast(self, data: Buffer) -> Any:
        """The typed value, or `REFUSED`."""
        decode = self._decode or self.decode
        try:
            value = decode(data)
        except REFUSALS:
            return REFUSED
        return REFUSED if self.open_depth and is_too_deep(bytes(data)) else value

    def collect(
        self, data: bytes, keys: Keys = (), *, thorough: bool = False, zone: tzinfo = UTC
    ) -> tuple[Any, list[Issue]]:
        """The value and every issue below ``keys``.

        Errors of the text have no keys and carry their offset within ``data``; all others, the
        warnings of the text too, have keys and no place yet.
        """
        from sesskit.schemas.check import check

        value, text = parse(data, thorough=thorough)
        if value is DAMAGED:
            return value, text
        sound = not any(issue.severity == "error" for issue in text)
        value, found = check(self.shape, value, keys, zone=zone, build=sound)
        return value, [*without_repeats(text, found, keys), *found]

    def read(
        self, data: Buffer, keys: Keys = (), *, thorough: bool = False, zone: tzinfo = UTC
    ) -> tuple[Any, list[Issue]]:
        """Fast path, else collecting path. ``thorough`` also looks for doubled names."""
        value = self.fast(data)
        if value is not REFUSED and not (thorough and parse(bytes(data), thorough=True)[1]):
            return value, []
        collected, issues = self.collect(bytes(data), keys, thorough=thorough, zone=zone)
        return (collected if value is REFUSED else value), issues


def without_repeats(text: list[Issue], found: list[Issue], keys: Keys) -> list[Issue]:
    """The issues of the text, seen from above ``keys``, less those that the shapes say as well."""
    declared = {issue.keys for issue in found if issue.code == "number-overflow"}
    return [
        issue
        if issue.severity == "error"
        else replace(issue, keys=keys + issue.keys, offset=None, line=None, column=None)
        for issue in text
        if issue.code != "number-overflow" or keys + issue.keys not in declared
    ]


def parse(data: bytes, *, thorough: bool = False) -> tuple[Any, list[Issue]]:
    """A JSON value by the fastest parser that takes it, with the issues of its text.

    The value is `DAMAGED` where the text stops making sense.
    """
    if not thorough and not is_too_deep(data):
        try:
            return orjson.loads(data), []
        except orjson.JSONDecodeError:
            pass
    from sesskit.schemas.json_text import read_json

    text = read_json(data, thorough=thorough)
    return text.value, list(text.issues)


def is_too_deep(data: bytes) -> bool:
    """Whether brackets open more levels than `MAX_DEPTH`; cheap for text with few brackets."""
    if len(data) <= MAX_DEPTH or data.count(b"{") + data.count(b"[") <= MAX_DEPTH:
        return False
    from sesskit.schemas.json_scan import too_deep

    return too_deep(data) is not None

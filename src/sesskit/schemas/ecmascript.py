"""JSON as ECMAScript writes it: the bytes of ``JSON.stringify(value, null, indent)``.

Numbers in their shortest ECMAScript form, keys that are array indices first in plain objects, lone
surrogates escaped, everything else raw. Nothing here recurses, so depth costs only memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import repeat
from typing import Any, Final

import msgspec
import orjson

from sesskit.schemas.instants import Instant

__all__ = ["dump_chunks", "dumps", "number_text", "string_text"]

_CHUNK_BYTES = 64 * 1024
_MAX_INDENT = 10  # JSON.stringify takes no more
_MAX_SAFE = 2**53
_MAX_INDEX = 2**32 - 2
_CYCLE_DEPTH = 1024
_KEPT_KEYS = 1024
_SMALL = 64
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FRAGMENT = re.compile("[\ud800-\udfff]+")


def dumps(value: Any, indent: int | None = None) -> bytes:
    """What ``JSON.stringify(value, null, indent)`` writes, in UTF-8.

    Takes dict (str keys), list, tuple, str, int, float, bool, None, `Instant` and msgspec structs,
    and subclasses of these; anything else raises TypeError, a value that holds itself ValueError.

    The members of a struct stand in the order of its class attribute ``__encode_order__`` (wire
    names, the tag among them), else tag first and then in field order; UNSET members are left out.
    """
    return b"".join(dump_chunks(value, indent))


def dump_chunks(value: Any, indent: int | None = None) -> Iterator[bytes]:
    """The bytes of `dumps` in pieces of about 64 KiB, none of them empty."""
    writer = _Writer(value, indent)
    while not writer.run(_CHUNK_BYTES):
        yield b"".join(writer.parts)
        writer.parts.clear()
    yield b"".join(writer.parts)


def string_text(text: str) -> str:
    """A JSON string, quotes included, as ``JSON.stringify`` writes it."""
    return _string(text).decode()


def number_text(number: float) -> str:
    """A number as ``JSON.stringify`` writes it: ints as doubles, what is not finite ``null``."""
    return _number(number).decode()


def _string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError:
        return _broken_string(text)


def _broken_string(text: str) -> bytes:
    """A string with halves of characters. Two that belong together are one to ECMAScript."""
    pieces, at = [], 0
    for found in _FRAGMENT.finditer(text):
        joined = found[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        pieces.append(orjson.dumps(text[at : found.start()])[1:-1])
        pieces.append(_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", joined).encode())
        at = found.end()
    return b'"%s%s"' % (b"".join(pieces), orjson.dumps(text[at:])[1:-1])


def _integer(number: int) -> bytes:
    if -_MAX_SAFE <= number <= _MAX_SAFE:
        return b"%d" % number
    try:
        return _float(float(number))
    except OverflowError:
        return b"null"


def _float(number: float) -> bytes:
    text = float.__repr__(number)
    if "e" in text:
        return _exponential(text).encode()
    if text.endswith(".0"):
        return b"0" if text == "-0.0" else text[:-2].encode()
    return b"null" if text in ("inf", "-inf", "nan") else text.encode()


def _exponential(text: str) -> str:
    """A repr with an exponent in the notation ECMAScript chooses (ECMA-262, Number::toString)."""
    mantissa, _, power = text.partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = whole + ("" if fraction == "0" else fraction)
    point = int(power) + 1  # digits before the decimal point
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def _number(number: float) -> bytes:
    return _integer(number) if isinstance(number, int) else _float(number)


_Write = Callable[[Any], bytes]
_Member = tuple[bytes, Any]  # what stands before the value, and the value

_SCALARS: Final[dict[type, _Write]] = {
    str: orjson.dumps,  # equal wherever it does not refuse
    int: _integer,
    float: _float,
    bool: orjson.dumps,
    type(None): orjson.dumps,
    Instant: lambda value: b'"%s"' % str(value).encode(),
}
_PLAIN = frozenset({str, int, bool, type(None)})
_ORJSON_INDENTS: Final = {0: 0, 2: orjson.OPT_INDENT_2}
_CONTAINERS = (dict, list, tuple, msgspec.Struct)


def _scalar(value: Any) -> _Write | None:
    """How a value of no listed type is written; None for a container."""
    if isinstance(value, _CONTAINERS):
        return None
    for kind, write in _SCALARS.items():
        if isinstance(value, kind):
            return write
    raise TypeError(f"JSON has no form for {type(value).__name__}")


def _written(write: _Write, value: Any) -> bytes:
    try:
        return write(value)
    except orjson.JSONEncodeError:
        return _broken_string(value)


class _Keys(dict[str, bytes]):
    """Member names as they are written, colon included."""

    def __init__(self, colon: bytes) -> None:
        super().__init__()
        self.colon = colon

    def __missing__(self, key: str) -> bytes:
        written = _string(key) + self.colon
        if len(self) < _KEPT_KEYS:
            self[key] = written
        return written


def _members(value: dict[str, Any], keys: _Keys) -> Iterator[_Member]:
    """The members of a plain object: array indices first, ascending, then as they were put in."""
    if not any(map(str.isdigit, value)):
        return ((keys[key], value[key]) for key in value)
    indices = {key for key in value if _INDEX.fullmatch(key) and int(key) <= _MAX_INDEX}
    order = [*sorted(indices, key=int), *(key for key in value if key not in indices)]
    return ((keys[key], value[key]) for key in order)


def _struct_members(value: msgspec.Struct, keys: _Keys) -> Iterator[_Member]:
    for name, attribute, tag in _plan(type(value)):
        member = getattr(value, attribute) if attribute else tag
        if member is not msgspec.UNSET:
            yield keys[name], member


@lru_cache(maxsize=1024)
def _plan(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, Any], ...]:
    """Wire name, attribute ("" for the tag), and the tag, in the order of writing."""
    config = kind.__struct_config__
    fields = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
    named = {config.tag_field: "", **fields} if config.tag_field is not None else fields
    order: tuple[str, ...] = getattr(kind, "__encode_order__", ())
    unknown = [name for name in order if name not in named]
    if unknown:
        raise TypeError(f"{kind.__name__}.__encode_order__ names no member: {', '.join(unknown)}")
    return tuple((name, named[name], config.tag) for name in dict.fromkeys((*order, *named)))


class _Frame:
    """A container that is being written."""

    __slots__ = ("before", "comma", "container", "end", "rest")

    def __init__(self, container: Any, before: bytes, keys: _Keys) -> None:
        self.container = container
        self.before = before  # what stands before the next member: at first no comma
        self.comma = b"," + before
        self.end = b"}"
        self.rest: Iterator[_Member]
        if isinstance(container, dict):
            self.rest = _members(container, keys)
        elif isinstance(container, msgspec.Struct):
            self.rest = _struct_members(container, keys)
        else:
            self.end = b"]"
            self.rest = zip(repeat(b""), container)


class _Writer:
    """Writes one value into ``parts``, resting whenever it has written enough."""

    def __init__(self, value: Any, indent: int | None) -> None:
        width = min(max(indent or 0, 0), _MAX_INDENT)
        self.step = b" " * width
        self.keys = _Keys(b": " if width else b":")
        self.option = _ORJSON_INDENTS.get(width)
        self.stack: list[_Frame] = []
        self.parts: list[bytes] = []
        write = _SCALARS.get(type(value)) or _scalar(value)
        self.parts.append(
            _written(write, value) if write else self.whole(value) or self.open(value)
        )

    def run(self, limit: int) -> bool:
        """Write on until all is written (True) or ``limit`` bytes are there (False)."""
        append, stack, size = self.parts.append, self.stack, 0
        while stack:
            frame = stack[-1]
            for key, member in frame.rest:
                append(frame.before + key)
                frame.before = frame.comma
                write = _SCALARS.get(type(member)) or _scalar(member)
                text = _written(write, member) if write else self.whole(member)
                append(text or self.open(member))
                if not text:
                    break
                size += len(text)
                if size >= limit:
                    return False
            else:
                append(self.close())
        return True

    def whole(self, value: Any) -> bytes:
        """A small container of plain scalars in one go, if orjson writes the same; or nothing."""
        if self.option is None or isinstance(value, msgspec.Struct) or len(value) > _SMALL:
            return b""
        named = isinstance(value, dict)
        items = value.values() if named else value
        kinds = set(map(type, items))
        if not kinds <= _PLAIN or (named and any(map(str.isdigit, value))):
            return b""
        if int in kinds and not all(-_MAX_SAFE <= n <= _MAX_SAFE for n in items if type(n) is int):
            return b""
        try:
            text = orjson.dumps(value, option=self.option)
        except orjson.JSONEncodeError:
            return b""
        return text.replace(b"\n", b"\n" + self.step * len(self.stack)) if self.step else text

    def open(self, value: Any) -> bytes:
        depth = len(self.stack) + 1
        before = b"\n" + self.step * depth if self.step else b""
        frame = _Frame(value, before, self.keys)
        self.stack.append(frame)
        # Whoever walks a circle passes each power of two, so looking there is often enough.
        if depth >= _CYCLE_DEPTH and depth & (depth - 1) == 0 and self.circles():
            raise ValueError("the value holds itself")
        return b"{" if frame.end == b"}" else b"["

    def circles(self) -> bool:
        return len({id(frame.container) for frame in self.stack}) < len(self.stack)

    def close(self) -> bytes:
        frame = self.stack.pop()
        if not self.step or frame.before is not frame.comma:
            return frame.end
        return b"\n" + self.step * len(self.stack) + frame.end

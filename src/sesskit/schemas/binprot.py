"""bin_prot: the binary encoding of OCaml values, as far as session files use it.

This module holds numbers, lengths, texts and frames. `binprot_types` describes composed types,
`binprot_read` and `binprot_write` make readers and writers of them, `binprot_places` finds the
place of a value again.

A reader takes the bytes, a position and a list of notes, and gives a value and the position
behind it. It raises `BinaryError` where it cannot go on; what it can step over (a number in a
longer form than needed, a text that breaks a rule of its type) becomes a `Note`. Everything that
multiplies bytes is bounded by the bytes themselves: a claimed length allocates nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sesskit.schemas.issues import Key, Keys

HEADER_BYTES = 8

INT_LOW = -(2**62)
INT_HIGH = 2**62 - 1
"""OCaml's native integers have 63 bits."""

MAX_STRING = 2**57 - 9
"""The longest OCaml string; a longer claim is refused before it is compared with the file."""

MAX_BINARY_FAULTS = 100_000
"""Faults and oddities of one kind in one snapshot that are kept one by one.

A damaged file has a few; a made-up one could hold a fault in every second byte.
"""

SMALL = 0x80
"""Numbers and lengths below this are their own byte."""
CODE_64 = 0xFC
CODE_32 = 0xFD
CODE_16 = 0xFE
CODE_NEGATIVE = 0xFF

OVERLONG = "number-overlong"

_U16 = struct.Struct("<H")
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_I16 = struct.Struct("<h")
_I32 = struct.Struct("<i")
_I64 = struct.Struct("<q")


class BinaryError(Exception):
    """The bytes cannot be read on. Never leaves the rooms of this package.

    ``steps`` lead from the place to the root: whoever catches it on the way adds the key of the
    part that it was reading.
    """

    def __init__(self, code: str, offset: int, message: str, expected: str, found: str) -> None:
        super().__init__(message)
        self.code = code
        self.offset = offset
        self.message = message
        self.expected = expected
        self.found = found
        self.steps: list[Key] = []

    @property
    def keys(self) -> Keys:
        return tuple(reversed(self.steps))


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was read although it is not as it should be.

    ``keys`` lead on from the part that `binprot_places.paths_at` finds at ``offset``.
    """

    code: str
    offset: int
    keys: Keys = ()


Notes = list[Note]
"""At most `MAX_BINARY_FAULTS` about numbers, twice as many with those about texts."""
Reader = Callable[[bytes, int, Notes], tuple[Any, int]]
Writer = Callable[[bytearray, Any], None]

_INT_FORMS = {
    CODE_16: (_I16, -SMALL, SMALL - 1),
    CODE_32: (_I32, -0x8000, 0x7FFF),
    CODE_64: (_I64, -(2**31), 2**31 - 1),
}
"""By code: the layout, and the range for which a shorter form exists."""

_LENGTH_FORMS = {
    CODE_16: (_U16, SMALL - 1),
    CODE_32: (_U32, 0xFFFF),
    CODE_64: (_U64, 0xFFFF_FFFF),
}


def short(offset: int, expected: str) -> BinaryError:
    """The bytes end inside a value that starts at ``offset``."""
    return BinaryError(
        "data-short", offset, "the data ends inside this value", expected, "the end of the data"
    )


def unknown_tag(position: int, code: int, count: int) -> BinaryError:
    """A tag that no constructor has; 0x100 stands for the end of the data."""
    if code > 0xFF:
        return short(position, "a tag")
    expected = f"a tag from 0 to {count - 1}"
    return BinaryError(
        "variant-tag", position, "no constructor has this tag", expected, f"tag {code}"
    )


def note_overlong(notes: Notes, position: int, keys: Keys = ()) -> None:
    """Note a number in a longer form than needed, if there is room for one more."""
    if len(notes) < MAX_BINARY_FAULTS:
        notes.append(Note(OVERLONG, position, keys))


def read_byte(data: bytes, position: int, expected: str) -> int:
    """One byte; ``expected`` says for what."""
    try:
        return data[position]
    except IndexError:
        raise short(position, expected) from None


def read_length(data: bytes, position: int, notes: Notes) -> tuple[int, int]:
    """A length or count (nat0)."""
    code = read_byte(data, position, "a length")
    if code < SMALL:
        return code, position + 1
    form = _LENGTH_FORMS.get(code)
    if form is None:
        message = "this byte starts no length"
        raise BinaryError("length-code", position, message, "a length", f"byte {code:#04x}")
    layout, shorter = form
    try:
        (value,) = layout.unpack_from(data, position + 1)
    except struct.error:
        raise short(position, "a length") from None
    if value > INT_HIGH:
        message = "a length beyond every possible one"
        raise BinaryError("length-range", position, message, "at most 2^62-1", "a larger number")
    if value <= shorter:
        note_overlong(notes, position)
    return value, position + 1 + layout.size


def read_int64(data: bytes, position: int, notes: Notes) -> tuple[int, int]:
    """An integer of 64 bits."""
    code = read_byte(data, position, "an integer")
    if code < SMALL:
        return code, position + 1
    if code == CODE_NEGATIVE:
        if position + 1 == len(data):
            raise short(position, "an integer")
        value = data[position + 1]
        if value < SMALL:
            message = "the code of a small negative number before a number that is not negative"
            raise BinaryError("number-code", position, message, "a byte from 0x80", f"{value:#04x}")
        return value - 0x100, position + 2
    form = _INT_FORMS.get(code)
    if form is None:
        message = "this byte starts no integer"
        raise BinaryError("number-code", position, message, "an integer", f"byte {code:#04x}")
    layout, low, high = form
    try:
        (value,) = layout.unpack_from(data, position + 1)
    except struct.error:
        raise short(position, "an integer") from None
    if low <= value <= high:
        note_overlong(notes, position)
    return value, position + 1 + layout.size


def read_int(data: bytes, position: int, notes: Notes) -> tuple[int, int]:
    """An integer of 63 bits."""
    value, end = read_int64(data, position, notes)
    if INT_LOW <= value <= INT_HIGH:
        return value, end
    message = "an integer outside the 63 bits of its type"
    raise BinaryError("number-range", position, message, "-2^62 to 2^62-1", "a number outside")


def read_bool(data: bytes, position: int, notes: Notes) -> tuple[bool, int]:
    """A truth value."""
    code = read_byte(data, position, "a truth value")
    if code > 1:
        message = "this byte is no truth value"
        raise BinaryError("bool-tag", position, message, "0 or 1", f"{code}")
    return code == 1, position + 1


def read_string(data: bytes, position: int, notes: Notes) -> tuple[str | bytes, int]:
    """A string: text where it is UTF-8, else the bytes as they are."""
    try:
        size = data[position]
    except IndexError:
        raise short(position, "a length") from None
    start = position + 1
    if size >= SMALL:
        size, start = read_length(data, position, notes)
        if size > MAX_STRING:
            message = "a length beyond every possible text"
            raise BinaryError(
                "length-range", position, message, "at most 2^57-9", "a larger number"
            )
    end = start + size
    raw = data[start:end]
    if len(raw) != size:
        raise short(position, "a text of the length that its first bytes say")
    try:
        return raw.decode(), end
    except UnicodeDecodeError:
        return raw, end


def write_length(out: bytearray, value: int) -> None:
    """A length or count, in its shortest form."""
    if value < SMALL:
        out.append(value)
    elif value <= 0xFFFF:
        out.append(CODE_16)
        out += _U16.pack(value)
    elif value <= 0xFFFF_FFFF:
        out.append(CODE_32)
        out += _U32.pack(value)
    else:
        out.append(CODE_64)
        out += _U64.pack(value)


def write_int64(out: bytearray, value: int) -> None:
    """An integer of 64 bits, in its shortest form. Raises `ValueError` beyond 64 bits."""
    if 0 <= value < SMALL:
        out.append(value)
    elif -SMALL <= value < 0:
        out.append(CODE_NEGATIVE)
        out.append(value + 0x100)
    elif -0x8000 <= value < 0x8000:
        out.append(CODE_16)
        out += _I16.pack(value)
    elif -(2**31) <= value < 2**31:
        out.append(CODE_32)
        out += _I32.pack(value)
    elif -(2**63) <= value < 2**63:
        out.append(CODE_64)
        out += _I64.pack(value)
    else:
        raise ValueError("an integer beyond 64 bits cannot be written")


def write_int(out: bytearray, value: int) -> None:
    """An integer of 63 bits. Raises `ValueError` beyond them."""
    if not INT_LOW <= value <= INT_HIGH:
        raise ValueError("an integer beyond 63 bits cannot be written")
    write_int64(out, value)


def write_bool(out: bytearray, value: bool) -> None:
    """A truth value."""
    out.append(1 if value else 0)


def write_string(out: bytearray, value: str | bytes) -> None:
    """A string. Raises `ValueError` for a text with a lone surrogate, which UTF-8 cannot hold."""
    raw = value.encode() if isinstance(value, str) else value
    write_length(out, len(raw))
    out += raw


def frame(payload: bytes | bytearray) -> bytes:
    """The payload behind the eight bytes that say its length."""
    return _I64.pack(len(payload)) + payload


def declared_length(data: bytes) -> int | None:
    """The length that a frame's header says, as it stands; None if the header is cut."""
    return int(_I64.unpack_from(data)[0]) if len(data) >= HEADER_BYTES else None

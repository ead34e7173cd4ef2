"""Numbers, lengths and texts in their encoding; what is not one of them."""

from __future__ import annotations

from typing import Any

import pytest

from ochat_vectors import Row, told
from sesskit.schemas.binprot import (
    BinaryError,
    Note,
    Reader,
    Writer,
    declared_length,
    frame,
    read_bool,
    read_byte,
    read_int,
    read_int64,
    read_length,
    read_string,
    write_bool,
    write_int,
    write_int64,
    write_length,
    write_string,
)
from sesskit.schemas.binprot_read import read_double
from sesskit.schemas.binprot_types import Double
from sesskit.schemas.binprot_write import write_double

CODECS: dict[str, tuple[Reader, Writer]] = {
    "int": (read_int, write_int),
    "int64": (read_int64, write_int64),
    "nat0": (read_length, write_length),
    "float": (read_double, write_double),
}


@pytest.mark.parametrize("row", told("facts/primitive_codes.json"), ids=lambda row: row["hex"])
def test_encoding(row: Row) -> None:
    read, write = CODECS[row["type"]]
    value: Any = row["value"] if row["type"] != "float" else Double.of(float(row["value"]))
    raw, out = bytes.fromhex(row["hex"]), bytearray()
    write(out, value)
    assert out == raw
    assert read(raw, 0, []) == (value, len(raw))


@pytest.mark.parametrize(
    ("read", "raw", "value"),
    [
        (read_length, "fe0500", 5),
        (read_length, "fdffff0000", 0xFFFF),
        (read_length, "fcffffffff00000000", 0xFFFF_FFFF),
        (read_int, "fe7f00", 0x7F),
        (read_int, "fe80ff", -0x80),
        (read_int, "fdff7f0000", 0x7FFF),
        (read_int64, "fcffffff7f00000000", 2**31 - 1),
        (read_int64, "fc00000080ffffffff", -(2**31)),
    ],
)
def test_longer_forms_are_read_and_noted(read: Reader, raw: str, value: int) -> None:
    notes: list[Note] = []
    data = b"?" + bytes.fromhex(raw)
    assert read(data, 1, notes) == (value, len(data))
    assert notes == [Note("number-overlong", 1)]


@pytest.mark.parametrize(
    ("read", "raw", "code"),
    [
        pytest.param(read_length, "", "data-short", id="no length"),
        pytest.param(read_length, "fe05", "data-short", id="length cut"),
        pytest.param(read_length, "80", "length-code", id="no code of a length"),
        pytest.param(read_length, "ff80", "length-code", id="a negative length"),
        pytest.param(read_length, "fc0000000000000040", "length-range", id="length of 2^62"),
        pytest.param(read_int, "fb", "number-code", id="no code of a number"),
        pytest.param(read_int, "ff7f", "number-code", id="negative code, positive number"),
        pytest.param(read_int, "ff", "data-short", id="negative code alone"),
        pytest.param(read_int, "fd0000", "data-short", id="number cut"),
        pytest.param(read_int, "fc0000000000000040", "number-range", id="2^62"),
        pytest.param(read_int, "fcffffffffffffffbf", "number-range", id="-2^62-1"),
        pytest.param(read_bool, "02", "bool-tag", id="neither true nor false"),
        pytest.param(read_bool, "", "data-short", id="no truth value"),
        pytest.param(read_double, "00000000000000", "data-short", id="float cut"),
        pytest.param(read_string, "", "data-short", id="no text"),
        pytest.param(read_string, "0361", "data-short", id="text cut"),
        pytest.param(read_string, "81", "length-code", id="no length of a text"),
        pytest.param(read_string, "fcf8ffffffffffff01", "length-range", id="text of 2^57-8"),
        pytest.param(read_string, "fcf7ffffffffffff01", "data-short", id="text of 2^57-9"),
    ],
)
def test_faults(read: Reader, raw: str, code: str) -> None:
    with pytest.raises(BinaryError) as caught:
        read(b"??" + bytes.fromhex(raw), 2, [])
    assert (caught.value.code, caught.value.offset, caught.value.keys) == (code, 2, ())
    assert caught.value.expected
    assert caught.value.found


def test_the_end_of_the_data_has_no_byte() -> None:
    with pytest.raises(BinaryError, match="the data ends"):
        read_byte(b"", 0, "a byte")


@pytest.mark.parametrize(
    "text", ["", "plain", "ü€😀", "\0", b"\xff", b"\xed\xa0\x80", "x" * 70_000]
)
def test_strings(text: str | bytes) -> None:
    out = bytearray()
    write_string(out, text)
    assert read_string(bytes(out), 0, []) == (text, len(out))


@pytest.mark.parametrize(
    ("write", "value"),
    [(write_int, 2**62), (write_int, -(2**62) - 1), (write_int64, 2**63), (write_string, "\ud800")],
)
def test_what_cannot_be_written_is_refused(write: Writer, value: Any) -> None:
    with pytest.raises(ValueError, match=r"cannot be written|surrogates not allowed"):
        write(bytearray(), value)


def test_the_largest_lengths_and_truth() -> None:
    out = bytearray()
    write_length(out, 2**32)
    write_bool(out, True)
    write_bool(out, False)
    assert out.hex() == "fc0000000001000000" + "01" + "00"


def test_frames() -> None:
    assert frame(b"abc") == b"\3\0\0\0\0\0\0\0abc"
    assert declared_length(frame(b"abc")) == 3
    assert declared_length(b"\xff" * 8) == -1
    assert declared_length(b"\3\0\0\0\0\0\0") is None


@pytest.mark.parametrize("number", [0.1, -0.0, float("inf")])
def test_doubles_keep_their_bits(number: float) -> None:
    assert Double.of(number).value == number
    assert Double(0x7FF0_0000_0000_0001).value != 0  # a signalling NaN

from __future__ import annotations

import json
import math
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType

from robota_vectors import VECTORS
from sesskit.schemas.ecmascript import dump_chunks, dumps, number_text, string_text
from sesskit.schemas.instants import Instant, revive

REENCODED = sorted((VECTORS / "reencoded").glob("*.json"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("file", REENCODED, ids=lambda file: file.stem)
def test_real_documents_are_written_to_the_byte(file: Any) -> None:
    raw = file.read_bytes()
    assert dumps(json.loads(raw), 2) == raw


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (1e21, "1e+21"),
        (-1e21, "-1e+21"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1.25e21, "1.25e+21"),
        (1e16, "10000000000000000"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-5, "0.00001"),
        (1e-7, "1e-7"),
        (-1.25e-7, "-1.25e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (-(2**53) - 1, "-9007199254740992"),
        (2**64, "18446744073709552000"),
        (10**400, "null"),
        (-(10**400), "null"),
        (math.inf, "null"),
        (-math.inf, "null"),
        (math.nan, "null"),
    ],
)
def test_numbers(number: float, text: str) -> None:
    assert number_text(number) == text
    assert dumps(number) == text.encode()
    assert dumps([number, []]) == f"[{text},[]]".encode()
    assert dumps({"n": number}) == f'{{"n":{text}}}'.encode()


def to_string(number: float) -> str:
    """Number::toString of ECMA-262, by the shortest digits Python finds."""
    if number == 0:
        return "0"
    if number < 0:
        return "-" + to_string(-number)
    _, found, exponent = Decimal(repr(number)).as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, found)).rstrip("0")
    n = len(found) + exponent
    k = len(digits)
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    mantissa = digits if k == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{'+' if n > 0 else '-'}{abs(n - 1)}"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_finite_numbers_follow_the_standard(number: float) -> None:
    assert number_text(number) == to_string(number)


@given(st.floats(-1e25, 1e25) | st.floats(-1e-3, 1e-3))
def test_everyday_numbers_follow_the_standard(number: float) -> None:
    assert number_text(number) == to_string(number)
    assert float(number_text(number)) == number


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", '""'),
        ('"\\/', '"\\"\\\\/"'),
        ("\b\t\n\f\r", '"\\b\\t\\n\\f\\r"'),
        ("\0\x0b\x1b\x1f", '"\\u0000\\u000b\\u001b\\u001f"'),
        ("\x7f\x80\u2028\u2029é😀", '"\x7f\x80\u2028\u2029é😀"'),
        ("\ud800", '"\\ud800"'),
        ("a\udfffb\n", '"a\\udfffb\\n"'),
        ("\ude00\ud83d", '"\\ude00\\ud83d"'),
        ("\ud83d\ude00", '"😀"'),
        ("\ud83d\ud83d\ude00x\ude00", '"\\ud83d😀x\\ude00"'),
    ],
)
def test_strings(text: str, written: str) -> None:
    assert string_text(text) == written
    assert dumps(text) == written.encode()
    assert dumps({text: [text]}) == f"{{{written}:[{written}]}}".encode()


@pytest.mark.parametrize(
    ("keys", "order"),
    [
        (["b", "10", "a", "2"], ["2", "10", "b", "a"]),
        (["01", "1", "-1", "1.0", " 1", "1e1"], ["1", "01", "-1", "1.0", " 1", "1e1"]),
        (["4294967295", "4294967294", "0"], ["0", "4294967294", "4294967295"]),
        (["١", "2", "²"], ["2", "١", "²"]),
        (["99999999999", "7"], ["7", "99999999999"]),
    ],
)
@pytest.mark.parametrize("value", [0, [[]]], ids=["flat", "nested"])
def test_array_indices_come_first_in_plain_objects(
    keys: list[str], order: list[str], value: Any
) -> None:
    assert list(json.loads(dumps(dict.fromkeys(keys, value)))) == order


@pytest.mark.parametrize(
    ("value", "indent", "written"),
    [
        ([], 2, "[]"),
        ({}, 2, "{}"),
        ((), None, "[]"),
        ([[], {}], 2, "[\n  [],\n  {}\n]"),
        ({"a": [1, {"b": None}]}, 2, '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'),
        ({"a": [1.0, {"b": 0.5}]}, 2, '{\n  "a": [\n    1,\n    {\n      "b": 0.5\n    }\n  ]\n}'),
        ({"a": (True, False)}, None, '{"a":[true,false]}'),
        ({"a": [1]}, 0, '{"a":[1]}'),
        ({"a": [1]}, -3, '{"a":[1]}'),
        ({"a": [1]}, 1, '{\n "a": [\n  1\n ]\n}'),
        ([{}, [[]]], 3, "[\n   {},\n   [\n      []\n   ]\n]"),
        ([1], 99, "[\n          1\n]"),
        (["line\nbreak", [1.5]], 2, '[\n  "line\\nbreak",\n  [\n    1.5\n  ]\n]'),
    ],
)
def test_layout(value: Any, indent: int | None, written: str) -> None:
    assert dumps(value, indent) == written.encode()


class Plain(Struct):
    toolName: str
    count: int | UnsetType = UNSET
    more: Any = None


class Renamed(Struct, rename="camel"):
    tool_name: str
    exit_code: int = 0


class Tagged(Struct, tag="text", tag_field="type"):
    text: str


class Ordered(Struct, tag="user", tag_field="role", frozen=True):
    __encode_order__: ClassVar[tuple[str, ...]] = ("id", "role")
    name: str | UnsetType
    id: str
    left: int = 1


class Misnamed(Struct):
    __encode_order__: ClassVar[tuple[str, ...]] = ("id", "nobody")
    id: str


class Digits(Struct, rename={"b": "2", "a": "1"}):
    b: int
    a: int


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Plain("x"), '{"toolName":"x","more":null}'),
        (
            Plain("x", 1, [Plain("y")]),
            '{"toolName":"x","count":1,"more":[{"toolName":"y","more":null}]}',
        ),
        (Renamed("x"), '{"toolName":"x","exitCode":0}'),
        (Tagged("x"), '{"type":"text","text":"x"}'),
        (Ordered(UNSET, "i"), '{"id":"i","role":"user","left":1}'),
        (Ordered("n", "i"), '{"id":"i","role":"user","name":"n","left":1}'),
        (Digits(2, 1), '{"2":2,"1":1}'),
        (Plain("\ud800", more={"2": 0, "1": 0}), '{"toolName":"\\ud800","more":{"1":0,"2":0}}'),
    ],
)
def test_structs(value: Struct, written: str) -> None:
    assert dumps(value) == written.encode()
    assert json.loads(dumps(value, 2)) == json.loads(written)


def test_an_encode_order_must_name_members() -> None:
    with pytest.raises(TypeError, match="nobody"):
        dumps(Misnamed("i"))


@pytest.mark.parametrize(
    "text", ["2026-03-04T09:00:00.000Z", "2026-03-04T09:00:00Z", "2026-02-30T09:00:00.000Z"]
)
def test_instants_are_written_as_utc(text: str) -> None:
    instant = revive(text)
    assert instant is not None
    assert dumps([instant]) == f'["{Instant(instant.ms)}"]'.encode()


class Word(StrEnum):
    A = "a"


class Size(IntEnum):
    BIG = 2**60


class Fraction(float):
    def __repr__(self) -> str:
        return "a fraction"


class Names(dict[str, int]):
    pass


def test_subclasses_are_written_as_what_they_are() -> None:
    value = Names({Word.A: Size.BIG}), Fraction(1.5), [Word.A, Fraction(2.0)]
    assert dumps(value) == b'[{"a":1152921504606847000},1.5,["a",2]]'


@pytest.mark.parametrize("value", [b"", {1}, object(), 1j, msgspec.UNSET, {"a": b""}, [b""]])
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        dumps(value)


@pytest.mark.parametrize("key", [1, None, b"a"])
def test_keys_are_text(key: Any) -> None:
    with pytest.raises(TypeError):
        dumps({key: 1})


def test_circles_are_refused() -> None:
    inner: list[Any] = []
    outer = {"a": [inner, 1]}
    inner.append(outer)
    with pytest.raises(ValueError, match="holds itself"):
        dumps(outer)


@pytest.mark.parametrize("depth", [768, 100_000])
def test_depth_costs_no_stack(depth: int) -> None:
    deep: Any = 0
    for _ in range(depth):
        deep = [deep]
    assert dumps(deep) == b"[" * depth + b"0" + b"]" * depth


def test_it_works_from_a_deep_stack() -> None:
    deep: Any = {"a": [1]}
    for _ in range(768):
        deep = {"a": deep}

    def dig(levels: int) -> bytes:
        return dig(levels - 1) if levels else dumps(deep)

    assert json.loads(dig(700))["a"]["a"]


def test_chunks_are_bounded_and_whole() -> None:
    value = {"rows": [{"n": 0.5, "t": "x" * 50, "k": [1, 2.5]}] * 5000, "flat": list(range(30_000))}
    chunks = list(dump_chunks(value, 2))
    assert len(chunks) > 5
    assert all(0 < len(chunk) < 200_000 for chunk in chunks)
    assert b"".join(chunks) == dumps(value, 2)


def test_many_different_keys() -> None:
    value = [{f"k{n}": 1.5} for n in range(3000)]
    assert json.loads(dumps(value)) == value


@given(JSON)
@example({"a\ud800": ["\ud800", {"1": "\udc00"}]})
def test_what_is_written_reads_back(value: Any) -> None:
    def as_read(held: Any) -> Any:
        if isinstance(held, float | int) and not isinstance(held, bool):
            try:
                number = float(held)
            except OverflowError:
                return None
            return number if math.isfinite(number) else None
        if isinstance(held, list):
            return [as_read(item) for item in held]
        if isinstance(held, dict):
            return {key: as_read(item) for key, item in held.items()}
        return held

    for indent in (None, 2, 4):
        assert json.loads(dumps(value, indent), parse_int=float) == as_read(value)

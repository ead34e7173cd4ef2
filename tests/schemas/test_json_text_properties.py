"""The reader against strict references, over texts that nobody thought of."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.schemas.json_position import Ruler, char_start
from sesskit.schemas.json_reader import Reader
from sesskit.schemas.json_text import JsonText, parse_fast, read_json

TOKENS = [
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"1", b"-", b"0", b".", b"e5", b"true"),
    *(b"null", b"NaN", b"nul", b" ", b"\n", b"\r", b"\x00", b"\x00\x00", b"\x01", b"\xff"),
    *(b"\xe2\x82", b"\xe2\x82\xac", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"'", b"a", b'"a"', b'"a":'),
    *(b"\\u12", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"//", b"/*", b"*/", b"#", b"1e400"),
    *(b'"\\"', b"\xe2\x80\x9c", b"\xc2\xa0", b"+", b"=", b"(", b"\\n", b"\xf0\x9f\x98\x80", b"`"),
]
TOKEN_TEXT = st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    text = json.dumps(
        draw(VALUES),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 1])),
    )
    return text.encode("utf-8", "surrogatepass")


@st.composite
def damaged_documents(draw: st.DrawFn) -> bytes:
    data = draw(documents())
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 1, 2, 5])))
        data = data[:start] + draw(st.sampled_from([b"", *TOKENS])) + data[end:]
    return data


def _refuse(_: str) -> NoReturn:
    raise ValueError


def strictly(data: bytes) -> tuple[bool, Any]:
    """Whether a strict parser takes the text, and the value."""
    try:
        return True, json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)
    except ValueError:
        return False, None


def doubles(value: Any) -> Any:
    """The value with every number as the double that it is to ECMAScript."""
    return json.loads(json.dumps(value), parse_int=float)


def place_of(data: bytes, offset: int) -> tuple[int, int]:
    lines = data[:offset].decode("utf-8", "replace").split("\n")
    return len(lines), len(lines[-1]) + 1


def check_issues(data: bytes, text: JsonText) -> None:
    offsets = [i.offset for i in text.issues if i.offset is not None]
    assert len(offsets) == len(text.issues)
    assert offsets == sorted(offsets)
    assert text.sound == (not any(i.severity == "error" for i in text.issues))
    for issue, offset in zip(text.issues, offsets, strict=True):
        assert 0 <= offset <= len(data)
        assert char_start(data, offset) == offset
        assert (issue.line, issue.column) == place_of(data, offset)
        assert not issue.keys or issue.severity == "warning"


@given(TOKEN_TEXT | damaged_documents() | documents() | st.binary(max_size=40))
def test_the_reader_judges_like_a_strict_parser(data: bytes) -> None:
    sound, value = strictly(data)
    for text in (read_json(data), read_json(data, thorough=False), Reader(data).read()):
        check_issues(data, text)
        assert text.sound == sound
    if sound:
        assert repr(read_json(data).value) == repr(value)
        assert repr(Reader(data).read().value) == repr(value)


@given(documents())
def test_fast_and_tolerant_readers_agree_on_sound_text(data: bytes) -> None:
    text = Reader(data).read()
    assert text.sound
    assert doubles(parse_fast(data)) == doubles(text.value)
    if not text.issues:
        assert read_json(data).issues == ()


@given(TOKEN_TEXT | st.binary(max_size=30), st.lists(st.integers(-3, 40), max_size=8))
def test_positions_in_any_order(data: bytes, offsets: list[int]) -> None:
    ruler = Ruler(data)
    for offset in offsets:
        start = char_start(data, offset)
        assert ruler.position(offset) == place_of(data, start)


@given(TOKEN_TEXT)
def test_characters_start_where_decoding_says(data: bytes) -> None:
    starts = set()
    for end in range(len(data) + 1):
        starts.add(char_start(data, end))
    assert len(starts) == len(data.decode("utf-8", "replace")) + 1


SAMPLE: dict[str, Any] = {
    "id": "a€\n\x01",
    "n": [1, -2.5e30, True, None, {'k"': "\\x"}, [], False],
    "u": "😀",
    "z": {},
}
SAMPLES = [
    json.dumps(SAMPLE, indent=1).encode() + b"\n",
    json.dumps(SAMPLE, ensure_ascii=False).encode(),
]


def codes(data: bytes) -> list[str]:
    return [i.code for i in read_json(data).issues]


@pytest.mark.parametrize("sample", SAMPLES, ids=["pretty", "raw"])
def test_cut_at_every_byte_is_one_fault(sample: bytes) -> None:
    whole = len(sample.rstrip())
    for end in range(1, whole):
        issue = read_json(sample[:end]).issues
        assert [i.code for i in issue] == ["json-cut"], sample[:end]
        at = issue[0].offset or 0
        assert at == end or re.fullmatch(rb"\s+", sample[at:end])


@pytest.mark.parametrize("sample", SAMPLES, ids=["pretty", "raw"])
def test_zero_filled_from_every_byte_is_one_fault(sample: bytes) -> None:
    for end in range(1, len(sample)):
        assert codes(sample[:end] + bytes(9)) == ["json-nul-run"], sample[:end]


@pytest.mark.parametrize("sample", SAMPLES, ids=["pretty", "raw"])
@pytest.mark.parametrize("length", [1, 2, 7, 16, 40])
def test_a_hole_anywhere_is_one_fault(sample: bytes, length: int) -> None:
    for start in range(1, len(sample.rstrip()) - length):
        data = sample[:start] + bytes(length) + sample[start + length :]
        assert codes(data) == ["json-nul-run"], data

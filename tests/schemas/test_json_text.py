"""Every fault of JSON text: its code, its place, what follows from it and what does not."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.json_faults import CODES
from sesskit.schemas.json_position import Base
from sesskit.schemas.json_text import parse_fast, read_json, repeats_names

Place = tuple[str, int, int, int]  # code, offset, line, column

ERRORS: list[tuple[str, bytes, list[Place]]] = [
    ("nothing", b"", [("json-empty", 0, 1, 1)]),
    ("white space only", b" \r\n\t", [("json-empty", 0, 1, 1)]),
    ("a comment only", b"//", [("json-comment", 0, 1, 1), ("json-empty", 2, 1, 3)]),
    ("cut in an object", b'{"a":1,\n', [("json-cut", 7, 1, 8)]),
    ("cut in an array", b'{"a":[1,2', [("json-cut", 9, 1, 10)]),
    ("cut behind a name", b'{"a"', [("json-cut", 4, 1, 5)]),
    ("cut behind a colon", b'{"a":', [("json-cut", 5, 1, 6)]),
    ("cut in a name", b'{"a', [("json-cut", 3, 1, 4)]),
    ("cut in a string", '{"é":"é'.encode(), [("json-cut", 9, 1, 8)]),
    ("cut in a string, line ended", b'["abc\r\n', [("json-cut", 5, 1, 6)]),
    ("cut in a literal", b"[tru", [("json-cut", 4, 1, 5)]),
    ("cut in a number", b"[1.5e", [("json-cut", 5, 1, 6)]),
    ("cut behind a minus", b"-", [("json-cut", 1, 1, 2)]),
    ("cut behind a backslash", b'["a\\', [("json-cut", 4, 1, 5)]),
    ("cut in an escape", b'["a\\u12', [("json-cut", 7, 1, 8)]),
    ("cut in a pair of escapes", b'["\\ud83d\\ud', [("json-cut", 11, 1, 12)]),
    ("cut in a character", b'["\xe2\x82', [("json-cut", 4, 1, 4)]),
    ("no JSON at all", b"hello world", [("json-syntax", 0, 1, 1)]),
    ("one word", b"hello", [("json-syntax", 0, 1, 1)]),
    ("markup", b"<html>", [("json-syntax", 0, 1, 1)]),
    ("wrong closing bracket", b'{"a":[1}', [("json-syntax", 7, 1, 8)]),
    ("wrong closing brace", b'{"a":1]', [("json-syntax", 6, 1, 7)]),
    ("quote in a string", b'["say "hi" now"]', [("json-syntax", 7, 1, 8)]),
    ("no colon", b'{"a" 1}', [("json-syntax", 5, 1, 6)]),
    ("equals sign", b'{"a"=1}', [("json-syntax", 4, 1, 5)]),
    ("two colons", b'{"a":1:2}', [("json-syntax", 6, 1, 7)]),
    ("no value", b'{"a":,"b":}', [("json-syntax", 5, 1, 6), ("json-syntax", 10, 1, 11)]),
    ("no member name", b"{[1]}", [("json-syntax", 1, 1, 2)]),
    ("unknown word", b'[abc, "x", NaN]', [("json-syntax", 1, 1, 2), ("json-constant", 11, 1, 12)]),
    (
        "nothing between commas",
        b"[1,, ,2,\n,]",
        [("json-syntax", 3, 1, 4), ("json-syntax", 9, 2, 1)],
    ),
    ("comma first", b"[,1]", [("json-syntax", 1, 1, 2)]),
    ("no-break space", "[\u00a01]".encode(), [("json-syntax", 1, 1, 2)]),
    ("control character outside", b"[1] \x1b", [("json-syntax", 4, 1, 5)]),
    ("too many brackets", b'{"a":1}}\n]', [("json-trailing", 7, 1, 8)]),
    ("a longer version's tail", b'[1]\nar": 2}', [("json-trailing", 4, 2, 1)]),
    ("a string's tail", b'[1]"tail"}', [("json-trailing", 3, 1, 4)]),
    ("glued", b'{"a":1}{"a":2}', [("json-two-documents", 7, 1, 8)]),
    ("lines", b'{"a":1}\n{"a":2}\n', [("json-two-documents", 8, 2, 1)]),
    ("two scalars", b"1 2", [("json-two-documents", 2, 1, 3)]),
    (
        "constants",
        b"[NaN, Infinity,\n-Infinity, undefined, None, True]",
        [
            ("json-constant", 1, 1, 2),
            ("json-constant", 6, 1, 7),
            ("json-constant", 16, 2, 1),
            ("json-constant", 27, 2, 12),
            ("json-constant", 38, 2, 23),
            ("json-constant", 44, 2, 29),
        ],
    ),
    ("leading zero", b"[-01, 00]", [("json-number", 1, 1, 2), ("json-number", 6, 1, 7)]),
    ("plus sign", b"[+1]", [("json-number", 1, 1, 2)]),
    ("bare point", b"[.5, 5., -.5]", [("json-number", n, 1, n + 1) for n in (1, 5, 9)]),
    ("number base", b"[0x1F, 0b1]", [("json-number", 1, 1, 2), ("json-number", 7, 1, 8)]),
    ("exponent without digits", b"[1e, 1]", [("json-number", 1, 1, 2)]),
    ("sign alone", b"[-, 1]", [("json-number", 1, 1, 2)]),
    ("separators", b"[1_000]", [("json-number", 1, 1, 2)]),
    (
        "control characters",
        b'["a\tb", "\x01\x02", 1]',
        [("json-control-character", 3, 1, 4), ("json-control-character", 9, 1, 10)],
    ),
    (
        "line break in a string",
        b'{"a": "x\ny", "b": NaN}',
        [("json-control-character", 8, 1, 9), ("json-constant", 18, 2, 10)],
    ),
    ("quote missing", b'{"a": "x,\n "b": 1}', [("json-control-character", 9, 1, 10)]),
    ("last quote missing", b'{"a": "x\n}\n', [("json-control-character", 8, 1, 9)]),
    (
        "bad escapes",
        b'["C:\\Users", "\\x41", "\\u12g4"]',
        [("json-escape", 4, 1, 5), ("json-escape", 14, 1, 15), ("json-escape", 22, 1, 23)],
    ),
    ("bad escape in a name", b'{"\\q": 1}', [("json-escape", 2, 1, 3)]),
    ("byte order mark", b"\xef\xbb\xbf[NaN]", [("json-bom", 0, 1, 1), ("json-constant", 4, 1, 3)]),
    ("byte order mark only", b"\xef\xbb\xbf", [("json-bom", 0, 1, 1), ("json-empty", 3, 1, 2)]),
    ("byte order mark inside", b"[1]\xef\xbb\xbf", [("json-syntax", 3, 1, 4)]),
    ("UTF-16 with a mark", '{"a":1}'.encode("utf-16"), [("json-encoding", 0, 1, 1)]),
    ("UTF-16, little endian", '{"a":1}'.encode("utf-16-le"), [("json-encoding", 0, 1, 1)]),
    ("UTF-16, big endian", '{"a":1}'.encode("utf-16-be"), [("json-encoding", 0, 1, 1)]),
    ("UTF-32 with a mark", '{"a":1}'.encode("utf-32"), [("json-encoding", 0, 1, 1)]),
    ("UTF-32, big endian", '{"a":1}'.encode("utf-32-be"), [("json-encoding", 0, 1, 1)]),
    (
        "single quotes",
        b"{'a': 'b\\'s', 'c' :1}",
        [("json-quotes", 1, 1, 2), ("json-quotes", 6, 1, 7), ("json-quotes", 14, 1, 15)],
    ),
    ("no quotes", b"{a: 1, $b: 2}", [("json-quotes", 1, 1, 2), ("json-quotes", 7, 1, 8)]),
    (
        "other quotes",
        "[“a”, ‘b’, `c`]".encode(),
        [("json-quotes", 1, 1, 2), ("json-quotes", 10, 1, 7), ("json-quotes", 19, 1, 12)],
    ),
    ("single quote open", b"['abc\n]", [("json-quotes", 1, 1, 2)]),
    ("apostrophe", b"['it's']", [("json-quotes", 1, 1, 2)]),
    (
        "trailing commas",
        b'{"a": [1,\n],\n}',
        [("json-trailing-comma", 8, 1, 9), ("json-trailing-comma", 11, 2, 2)],
    ),
    (
        "comments",
        b'[1, // a "quote\n /* b\n */ 2, # c\n 3]',
        [("json-comment", 4, 1, 5), ("json-comment", 17, 2, 2), ("json-comment", 29, 3, 8)],
    ),
    ("comment in an empty array", b"[ /**/ ]", [("json-comment", 2, 1, 3)]),
    ("open comment", b"[1] /* b *", [("json-comment", 4, 1, 5)]),
    (
        "missing commas",
        b'[1 2 "a""b" {"c":1 "d":2}\n[] true]',
        [
            ("json-missing-comma", n, line, column)
            for n, line, column in [
                (3, 1, 4),
                (5, 1, 6),
                (8, 1, 9),
                (12, 1, 13),
                (19, 1, 20),
                (26, 2, 1),
                (29, 2, 4),
            ]
        ],
    ),
    ("zero-filled", bytes(4096), [("json-nul-run", 0, 1, 1)]),
    ("zero-filled, line ended", bytes(3) + b"\n", [("json-nul-run", 0, 1, 1)]),
    ("zeros at the beginning", b'\x00\x00{"a":1}', [("json-nul-run", 0, 1, 1)]),
    ("zeros behind", b'{"a":1}\n' + bytes(9), [("json-nul-run", 8, 2, 1)]),
    ("zeros instead of the rest", b'{"a":[1' + bytes(9), [("json-nul-run", 7, 1, 8)]),
    ("zeros in the last string", b'{"a":"x' + bytes(9), [("json-nul-run", 7, 1, 8)]),
    ("zeros and a line end", b'{"a":"x' + bytes(9) + b"\n", [("json-nul-run", 7, 1, 8)]),
    (
        "zeros in a string",
        b'{"a":"x\x00\x00y", "b":NaN}',
        [("json-nul-run", 7, 1, 8), ("json-constant", 17, 1, 18)],
    ),
    ("zeros for a comma", b"[1\x002]", [("json-nul-run", 2, 1, 3)]),
    (
        "zeros for a value",
        b'{"a":\x00, "b":[1,\x00]}',
        [("json-nul-run", 5, 1, 6), ("json-nul-run", 15, 1, 16)],
    ),
    ("zeros twice", b'["a\x00b" \x00, "c', [("json-nul-run", 3, 1, 4), ("json-nul-run", 7, 1, 8)]),
    ("zeros over brackets", b'[{"a":"\x00\x00\x00\x00b"}]\n x', [("json-nul-run", 7, 1, 8)]),
    (
        "not UTF-8 outside",
        b"[\xff\xfe1,\xa0 2]",
        [("utf8-outside-string", 1, 1, 2), ("utf8-outside-string", 5, 1, 6)],
    ),
    ("flipped comma", b"[1\xac2, 3]", [("utf8-outside-string", 2, 1, 3)]),
    ("flipped quote", b'{\xa2a": 1}', [("utf8-outside-string", 1, 1, 2)]),
    ("flipped last bracket", b"[1\xdd\n", [("utf8-outside-string", 2, 1, 3)]),
    ("too deep", b'{"a":' * 768 + b"[[1]]" + b"}" * 768, [("json-depth", 3840, 1, 3841)]),
]  # fmt: skip

WARNINGS: list[tuple[str, bytes, list[tuple[Any, ...]]]] = [
    (
        "bytes that are not UTF-8",
        b'{"a": ["x", "\xff\xfe y \xe2\x82"]}',
        [
            ("utf8-in-string", ("a", 1), False, 13, 1, 14),
            ("utf8-in-string", ("a", 1), False, 18, 1, 19),
        ],
    ),
    (
        "not UTF-8 in a name",
        b'[{"a":1,"\xffb":2}]',
        [("utf8-in-string", (0, "\ufffdb"), True, 9, 1, 10)],
    ),
    (
        "lone surrogates",
        b'{"a":[1,{"b":"\\ud83d\\ude00\\ud83d"}], "\\udc00":"\\uDC00x"}',
        [
            ("lone-surrogate", ("a", 1, "b"), False, 26, 1, 27),
            ("lone-surrogate", ("\udc00",), True, 38, 1, 39),
            ("lone-surrogate", ("\udc00",), False, 47, 1, 48),
        ],
    ),
    (
        "doubled names",
        b'{"a":1,"b":[{"c":{},\n"c":2}],"\\u0061" :[]}',
        [
            ("duplicate-member", ("b", 0, "c"), True, 21, 2, 1),
            ("duplicate-member", ("a",), True, 29, 2, 9),
        ],
    ),
    (
        "overflow",
        b'[1e400, {"a":-1e999}, ' + b"9" * 400 + b", " + b"1" * 5000 + b"]",
        [
            ("number-overflow", (0,), False, 1, 1, 2),
            ("number-overflow", (1, "a"), False, 13, 1, 14),
            ("number-overflow", (2,), False, 22, 1, 23),
            ("number-overflow", (3,), False, 424, 1, 425),
        ],
    ),
    ("overflow at the root", b" 1e400", [("number-overflow", (), False, 1, 1, 2)]),
]


@pytest.mark.parametrize(
    ("raw", "places"), [pytest.param(raw, places, id=name) for name, raw, places in ERRORS]
)
@pytest.mark.parametrize("thorough", [True, False])
def test_error(raw: bytes, places: list[Place], thorough: bool) -> None:
    text = read_json(raw, thorough=thorough)
    assert not text.sound
    assert [(i.code, i.offset, i.line, i.column) for i in text.issues] == places
    assert {(i.severity, i.keys, i.at_key) for i in text.issues} == {("error", (), False)}


@pytest.mark.parametrize(
    ("raw", "expected"), [pytest.param(raw, places, id=name) for name, raw, places in WARNINGS]
)
def test_warning(raw: bytes, expected: list[tuple[Any, ...]]) -> None:
    text = read_json(raw)
    assert text.sound
    found = [(i.code, i.keys, i.at_key, i.offset, i.line, i.column) for i in text.issues]
    assert found == expected
    assert {i.severity for i in text.issues} == {"warning"}


def test_every_code_has_an_example() -> None:
    shown = {
        i.code: i.severity for _, raw, _ in [*ERRORS, *WARNINGS] for i in read_json(raw).issues
    }
    counted = {"json-unread": "info", "json-unlisted": "info"}  # see the tests of limits
    assert shown | counted == CODES


def test_words(snapshot: SnapshotAssertion) -> None:
    lines = {
        f"{i.code}: {i.message}\n    expected: {i.expected}\n    found: {i.found}"
        for _, raw, _ in [*ERRORS, *WARNINGS]
        for i in read_json(raw).issues
    }
    assert "\n".join(sorted(lines)) == snapshot


def test_words_never_quote_the_text() -> None:
    secret = "sk-obviously-fake-123"
    for bad in (
        f"[{secret}]",
        f'["{secret}',
        f"['{secret}'",
        f"{{{secret}:1}}",
        f'["a"{secret}"b"]',
    ):
        words = [f"{i.message} {i.expected} {i.found}" for i in read_json(bad.encode()).issues]
        assert words
        assert "fake" not in "".join(words)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"[1,,2,]", [1, 2]),
        (b"[1 2 'b' \"c\"]", DAMAGED),
        (b'{"a":1 "b":2}', {"a": 1, "b": 2}),
        (b"{a: 'it\\'s', 'b': `c`,}", {"a": "it's", "b": "c"}),
        (b"[Infinity, -Infinity, NaN, None, True, FALSE, nil]", [DAMAGED] * 7),
        (b"[01, +1, .5, 5., 0x1F, 1_000, -.5e1, 007]", [1, 1, 0.5, 5.0, 31, 1000, -5.0, 7]),
        (b"[1e, -, --1, 1.2.3, word]", [DAMAGED] * 5),
        (b'["C:\\Users\\new", "\\u12", "\\q"]', ["C:\\Users\new", "\\u12", "\\q"]),
        (b'["a\tb\n"]', ["a\tb\n"]),
        (b'["a\x00b\xff\\q"]', ["a\x00b\ufffd\\q"]),
        (b'{"a":,"b":1}', {"a": DAMAGED, "b": 1}),
        (b"[1 /* x */, 2] // y", [1, 2]),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'{"a":1}{"b":2}', {"a": 1}),
        (b"[\xff1, 2]", [1, 2]),
        (b"[\xffab, tru\xff]", [DAMAGED, DAMAGED]),
        (b"abc", DAMAGED),
        (b'{"a":[1,{"b":2', DAMAGED),
        (b"", DAMAGED),
    ],
)  # fmt: skip
def test_what_is_meant(raw: bytes, value: Any) -> None:
    text = read_json(raw)
    assert not text.sound
    assert text.value == value


def test_what_was_read_before_the_end() -> None:
    text = read_json(b'{"a":[1,{"b":2,"c":"x')
    assert text.value is DAMAGED
    assert text.partial == {"a": [1, {"b": 2}]}
    whole = read_json(b"[1,]")
    assert whole.partial is whole.value


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": [1, -2.5e3, 1E+2, 0, -0, -0.0, true, false, null, "x", {}, []]}',
        ' "\\u00e9\\n\\ud83d\\ude00é😀\u2028\x7f\\/" '.encode(),
        b"\t\r\n[\n]\n",
        b'{"":{"":[[[{"":""}]]]}}',
        b"12345678901234567890123",
        b'{"a":1e400,"a":"\\ud800"}',
    ],
)
def test_sound_text(raw: bytes) -> None:
    value = json.loads(raw)
    assert repr(read_json(raw).value) == repr(value)
    assert read_json(raw).sound
    plain = read_json(raw, thorough=False)
    assert plain.sound
    assert plain.value == pytest.approx(value) if isinstance(value, int) else repr(value)
    assert parse_fast(raw) == plain.value


def test_numbers() -> None:
    exact = 10**4299
    text = read_json(b"[%d, 1%s, 1e-400, 18446744073709551617]" % (exact, b"0" * 4300))
    assert text.value == [exact, math.inf, 0.0, 2**64 + 1]
    assert [i.keys for i in text.issues] == [(0,), (1,)]


def test_numbers_where_python_takes_fewer_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: bytes) -> int:
        raise ValueError("too many digits")

    monkeypatch.setattr("sesskit.schemas.json_words.int", refuse, raising=False)
    assert read_json(b'[12, "\\ud800"]').value == [12.0, "\ud800"]


def test_plain_reading_passes_doubled_names_by() -> None:
    raw = b'{"a":1,"a":2}'
    assert read_json(raw, thorough=False).issues == ()
    assert len(read_json(raw).issues) == 1
    assert repeats_names(raw)
    assert not repeats_names(b'[{"a":1},{"a":2}]')
    assert repeats_names(b"[")
    assert repeats_names(b"[NaN]")


def test_places_in_a_file() -> None:
    text = read_json(b'{"a":NaN,\n"b":NaN}', base=Base(offset=1000, line=12, column=5))
    places = [(i.offset, i.line, i.column) for i in text.issues]
    assert places == [(1005, 12, 10), (1014, 13, 5)]


@pytest.mark.parametrize(
    "raw", [b"[NaN]", b"", b"[", b"\xef\xbb\xbf1", b"[" * 769 + b"]" * 769, b'["\t"]', b"\xff"]
)
def test_fast_parsers_refuse(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_fast(raw)


def test_fast_parsers_take_what_is_only_odd() -> None:
    assert parse_fast(b'["\\ud800", 1e400, "\xff"]') == ["\ud800", math.inf, "\ufffd"]


def test_doubled_names_among_errors() -> None:
    long = b"n" * 70
    text = read_json(b'{"a":1, \'a\':2, "' + long + b'":3,"' + long + b'":NaN}')
    assert [(i.code, i.keys) for i in text.issues] == [
        ("json-quotes", ()),
        ("duplicate-member", ("a",)),
        ("duplicate-member", (long.decode(),)),
        ("json-constant", ()),
    ]
    assert text.value == {"a": 2, long.decode(): DAMAGED}

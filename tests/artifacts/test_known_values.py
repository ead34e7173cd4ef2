"""Values looked for everywhere, in every form; and the same answers with the native automaton."""

from __future__ import annotations

import base64
import html
import json
import random
import sys
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.artifacts import literals as literals_module
from sesskit.artifacts.anchors import Anchors
from sesskit.artifacts.known_values import KnownValues, forms_of
from sesskit.artifacts.literals import Literals, has_native
from sesskit.artifacts.placeholders import Placeholders
from sesskit.artifacts.span import Span

SECRET = 'Zq7<k"k/l é&11'


def secret(value: str) -> Span:
    return Span(0, 0, "named-secret", value)


def person(value: str) -> Span:
    return Span(0, 0, "login", value, "user", "personal", "medium")


def known(*spans: Span) -> KnownValues:
    values = KnownValues()
    values.add(spans)
    return values


def test_the_bytes_of_a_secret_as_digits() -> None:
    assert {"616263313233", "616263313233".upper()} <= forms_of(secret("abc123"))


def placed(values: KnownValues, text: str) -> list[str]:
    return [text[span.start : span.end] for span in values.spans_in(text)]


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
        quote(SECRET, safe=""),
        quote(SECRET),
        html.escape(SECRET),
    ],
)
def test_forms(form: str) -> None:
    assert placed(known(secret(SECRET)), f"a {form} b") == [form]


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("behind", ["", "x", "xy"])
@pytest.mark.parametrize("url_safe", [False, True])
def test_base64(before: str, behind: str, url_safe: bool) -> None:
    data = (before + SECRET + behind).encode()
    text = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data).decode()
    (found,) = placed(known(secret(SECRET)), text)
    assert len(found) >= len(SECRET.encode()) * 4 // 3 - 3


def test_people_are_words() -> None:
    values = known(person("ikeda"), person("noor.ikeda-x"))
    assert placed(values, "ikeda (ikeda) mikeda ikedas ikeda1 \\nikeda %2Fikeda _ikeda") == [
        "ikeda",
        "ikeda",
        "ikeda",
        "ikeda",
        "ikeda",
    ]
    assert placed(values, "-Users-noor-ikeda-x-src") == ["noor-ikeda-x"]


def test_what_is_not_looked_for() -> None:
    values = known(secret("abc"), secret("xxxxxxxxxx"), secret("Zq7kkk")._replace(spread=False))
    assert placed(values, "abc xxxxxxxxxx Zq7kkk") == []
    parts = Span(0, 9, "user-at-host", "a@b", parts=(("user", "ikeda"), ("host", "root")))
    assert placed(known(parts), "ikeda root") == ["ikeda"]


def test_lines_of_a_key() -> None:
    lines = ["A1b2" * 16, "C3d4" * 16, "Zz9"]
    span = Span(0, 0, "private-key", "\n".join(lines))
    assert forms_of(span) == set(lines[:2])


literals = st.lists(st.text("ab\udc80", min_size=1, max_size=4), max_size=8)


class Automaton:
    """As `ahocorasick_rs.AhoCorasick`, slowly. It takes no half of a surrogate pair either."""

    def __init__(self, literals: list[str], matchkind: str, implementation: str) -> None:
        "".join(literals).encode()
        self.literals, self.kind = list(literals), matchkind

    def find_matches_as_indexes(
        self, text: str, overlapping: bool = False
    ) -> list[tuple[int, int, int]]:
        text.encode()
        every = [
            (start, -len(literal), number)
            for number, literal in enumerate(self.literals)
            for start in range(len(text))
            if text.startswith(literal, start)
        ]
        found, last = [], 0
        for start, negative, number in sorted(every):
            if overlapping or start >= last:
                last = start - negative
                found.append((number, start, last))
        return found


class AutomatonOfBytes:
    """As `ahocorasick_rs.BytesAhoCorasick`."""

    def __init__(self, literals: list[bytes], matchkind: str, implementation: str) -> None:
        words = [one.decode("latin-1") for one in literals]
        self.inner = Automaton(words, matchkind, implementation)

    def find_matches_as_indexes(
        self, data: bytes, overlapping: bool = False
    ) -> list[tuple[int, int, int]]:
        return self.inner.find_matches_as_indexes(data.decode("latin-1"), overlapping)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = SimpleNamespace(LeftmostLongest="longest", Standard="standard")
    ways = SimpleNamespace(DFA="dfa", ContiguousNFA="nfa")
    module: Any = SimpleNamespace(
        AhoCorasick=Automaton,
        BytesAhoCorasick=AutomatonOfBytes,
        MatchKind=kinds,
        Implementation=ways,
    )
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", module)


def assert_same(words: list[str], text: str) -> None:
    fast, plain = Literals(words), Literals(words, native=False)
    assert list(fast.found_in(text)) == list(plain.found_in(text))


@pytest.mark.parametrize(("pack", "most"), [(2, 100), (3, 1), (64, 16)])
def test_packs_of_literals(
    native: None, monkeypatch: pytest.MonkeyPatch, pack: int, most: int
) -> None:
    """One pack may find what begins in a find of another one."""
    monkeypatch.setattr(literals_module, "_WORTH", 0)
    monkeypatch.setattr(literals_module, "_PACK", pack)
    monkeypatch.setattr(literals_module, "_MOST_PACKS", most)
    rng = random.Random(4)
    for _ in range(300):
        words = ["".join(rng.choices("ab", k=rng.randrange(1, 7))) for _ in range(8)]
        assert_same(words, "".join(rng.choices("abc", k=40)))


def test_native_or_not_is_the_same(native: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_native()
    monkeypatch.setattr(literals_module, "_WORTH", 0)

    @given(literals, st.text("abc\udc80", max_size=30), st.text("ab?é→", max_size=20))
    def same(words: list[str], text: str, wide: str) -> None:
        odd = [*words, "a→", "éb", "?"]
        one, other = (sorted(Anchors(odd, native=which).found_in(wide)) for which in (True, False))
        assert one == other
        assert_same(words, text)
        assert_same([*words, "é", "b\udc80"], text)
        assert bool(Literals(words)) is bool(words)
        long = text + "c" * 300
        both = [Anchors(words, native=which) for which in (True, False)]
        assert sorted(both[0].found_in(long)) == sorted(both[1].found_in(long))

    same()


def test_without_the_native_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    assert not has_native()
    assert list(Literals("abcdef").found_in("xbx")) == [(1, 2, "b")]


def test_placeholders() -> None:
    names = Placeholders()
    assert names.reserve("[a-1] [token-3] [Token-9] [x] [a-b-c-2]") == 3
    assert names.name("token", "v") == "[token-4]"
    assert names.name("other", "v") == "[token-4]"
    assert names.name("a-b-c", "w") == "[a-b-c-3]"
    assert names.name("new", "x") == "[new-1]"


@pytest.mark.parametrize("least", [1, 6])
def test_many_literals_are_found_as_few_are(least: int) -> None:
    many = [f"ab{number:04x}"[:least] + f"{number:05d}" * (number % 3 + 1) for number in range(300)]
    text = " ".join(many[::7]) + "".join(many[1::11]) + "zz"
    few = [one for one in many if one in text]
    assert len(few) < 200
    expected = list(Literals(few, native=False).found_in(text))
    assert list(Literals(many, native=False).found_in(text)) == expected


@pytest.mark.parametrize("half", [chr(0xDCE9), chr(0xD800), chr(0xD800) + chr(0xDCE9)], ids=ascii)
def test_a_value_may_have_halves_of_pairs(half: str) -> None:
    value = f"Kv6srtB{half}JLCKw9"
    assert placed(known(secret(value)), f"a {value} b") == [value]


def test_a_byte_that_is_no_text_is_looked_for_in_addresses() -> None:
    assert placed(known(secret("Kv6srtB\udce9JLCKw9")), "?p=Kv6srtB%E9JLCKw9") == [
        "Kv6srtB%E9JLCKw9"
    ]
